"""ROC and precision–recall curves: how well the probability of a class ranks its documents before the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.metrics import log_odds
from banbury.results.thresholds import Thresholds, drawn_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.evaluation import Predictions
    from banbury.text.documents import Label


@dataclass(frozen=True)
class RankingCurve:
    """What becomes of a class as the threshold of its probability falls, one point for each threshold.

    The first point is that of a threshold that no document reaches: no recall, no false positive.
    """

    label: Label
    thresholds: list[float]
    """Probabilities, falling. The first is 1, whatever the probabilities are."""
    recalls: list[float]
    """The share of the class's documents that reach the threshold: also the true positive rate."""
    false_positive_rates: list[float]
    """The share of the other documents that reach it."""
    precisions: list[float]
    """The share of the class among the documents that reach it; 1 where none does."""
    area: float
    """Area under the ROC curve (AUC)."""
    average_precision: float
    """Σ precision · gain in recall: area under the steps of the precision–recall curve."""
    share: float
    """The class's share of the documents: the precision of a random order."""


def ranking_curves(predictions: Predictions | None) -> list[RankingCurve]:
    """The curves of each class against all others; of two classes those of the second.

    A class that has no documents, or all of them, has none.

    >>> from banbury.results.evaluation import evaluate
    >>> logs = np.log([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> evaluation = evaluate(["ham", "ham", "spam"], log_probabilities=logs, classes=["ham", "spam"])
    >>> curve = ranking_curves(evaluation.predictions)[0]
    >>> curve.label, curve.recalls, curve.false_positive_rates
    ('spam', [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.5, 1.0])
    """
    if predictions is None or predictions.log_probabilities is None:
        raise InputError("curves need the probabilities of single documents: evaluate(texts, labels) has them")
    classes = predictions.classes
    known = np.flatnonzero([label in classes for label in predictions.truth])
    truth = np.array([classes.index(predictions.truth[row]) for row in known.tolist()])
    logs, weights = predictions.log_probabilities[known], predictions.weights[known]
    odds = log_odds(logs) if len(known) else logs
    wanted = [1] if len(classes) == 2 else range(len(classes))
    curves = []
    for number in wanted:
        is_own = truth == number
        if 0 < weights[is_own].sum() < weights.sum():
            curves.append(_curve(classes[number], odds[:, number], is_own, weights))
    return curves


def _curve(label: Label, odds: NDArray[Any], is_own: NDArray[Any], weights: NDArray[Any]) -> RankingCurve:
    thresholds = Thresholds.of(odds.round(9), is_own, weights)  # what differs by less than rounding is equal
    inside, others = thresholds.caught, thresholds.false_alarms
    recalls, rates = inside / inside[-1], others / others[-1]
    precisions = inside / (inside + others)
    gains = np.diff(recalls, prepend=0.0)
    steps = np.diff(rates, prepend=0.0)
    area = float((steps * (recalls - gains / 2)).sum())
    shown = drawn_places(len(thresholds.values))
    chances = 1 / (1 + np.exp(np.clip(-thresholds.values, -700, 700)))
    return RankingCurve(
        label=label,
        thresholds=[1.0, *chances[shown].tolist()],
        recalls=[0.0, *recalls[shown].tolist()],
        false_positive_rates=[0.0, *rates[shown].tolist()],
        precisions=[1.0, *precisions[shown].tolist()],
        area=area,
        average_precision=float((gains * precisions).sum()),
        share=float(inside[-1] / (inside[-1] + others[-1])),
    )
