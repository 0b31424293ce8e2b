"""Figures of predictions: equal to their definitions, to scikit-learn's, and readable."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import evaluation_reference as reference
from banbury import Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.results.evaluation import evaluate
from predictions import drawn_chances, predictions


@given(predictions())
def test_every_figure_is_what_its_definition_says(given: tuple[list[str], list[str], Any]) -> None:
    truth, classes, shares = given
    chances = drawn_chances(shares)
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    assert found.predictions is not None
    guess, table = found.predictions.predicted, chances.tolist()
    assert found.accuracy == reference.accuracy(truth, guess)
    assert_allclose(found.accuracy_interval, reference.wilson(found.n_right, len(truth)), atol=1e-12)
    for row in found.rows():
        for name in ("precision", "recall", "f1"):
            expected = getattr(reference, name)(truth, guess, row["label"])
            assert row[name] == pytest.approx(expected)
        assert row["documents"] == truth.count(row["label"])
    f1s = [reference.f1(truth, guess, label) for label in found.classes]
    assert found.macro_f1 == pytest.approx(sum(f1s) / len(f1s))
    assert found.matthews == pytest.approx(reference.matthews(truth, guess), abs=1e-9)
    assert found.log_loss == pytest.approx(reference.log_loss(truth, classes, table))
    assert found.brier == pytest.approx(reference.brier(truth, classes, table))
    assert found.calibration_error == pytest.approx(reference.calibration_error(truth, guess, table), abs=1e-12)
    odds = [[Fraction(int(row[at]), int(row.sum() - row[at])) for row in shares] for at in range(len(classes))]
    aucs = [reference.roc_auc(column, [t == label for t in truth]) for column, label in zip(odds, classes, strict=True)]
    there = [auc for auc in aucs if auc is not None]
    assert found.roc_auc == (pytest.approx(sum(there) / len(there)) if there else None)


@given(predictions(), st.randoms())
def test_the_order_of_documents_does_not_matter(given: tuple[list[str], list[str], Any], random: Any) -> None:
    truth, classes, shares = given
    chances = drawn_chances(shares)
    order = list(range(len(truth)))
    random.shuffle(order)
    one = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    other = evaluate([truth[i] for i in order], log_probabilities=np.log(chances)[order], classes=classes)
    assert one.confusion == other.confusion
    for name in ("log_loss", "brier", "roc_auc", "calibration_error"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))
    assert [kept.coverage for kept in one.coverage] == [kept.coverage for kept in other.coverage]


def test_a_label_that_the_model_does_not_know_is_a_mistake_and_is_named() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts[::2], labels[::2])
    report = model.evaluate([*texts[1::2], "made of wood", "so happy"], [*labels[1::2], "neutral", "neutral"])
    known = model.evaluate(texts[1::2], labels[1::2])
    assert report.unknown_labels == [("neutral", 2)]
    assert (report.n_documents, report.n_right) == (302, known.n_right)
    assert (report.log_loss, report.brier, report.roc_auc) == (known.log_loss, known.brier, known.roc_auc)
    assert "neutral (2)" in str(report)
    assert report.rows()[1]["recall"] == 0
    assert [mistake.label for mistake in report.mistakes(top=300)].count("neutral") == 2
    nothing_known = model.evaluate(["a"], ["neutral"])
    assert (nothing_known.accuracy, nothing_known.log_loss) == (0, None)


def test_labels_alone_give_the_figures_that_need_no_probabilities() -> None:
    found = evaluate([1, 2, 2], [1, 2, 1])
    assert [figure.name for figure in found.figures()] == ["accuracy", "macro-F1", "MCC"]
    assert found.to_dict()["confusion"] == [[1, 0], [1, 1]]


def test_plain_data_can_be_written_as_json() -> None:
    texts, labels = demo()
    report = Classifier.textbook().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
    assert json.loads(json.dumps(report.to_dict()))["n_right"] == report.n_right
    assert report._repr_html_().count("<table") == 3
    assert repr(report) == "<Report: 265 of 300 right, accuracy 0.8833>"


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((["a"],), {}, "nothing to evaluate"),
        ((["a"], ["a", "b"]), {}, "1 labels but 2 predictions"),
        (([], []), {}, "no documents to evaluate"),
        ((["a"], ["a"]), {"log_probabilities": np.zeros((1, 3)), "classes": ["a"]}, "shape"),
    ],
)
def test_evaluating_says_what_does_not_fit(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(*arguments, **options)
