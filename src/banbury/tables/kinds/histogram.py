"""Histogram: columns of numbers of any distribution, by the share of each class in each of some bins.

The bins are those between quantiles of the first rows that are learned, and stay: only then can rows be added, removed
and merged by arithmetic. An edge lies halfway between two values that were seen, and a value that alone has a bin's
share, as 0 often has, gets a bin of its own. Outside of what was seen there is a tail on either side.

Within a bin the density is constant, in a tail it falls exponentially: it integrates to 1, so its likelihood can be
compared with that of a Gaussian. Between classes only the shares of the bins make a difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banbury.errors import FileFormatError, InputError
from banbury.tables.kinds.categorical import CategoricalStatistics
from banbury.tables.kinds.statistics import Array, Kind, Statistics, checked_pseudo_counts, is_sparse

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values


FARTHEST_TAIL = 1e150  # scales


class Shape(NamedTuple):
    """The bins of all features."""

    log_widths: Array
    """By feature and bin; a tail is as wide as all bins together."""
    lowest: Array
    highest: Array
    scale: Array
    """From the lowest edge to the highest."""


class HistogramStatistics(CategoricalStatistics):
    """How many rows are in each bin, by class and feature. Bin 0 and the last one are the tails."""

    kind: Histogram
    wants: ClassVar[str] = "a Histogram column has finite numbers"

    def __init__(self, kind: Histogram, n_features: int, n_classes: int) -> None:
        given = kind.bins if isinstance(kind.bins, tuple) else None
        self.edges: list[Array | None] = [None if given is None else np.array(given, dtype=float)] * n_features
        super().__init__(kind, n_features, n_classes)

    def _is_valid(self, values: Array) -> Truths:
        return np.isfinite(values)

    def _prepare(self, values: Values, weights: Array | None) -> None:
        if all(edges is not None for edges in self.edges):
            return
        assert isinstance(self.kind.bins, int)
        values = values.toarray() if is_sparse(values) else values
        weights = np.ones(len(values)) if weights is None else weights
        edges = list(self.edges)
        for column in range(self.n_features):
            known = ~np.isnan(values[:, column]) & (weights > 0)
            if edges[column] is None and known.any():
                edges[column] = quantile_edges(values[known, column], weights[known], self.kind.bins)
        self.edges = edges
        self.sums = self._joined(self.sums, super()._counted(values[:0], np.empty(0, np.intp), None, self.n_classes))

    def _n_cells(self, values: Values) -> int:
        return max((1 if edges is None else len(edges) + 1 for edges in self.edges), default=1)

    def _codes(self, values: Array) -> NDArray[np.intp]:
        codes = np.zeros(values.shape, dtype=np.intp)
        for column, edges in enumerate(self.edges):
            if edges is not None:
                codes[:, column] = np.searchsorted(edges, values[:, column], "right")
        return codes

    def _parted(self, sums: dict[str, Array], gone: dict[str, Array]) -> dict[str, Array]:
        rest = super()._parted(sums, gone)
        return self._joined(rest, {"counts": np.zeros_like(sums["counts"])})  # an empty bin is still a bin

    def n_categories(self) -> Array:
        """The number of bins of each feature."""
        return np.array([0.0 if edges is None else len(edges) + 1 for edges in self.edges])

    def _sizes_without(self, last: NDArray[np.bool_]) -> Array:
        return np.broadcast_to(self.n_categories(), last.shape)

    def _density(self, values: Array, codes: NDArray[np.intp], logs: Array) -> Array:
        log_widths = self._shape().log_widths[np.arange(self.n_features), codes]
        tail = self._tail(values)
        densities = logs - log_widths[:, None, :]
        return densities if tail is None else densities - tail[:, None, :]

    def _scaled_logs(self, logs: Array) -> Array:
        log_widths = self._shape().log_widths
        logs[:, :, : log_widths.shape[1]] -= log_widths
        return logs

    def _tail(self, values: Array) -> Array | None:
        shape = self._shape()
        with np.errstate(over="ignore"):
            beyond = np.maximum(shape.lowest - values, values - shape.highest)
            if not (beyond > 0).any():
                return None
            return np.clip(beyond / shape.scale, 0, FARTHEST_TAIL)

    _latest_shape: tuple[list[Array | None], Shape] | None = None
    """The bins that were read last, and their shape."""

    def _shape(self) -> Shape:
        edges, latest = self.edges, self._latest_shape
        if latest is None or latest[0] is not edges:
            latest = self._latest_shape = edges, _shape_of(edges, self._n_cells(None))
        return latest[1]

    def _dirichlet(self) -> Array:
        counts = self.sums["counts"]
        there = np.arange(counts.shape[2]) < self.n_categories()[:, None]
        return np.where(there, counts + float(self.kind.smoothing), 0.0)

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class; a feature that has never had a value is missing."""
        codes, drawn = super().sample(rng, class_number, n), np.full((n, self.n_features), np.nan)
        for column, edges in enumerate(self.edges):
            if edges is None:
                continue
            code, scale = codes[:, column].astype(np.intp), edges[-1] - edges[0]
            low = edges[np.clip(code - 1, 0, len(edges) - 1)]
            high = edges[np.clip(code, 0, len(edges) - 1)]
            beyond = rng.exponential(scale, n)
            inner = low + rng.random(n) * (high - low)
            drawn[:, column] = np.select(
                [code == 0, code == len(edges)], [edges[0] - beyond, edges[-1] + beyond], inner
            )
        return drawn

    def columns(self, which: Any) -> HistogramStatistics:
        """The statistics of some of the features: their places, or a mask."""
        copy = super().columns(which)
        places = np.arange(self.n_features)[which]
        copy.edges = [self.edges[place] for place in places.tolist()]
        copy.sums = {"counts": copy.sums["counts"][:, :, : copy._n_cells(None)]}
        return copy

    def merge(self, other: Statistics) -> HistogramStatistics:
        """Learn all that another has learned of the same features and classes, in the same bins.

        Bins are fixed by the first rows. To learn in parts, let each start with the `empty()` of one that has them.
        """
        self._check_same(other)
        assert isinstance(other, HistogramStatistics)
        edges = list(self.edges)
        for column, (mine, theirs) in enumerate(zip(self.edges, other.edges, strict=True)):
            if mine is not None and theirs is not None and not np.array_equal(mine, theirs):
                name = str(column) if self.names is None else repr(self.names[column])
                raise InputError(
                    f"column {name} has other bins here and there, so the two cannot be merged; "
                    "learn both from the `empty()` of one that has seen data, or say which bins there are"
                )
            edges[column] = theirs if mine is None else mine
        sums = self._joined(self.sums, other.sums)
        self.edges, self.sums = edges, sums
        return self

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for `storage.write`."""
        settings, arrays = super().parts()
        settings["edges"] = [None if edges is None else len(edges) for edges in self.edges]
        known = [edges for edges in self.edges if edges is not None]
        return settings, {**arrays, "edges": np.concatenate(known) if known else np.empty(0)}

    def take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Take over the sums of `parts`, once they are checked."""
        lengths, every = settings["edges"], np.array(arrays["edges"], dtype=float)
        if len(lengths) != self.n_features or sum(length or 0 for length in lengths) != every.size:
            raise FileFormatError("its bins are not those of its columns")
        self.edges, place = [], 0
        for length in lengths:
            edges = None if length is None else every[place : place + length]
            if edges is not None and not (len(edges) > 1 and np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
                raise FileFormatError("its bins are not in order")
            self.edges.append(edges)
            place += length or 0
        super().take(settings, arrays)
        if self.sums["counts"].shape[2] != self._n_cells(None):
            raise FileFormatError("its counts are not those of its bins")


def _shape_of(edges: list[Array | None], n_cells: int) -> Shape:
    """The shape of bins with these edges; a feature without any has no tails."""
    tiny, n_features = np.finfo(float).tiny, len(edges)
    shape = Shape(
        np.zeros((n_features, n_cells)), np.full(n_features, -inf), np.full(n_features, inf), np.ones(n_features)
    )
    for column, bins in enumerate(edges):
        if bins is not None:
            scale = max(bins[-1] - bins[0], tiny)
            widths = np.concatenate([[scale], np.maximum(np.diff(bins), tiny), [scale]])
            shape.log_widths[column, : len(widths)] = np.log(widths)
            shape.lowest[column], shape.highest[column], shape.scale[column] = bins[0], bins[-1], scale
    return shape


def quantile_edges(values: Array, weights: Array, bins: int) -> Array:
    """The edges of about so many bins with as many values each: halfway between distinct neighbours, rising."""
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights)
    until = np.cumsum(counts)
    share = until[-1] / bins
    last = np.searchsorted(until, share * np.arange(1, bins))  # the value in which each bin ends
    heavy = np.flatnonzero(counts >= share)
    cuts = np.unique(np.concatenate([last, heavy, heavy - 1]))
    cuts = cuts[(cuts >= 0) & (cuts < len(distinct) - 1)]
    if len(distinct) > 1:
        inner = between(distinct[cuts], distinct[cuts + 1])
        first, final = between(*distinct[:2]) - distinct[0], distinct[-1] - between(*distinct[-2:])
    else:
        inner = np.empty(0)
        first = final = max(abs(float(distinct[0])), 1.0) / 2
    edges = np.concatenate([[distinct[0] - first], inner, [distinct[-1] + final]])
    edges = np.unique(np.clip(edges, -1e307, 1e307))  # the last may be off the end of the numbers
    # Neighbouring floats have nothing in between.
    return edges if len(edges) > 1 else np.array([np.nextafter(edges[0], -np.inf), np.nextafter(edges[0], np.inf)])


def between(low: Any, high: Any) -> Any:
    """The middle, without overflow."""
    return low / 2 + high / 2


@dataclass(frozen=True, kw_only=True)
class Histogram(Kind):
    """Numbers of any distribution: the share of each class in each of some bins.

    `bins` is about how many there are, or a tuple with their edges. They are found in the first rows that are learned,
    and stay. `smoothing` is the Dirichlet prior: as if each bin had been seen so many times more in each class. The
    posterior predictive of one value is the plug-in with the posterior mean, which is what is used: `predictive`
    changes nothing.

    >>> statistics = Histogram(bins=2).statistics(1, 1).add([[1], [2], [3], [9]], [0, 0, 0, 0])
    >>> statistics.edges[0].tolist()
    [0.5, 2.5, 12.0]
    """

    bins: int | tuple[float, ...] = 20
    smoothing: float = 0.5
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = HistogramStatistics

    def __post_init__(self) -> None:
        checked_pseudo_counts((self.smoothing,))
        if isinstance(self.bins, tuple):
            edges = np.array(self.bins, dtype=float)
            if len(edges) < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
                raise InputError(f"bins is {self.bins!r}; edges are two or more finite numbers that rise")
        elif isinstance(self.bins, bool) or not isinstance(self.bins, int) or self.bins < 1:
            raise InputError(f"bins is {self.bins!r}; it can be a whole number, 1 or more, or a tuple of edges")
