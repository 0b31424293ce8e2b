"""Categorical: columns with any number of values that have no order, numbered 0, 1, 2 …, with a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banbury.errors import InputError
from banbury.stats.intervals import Summary, beta_interval
from banbury.tables.kinds.statistics import (
    CELLS,
    Array,
    Block,
    Kind,
    Numbers,
    Statistics,
    Sums,
    by_row,
    checked_pseudo_counts,
    is_sparse,
    left,
    log_share,
    slices,
    without,
)

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values

CELLS_A_VALUE = 64  # more cells are not looked at for one value that is asked about
MOST_CELLS = 2**28  # counts of 8 bytes: more would take the memory of most machines


class CategoricalStatistics(Statistics):
    """How many rows have each category, by class and feature."""

    kind: Any
    wants: ClassVar[str] = "a Categorical column has the numbers of its categories: 0, 1, 2 …"

    def _is_valid(self, values: Array) -> Truths:
        return np.asarray((values >= 0) & (np.floor(values) == values))

    def _codes(self, values: Array) -> NDArray[np.intp]:
        """Which cell each value is counted in; values are not missing."""
        return np.minimum(values, 2.0**62).astype(np.intp)  # a larger one would wrap around

    def _n_cells(self, values: Values) -> int:
        """How many cells the features need for these values."""
        if not values.shape[0] or not values.shape[1]:
            return 1
        most = values.max() if is_sparse(values) else np.nanmax(values, initial=0.0)
        if most * self.n_features >= MOST_CELLS:
            raise InputError(f"a category has number {most:g}; number them 0, 1, 2 …, in the order of their coming")
        return int(most) + 1

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        n_cells, n_features = self._n_cells(values), self.n_features
        if n_classes * n_features * n_cells > MOST_CELLS:
            raise InputError(f"{n_classes} classes × {n_features} columns × {n_cells} categories are too many")
        counts = np.zeros(n_classes * n_features * n_cells)
        for rows in slices(values.shape[0], max(1, CELLS // max(1, n_features))):
            some = values[rows].toarray() if is_sparse(values) else values[rows]
            known = ~np.isnan(some)
            cells = numbers[rows][:, None] * n_features + np.arange(n_features)
            cells = cells[known] * n_cells + self._codes(np.where(known, some, 0.0))[known]
            shares = None if weights is None else np.broadcast_to(weights[rows][:, None], some.shape)[known]
            counts += np.bincount(cells, shares, minlength=len(counts))
        return {"counts": counts.reshape(n_classes, n_features, n_cells)}

    def _joined(self, sums: Sums, more: Sums) -> Sums:
        size = max(sums["counts"].shape[2], more["counts"].shape[2])
        return {"counts": widened(sums["counts"], size) + widened(more["counts"], size)}

    def _parted(self, sums: Sums, gone: Sums) -> Sums:
        size = max(sums["counts"].shape[2], gone["counts"].shape[2])
        rest = left(widened(sums["counts"], size), widened(gone["counts"], size))
        used = np.flatnonzero(rest.any(axis=(0, 1)))
        return {"counts": rest[:, :, : max(1, int(used[-1]) + 1 if used.size else 1)]}

    def _at_least(self) -> Any:
        return 0 if self.kind.categories is None else np.asarray(self.kind.categories, dtype=float)

    def n_categories(self) -> Array:
        """How many categories each feature has had, or has at least."""
        seen = np.count_nonzero(self.sums["counts"].sum(axis=0), axis=1)
        return np.asarray(np.maximum(seen, self._at_least()), dtype=float)

    def _logs(self, block: Block) -> Array:
        counts, smoothing = self.sums["counts"], float(self.kind.smoothing)
        codes, columns = self._codes(block.values), np.arange(self.n_features)
        is_new = codes >= counts.shape[2]
        cells = np.moveaxis(counts[:, columns, np.where(is_new, 0, codes)], 0, 1)  # [row, class, feature]
        cells = np.where(is_new[:, None, :], 0.0, cells)
        known = by_row(counts.sum(axis=2), block, lambda: block.known)
        sizes = self.n_categories()[None, :]
        if not block.is_whole:
            gone = block.gone[:, None] * block.known
            everywhere = left(cells.sum(axis=1), gone)
            cells = without(cells, block, block.known)
            sizes = self._sizes_without((everywhere == 0) & (gone > 0))
        return self._density(block.values, codes, log_share(cells + smoothing, known + smoothing * sizes[:, None, :]))

    def _block_scores(self, block: Block, share: Array) -> Array:
        table = self._table(block.values.size)
        if table is None:
            return super()._block_scores(block, share)
        codes = np.minimum(self._codes(block.values), table.shape[2] - 1)
        places = codes + np.arange(self.n_features) * table.shape[2]
        tail, is_complete = self._tail(block.values), block.known.all()
        scores = np.empty((len(codes), self.n_classes))
        for number in range(self.n_classes):
            said = table[number].take(places)
            if tail is not None:
                said -= tail
            said *= share
            if not is_complete:
                said[~block.known] = 0.0
            scores[:, number] = said.sum(axis=1)
        return scores

    _latest_table: tuple[Sums, Array] | None = None
    """The log-probabilities that were read last, and of which sums they are."""

    def _table(self, n_values: int) -> Array | None:
        """The log-probability of each cell, by class, feature and cell, the last for a category that nobody has had.

        None where that is not worth it for so many values.
        """
        sums, latest = self.sums, self._latest_table
        if latest is None or latest[0] is not sums:
            counts = sums["counts"]
            if counts.size > CELLS_A_VALUE * n_values:
                return None
            smoothing = float(self.kind.smoothing)
            wide, known = widened(counts, counts.shape[2] + 1), counts.sum(axis=2, keepdims=True)
            logs = log_share(wide + smoothing, known + smoothing * self.n_categories()[:, None])
            latest = self._latest_table = sums, self._scaled_logs(logs)
        return latest[1]

    def _scaled_logs(self, logs: Array) -> Array:
        """Logarithms of densities from those of probabilities, by class, feature and cell."""
        return logs

    def _tail(self, values: Array) -> Array | None:
        """How much less probable each value is than its cell."""
        return None

    def _sizes_without(self, last: NDArray[np.bool_]) -> Array:
        """How many categories there are for each row without it, where `last` says that it has the last of its own."""
        seen = np.count_nonzero(self.sums["counts"].sum(axis=0), axis=1)
        return np.asarray(np.maximum(seen - last, self._at_least()), dtype=float)

    def _density(self, values: Array, codes: NDArray[np.intp], logs: Array) -> Array:
        return logs

    def _dirichlet(self) -> Array:
        """Posterior pseudo-counts of the categories that there are; 0 for the others."""
        sizes = self.n_categories()
        counts = self.sums["counts"]
        counts = widened(counts, max(counts.shape[2], int(sizes.max(initial=0))))
        there = counts.sum(axis=0) > 0
        # Categories that are only known to exist have the first numbers that nobody else has.
        free = np.cumsum(~there, axis=1) <= (sizes - there.sum(axis=1))[:, None]
        there |= free & ~there
        return np.where(there, counts + float(self.kind.smoothing), 0.0)

    def _chances(self) -> Array:
        pseudo_counts = self._dirichlet()
        whole = pseudo_counts.sum(axis=2, keepdims=True)
        even = (pseudo_counts.sum(axis=0) > 0) / np.maximum(
            1, (pseudo_counts.sum(axis=0) > 0).sum(axis=1, keepdims=True)
        )
        return np.where(whole > 0, pseudo_counts / np.where(whole > 0, whole, 1.0), even)

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class; a feature that has never had a value is missing."""
        chances = self._chances()[class_number]
        edges = np.cumsum(chances, axis=1)
        drawn = np.empty((n, self.n_features))
        for column in range(self.n_features):
            if edges[column, -1] <= 0:
                drawn[:, column] = np.nan
                continue
            # Above the last edge there is nothing but rounding.
            place = rng.random(n) * edges[column, -1]
            drawn[:, column] = np.searchsorted(edges[column], place, "right")
        return drawn

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        pseudo_counts = self._dirichlet()
        drawn = np.where(pseudo_counts > 0, np.maximum(rng.gamma(pseudo_counts), 1e-300), 0.0)
        copy = self.copy()
        copy.kind = replace(self.kind, smoothing=0.0)
        copy.sums = {"counts": drawn / np.maximum(drawn.sum(axis=2, keepdims=True), 1e-300)}
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """The `probability` of each category, by class, feature and number of the category."""
        pseudo_counts = self._dirichlet()
        rest = np.maximum(pseudo_counts.sum(axis=2, keepdims=True) - pseudo_counts, 0.0)
        low, high = beta_interval(pseudo_counts, rest, level)
        return {"probability": Summary(self._chances(), low, high, level)}


def widened(counts: Array, size: int) -> Array:
    """The counts with room for so many categories."""
    if counts.shape[2] == size:
        return counts
    if counts.shape[0] * counts.shape[1] * size > MOST_CELLS:
        raise InputError(f"{counts.shape[0]} classes × {counts.shape[1]} columns × {size} categories are too many")
    wide = np.zeros((*counts.shape[:2], size))
    wide[:, :, : counts.shape[2]] = counts
    return wide


@dataclass(frozen=True, kw_only=True)
class Categorical(Kind):
    """One of several values without order: a sender, a colour, a country.

    `smoothing` is the Dirichlet prior: as if each category that any class has had been seen so many times more in each
    class. A category that nobody has had is read as one of these with count 0. `categories` says how many there are at
    least, in all features or in each. The posterior predictive of one value is the plug-in with the posterior mean,
    which is what is used: `predictive` changes nothing.

    >>> statistics = Categorical().statistics(1, 1).add([[0], [0], [1]], [0, 0, 0])
    >>> statistics.posterior()["probability"].value.tolist()
    [[[0.6, 0.4]]]
    """

    smoothing: float = 1.0
    categories: int | tuple[int, ...] | None = None
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = CategoricalStatistics

    def __post_init__(self) -> None:
        checked_pseudo_counts((self.smoothing,))
        if self.categories is not None:
            checked_pseudo_counts(self.categories, "categories")
