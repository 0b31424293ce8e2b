"""A model of a table of λ: it predicts, explains and is saved; what needs counts says that there are none."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Analyzer, Classifier
from banbury.errors import InputError, NotAvailable

CLASSES = ("negative", "positive")


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


@pytest.mark.parametrize("weight", [1e308, -1e101, math.inf, math.nan])
def test_a_weight_that_sums_could_not_hold_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match="must be a number from"):
        Classifier.from_log_ratios({"happy": weight}, classes=CLASSES)


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
