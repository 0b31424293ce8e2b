"""Fit: one rung of the ladder, fitted; and how much each pair and triple counts by the trust in its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury.tables.terms import Terms

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Fit:
    """One rung, fitted."""

    name: str
    terms: Terms
    smoothing: tuple[tuple[float, float], ...]
    """κ and γ of each column of the terms."""
    by_cells: tuple[bool, ...]
    """Which columns of the terms are read by their cells alone, too."""
    votes: Array
    """By term: whether it counts beside the columns."""
    weights: Array
    """Of the units: columns, groups of columns that are one thing, texts."""
    pair_trust: Array
    triple_trust: Array
    bias: Array
    scores: Array
    """Of the sample, each row by all others."""

    @property
    def term_weights(self) -> Array:
        """How much each pair and triple counts; 0 for columns, whose weights stand by themselves."""
        return term_weights(self.terms, self.votes, self.pair_trust, self.triple_trust)


def term_weights(terms: Terms, votes: Array, pair_trust: Array, triple_trust: Array) -> Array:
    """How much each pair and triple counts, by the trust in its columns; 0 for columns and for what has no vote."""
    weights = np.zeros(len(terms.columns))
    for trust, order in ((pair_trust, 2), (triple_trust, 3)):
        counted = [at for at, columns in enumerate(terms.columns) if len(columns) == order and votes[at]]
        share = scale([terms.columns[at] for at in counted], len(terms.names))
        for at in counted:
            weights[at] = share * trust[list(terms.columns[at])].sum()
    return weights


def scale(terms: Sequence[tuple[int, ...]], n_columns: int) -> float:
    """One over the number of terms that a column is in, on average."""
    return n_columns / max(1, sum(map(len, terms)))


def softmax(scores: Array) -> Array:
    """Scores by row and class as probabilities."""
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Array = chances / chances.sum(axis=1, keepdims=True)
    return probabilities
