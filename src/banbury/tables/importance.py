"""Importance of columns: how much worse rows are predicted without a column and all that it says together with others.

Each row is predicted by all others, with the column and without it, as if its values were missing. What is lost is the
difference of the log losses, in nats for each row. A column that never changes, or that only names rows, loses nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from banbury.stats.softmax import log_softmax
from banbury.tables.fit import Array, Fit
from banbury.tables.rungs import Part

TWO_SIDED = 1.959964  # standard errors on either side of 95 %
FEWEST_JUDGED_ROWS = 500  # that are looked at, if there are so many
MOST_JUDGED_TERMS = 1_000_000  # columns, pairs and triples times rows that are looked at


class Importance(NamedTuple):
    """Increase in log loss without a column, in nats per row, with a 95 % interval."""

    nats: float
    low: float
    high: float


def importances(part: Part, fitted: Fit) -> list[Importance]:
    """The importance of each unit: columns, groups that are one thing, texts."""
    unit_weights = fitted.weights.copy()
    alone = part.by_kinds if fitted.name == "P" else part.by_columns
    together, every = None, 1
    if fitted.name != "P":
        term_weights = fitted.term_weights
        for column, (unit, is_cells) in enumerate(zip(part.unit_of, fitted.by_cells, strict=True)):
            if is_cells:
                term_weights[column], unit_weights[unit] = unit_weights[unit], 0.0
        terms = np.flatnonzero(term_weights)
        every = max(1, min(len(part.sample) // FEWEST_JUDGED_ROWS, len(part.sample) * len(terms) // MOST_JUDGED_TERMS))
        rows = part.sample.for_kernel(part.codes, every)
        evidence = part.evidence(fitted.terms, fitted.smoothing)
        together, _ = evidence.sums(terms.tolist(), rows, part.threads, term_weights=term_weights[terms])
        together = np.asarray(together)
    class_ids, weights, scores = (
        part.sample.row_classes[::every],
        part.sample.observations[::every],
        fitted.scores[::every],
    )
    columns = {unit: column for column, unit in enumerate(part.unit_of)}
    before = _losses(scores, class_ids)
    results = []
    for unit, weight in enumerate(unit_weights.tolist()):
        gone = weight * alone[::every, :, unit].astype(float)
        if unit in columns and together is not None:
            gone += together[:, :, columns[unit]]
        results.append(_mean(_losses(scores - gone, class_ids) - before, weights))
    return results


def _losses(scores: Array, class_ids: Array) -> Array:
    losses: Array = -log_softmax(scores)[np.arange(len(class_ids)), class_ids]
    return losses


def _mean(values: Array, weights: Array) -> Importance:
    total = weights.sum()
    mean = float((weights * values).sum() / total)
    spread = TWO_SIDED * float(np.sqrt((weights * (values - mean) ** 2).sum() / total / max(total - 1, 1)))
    return Importance(mean, mean - spread, mean + spread)
