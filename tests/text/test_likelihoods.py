"""Priors of the classes, smoothing, the number of parameters, and the likelihood of a data set."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banbury
from banbury import Bernoulli, Categorical, Classifier, Counts, Dirichlet, Gaussian
from banbury.errors import BanburyError, InputError, LabelError
from banbury.text.likelihoods import log_prior, pseudo_counts, scorer
from strategies import Corpus, corpora

TWEETS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
LABELS = ["positive", "positive", "negative", "negative"]


def test_log_priors_are_those_of_the_documents() -> None:
    model = Classifier.textbook().fit(["a"] * 200 + ["b"] * 800, ["ill"] * 200 + ["well"] * 800)
    assert np.exp(model.log_prior_) == pytest.approx([0.2, 0.8])
    model.set_params(prior="uniform")
    assert np.exp(model.log_prior_) == pytest.approx([0.5, 0.5])
    model.set_params(prior={"ill": 0.01, "well": 0.99})
    assert np.exp(model.log_prior_) == pytest.approx([0.01, 0.99])


@pytest.mark.parametrize("prior, ill", [(Dirichlet(1), 3 / 9), (Dirichlet({"ill": 3, "well": 1}), 5 / 11)])
def test_a_prior_of_the_class_probabilities_counts_as_documents(prior: Dirichlet, ill: float, tmp_path: Path) -> None:
    texts, labels = ["a", "b", "a b", "c", "d", "a", "b"], ["ill", "ill", *["well"] * 5]
    for model in (Classifier.textbook(prior=prior), Classifier(prior=prior)):
        model.fit(texts, labels)
        assert math.exp(model.log_prior_[0]) == pytest.approx(ill)
        model.save(tmp_path / "ill.banbury")
        loaded = banbury.load(tmp_path / "ill.banbury")
        assert loaded.prior == prior
        assert loaded.predict_proba(["unseen"]) == pytest.approx(model.predict_proba(["unseen"]))
    assert Classifier.textbook(prior=prior).fit(texts, labels).predict_proba(["x"])[0][0] == pytest.approx(ill)


@pytest.mark.parametrize("wrong", [0, -1, "x", True, math.inf, {"ill": 0}, None])
def test_a_prior_without_documents_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="numbers above 0"):
        Dirichlet(wrong)


def test_a_prior_of_other_labels_is_refused() -> None:
    with pytest.raises(InputError, match=r"has \['x', 'y'\]; this model has the labels \['no', 'yes'\]"):
        Classifier.textbook(prior=Dirichlet({"x": 1, "y": 1})).fit(["a", "b"], ["yes", "no"])


def test_the_number_of_parameters_is_that_of_the_books() -> None:
    symptoms = {name: [True, False, True, False] for name in "abcdefg"}
    kinds: dict[str, Any] = dict.fromkeys(symptoms, Bernoulli())
    ill = Classifier(columns=kinds).fit(symptoms, ["ill", "ill", "well", "well"])
    assert ill.n_parameters_ == 1 + 2 * 7
    mixed: dict[str, Any] = {"sky": Categorical(), "degrees": Gaussian()}
    weather = Classifier(columns=mixed).fit({"sky": ["a", "b", "c"], "degrees": [1.0, 2.0, 4.0]}, ["x", "y", "z"])
    assert weather.n_parameters_ == 2 + 3 * ((3 - 1) + 2)
    assert Classifier.textbook(likelihood="bernoulli").fit(TWEETS, LABELS).n_parameters_ == 1 + 2 * 9
    assert Classifier.textbook().fit(TWEETS, LABELS).n_parameters_ == 1 + 2 * (9 - 1)


@given(corpora(min_size=1))
def test_the_likelihood_of_a_data_set_is_the_sum_of_its_documents(corpus: Corpus) -> None:
    model = Classifier.textbook().fit(corpus.texts, corpus.labels)
    logs = model.joint_log_likelihood(corpus.texts)
    expected = sum(logs[row][model.classes_.tolist().index(label)] for row, label in enumerate(corpus.labels))
    assert model.log_likelihood(corpus.texts, corpus.labels) == pytest.approx(expected)


def test_a_likelihood_of_unknown_labels_is_refused() -> None:
    model = Classifier.textbook().fit(TWEETS, LABELS)
    with pytest.raises(LabelError, match="'neutral' was never learned"):
        model.log_likelihood(["a"], ["neutral"])
    with pytest.raises(BanburyError, match="2 documents but 1 labels"):
        model.log_likelihood(["a", "b"], ["positive"])


@pytest.mark.parametrize(
    "likelihood, smoothing, expected",
    [
        ("multinomial", 1, (1.0, 1.0)),
        ("bernoulli", None, (0.0, 0.0)),
        ("complement", "document", (1.0, 0.0)),
    ],
)
def test_pseudo_counts_of_presence_and_absence(likelihood: str, smoothing: Any, expected: tuple[float, float]) -> None:
    assert pseudo_counts(likelihood, smoothing) == expected


@pytest.mark.parametrize(
    "likelihood, smoothing, message",
    [
        ("multinomial", -1, "smoothing is -1"),
        ("multinomial", True, "smoothing is True"),
        ("bernoulli", math.nan, "smoothing is nan"),
        ("bernoulli", "some", "'document' or 'auto'"),
        ("complement", 0, "the complement likelihood needs smoothing"),
    ],
)
def test_impossible_smoothing_is_named(likelihood: str, smoothing: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pseudo_counts(likelihood, smoothing)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=5))
def test_priors_are_distributions_and_complement_takes_none_by_itself(documents: list[int]) -> None:
    classes = list("abcde")[: len(documents)]
    for prior in ("empirical", "uniform", Dirichlet(0.3)):
        assert np.exp(log_prior(classes, documents, prior)).sum() == pytest.approx(1)
    shares = np.exp(log_prior(classes, documents, "empirical", "complement"))
    assert shares == pytest.approx([1 / len(classes)] * len(classes))


def test_unknown_likelihoods_and_vocabularies_are_named() -> None:
    counts = Counts().add(["a"], ["x"]).kernel
    for likelihood, vocabulary, message in (
        ("normal", "shared", "likelihood is"),
        ("bernoulli", "own", "vocabulary is"),
    ):
        with pytest.raises(InputError, match=message):
            scorer(counts, likelihood, 1.0, vocabulary)
