"""Figures of predictions, against their definitions and scikit-learn."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

import evaluation_reference as reference
from banbury.results.evaluation import evaluate
from banbury.results.metrics import log_odds
from predictions import drawn_chances, predictions


@given(predictions())
def test_coverage_keeps_the_surest_and_ends_with_all(given: tuple[list[str], list[str], Any]) -> None:
    truth, classes, shares = given
    chances = drawn_chances(shares)
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    assert found.predictions is not None
    for one in found.coverage:
        expected = reference.kept(truth, found.predictions.predicted, chances.tolist(), one.threshold - 1e-12)
        assert (one.coverage, one.accuracy) == pytest.approx(expected)
    assert found.coverage[-1].coverage == 1
    assert found.coverage[-1].accuracy == pytest.approx(found.accuracy)
    assert sum(one.documents for one in found.reliability) == len(truth)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_figures_are_those_of_scikit_learn(n_classes: int) -> None:
    random = np.random.default_rng(3)
    classes = [f"class {number}" for number in range(n_classes)]
    chances = random.dirichlet(np.ones(n_classes), 400)
    truth = [classes[random.choice(n_classes, p=0.5 * row + 0.5 / n_classes)] for row in chances]
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    guess = [classes[at] for at in chances.argmax(axis=1)]
    scores = chances[:, 1] if n_classes == 2 else chances
    numbers = [classes.index(label) for label in truth]
    expected = {
        "accuracy": sk.accuracy_score(truth, guess),
        "macro-F1": sk.f1_score(truth, guess, average="macro"),
        "MCC": sk.matthews_corrcoef(truth, guess),
        "ROC AUC": sk.roc_auc_score(truth, scores, multi_class="ovr"),
        "log loss": sk.log_loss(truth, chances),
        "Brier score": sk.brier_score_loss(numbers, scores, **({} if n_classes == 2 else {"labels": range(n_classes)})),
    }
    values = {figure.name: figure.value for figure in found.figures()}
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert found.macro_precision == pytest.approx(sk.precision_score(truth, guess, average="macro"))
    assert found.macro_recall == pytest.approx(sk.recall_score(truth, guess, average="macro"))
    assert found.micro_f1 == pytest.approx(sk.f1_score(truth, guess, average="micro"))
    assert found.confusion == sk.confusion_matrix(truth, guess).tolist()
    assert found.predictions is not None
    shares, means = calibration_curve(found.predictions.is_right, found.predictions.confidence, n_bins=15)
    assert [one.accuracy for one in found.reliability] == pytest.approx(shares.tolist())
    assert [one.probability for one in found.reliability] == pytest.approx(means.tolist())
    for figure in found.figures():
        assert figure.interval is None or figure.interval.low <= figure.value <= figure.interval.high


def test_an_area_under_the_curve_does_not_drown_in_rounding() -> None:
    """As probabilities all four are 1; their logarithms still have an order."""
    logs = np.array([[-50.0, 0.0], [-60.0, 0.0], [-70.0, 0.0], [-80.0, 0.0]])
    found = evaluate(["no", "no", "yes", "yes"], log_probabilities=logs, classes=["no", "yes"])
    assert found.roc_auc == 1.0
    assert log_odds(np.array([[0.0, -np.inf]])).tolist() == [[np.inf, -np.inf]]
