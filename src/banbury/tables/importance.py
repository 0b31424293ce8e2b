"""Importance of columns: how much worse rows are predicted without a column and all that it says together with others.

Each row is predicted by all others, with the column and without it, as if its values were missing. What is lost is the
difference of the log losses, in nats for each row. A column that never changes, or that only names rows, loses nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from banbury.stats.softmax import log_softmax
from banbury.tables.rungs import Array, Fit, Part

TWO_SIDED = 1.959964  # standard errors on either side of 95 %


class Importance(NamedTuple):
    """Nats that a row's class costs more without a column, with a 95 % interval."""

    nats: float
    low: float
    high: float


def importances(part: Part, fitted: Fit) -> list[Importance]:
    """The importance of each unit: columns, groups that are one thing, texts."""
    own, weights = part.sample_own, part.plain_weights
    alone = part.by_kinds if fitted.name == "P" else part.by_columns
    unit_weights = fitted.weights.copy()
    together = np.zeros((len(own), part.n_classes, 0))
    if fitted.name != "P":
        of_terms = fitted.term_weights
        for at, (unit, is_cells) in enumerate(zip(part.unit_of, fitted.by_cells, strict=True)):
            if is_cells:
                of_terms[at], unit_weights[unit] = unit_weights[unit], 0.0
        terms = np.flatnonzero(of_terms)
        evidence = part.evidence(fitted.terms, fitted.smoothing)
        sums, _ = evidence.sums(terms.tolist(), part.kernel_rows, part.threads, term_weights=of_terms[terms])
        together = np.asarray(sums)
    places = {unit: at for at, unit in enumerate(part.unit_of)}
    before = _losses(fitted.scores, own)
    found = []
    for unit, weight in enumerate(unit_weights.tolist()):
        gone = weight * alone[:, :, unit].astype(float)
        if unit in places and together.shape[2]:
            gone += together[:, :, places[unit]]
        found.append(_mean(_losses(fitted.scores - gone, own) - before, weights))
    return found


def _losses(scores: Array, own: Array) -> Array:
    losses: Array = -log_softmax(scores)[np.arange(len(own)), own]
    return losses


def _mean(values: Array, weights: Array) -> Importance:
    total = weights.sum()
    mean = float((weights * values).sum() / total)
    spread = TWO_SIDED * float(np.sqrt((weights * (values - mean) ** 2).sum() / total / max(total - 1, 1)))
    return Importance(mean, mean - spread, mean + spread)
