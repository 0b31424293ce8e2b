"""Poisson: columns of counts. With a gamma prior; its predictive distribution is the negative binomial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from banbury.errors import InputError
from banbury.stats.distributions import gamma_quantile, log_gamma, log_rising
from banbury.stats.intervals import Summary
from banbury.tables.kinds.linear import LinearStatistics, Lines
from banbury.tables.kinds.statistics import (
    LARGEST_DRAWN_RATE,
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
    filled,
    known_sums,
    overall,
)

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values


class Gamma(NamedTuple):
    """The posterior of a rate: as if so many events had been seen in so many rows."""

    events: Array
    rows: Array


class PoissonStatistics(LinearStatistics):
    """How many rows have a value, and the sum of these, by class and feature."""

    kind: Poisson

    @property
    def wants(self) -> str:  # type: ignore[override]
        """What a value has to be, in words."""
        return f"a Poisson column has {'' if self.kind.fractions else 'whole '}numbers, 0 or more"

    def _is_valid(self, values: Array) -> Truths:
        return np.asarray((values >= 0) & (self.kind.fractions | (np.floor(values) == values)))

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        return {
            "known": known_sums(values, numbers, weights, n_classes),
            "events": class_sums(filled(values), numbers, weights, n_classes),
        }

    def posterior_gamma(self, block: Block = NOTHING) -> Gamma:
        """The gamma distribution of the rate, by class and feature: prior and counts, without the rows of a block."""
        known = by_row(self.sums["known"], block, lambda: block.known)
        events = by_row(self.sums["events"], block, lambda: block.values)
        if self.kind.events is not None:
            return Gamma(events + self.kind.events, known + self.kind.rows)
        all_known = overall(self.sums["known"], block, lambda: block.known)
        all_events = overall(self.sums["events"], block, lambda: block.values)
        # Half an event in one more row: a column that has only had 0 still has a rate above 0.
        rate = (all_events + 0.5) / (all_known + 1)
        return Gamma(events + self.kind.rows * rate, known + self.kind.rows)

    def _logs(self, block: Block) -> Array:
        gamma, values = self.posterior_gamma(block), block.values[:, None, :]
        shared = -log_gamma(values + 1)
        if self.kind.predictive:
            start = -gamma.events * np.log1p(1 / gamma.rows)
            return log_rising(gamma.events, values) + start - values * np.log1p(gamma.rows) + shared
        rate = gamma.events / gamma.rows
        return values * np.log(rate) - rate + shared

    def linear(self) -> tuple[Lines, Lines] | None:
        """The log-likelihood as lines of the values; None for the predictive distribution."""
        if self.kind.predictive:
            return None
        rate = (self.posterior_gamma().events / self.posterior_gamma().rows)[0]
        nothing = np.zeros_like(rate)
        return Lines(np.log(rate), -rate), Lines(nothing, nothing)

    def _shared(self, values: Array) -> Array:
        return -log_gamma(values + 1)

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class."""
        events, rows = (array[0, class_number] for array in self.posterior_gamma())
        rates = rng.gamma(events, 1 / rows, (n, self.n_features)) if self.kind.predictive else events / rows
        return rng.poisson(np.minimum(rates, LARGEST_DRAWN_RATE), (n, self.n_features)).astype(float)

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        events, rows = (array[0] for array in self.posterior_gamma())
        copy = self.copy()
        copy.kind = replace(self.kind, rows=1.0, events=1e-300, predictive=False)
        copy.sums = {"known": np.zeros_like(rows), "events": rng.gamma(events) / rows}
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """The `rate`: the mean of the column."""
        events, rows = (array[0] for array in self.posterior_gamma())
        tail = (1 - level) / 2
        low, high = gamma_quantile(tail, events) / rows, gamma_quantile(1 - tail, events) / rows
        return {"rate": Summary(events / rows, low, high, level)}


@dataclass(frozen=True, kw_only=True)
class Poisson(Kind):
    """How often something happened: numbers of links, of visits, of exclamation marks.

    The gamma prior of a class's rate is as if `events` had been seen in `rows` more rows; None: as many as in these
    many rows of all classes. With `predictive` the uncertainty of the rate is not left out: a negative binomial.
    `fractions` allows numbers that are no counts.

    >>> statistics = Poisson(events=1).statistics(1, 1).add([[3], [4]], [0, 0])
    >>> statistics.posterior()["rate"].value.round(3).tolist()  # (3 + 4 + 1) / (2 + 1)
    [[2.667]]
    """

    rows: float = 1.0
    events: float | None = None
    fractions: bool = False
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = PoissonStatistics

    def __post_init__(self) -> None:
        checked_pseudo_counts(self.rows, "rows")
        if self.rows == 0:
            raise InputError("rows is 0; a class that has seen nothing would have no rate: use a small number")
        if self.events is not None:
            checked_pseudo_counts(self.events, "events")
            if self.events == 0:
                raise InputError("events is 0; a class that has seen none would rule them out: use a small number")
