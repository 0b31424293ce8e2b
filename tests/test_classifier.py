"""The classifier: each of its methods, its settings before and after training, copies and threads."""

import copy
import math
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import banbury
from banbury import Classifier, storage
from banbury.datasets import demo
from banbury.errors import (
    BanburyError,
    CountError,
    FileFormatError,
    InputError,
    LabelError,
    NotAvailable,
    NotFittedError,
)
from strategies import Corpus, corpora, plain_texts

TEXTS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
SIGNS = ["positive", "positive", "negative", "negative"]
TOPICS = ["goal match goal", "vote law", "cell gene cell", "match vote"]
THREE = ["sport", "politics", "science", "sport"]
LIKELIHOODS = ["multinomial", "bernoulli", "complement"]


def signs(**options: Any) -> Classifier:
    return Classifier.textbook(**options).fit(TEXTS, SIGNS)


def topics(**options: Any) -> Classifier:
    return Classifier.textbook(**options).fit(TOPICS, THREE)


def state(model: Classifier) -> bytes:
    return pickle.dumps(model)


# Predicting ----------------------------------------------------------------------------------------------------------


def test_one_text_gives_one_label_and_a_list_gives_an_array() -> None:
    model = signs()
    assert model.predict("so happy") == "positive"
    assert type(model.predict("so happy")) is str
    many = model.predict(["so happy", "so sad"])
    assert isinstance(many, np.ndarray)
    assert many.tolist() == ["positive", "negative"]
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 2)


@pytest.mark.parametrize(
    "labels, kind",
    [([True, False], bool), ([7, -3], int), (["b", "a"], str), ([2**70, 1], int), (np.array([7, -3]), int)],
)
def test_labels_come_back_as_they_were_given(labels: Any, kind: type) -> None:
    model = Classifier().fit(["good", "bad"], labels)
    assert model.predict("good") == labels[0]
    assert type(model.predict("good")) is kind
    assert model.predict(["bad", "good"]).tolist() == [labels[1], labels[0]]
    assert model.classes_.tolist() == sorted(labels)
    assert model.explain("good").label == labels[0]


def test_a_score_of_exactly_zero_is_neutral_and_falls_to_the_first_class() -> None:
    model = signs()
    assert model.decision_function(["I am the weather", "", "unheard of"]).tolist() == [0, 0, 0]
    assert model.predict(["I am the weather", "", "unheard of"]).tolist() == ["negative"] * 3
    assert model.predict("I am the weather") == model.classes_[0] == model.explain("I am the weather").label
    assert model.predict_proba(["I am the weather"]).tolist() == [[0.5, 0.5]]


def test_with_more_classes_a_tie_falls_to_the_first_of_the_best() -> None:
    model = Classifier().fit(["a", "b", "b"], ["x", "y", "z"])
    scores = model.decision_function(["b"])
    assert scores.shape == (1, 3)
    assert scores[0, 1] == scores[0, 2] > scores[0, 0]
    assert model.predict("b") == "y"
    explanation = model.explain("b")
    assert (explanation.label, explanation.against, explanation.score) == ("y", "z", 0)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_probabilities_and_their_logarithms_follow_the_classes(likelihood: str) -> None:
    model = topics(likelihood=likelihood)
    chances = model.predict_proba(["goal", "gene", "law"])
    assert model.classes_.tolist() == ["politics", "science", "sport"]
    assert chances.argmax(axis=1).tolist() == [2, 1, 0]
    assert model.predict_log_proba(["goal", "gene", "law"]) == pytest.approx(np.log(chances))


def test_logarithms_are_precise_where_probabilities_vanish() -> None:
    logs = signs().predict_log_proba(["happy " * 1000])[0]
    assert logs == pytest.approx([-1000 * math.log(3), 0])


def test_the_joint_log_likelihood_is_prior_times_probability_of_the_words() -> None:
    logs = signs().joint_log_likelihood(["happy happy sad"])[0]
    assert np.exp(logs) == pytest.approx([0.5 * 0.05**2 * 0.15, 0.5 * 0.15**2 * 0.05])
    more = signs().joint_log_likelihood(["happy happy sad"], coefficient=True)[0]
    assert np.exp(more - logs) == pytest.approx([3, 3])


def test_one_class_is_always_right() -> None:
    model = Classifier().fit(["a"], ["only"])
    assert model.predict("b") == "only"
    assert model.predict_proba(["a", "b"]).tolist() == [[1], [1]]
    assert model.decision_function(["a"]).shape == (1, 1)
    assert model.words("only").rows()[0]["log_ratio"] == 0
    with pytest.raises(InputError, match="one class only"):
        model.explain("a")


# Priors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prior, expected",
    [
        ("empirical", [1 / 4, 1 / 4, 2 / 4]),
        ("uniform", [1 / 3, 1 / 3, 1 / 3]),
        ({"sport": 0.7, "politics": 0.2, "science": 0.1}, [0.2, 0.1, 0.7]),
        ({"sport": 1, "politics": 0, "science": 0}, [0, 0, 1]),
    ],
)
def test_the_prior_is_what_is_left_where_no_word_is_known(prior: Any, expected: list[float]) -> None:
    assert topics(prior=prior).predict_proba(["unheard"])[0] == pytest.approx(expected)
    assert topics().predict_proba(["unheard"], prior=prior)[0] == pytest.approx(expected)
    assert topics().predict("unheard", prior=prior) == ["politics", "science", "sport"][int(np.argmax(expected))]
    assert topics().decision_function(["unheard"], prior=prior).shape == (1, 3)


def test_a_prior_of_numpy_numbers_is_a_prior() -> None:
    prior = dict(zip(["negative", "positive"], np.array([0.2, 0.8], dtype=np.float32), strict=True))
    assert signs().decision_function(["unheard"], prior=prior)[0] == pytest.approx(math.log(4))


@pytest.mark.parametrize(
    "prior, message",
    [
        ("flat", r"prior is 'flat'; it can be 'empirical', 'uniform', Dirichlet\(1\), or a probability for each"),
        ([0.5, 0.5], "it can be 'empirical', 'uniform'"),
        (np.array([0.5, 0.5]), "it can be 'empirical', 'uniform'"),
        ({"positive": 1}, "no probability for label 'negative'"),
        ({"positive": 0.5, "negative": 0.5, "neutral": 0}, "speaks of label 'neutral'; this model knows 'negative'"),
        ({"positive": 0.5, "negative": 0.6}, "sums to 1.1"),
        ({"positive": 1.5, "negative": -0.5}, "the prior of label 'negative' is -0.5"),
        ({"positive": math.nan, "negative": 0.5}, "the prior of label 'positive' is nan"),
        ({"positive": "half", "negative": 0.5}, "the prior of label 'positive' is 'half'"),
    ],
)
def test_a_wrong_prior_is_refused_in_training_and_in_predicting(prior: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        signs().predict(["happy"], prior=prior)
    with pytest.raises(InputError, match=message):
        signs(prior=prior)


@given(corpora(classes=2), plain_texts(), st.integers(1, 9))
def test_another_prior_moves_the_score_by_the_difference_of_the_log_odds(corpus: Corpus, text: str, n: int) -> None:
    assume(len(set(corpus.labels)) == 2)
    model = Classifier(prior="uniform").fit(corpus.texts, corpus.labels)
    prior = dict(zip(model.classes_.tolist(), [n / 10, 1 - n / 10], strict=True))
    moved = model.decision_function([text], prior=prior)[0] - model.decision_function([text])[0]
    assert moved == pytest.approx(math.log((10 - n) / n), abs=1e-9)


# Settings ------------------------------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {"likelihood": "bernoulli", "smoothing": 0.5},
    {"likelihood": "complement"},
    {"smoothing": None},
    {"smoothing": "document", "vocabulary": "class"},
    {"smoothing": np.float32(0.25), "prior": "uniform"},
    {"smoothing": np.int64(2), "prior": {"positive": 0.9, "negative": 0.1}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_settings_changed_after_training_are_as_if_given_before(settings: dict[str, Any], tmp_path: Path) -> None:
    changed = signs()
    changed.predict("happy")  # whatever it keeps from now on must not be used later
    changed.set_params(**settings)
    fresh = signs(**settings)
    asked = ["happy", "sad sad", "I love", ""]
    assert np.array_equal(changed.predict_proba(asked), fresh.predict_proba(asked))
    assert changed.words().rows() == fresh.words().rows()
    changed.save(tmp_path / "changed.banbury")
    assert np.array_equal(banbury.load(tmp_path / "changed.banbury").predict_proba(asked), fresh.predict_proba(asked))


@pytest.mark.parametrize(
    "settings, message",
    [
        (
            {"likelihood": "gauss"},
            "likelihood is 'gauss'; it can be 'automatic', 'multinomial'",
        ),
        ({"vocabulary": "own"}, "vocabulary is 'own'; it can be shared or class"),
        ({"smoothing": -1}, r"smoothing is -1; it can be 0 or more, up to 1e\+15, None, 'document' or 'auto'"),
        ({"smoothing": 1e308}, r"smoothing is 1e\+308; it can be 0 or more, up to 1e\+15"),
        ({"smoothing": 10**400}, "smoothing is 1000"),
        ({"smoothing": math.nan}, "smoothing is nan"),
        ({"smoothing": True}, "smoothing is True"),
        ({"smoothing": "much"}, "smoothing is 'much'"),
        ({"likelihood": "complement", "smoothing": 0}, "complement likelihood needs smoothing"),
        ({"likelihood": "automatic"}, "smoothing is 1.0, but the automatic model has no smoothing; .*'multinomial'"),
        (
            {"likelihood": "automatic", "smoothing": "auto"},
            "calibration is None, but the automatic model is always calibrated; .*'multinomial', calibration=None",
        ),
        ({"analyzer": "prose"}, "no preset 'prose'; there is words, tweets, authors, characters"),
        ({"analyzer": {}}, "analyzer is {}; it can be an Analyzer, the name of a preset, or None"),
        ({"threads": 0}, "threads is 0; it must be 1 or more"),
        ({"threads": 1.5}, "threads is 1.5"),
    ],
)
def test_a_wrong_setting_is_named_with_what_would_work(settings: dict[str, Any], message: str) -> None:
    model = signs()
    before = state(model)
    with pytest.raises(InputError, match=message):
        model.set_params(**settings).fit(["other"], ["x"])
    model.set_params(**signs().get_params(deep=False))
    assert state(model) == before


def test_a_prior_that_is_changed_where_it_is_takes_effect() -> None:
    prior = {"positive": 0.5, "negative": 0.5}
    model = signs(prior=prior)
    assert model.predict("unheard") == "negative"
    prior.update(positive=0.6, negative=0.4)
    assert model.predict("unheard") == "positive"


CHANGES: list[Callable[[Classifier], Any]] = [
    lambda model: model.learn(["so good so good"], ["sad"]),
    lambda model: model.forget(["so good"], ["glad"]),
    lambda model: model.learn(["good grief"], ["cross"]),
    lambda model: model.merge(Classifier.textbook().fit(["good bad", "good"], ["sad", "sad"])),
    lambda model: model.set_params(smoothing=100.0),
    lambda model: model.set_params(prior={label: float(label == "sad") for label in model.classes_}),
    lambda model: model.set_params(prior="uniform"),
    lambda model: model.set_params(likelihood="complement"),
    lambda model: setattr(model, "likelihood", "bernoulli"),
    lambda model: setattr(model, "smoothing", "auto"),
    lambda model: model.refit_settings(["so good", "so bad", "good"], ["glad", "sad", "glad"]),
    lambda model: model.fit(["good", "bad"], ["sad", "glad"]),
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_one_text_has_the_label_that_it_has_among_others(change: Callable[[Classifier], Any], classes: int) -> None:
    texts = ["so good", "so bad", "good", "bad", "neither nor"]
    labels = ["glad", "sad", "glad", "sad", "glad" if classes == 2 else "meh"]
    model = Classifier.textbook().fit(texts, labels)
    for step in (lambda model: None, change, change):
        try:
            step(model)
        except CountError:
            continue  # a document can be forgotten once
        for _ in range(3):  # what labels one text is kept from the first time on
            for text in [*texts, "", "good bad so", "nor"]:
                expected = model.predict([text, text])
                assert model.predict(text) == expected[0]
                assert model.predict([text]).tolist() == expected[:1].tolist()
    one = model.predict(["good"])
    one[0] = "x"
    assert model.predict("good") != "x" != model.predict(["good"])[0], "what comes back is a copy"


def test_an_unknown_parameter_changes_no_other() -> None:
    model = signs()
    with pytest.raises(InputError, match="no parameter 'alpha'; there is columns, analyzer, likelihood, smoothing"):
        model.set_params(smoothing=0.1, alpha=0.1)
    assert model.smoothing == 1.0


def test_the_representation_shows_what_is_not_default() -> None:
    assert repr(Classifier()) == "Classifier()"
    assert repr(Classifier(smoothing=0.5, analyzer="tweets")) == "Classifier(analyzer='tweets', smoothing=0.5)"


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "explain", "words", "save"])
def test_an_untrained_model_says_so(method: str) -> None:
    with pytest.raises(NotFittedError, match=r"call fit\(texts, labels\) first"):
        getattr(Classifier(), method)(*([] if method == "words" else ["x"]))


# Learning ------------------------------------------------------------------------------------------------------------


def test_learning_starts_from_nothing_and_forgetting_ends_there() -> None:
    model = Classifier.textbook().learn(TEXTS, SIGNS)
    assert state(model) == state(signs())
    model.forget(TEXTS, SIGNS)
    assert model.classes_.tolist() == []
    with pytest.raises(NotFittedError, match="forgotten everything"):
        model.predict("happy")
    assert state(model.learn(TEXTS, SIGNS)) == state(signs())


def test_learning_a_new_class_makes_room_for_it_in_order() -> None:
    model = signs().learn(["meh", "meh"], ["neutral", "neutral"])
    assert model.classes_.tolist() == ["negative", "neutral", "positive"]
    assert model.predict(["meh", "happy happy", "sad sad"]).tolist() == ["neutral", "positive", "negative"]


def test_labels_of_another_kind_are_not_learned() -> None:
    model = signs()
    before = state(model)
    with pytest.raises(LabelError, match="label 1 is of type int, but the labels known so far are of type str"):
        model.learn(["happy"], [1])
    assert state(model) == before


def test_merging_takes_models_only_and_leaves_the_other_alone() -> None:
    other = topics()
    before = state(other)
    assert signs().merge(other).predict("gene") == "science"
    assert state(other) == before
    with pytest.raises(InputError, match="merge needs another Classifier, not one of type list"):
        signs().merge([])  # type: ignore[arg-type]


def test_evaluating_compares_with_the_truth() -> None:
    report = signs().evaluate(["happy", "love", "sad", "weather"], ["positive", "negative", "negative", "neutral"])
    assert report.classes == ["negative", "neutral", "positive"]
    assert report.confusion == [[1, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert (report.accuracy, report.n_right, report.n_documents) == (0.5, 2, 4)
    assert signs().score(["happy", "sad"], ["positive", "positive"]) == 0.5
    assert str(report).startswith("2 of 4 right")
    assert "labels that the model does not know, all mistakes: neutral (1)" in str(report)


@pytest.mark.parametrize(
    "texts, labels, message",
    [
        ([], [], "no documents to evaluate"),
        (["a", "b"], ["positive"], "1 labels but 2 predictions"),
        ("happy", ["positive"], "not one str"),
        (["happy"], [1], "label 1 is of type int, but the labels known so far are of type str"),
        (["happy"], [None], "document 0 has no label"),
    ],
)
def test_evaluating_says_what_is_wrong(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        signs().evaluate(texts, labels)


# Copies, files, threads ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_predicts_the_same_and_learns_on_its_own(make: Callable[[Classifier], Classifier]) -> None:
    model = signs(smoothing=0.5, prior="uniform", analyzer="tweets")
    other = make(model)
    assert other.get_params() == model.get_params()
    assert np.array_equal(other.predict_proba(TEXTS), model.predict_proba(TEXTS))
    before = state(model)
    other.learn(["so happy"], ["negative"])
    assert state(model) == before
    assert make(Classifier(smoothing=3)).smoothing == 3


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_a_copy_is_saved_as_the_model_is(make: Callable[[Classifier], Classifier], tmp_path: Path) -> None:
    model = Classifier().fit(TEXTS * 3, ["positive", "positive", "negative", "negative"] * 3)
    model.save(tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    for one in (model, Classifier.load(tmp_path / "model")):
        make(one).save(tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == whole


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(FileFormatError, match="not a banbury file"):
        banbury.load(tmp_path / "text")
    storage.write(tmp_path / "other", {"kind": "ranker"}, {})
    with pytest.raises(FileFormatError, match="holds a ranker, not a classifier"):
        Classifier.load(tmp_path / "other")
    storage.write(tmp_path / "new", {"kind": "regressor"}, {})
    with pytest.raises(FileFormatError, match="holds a 'regressor', which this version of banbury does not know"):
        banbury.load(tmp_path / "new")


def forged(path: Path, settings: dict[str, Any]) -> None:
    """A model's file with other settings, and checksums that fit."""
    signs().save(path)
    file = storage.read(path)
    storage.write(path, {**file.settings, **settings}, {name: bytes(view) for name, view in file.arrays.items()})


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"classes": ["negative"]}, "it has 1 labels, but counts of 2 classes"),
        ({"classes": ["positive", "negative"]}, "its labels are not of one kind, or not in order"),
        ({"classes": ["negative", 1]}, "its labels are not of one kind"),
        ({"labels": "float"}, "its labels are not of one kind"),
        ({"labels": "complex"}, "complex"),
        ({"model": {"prior": "empirical", "likelihood": "gauss", "effort": "best"}}, "likelihood is 'gauss'"),
        (
            {"model": {"prior": "empirical", "likelihood": "multinomial", "smoothing": -1, "effort": "best"}},
            "smoothing is -1",
        ),
        ({"analyzer": {"words": "latin"}}, "words is 'latin'"),
        ({"analyzer": {"fonts": True}}, "fonts"),
    ],
)
def test_a_file_with_settings_that_cannot_be_followed_is_refused(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    forged(tmp_path / "forged", settings)
    with pytest.raises(FileFormatError, match=message):
        banbury.load(tmp_path / "forged")


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switching")
def test_a_model_can_be_asked_while_it_learns_new_labels() -> None:
    model = signs()

    def learn(number: int) -> None:
        for i in range(100):
            model.learn([f"word{i}"], [f"{'amz'[i % 3]}{number}-{i}"])

    def ask(_: int) -> list[str]:
        return [model.predict(["happy happy", "sad sad"] * 3)[0] for _ in range(400)] + [
            model.explain("happy happy").label
        ]

    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(ask, number) for number in range(4)]
        list(pool.map(learn, range(4)))
    assert {label for answer in answers for label in answer.result()} == {"positive"}
    assert sum(model.counts_.documents) == 4 + 4 * 100
    assert len(model.classes_) == 2 + 4 * 100


def test_a_class_without_words_of_its_own_is_impossible_for_any_word() -> None:
    model = Classifier.textbook(vocabulary="class").fit(["", "good"], ["empty", "full"])
    assert model.joint_log_likelihood(["good"])[0, 0] == -math.inf
    assert model.predict("good") == "full"
    assert model.predict_proba(["good"])[0].tolist() == [0, 1]


# The front door ------------------------------------------------------------------------------------------------------


def test_plain_likelihoods_count_words_and_the_automatic_model_more() -> None:
    assert Classifier(likelihood="multinomial").fit(TEXTS, SIGNS).counts_.analyzer == banbury.Analyzer()
    assert Classifier().fit(TEXTS, SIGNS).counts_.analyzer.ngrams == (1, 2)


def test_a_setting_that_does_not_fit_the_automatic_model_is_refused_after_training_too() -> None:
    model = Classifier().fit(TEXTS, SIGNS).set_params(smoothing=0.5)
    asked: list[Callable[[], object]] = [
        lambda: model.predict("happy"),
        lambda: model.explain("happy"),
        lambda: model.joint_log_likelihood(["happy"]),
        model.sample,
        model.words,
    ]
    for ask in asked:
        with pytest.raises(InputError, match=r"likelihood='multinomial', smoothing=0\.5"):
            ask()
    assert model.set_params(likelihood="multinomial").predict("happy") == "positive"


def test_the_textbook_takes_every_parameter_by_name() -> None:
    names = set(Classifier().get_params(deep=False))
    assert set(Classifier.textbook().get_params(deep=False)) == names
    model = Classifier.textbook(columns=["legs"]).fit({"legs": [2, 4], "name": ["a", "b"]}, ["bird", "cat"])
    assert list(model.columns_) == ["legs"]
    with pytest.raises(TypeError, match="positional"):
        Classifier.textbook("bernoulli")  # type: ignore[call-arg]


def test_the_report_is_of_the_model_that_predicts() -> None:
    texts, labels = demo()
    plain = Classifier(likelihood="multinomial", calibration=None).fit(texts[::2], labels[::2])
    measured = plain.evaluate(texts[1::2], labels[1::2]).log_loss
    assert measured is not None
    assert plain.report_.log_loss == pytest.approx(measured, rel=0.5)
    assert "calibrated" not in plain.report_.chosen
    calibrated = Classifier(likelihood="multinomial").fit(texts[::2], labels[::2])
    assert calibrated.report_.log_loss <= plain.report_.log_loss
    assert "calibrated" in calibrated.report_.chosen


def test_a_report_is_gone_when_another_model_predicts() -> None:
    model = Classifier().fit(TEXTS * 3, SIGNS * 3)
    model.set_params(likelihood="multinomial")
    with pytest.raises(NotAvailable, match="likelihood was 'automatic' and is 'multinomial'; refit_settings"):
        _ = model.report_
    copied = pickle.loads(pickle.dumps(model))
    assert not hasattr(copied, "report_")
    assert "multinomial" in model.refit_settings(TEXTS * 3, SIGNS * 3).report_.chosen


def test_a_report_has_the_prior_of_its_model(tmp_path: Path) -> None:
    texts, labels = demo()
    prior = {"negative": 0.01, "positive": 0.99}
    shifted = Classifier(prior=prior).fit(texts, labels)
    assert shifted.report_.log_loss > Classifier().fit(texts, labels).report_.log_loss
    model = Classifier().fit(texts, labels)
    assert "prior" not in model.report_.note
    model.set_params(prior=prior).save(tmp_path / "model")
    assert "measured with prior='empirical'" in model.report_.note
    assert banbury.load(tmp_path / "model").report_.note == model.report_.note


def test_weights_count_in_an_evaluation() -> None:
    model = signs()
    texts, labels = ["happy", "happy", "sad"], ["positive", "negative", "negative"]
    assert model.score(texts, labels) == pytest.approx(2 / 3)
    assert model.score(texts, labels, sample_weight=[1, 0.5, 0.5]) == pytest.approx(3 / 4)
    report = model.evaluate(texts, labels, sample_weight=[1, 3, 1])
    assert report.confusion == model.evaluate(["happy"] * 4 + ["sad"], ["positive"] + ["negative"] * 4).confusion
    for wrong in ([1, 2], [1, 2, -1], [1, 2, "a"]):
        with pytest.raises(InputError, match="weight"):
            model.score(texts, labels, sample_weight=wrong)


def test_labels_can_be_floats(tmp_path: Path) -> None:
    model = Classifier().fit(["good", "bad", "good"], np.array([1.0, 0.0, 1.0]))
    assert model.classes_.tolist() == [0.0, 1.0]
    assert type(model.predict("good")) is float
    model.save(tmp_path / "model")
    again = banbury.load(tmp_path / "model")
    assert (again.predict("good"), type(again.predict("good"))) == (1.0, float)
    assert again.learn(["so so"], [0.5]).classes_.tolist() == [0.0, 0.5, 1.0]
    assert again.explain("good", label=1.0, against=0.0).score > 0
    table = Classifier().fit({"legs": [2, 4]}, [-0.0, 1.0])
    table.save(tmp_path / "table")
    assert banbury.load(tmp_path / "table").predict({"legs": 4}) == 1.0


def test_a_word_that_was_never_seen_is_an_error_of_banbury() -> None:
    with pytest.raises(BanburyError, match=r"^'zzz' was never seen$"):
        signs().word("zzz")
    with pytest.raises(KeyError):
        signs().word("zzz")


def test_what_does_not_apply_says_so() -> None:
    texts, table = signs(), Classifier().fit({"legs": [2, 4]}, ["bird", "cat"])
    for model, name in ((table, "counts_"), (texts, "columns_"), (texts, "n_features_in_"), (texts, "unlabelled_")):
        with pytest.raises(NotAvailable, match=r"has no|there is no"):
            getattr(model, name)
        with pytest.raises(NotFittedError, match="call fit"):
            getattr(Classifier(), name)
    assert (table.n_features_in_, table.feature_names_in_.tolist()) == (1, ["legs"])


def test_a_lazy_frame_is_refused_in_one_line() -> None:
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame({"legs": [2, 4], "wings": [2, 0]}).lazy()
    texts, table = signs(), Classifier().fit({"legs": [2, 4]}, ["bird", "cat"])
    asked: list[Callable[[], object]] = [
        lambda: Classifier().fit(lazy, ["bird", "cat"]),
        lambda: texts.predict(lazy),
        lambda: texts.predict_proba(lazy),
        lambda: texts.learn(lazy, ["positive", "negative"]),
        lambda: texts.evaluate(lazy, ["positive", "negative"]),
        lambda: table.predict(lazy),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=r"give frame\.collect\(\)"):
            ask()
