"""Thresholds: from which probability on a document gets a label.

Probabilities are calibrated, so the best threshold follows from what is wanted. The largest expected F1 is reached by
taking what is more probable than half of that F1 (Lipton, Elkan and Naryanaswamy, 2014); leave-one-out says how large
it is. The least expected cost is reached by the ratio of the costs. A promise is tested on documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.errors import FileFormatError, InputError
from banbury.labels.odds import probabilities_of
from banbury.labels.sets import label_of_file
from banbury.lazy import numpy as np
from banbury.results.decisions import STARTS, last_proven
from banbury.text.documents import suggestion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.labels.evaluation import LabelEvaluation

THRESHOLD_RULES = ("f1", "micro_f1")
# The F1 of a label is estimated as if so many more of its decisions had the F1 of all labels: that of few is chance.
ADDED_DECISIONS = 10.0
N_TESTED_THRESHOLDS = 96  # thresholds of a promise
HIGHEST_TESTED_LOG_ODDS = 9.0  # log-odds of the first of them

Threshold = float | str | Mapping[Any, float | None]
"""A probability, `"f1"`, `"micro_f1"`, or a probability for each label; None for a label that is never given."""


@dataclass(frozen=True)
class F1Thresholds:
    """The thresholds that leave-one-out has chosen: half of the largest F1 of each label, and of all together."""

    by_label: tuple[tuple[Any, float], ...]
    common: float

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {"by_label": [list(pair) for pair in self.by_label], "common": self.common}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> F1Thresholds:
        """The thresholds that `settings` came from."""
        by_label = tuple((label_of_file(label), float(value)) for label, value in settings["by_label"])
        common = float(settings["common"])
        if not all(0 <= value <= 1 for value in (common, *(value for _, value in by_label))):
            raise FileFormatError("its thresholds are no probabilities")
        return cls(by_label, common)


def f1_thresholds(labels: list[Any], truth: NDArray[Any], chances: NDArray[Any], weights: NDArray[Any]) -> F1Thresholds:
    """The thresholds with the largest F1 of each label, and of all labels together, by document and label.

    >>> truth, chances = np.array([[True], [True], [False]]), np.array([[0.9], [0.6], [0.2]])
    >>> f1_thresholds(["a"], truth, chances, np.ones(3)).common
    0.5
    """
    each = np.broadcast_to(weights[:, None], truth.shape)
    common = _largest_f1(truth.ravel(), chances.ravel(), each.ravel(), 0.0, 0.0)
    by_label = [
        (label, _largest_f1(truth[:, place], chances[:, place], weights, ADDED_DECISIONS, common) / 2)
        for place, label in enumerate(labels)
    ]
    return F1Thresholds(tuple(by_label), common / 2)


def _largest_f1(truth: NDArray[Any], chances: NDArray[Any], weights: NDArray[Any], added: float, usual: float) -> float:
    """The largest F1 of any threshold; `added` decisions more have the `usual` F1."""
    order = np.argsort(-chances, kind="stable")
    is_last = np.append(np.diff(chances[order]) != 0, True)
    right, taken = (np.cumsum(values[order])[is_last] for values in (weights * truth, weights))
    # First comes a threshold that nothing reaches.
    right, taken = np.append(0.0, right), np.append(0.0, taken)
    f1 = (2 * right + added * usual) / np.maximum(taken + float((weights * truth).sum()) + added, 1e-300)
    return float(f1.max())


def cost_threshold(*, missed: float, wrong: float = 1.0) -> float:
    """The threshold with the least expected cost, where a missed label and a wrong one cost so much.

    >>> cost_threshold(missed=4)
    0.2
    """
    for name, cost in (("missed", missed), ("wrong", wrong)):
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 < cost < float("inf"):
            raise InputError(f"{name} is {cost!r}; a cost is a number above 0")
    return wrong / (wrong + missed)


def promised_thresholds(
    evaluation: LabelEvaluation, *, precision: float, confidence: float = 0.95
) -> dict[Any, float | None]:
    """For each label the lowest threshold from which on a proven share of the documents that get it have it.

    With this confidence, of each label by itself, at least the share `precision` of the documents that reach the
    threshold have the label; for documents drawn like those that were evaluated. None for a label of which these
    documents prove nothing: it is never given. Thresholds are tested one after the other, as in
    `banbury.results.decisions.promise`.
    """
    for name, value in (("precision", precision), ("confidence", confidence)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise InputError(f"{name} is {value!r}; it must be between 0 and 1")
    if evaluation.predictions is None:
        raise InputError(
            "a promise needs the probabilities of single documents, which files do not keep: "
            "evaluate(texts, labels) has them"
        )
    predictions = evaluation.predictions
    tested = np.linspace(HIGHEST_TESTED_LOG_ODDS, -HIGHEST_TESTED_LOG_ODDS, N_TESTED_THRESHOLDS)
    thresholds: dict[Any, float | None] = {}
    for place, label in enumerate(predictions.labels):
        places = np.searchsorted(-tested, -predictions.log_odds[:, place])
        kept = np.cumsum(np.bincount(places, minlength=N_TESTED_THRESHOLDS + 1))[:-1]
        bad = np.cumsum(np.bincount(places, ~predictions.truth[:, place], N_TESTED_THRESHOLDS + 1))[:-1].astype(int)
        lowest = last_proven(kept.tolist(), bad.tolist(), 1 - precision, (1 - confidence) / STARTS)
        thresholds[label] = None if lowest is None else float(probabilities_of(tested[lowest]))
    return thresholds


def thresholds_by_label(threshold: Threshold, labels: list[Any], chosen: F1Thresholds | None) -> list[float]:
    """The threshold of each label; infinity for one that is never given."""
    usual = 0.5 if chosen is None else chosen.common
    by_f1 = {} if chosen is None else dict(chosen.by_label)
    if isinstance(threshold, str) and threshold == "f1":
        return [by_f1.get(label, usual) for label in labels]
    if isinstance(threshold, str) and threshold == "micro_f1":
        return [usual] * len(labels)
    if isinstance(threshold, Mapping):
        for label, value in threshold.items():
            if label not in labels:
                raise InputError(f"threshold names {label!r}; {suggestion(label, labels)}")
            if value is not None:
                _check_probability(value)
        given = {label: float("inf") if value is None else float(value) for label, value in threshold.items()}
        return [given.get(label, by_f1.get(label, usual)) for label in labels]
    check_threshold(threshold)
    return [float(threshold)] * len(labels)


def check_threshold(threshold: object) -> None:
    """That this can be a threshold, or an `InputError`; labels that it names are compared with those of a model."""
    if isinstance(threshold, Mapping) or (isinstance(threshold, str) and threshold in THRESHOLD_RULES):
        return
    _check_probability(threshold)


def _check_probability(threshold: object) -> None:
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not is_number or not 0 <= threshold <= 1:  # type: ignore[operator]  # only numbers come here
        raise InputError(
            f"threshold is {threshold!r}; it can be a probability, 'f1', 'micro_f1', or a probability for each label"
        )
