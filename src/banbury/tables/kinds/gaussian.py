"""Gaussian: columns of numbers, by mean and variance of each class; on a logarithmic scale too.

The prior of a class's mean and variance is normal-inverse-gamma, around the mean and the variance of the column in all
classes together, so it fits a column of any scale. Its predictive distribution is Student's t. A column that has never
varied tells nothing about its scale, and nothing about the classes: it adds 0.

On the logarithmic scale the logarithm is Gaussian. 0 has none: it is a value of its own, and each class has its share
of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, log, pi
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from banbury.errors import InputError
from banbury.stats.distributions import gamma_quantile, log_rising, student_quantile
from banbury.stats.intervals import Summary, beta_interval
from banbury.tables.kinds import moments, power_sums, precise
from banbury.tables.kinds.moments import Moments
from banbury.tables.kinds.power_sums import LARGEST_VALUE, SMALLEST_VALUE
from banbury.tables.kinds.statistics import (
    NOTHING,
    Array,
    Block,
    Kind,
    Numbers,
    Statistics,
    Sums,
    by_row,
    checked_pseudo_counts,
    class_sums,
    is_sparse,
    left,
    overall,
)

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values

FARTHEST = 1e150  # standard deviations
CONSTANT_SPREAD = 1e-15  # a spread of this much of the mean is rounding
FLOOR = 1e-9  # of a column's own variance, where a class has none and nothing is added


class Normal(NamedTuple):
    """The posterior of mean and variance, by [row, class, feature]."""

    mean: tuple[Array, Array]
    shift: Array
    """From the mean of the values to the posterior mean."""
    variance: Array
    rows: Array
    """How many rows the mean rests on, those of the prior included."""
    freedom: Array
    """How many rows the variance rests on."""
    constant: NDArray[np.bool_]

    def deviation(self, values: Array) -> Array:
        """How far values are from the mean. Not from the rounded mean: that may be farther away than they are."""
        return np.asarray((values - self.mean[0]) - self.mean[1] - self.shift)


class GaussianStatistics(Statistics):
    """Power sums of the values, by class and feature, exactly; on the logarithmic scale the number of zeros too."""

    kind: Gaussian

    @property
    def wants(self) -> str:  # type: ignore[override]
        """What a value has to be, in words."""
        return f"a Gaussian column has finite numbers{', 0 or more for a logarithm' if self._is_log() else ''}"

    def _is_log(self) -> bool:
        return self.kind.scale == "log"

    def _is_valid(self, values: Array) -> Truths:
        return np.isfinite(values) & (not self._is_log() or values >= 0)

    def _scaled(self, values: Array) -> Array:
        """The numbers that are Gaussian; a zero has none on the logarithmic scale."""
        if not self._is_log():
            within = np.clip(values, -LARGEST_VALUE, LARGEST_VALUE)
            return np.where(np.abs(within) < SMALLEST_VALUE, 0.0, within)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(values > 0, np.log(values), np.nan)

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        values = values.toarray() if is_sparse(values) else values
        sums = power_sums.counted(self._scaled(values), numbers, weights, n_classes)
        if self._is_log():
            sums["zeros"] = class_sums((values == 0).astype(float), numbers, weights, n_classes)
        return sums

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for `storage.write`."""
        settings, arrays = super().parts()
        arrays = power_sums.file_arrays(self.sums) | {name: arrays[name] for name in arrays.keys() & {"zeros"}}
        return {**settings, "shapes": {name: list(array.shape) for name, array in arrays.items()}}, arrays

    def take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Take over the sums of `parts`, once they are checked."""
        shape = (self.n_classes, self.n_features)
        shapes = {name: shape for name, shape in settings["shapes"].items() if name != "zeros"}
        sums = power_sums.from_file(shapes, arrays, shape)
        self.sums = {name: array for name, array in self.sums.items() if name == "zeros"}
        super().take(settings, arrays)
        self.sums = sums | self.sums

    def columns(self, which: Any) -> Self:
        """The statistics of some of the features: their places, or a mask."""
        copy = super().columns(which)
        copy._latest = copy.sums, self._moments().at((slice(None), which))
        return copy

    def _joined(self, sums: Sums, more: Sums) -> Sums:
        zeros = {"zeros": sums["zeros"] + more["zeros"]} if self._is_log() else {}
        return power_sums.combined(sums, more, 1) | zeros

    def _parted(self, sums: Sums, gone: Sums) -> Sums:
        zeros = {"zeros": left(sums["zeros"], gone["zeros"])} if self._is_log() else {}
        rest = power_sums.combined(sums, gone, -1)
        power_sums.check_possible(sums, rest)
        return rest | zeros

    _latest: tuple[Sums, Moments] | None = None
    """The sums whose moments were read last, and these."""

    def _moments(self) -> Moments:
        """Number, mean and spread, by class and feature."""
        sums, latest = self.sums, self._latest
        if latest is None or latest[0] is not sums:
            latest = self._latest = sums, power_sums.moments_of(sums, latest)
        return latest[1]

    def _normal(self, block: Block = NOTHING) -> Normal:
        if block.is_whole:
            if self._parameters_of is None or self._parameters_of[0] is not self.sums:
                self._parameters_of = self.sums, self._parameters(*self._both_moments())
            return self._parameters_of[1]
        each, every = self._both_moments()
        scaled = np.where(block.known, self._scaled(block.values), np.nan)
        known, nothing = ~np.isnan(scaled), np.zeros(scaled.shape)
        row = Moments(known * 1.0, (np.where(known, scaled, 0.0), nothing), (nothing, nothing))
        n_rows = len(scaled)
        every = moments.parted(every.at((0, [0] * n_rows)), row._replace(n=known * block.gone[:, None])).at(
            (slice(None), None)
        )
        if block.copies is not None:
            each = moments.parted(
                each.at([0] * n_rows), row.at((slice(None), None))._replace(n=known[:, None] * block.copies[:, :, None])
            )
            return self._parameters(each, every)
        assert block.numbers is not None
        assert block.weights is not None
        row = row._replace(n=known * block.weights[:, None])
        rest = moments.parted(self._moments().at(block.numbers), row)
        each = each.at([0] * n_rows).with_values(rest, (np.arange(n_rows), block.numbers))
        return self._parameters(each, every)

    def _both_moments(self) -> tuple[Moments, Moments]:
        """Of each class, and of all rows together."""
        each = self._moments()
        return each.at(None), moments.overall(each).at((None, None))

    _parameters_of: tuple[Sums, Normal] | None = None
    """What was read last, and of which sums: most of the time of a single row."""

    def _parameters(self, each: Moments, every: Moments) -> Normal:
        kind = self.kind
        wide = every.spread[0] / np.where(every.n > 0, every.n, 1.0)
        constant = wide <= (CONSTANT_SPREAD * every.mean[0]) ** 2
        wide = np.where(constant, 1.0, wide)
        n = np.where(constant, 0.0, each.n)
        mean = tuple(np.where(n > 0, *pair) for pair in zip(each.mean, every.mean, strict=True))
        spread = np.where(n > 0, each.spread[0], 0.0)
        constant = np.broadcast_to(constant, n.shape)
        if kind.variance == "biased":
            variance = np.where(n > 0, spread / np.where(n > 0, n, 1.0) + kind.smoothing * wide, wide)
            variance = np.where(variance > 0, variance, FLOOR * wide)
            return Normal((mean[0], mean[1]), np.zeros_like(n), variance, n, n - 1, constant)
        rows = kind.mean_rows + n
        gap = (every.mean[0] - mean[0]) + (every.mean[1] - mean[1])
        shift = kind.mean_rows / rows * gap
        spread = spread + kind.mean_rows * (n / rows) * gap**2
        variance = (kind.variance_rows * wide + spread) / (kind.variance_rows + n)
        return Normal((mean[0], mean[1]), shift, variance, rows, kind.variance_rows + n, constant)

    def _logs(self, block: Block) -> Array:
        values = block.values
        if not self._is_log():
            return self._gaussian_logs(self._normal(block), self._scaled(values)[:, None, :])
        logs = self._scaled(values)
        none, some = self._zero_logs(block)
        densities = self._gaussian_logs(self._normal(block), np.where(np.isnan(logs), 0.0, logs)[:, None, :])
        densities = np.where(values[:, None, :] > 0, densities + some - np.nan_to_num(logs)[:, None, :], none)
        return np.where(values[:, None, :] < 0, 0.0, densities)

    def _block_scores(self, block: Block, share: Array) -> Array:
        if self.kind.predictive:
            return super()._block_scores(block, share)
        # Class by class: most of the time of many rows is that of reading and writing large arrays.
        values, normal, is_complete = self._scaled(block.values), self._normal(), block.known.all()
        used = np.where(normal.constant[0], 0.0, share)
        most = -0.5 * used * (log(2 * pi) + np.log(normal.variance[0]))
        rest, deviation = (normal.mean[1] + normal.shift)[0], np.sqrt(normal.variance[0])
        mean = np.broadcast_to(normal.mean[0][0], deviation.shape)
        if self._is_log():
            none, some = (logs[0] * share for logs in self._zero_logs(NOTHING))
            most, shared, has_logarithm = most + some, values * share, block.values > 0
        scores = np.empty((len(values), self.n_classes))
        for number in range(self.n_classes):
            z = values - mean[number]
            z -= rest[number]
            z /= deviation[number]
            np.clip(z, -FARTHEST, FARTHEST, out=z)
            z *= z
            z *= -0.5 * used[number]
            z += most[number]
            if self._is_log():
                z = np.where(has_logarithm, z - shared, np.where(block.values < 0, 0.0, none[number]))
            if not is_complete:
                z[~block.known] = 0.0
            scores[:, number] = z.sum(axis=1)
        return scores

    def _gaussian_logs(self, normal: Normal, values: Array) -> Array:
        logs = self._student_logs(normal, values) if self.kind.predictive else self._normal_logs(normal, values)
        return np.where(normal.constant, 0.0, logs)

    def _normal_logs(self, normal: Normal, values: Array) -> Array:
        z = np.clip(normal.deviation(values) / np.sqrt(normal.variance), -FARTHEST, FARTHEST)
        return np.asarray(-0.5 * (log(2 * pi) + np.log(normal.variance) + z * z))

    def _student_logs(self, normal: Normal, values: Array) -> Array:
        freedom = normal.freedom
        variance = normal.variance * (1 + 1 / normal.rows)
        z = np.clip(normal.deviation(values) / np.sqrt(variance), -FARTHEST, FARTHEST)
        norm = log_rising(freedom / 2, 0.5) - 0.5 * (np.log(pi * freedom) + np.log(variance))
        return np.asarray(norm - (freedom + 1) / 2 * np.log1p(z * z / freedom))

    def _zero_shares(self, block: Block = NOTHING) -> tuple[Array, Array]:
        """How many zeros and how many other values each class has: with one more row of what the column is like."""

        def zeros() -> Array:
            return np.asarray(block.known & (block.values == 0))

        def others() -> Array:
            return np.asarray(block.known & (block.values > 0))

        n_zeros, n_others = self.sums["zeros"], self._moments().n
        none, some = by_row(n_zeros, block, zeros), by_row(n_others, block, others)
        every_none, every_some = overall(n_zeros, block, zeros), overall(n_others, block, others)
        share = (every_none + 0.5) / (every_none + every_some + 1)
        return none + share, some + (1 - share)

    def _zero_logs(self, block: Block) -> tuple[Array, Array]:
        none, some = self._zero_shares(block)
        return np.log(none / (none + some)), np.log(some / (none + some))

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class; a column that has never varied has its one value."""
        normal = self._normal()
        mean, rest, shift, variance, rows, freedom, constant = (
            array[0, class_number if array.shape[1] > 1 else 0]
            for array in (*normal.mean, normal.shift, normal.variance, normal.rows, normal.freedom, normal.constant)
        )
        shape = (n, self.n_features)
        if self.kind.predictive:
            noise = rng.standard_t(freedom, shape) * np.sqrt(variance * (1 + 1 / rows))
        else:
            noise = rng.standard_normal(shape) * np.sqrt(variance)
        drawn: Array = mean + (rest + shift + np.where(constant, 0.0, noise))
        if self._is_log():
            none, some = (array[0, class_number] for array in self._zero_shares())
            seen = self.sums["zeros"].sum(axis=0) > 0
            is_zero = (rng.random(shape) * (none + some) < none) & seen
            drawn = np.where(is_zero, 0.0, np.exp(np.clip(drawn, -745, 709)))
        return drawn

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        if self.kind.variance == "biased":
            raise InputError("a biased variance has no posterior to draw from; use variance='prior'")
        normal = self._normal()
        shape = (self.n_classes, self.n_features)
        half = np.broadcast_to(normal.freedom[0] / 2, shape)
        variance = normal.variance[0] * half / np.maximum(rng.gamma(half), 1e-300)
        offset = normal.shift[0] + rng.standard_normal(shape) * np.sqrt(variance / normal.rows[0])
        offset = np.where(normal.constant[0], normal.shift[0], offset)
        copy = self.copy()
        copy.kind = replace(self.kind, variance="biased", smoothing=0.0, predictive=False)
        mean = precise.add((normal.mean[0][0], normal.mean[1][0]), (np.broadcast_to(offset, shape), np.zeros(shape)))
        spread = np.where(normal.constant[0], 0.0, variance)
        n = np.ones(shape)
        copy.sums = dict(self.sums)
        if self._is_log():
            none, some = (array[0] for array in self._zero_shares())
            share = rng.beta(none, some)
            # So many rows that the one of the prior does not count.
            n = (1 - share) * 1e9
            copy.sums["zeros"] = share * 1e9
        copy._latest = copy.sums, Moments(n, mean, (spread * n, np.zeros(shape)))
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """`mean` and `variance`; on the logarithmic scale those of the logarithms, and the `zero` share."""
        normal = self._normal()
        value = (normal.mean[0] + (normal.mean[1] + normal.shift))[0]
        variance, rows, freedom = (array[0] for array in (normal.variance, normal.rows, normal.freedom))
        enough = (freedom > 0) & (rows > 0)
        freedom, rows = np.where(enough, freedom, 1.0), np.where(enough, rows, 1.0)
        if self.kind.variance == "biased":  # what is estimated without a prior is judged without one
            unbiased = variance * np.where(enough, (freedom + 1) / freedom, 1.0)
        else:
            unbiased = variance
        tail = (1 - level) / 2
        reach = student_quantile(1 - tail, freedom) * np.sqrt(unbiased / rows)
        reach = np.where(enough, reach, inf)
        with np.errstate(divide="ignore"):
            low, high = (unbiased * freedom / 2 / gamma_quantile(chance, freedom / 2) for chance in (1 - tail, tail))
        summaries = {
            "mean": Summary(value, value - reach, value + reach, level),
            "variance": Summary(variance, np.where(enough, low, 0.0), np.where(enough, high, inf), level),
        }
        if self._is_log():
            none, some = (array[0] for array in self._zero_shares())
            # Half a row of each, as Jeffreys proposed: the prior of the shares is too sure where all classes are alike.
            low, high = beta_interval(self.sums["zeros"] + 0.5, self._moments().n + 0.5, level)
            summaries["zero"] = Summary(none / (none + some), low, high, level)
        return summaries


@dataclass(frozen=True, kw_only=True)
class Gaussian(Kind):
    """Numbers around a mean.

    With `variance="prior"` a class's mean counts as if `mean_rows` more rows had the column's overall mean, and its
    variance as if `variance_rows` more rows had the column's overall variance. With `"biased"` both are those of the
    class's rows alone, plus `smoothing` times the column's overall variance. `scale="log"` is for numbers whose
    logarithm is Gaussian: amounts of money, sizes, durations. With `predictive` the uncertainty of mean and variance is
    not left out: Student's t. Numbers beyond ±10¹⁴⁰ count as ±10¹⁴⁰, and those nearer to 0 than 10⁻¹⁴⁰ as 0.

    >>> statistics = Gaussian(variance="biased", smoothing=0).statistics(1, 1).add([[1e9], [1e9 + 0.5]], [0, 0])
    >>> statistics.posterior()["variance"].value.tolist()
    [[0.0625]]
    """

    variance: str = "prior"
    scale: str = "linear"
    mean_rows: float = 0.1
    variance_rows: float = 1.0
    smoothing: float = 1e-9
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = GaussianStatistics

    def __post_init__(self) -> None:
        if self.variance not in ("prior", "biased"):
            raise InputError(f"variance is {self.variance!r}; it can be 'prior' or 'biased'")
        if self.scale not in ("linear", "log"):
            raise InputError(f"scale is {self.scale!r}; it can be 'linear' or 'log'")
        for name in ("mean_rows", "variance_rows", "smoothing"):
            checked_pseudo_counts((getattr(self, name),), name)
        if self.variance == "prior" and not (self.mean_rows > 0 and self.variance_rows > 0):
            raise InputError("a prior that counts as 0 rows is none: mean_rows and variance_rows must be above 0")
        if self.predictive and self.variance == "biased":
            raise InputError("a biased variance has no posterior to predict from; use variance='prior'")
