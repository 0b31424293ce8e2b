"""Multinomial: a group of columns that count, such as words or kinds of clicks. Only their proportions count.

The prior is a Dirichlet, whose pseudo-counts are the smoothing; its predictive distribution is the
Dirichlet-multinomial. Log-probabilities are those of the counts in one order: without the multinomial coefficient,
which the classes share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from banbury.stats.distributions import log_rising
from banbury.stats.intervals import Summary, beta_interval
from banbury.tables.kinds.linear import LinearStatistics, Lines, apart
from banbury.tables.kinds.statistics import (
    LARGEST_DRAWN_RATE,
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
    log_share,
)

if TYPE_CHECKING:
    from banbury.tables.kinds.statistics import Truths, Values


class MultinomialStatistics(LinearStatistics):
    """The sum of each column, by class, and how many rows there are."""

    kind: Multinomial

    @property
    def wants(self) -> str:  # type: ignore[override]
        """What a value has to be, in words."""
        return f"a Multinomial column has {'' if self.kind.fractions else 'whole '}numbers, 0 or more"

    def _is_valid(self, values: Array) -> Truths:
        return np.asarray((values >= 0) & (self.kind.fractions | (np.floor(values) == values)))

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        rows = np.bincount(numbers, weights, minlength=n_classes).astype(float)
        return {"counts": class_sums(filled(values), numbers, weights, n_classes), "rows": rows[:, None]}

    def _dirichlet(self, counts: Array) -> Array:
        """Posterior pseudo-counts; where there are none at all, every column is as likely."""
        pseudo_counts = counts + np.asarray(self.kind.smoothing, dtype=float)
        return np.where(pseudo_counts.sum(axis=-1, keepdims=True) > 0, pseudo_counts, 1.0)

    def _logs(self, block: Block) -> Array:
        counts = by_row(self.sums["counts"], block, lambda: block.values)
        pseudo_counts = self._dirichlet(counts)
        whole, values = pseudo_counts.sum(axis=-1, keepdims=True), block.values[:, None, :]
        if not self.kind.predictive:
            return values * log_share(pseudo_counts, whole)
        total = values.sum(axis=-1, keepdims=True)
        # What the columns have in common is shared out among them by how much they count.
        each = log_rising(whole, total) / np.where(total > 0, total, 1.0)
        possible = np.where(pseudo_counts > 0, pseudo_counts, 1.0)
        return np.where(pseudo_counts > 0, log_rising(possible, values), values * log_share(0.0, 1.0)) - values * each

    def linear(self) -> tuple[Lines, Lines] | None:
        """The log-likelihood as lines of the values; None for the predictive distribution."""
        if self.kind.predictive:
            return None
        pseudo_counts = self._dirichlet(self.sums["counts"])
        logs, impossible = apart(log_share(pseudo_counts, pseudo_counts.sum(axis=1, keepdims=True)))
        nothing = np.zeros_like(logs)
        return Lines(logs, nothing), Lines(impossible, nothing)

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class; their totals are drawn by the mean total of the class's rows."""
        counts, rows = self.sums["counts"][class_number], self.sums["rows"][class_number]
        totals = rng.poisson(min(counts.sum() / max(float(rows[0]), 1.0), LARGEST_DRAWN_RATE), n)
        pseudo_counts = self._dirichlet(counts)
        chances = (
            rng.dirichlet(np.maximum(pseudo_counts, 1e-300), n)
            if self.kind.predictive
            else pseudo_counts / pseudo_counts.sum()
        )
        return rng.multinomial(totals, chances).astype(float)

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        copy = self.copy()
        copy.kind = replace(self.kind, smoothing=0.0, predictive=False)
        copy.sums = {**self.sums, "counts": np.maximum(rng.gamma(self._dirichlet(self.sums["counts"])), 1e-300)}
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """The `probability` of each column."""
        pseudo_counts = self._dirichlet(self.sums["counts"])
        rest = pseudo_counts.sum(axis=1, keepdims=True) - pseudo_counts
        rest[rest < 0] = 0.0  # by rounding
        low, high = beta_interval(pseudo_counts, rest, level)
        return {"probability": Summary(pseudo_counts / (pseudo_counts + rest), low, high, level)}

    def complement(self, *, norm: bool = False) -> Array:
        """The weights of the complement likelihood: −log P(column | any other class), by class and column.

        With `norm` each class's weights are divided by the sum of their sizes, as Rennie and others proposed. One class
        alone has no others: its weights are those of the columns themselves.
        """
        counts = self.sums["counts"]
        others = counts.sum(axis=0) - counts if len(counts) > 1 else counts
        pseudo_counts = np.maximum(others, 0) + np.asarray(self.kind.smoothing, dtype=float)
        weights = -log_share(pseudo_counts, pseudo_counts.sum(axis=1, keepdims=True))
        return weights / np.abs(weights).sum(axis=1, keepdims=True) if norm else weights


@dataclass(frozen=True, kw_only=True)
class Multinomial(Kind):
    """A group of columns of counts: how a row's total is shared among them.

    `smoothing` is the Dirichlet prior: as if each column had been counted so many times more in each class; one number,
    or one for each column. With `predictive` a count makes the next one of the same column more likely, as it is with
    words: the Dirichlet-multinomial. `fractions` allows weighted counts, such as tf-idf.

    >>> statistics = Multinomial().statistics(2, 1).add([[3, 0], [4, 1]], [0, 0])
    >>> statistics.posterior()["probability"].value.tolist()
    [[0.8, 0.2]]
    """

    smoothing: float | tuple[float, ...] = 1.0
    fractions: bool = False
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = MultinomialStatistics
    by_feature: ClassVar[tuple[str, ...]] = ("smoothing",)

    def __post_init__(self) -> None:
        checked_pseudo_counts(self.smoothing)
