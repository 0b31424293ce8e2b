"""Models without documents: from a table of frequencies, from a table of λ; priors of π, parameters, likelihoods."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given

import banbury
from banbury import Analyzer, Bernoulli, Categorical, Classifier, Dirichlet, Gaussian
from banbury.errors import BanburyError, InputError, LabelError, NotAvailable
from strategies import Corpus, corpora

# The table of the first founding document.
TABLE: dict[str, Any] = {
    word: {"positive": positive, "negative": negative}
    for word, positive, negative in (
        ("I", 3, 3), ("am", 2, 2), ("happy", 2, 0), ("sad", 0, 2), ("because", 1, 1),
        ("love", 1, 0), ("hate", 0, 1), ("the", 1, 1), ("weather", 1, 1),
    )
}  # fmt: skip
TWEETS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
LABELS = ["positive", "positive", "negative", "negative"]
CLASSES = ("negative", "positive")


def test_a_table_of_frequencies_is_the_model_of_its_documents() -> None:
    ours = Classifier.from_frequencies(
        TABLE, documents={"positive": 2, "negative": 2}, totals={"positive": 11, "negative": 11}
    )
    theirs = Classifier.textbook().fit(TWEETS, LABELS)
    assert ours.counts_.occurrences == theirs.counts_.occurrences == [11, 11]
    assert ours.counts_.documents == theirs.counts_.documents
    text = "I am happy because I love ice cream"
    assert ours.decision_function([text])[0] == pytest.approx(math.log(6))
    assert str(ours.explain(text)) == str(theirs.explain(text))
    assert np.exp(ours.words(sort="count").log_probabilities).sum(axis=0) == pytest.approx([1, 1])
    rows = {row["word"]: row for row in ours.words().rows()}
    assert rows["happy"]["probability"] == pytest.approx({"positive": 0.15, "negative": 0.05})


@given(corpora(min_size=2))
def test_frequencies_of_any_corpus_give_its_model(corpus: Corpus) -> None:
    theirs = Classifier.textbook().fit(corpus.texts, corpus.labels)
    table = theirs.words()
    frequencies = {
        word: dict(zip(table.classes, counts.tolist(), strict=True))
        for word, counts in zip(table.words, table.counts, strict=True)
    }
    documents = dict(zip(theirs.counts_.classes, theirs.counts_.documents, strict=True))
    if not all(theirs.counts_.occurrences):
        return  # a class without words is refused
    ours = Classifier.from_frequencies(frequencies, documents=documents)
    assert ours.predict_proba(corpus.texts) == pytest.approx(theirs.predict_proba(corpus.texts))


def test_in_how_many_documents_a_word_stands() -> None:
    reviews = {"great": {"+": 92, "-": 5}, "waste": {"+": 0, "-": 14}}
    model = Classifier.from_frequencies(
        reviews,
        documents={"+": 500, "-": 500},
        likelihood="bernoulli",
        smoothing=None,
        analyzer=Analyzer(words="python"),
    )
    logs = dict(zip(model.classes_.tolist(), model.joint_log_likelihood(["great"])[0], strict=True))
    assert math.exp(logs["+"]) == pytest.approx(0.184 * 1 * 0.5)
    assert math.exp(logs["-"]) == pytest.approx(0.01 * 0.972 * 0.5)  # 0.00486: the founding document has it wrong


def test_rows_and_data_frames_are_tables_too() -> None:
    rows = [{"word": word, **counts} for word, counts in TABLE.items()]
    models = [Classifier.from_frequencies(table) for table in (TABLE, rows, pandas.DataFrame(rows))]
    scores = [model.decision_function(["happy weather"])[0] for model in models]
    assert scores == pytest.approx([math.log(3)] * 3)


def test_a_model_of_frequencies_learns_on_and_is_saved(tmp_path: Path) -> None:
    model = Classifier.from_frequencies(TABLE, documents={"positive": 2, "negative": 2})
    model.learn(["so happy"], ["positive"])
    assert model.counts_.documents == [2, 3]
    assert model.word("happy")["count"] == {"negative": 0, "positive": 3}
    model.save(tmp_path / "mood.banbury")
    assert banbury.load(tmp_path / "mood.banbury").predict("happy") == "positive"


@pytest.mark.parametrize(
    "table, options, message",
    [
        ({}, {}, "no words"),
        ({"a": {"x": -1, "y": 1}}, {}, "the count of 'a' with label 'x' is -1"),
        ({"a": {"x": 0.5, "y": 1}}, {}, "is 0.5; counts are whole"),
        ({"a": 3}, {}, "'a' has 3; it must have a count for each label"),
        ({"new york": {"x": 1, "y": 1}}, {}, r"'new york' is not one word; this analyzer reads \['new', 'york'\]"),
        (TABLE, {"totals": {"positive": 13, "negative": 11}}, "'positive' add up to 11, not to 13"),
        (TABLE, {"totals": {"negative": 11}}, "'positive' add up to 11, not to None"),
        (TABLE, {"documents": {"positive": 2}}, "label 'negative' has None documents"),
        (TABLE, {"documents": {"positive": 2, "negative": 0}}, "label 'negative' has 0 documents"),
        (TABLE, {"documents": {"positive": 2, "negative": 1, "neutral": 3}}, "speaks of label 'neutral'"),
        (TABLE, {"documents": {"positive": 2, "negative": 2}, "likelihood": "bernoulli"}, "'i' stands in 3 documents"),
        ({"a": {"x": 1, "y": 0}}, {}, "of label 'y' are all 0"),
        ([{"x": 1}], {}, "row 0 is {'x': 1}; it must have a column 'word'"),
        ([{"word": "a", "x": 1}, {"word": "a", "x": 1}], {}, "row 1 has the word 'a' again"),
        (TABLE, {"prior": {"positive": 1.0}}, "no probability for label 'negative'"),
        (TABLE, {"smoothing": -1}, "smoothing"),
    ],
)
def test_a_bad_table_of_frequencies_is_one_clear_error(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier.from_frequencies(table, **options)


def test_a_table_of_lambda_predicts_and_explains() -> None:
    model = Classifier.from_log_ratios({"happy": 2.2, "learning": 1.1, "sad": -2.2}, classes=CLASSES)
    text = "I am happy because I am learning"
    assert model.decision_function([text])[0] == pytest.approx(3.3)
    assert model.predict([text, "sad", "nothing"]).tolist() == ["positive", "negative", "negative"]
    assert model.probabilities(text)["positive"] == pytest.approx(1 / (1 + math.exp(-3.3)))
    why = model.explain(text)
    assert why.score == pytest.approx(3.3)
    assert [(part.word, part.weight) for part in why.evidence if part.weight] == [("happy", 2.2), ("learning", 1.1)]
    assert model.evaluate([text, "so sad"], ["positive", "negative"]).accuracy == 1
    assert model.decision_function(["happy"], prior={"positive": 0.2, "negative": 0.8})[0] == pytest.approx(
        2.2 + math.log(0.25)
    )


def test_more_classes_have_a_weight_each_and_order_does_not_matter() -> None:
    table = {"goal": {"sport": 2.0, "news": 0.5, "art": 0.0}, "vote": {"news": 3.0, "sport": 0.0, "art": 0.0}}
    model = Classifier.from_log_ratios(table, classes=("sport", "news", "art"))
    assert model.predict(["goal", "vote goal"]).tolist() == ["sport", "news"]
    turned = Classifier.from_log_ratios({"happy": -1.0}, classes=("positive", "negative"))
    assert turned.predict("happy") == "positive"  # the number speaks for the second class that was given


def test_a_table_of_lambda_is_saved_and_loaded(tmp_path: Path) -> None:
    model = Classifier.from_log_ratios({"happy": 2.2}, classes=CLASSES, analyzer=Analyzer(stop_words=["the"]))
    model.save(tmp_path / "mood.banbury")
    loaded = banbury.load(tmp_path / "mood.banbury")
    assert loaded.decision_function(["the happy"]) == pytest.approx(model.decision_function(["the happy"]))
    assert loaded.classes_.tolist() == list(CLASSES)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda model: model.learn(["a"], ["positive"]),
        lambda model: model.forget(["a"], ["positive"]),
        lambda model: model.words(),
        lambda model: model.counts_,
        lambda model: model.joint_log_likelihood(["a"]),
        lambda model: model.sample(),
        lambda model: model.diagnose(["a"]),
        lambda model: model.n_parameters_,
    ],
)
def test_what_needs_counts_says_that_there_are_none(wrong: Callable[[Classifier], Any]) -> None:
    with pytest.raises(NotAvailable, match="given"):
        wrong(Classifier.from_log_ratios({"happy": 2.2}, classes=CLASSES))


@pytest.mark.parametrize(
    "table, classes, message",
    [
        ({}, CLASSES, "no words"),
        ({"happy": math.nan}, CLASSES, "the weight of 'happy' is nan"),
        ({"happy": "2"}, CLASSES, "the weight of 'happy' is '2'"),
        ({"so happy": 2.2}, CLASSES, "'so happy' is not one word"),
        ({"happy": 2.2, "Happy": 1}, CLASSES, "'Happy' is in the table twice"),
        ({"happy": 2.2}, ("a",), "two or more"),
        ({"happy": 2.2}, ("a", "b", "c"), "a number for each of 'a', 'b', 'c'"),
        ({"happy": {"a": 1.0}}, ("a", "b"), "a number for each of 'a', 'b'"),
    ],
)
def test_a_bad_table_of_lambda_is_one_clear_error(table: Any, classes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier.from_log_ratios(table, classes=classes)


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
