"""Kinds whose log-probabilities are linear in the values: their scores are one product, of sparse matrices too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from banbury.stats.softmax import IMPOSSIBLE
from banbury.tables.kinds.statistics import Array, Statistics, is_sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from banbury.tables.kinds.statistics import Values


class Lines(NamedTuple):
    """log P(value | class) = value · slope + start, by class and feature."""

    slope: Array
    start: Array


class LinearStatistics(Statistics):
    """log P(value | class) is linear in the value, but for something that the classes share."""

    def linear(self) -> tuple[Lines, Lines] | None:
        """What is possible, and how often something is not: as a number, 10⁹ nats would take the digits of the rest.

        None where the kind is read in a way that is not linear.
        """
        raise NotImplementedError

    def _shared(self, values: Array) -> Array | None:
        """What the classes share, for each value; 0 for the value 0."""
        return None

    def scores(self, values: Values, feature_weights: ArrayLike | None = None) -> Array:
        """Σ weight · log P(value | class) over the features, by row and class."""
        lines = self.linear()
        if lines is None:
            return super().scores(values, feature_weights)
        values, share = self._checked(values), self._share(feature_weights)
        possible, impossible = (Lines(slope * share, start * share) for slope, start in lines)
        scores = self.products(values, possible)
        if impossible.slope.any() or impossible.start.any():
            scores += IMPOSSIBLE * self.products(values, impossible)
        return scores + self._shared_sums(values, share)[:, None]

    def products(self, values: Values, lines: Lines) -> Array:
        """Values times slopes, plus starts, by row and class; a sparse matrix stays sparse."""
        slope, start = lines
        if is_sparse(values):
            return np.asarray(values @ slope.T + start.sum(axis=1))
        products = np.empty((values.shape[0], self.n_classes))
        for rows, block in self._blocks(values):
            is_complete = block.known.all()
            for number in range(self.n_classes):
                # Sums of rows, not a product of matrices: the result does not depend on what else is in the block.
                said = block.values * slope[number]
                said += start[number]
                if not is_complete:
                    said[~block.known] = 0.0
                products[rows, number] = said.sum(axis=1)
        return products

    def _shared_sums(self, values: Values, share: Array) -> Array:
        if is_sparse(values):
            shared = self._shared(values.data)
            if shared is not None:
                values = values.copy()
                values.data = shared
            return np.zeros(values.shape[0]) if shared is None else np.asarray(values @ share)
        sums = np.zeros(values.shape[0])
        for rows, block in self._blocks(values):
            shared = self._shared(block.values)
            if shared is None:
                break
            sums[rows] = (shared * share).sum(axis=1)
        return sums


def apart(logs: Array) -> tuple[Array, Array]:
    """Logarithms with 0 for those of 0, and where these are."""
    impossible = logs == IMPOSSIBLE
    return np.where(impossible, 0.0, logs), impossible.astype(float)
