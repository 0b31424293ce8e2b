"""Bernoulli: columns of yes and no, as 1 and 0. With a Beta prior, whose pseudo-counts are the smoothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from banbury.stats.intervals import Summary, beta_interval
from banbury.tables.kinds.linear import LinearStatistics, Lines, apart
from banbury.tables.kinds.statistics import (
    Array,
    Block,
    Kind,
    Numbers,
    Statistics,
    Sums,
    by_row,
    checked_pseudo_counts,
    class_sums,
    filled,
    known_sums,
    left,
    log_share,
)

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values


class BernoulliStatistics(LinearStatistics):
    """How many rows have a value, and how many of these have 1, by class and feature."""

    kind: Bernoulli
    wants: ClassVar[str] = "a Bernoulli column has 1 for yes and 0 for no"

    def _is_valid(self, values: Array) -> Truths:
        return np.asarray((values == 0) | (values == 1))

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        return {
            "known": known_sums(values, numbers, weights, n_classes),
            "ones": class_sums(filled(values), numbers, weights, n_classes),
        }

    def _parted(self, sums: Sums, gone: Sums) -> Sums:
        rest = super()._parted(sums, gone)
        left(rest["known"], rest["ones"])  # the zeros: there cannot be fewer than none either
        return rest

    def _pseudo_counts(self) -> tuple[Any, Any]:
        present = np.asarray(self.kind.smoothing, dtype=float)
        absent = self.kind.absent_smoothing
        return present, present if absent is None else np.asarray(absent, dtype=float)

    def log_chances(self, known: Array, ones: Array) -> tuple[Array, Array]:
        """log P(1) and log P(0) by class; where nothing is known and nothing is smoothed, both are as likely."""
        present, absent = self._pseudo_counts()
        nothing = known + present + absent == 0
        whole = np.where(nothing, 2.0, known + present + absent)
        zeros = np.maximum(known - ones, 0)  # not less than 0 by rounding
        return log_share(np.where(nothing, 1.0, ones + present), whole), log_share(
            np.where(nothing, 1.0, zeros + absent), whole
        )

    def _logs(self, block: Block) -> Array:
        known = by_row(self.sums["known"], block, lambda: block.known)
        ones = by_row(self.sums["ones"], block, lambda: block.values)
        yes, no = self.log_chances(known, ones)
        return np.where(block.values[:, None, :] == 1, yes, no)

    def linear(self) -> tuple[Lines, Lines]:
        """The log-likelihood as lines of the values."""
        yes, no = (apart(logs) for logs in self.log_chances(self.sums["known"], self.sums["ones"]))
        return Lines(yes[0] - no[0], no[0]), Lines(yes[1] - no[1], no[1])

    def _beta(self) -> tuple[Array, Array]:
        present, absent = self._pseudo_counts()
        known, ones = self.sums["known"], self.sums["ones"]
        return ones + present, np.maximum(known - ones, 0) + absent

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class."""
        yes, _ = self.log_chances(self.sums["known"], self.sums["ones"])
        return np.asarray(rng.random((n, self.n_features)) < np.exp(yes[class_number]), dtype=float)

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        a, b = self._beta()
        copy = self.copy()
        copy.kind = replace(self.kind, smoothing=0.0, absent_smoothing=None)
        tiny = 1e-300  # a pseudo-count of 0 would be a certainty that cannot be drawn
        copy.sums = {"known": np.ones_like(a), "ones": rng.beta(np.maximum(a, tiny), np.maximum(b, tiny))}
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """The `probability` of 1."""
        a, b = self._beta()
        low, high = beta_interval(a, b, level)
        return {"probability": Summary(np.where(a + b > 0, a, 1) / np.where(a + b > 0, a + b, 2), low, high, level)}


@dataclass(frozen=True, kw_only=True)
class Bernoulli(Kind):
    """Yes or no: presence and absence both count.

    `smoothing` is the Beta prior: as if a class had been seen so many times more with 1, and `absent_smoothing` (the
    same, if None) times more with 0. One number, or one for each feature. The posterior predictive of one yes or no is
    the plug-in with the posterior mean, which is what is used: `predictive` changes nothing.

    >>> statistics = Bernoulli().statistics(1, 1).add([[1], [1], [0]], [0, 0, 0])
    >>> statistics.posterior()["probability"].value.tolist()
    [[0.6]]
    """

    smoothing: float | tuple[float, ...] = 1.0
    absent_smoothing: float | tuple[float, ...] | None = None
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = BernoulliStatistics
    by_feature: ClassVar[tuple[str, ...]] = ("smoothing", "absent_smoothing")
    one_number_hint: ClassVar[str] = "; a prior of 2 with 1 and 5 with 0 is Bernoulli(smoothing=2, absent_smoothing=5)"

    def __post_init__(self) -> None:
        checked_pseudo_counts(self.smoothing)
        if self.absent_smoothing is not None:
            checked_pseudo_counts(self.absent_smoothing, "absent_smoothing")
