"""Binomial confidence intervals and tests, credible intervals, and a few other tests of statistics."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, erfc, exp, lgamma, log, log1p, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.stats.distributions import beta_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """The low and the high end of a confidence interval."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.4f} to {self.high:.4f}"


def wilson(successes: float, trials: float, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's confidence interval of a probability (1927); 0 to 1 if there are no trials.

    >>> print(wilson(9, 10))
    0.5958 to 0.9821
    """
    if trials <= 0:
        return Interval(0.0, 1.0)
    z = _normal_quantile(confidence)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(middle - half, 0.0)
    return Interval(low, 1.0 if successes == trials else min(middle + half, 1.0))


def at_most(successes: int, trials: int, chance: float) -> float:
    """Binomial distribution function: the probability of so many successes or fewer.

    >>> round(at_most(1, 3, 0.5), 12)
    0.5
    """
    if successes < 0:
        return 0.0
    if successes >= trials or chance <= 0:
        return 1.0
    if chance >= 1:
        return 0.0
    # Each term from the one before it, as logarithms: nothing overflows.
    i = np.arange(successes)
    steps = np.log((trials - i) / (i + 1)) + (log(chance) - log1p(-chance))
    logs = trials * log1p(-chance) + np.concatenate([[0.0], np.cumsum(steps)])
    top = float(logs.max())
    return min(exp(top) * float(np.exp(logs - top).sum()), 1.0)


def most(successes: ArrayLike, trials: ArrayLike, error: float) -> NDArray[np.float64]:
    """Upper Clopper–Pearson bound of a probability, which fails with probability `error`.

    Arrays give arrays.

    >>> print(f"{most(0, 59, 0.05):.3f}")  # nothing in 59 trials: below five per cent
    0.050
    """
    successes, trials = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    return beta_quantile(1 - error, successes + 1, trials - successes)


def least(successes: ArrayLike, trials: ArrayLike, error: float) -> NDArray[np.float64]:
    """Lower Clopper–Pearson bound of a probability, which fails with probability `error`. Arrays give arrays.

    >>> least([50, 99], [100, 100], 0.01).round(2)
    array([0.38, 0.94])
    """
    successes, trials = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    return beta_quantile(error, successes, trials - successes + 1)


def beta_interval(
    successes: ArrayLike, failures: ArrayLike, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equal-tailed credible interval of Beta(successes, failures): its low and its high end. Arrays give arrays.

    What is counted is not all: add the prior to both, 1 for the uniform or ½ for Jeffreys'. Without successes the
    distribution is the number 0, without either anything between 0 and 1 is possible.

    Eight of ten were right:

    >>> low, high = beta_interval(8 + 1, 2 + 1)
    >>> print(f"{low:.3f} {high:.3f}")
    0.482 0.940
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level!r}; it lies between 0 and 1, such as 0.95")
    tail = (1 - level) / 2
    return beta_quantile(tail, successes, failures), beta_quantile(1 - tail, successes, failures)


def chi_squared_tail(value: float, freedom: int) -> float:
    """Upper tail of the χ² distribution, by recurrence in steps of two degrees of freedom.

    >>> [round(chi_squared_tail(value, freedom), 3) for value, freedom in ((3.841, 1), (5.991, 2), (11.07, 5))]
    [0.05, 0.05, 0.05]
    """
    if freedom < 1 or value <= 0:
        return 1.0
    half = value / 2
    tail = erfc(sqrt(half)) if freedom % 2 else exp(-half)
    for more in range(4 - freedom % 2, freedom + 1, 2):
        tail += exp((more / 2 - 1) * log(half) - half - lgamma(more / 2))
    return min(tail, 1.0)


def mean_interval(values: NDArray[Any], weights: NDArray[Any], confidence: float = CONFIDENCE) -> Interval:
    """Confidence interval of the mean of weighted values, by their standard error.

    >>> print(mean_interval(np.array([1.0, 2.0, 3.0]), np.ones(3)))
    0.8684 to 3.1316
    """
    n = float(weights.sum())
    mean = float((weights * values).sum()) / n
    spread = float((weights * np.square(values - mean)).sum()) / max(n - 1, 1)
    half = _normal_quantile(confidence) * sqrt(spread / n)
    return Interval(mean - half, mean + half)


def false_discoveries(p_values: NDArray[Any], n_tests: int, rate: float) -> float:
    """False discovery rate: the largest p-value to accept, so that at most this share of the accepted is false.

    Holds for tests that depend on each other in any way (Benjamini and Yekutieli, 2001). `n_tests` counts all tests;
    those without a p-value here count as not significant. 0 if none can be accepted.

    >>> false_discoveries(np.array([0.0001, 0.3]), 10, 0.05), false_discoveries(np.array([0.04]), 10, 0.05)
    (0.0001, 0.0)
    """
    ordered = np.sort(p_values)
    harmonic = log(n_tests) + 0.5772156649015329 + 1 / (2 * n_tests) if n_tests else 1.0
    allowed = rate * np.arange(1, len(ordered) + 1) / (max(n_tests, 1) * harmonic)
    passed = np.flatnonzero(ordered <= allowed)
    return float(ordered[passed[-1]]) if len(passed) else 0.0


def fewest_trials(chance: float, error: float) -> int:
    """The number of trials without a success that shows that the probability is below this chance.

    >>> fewest_trials(0.05, 0.05)
    59
    """
    return ceil(log(error) / log1p(-chance))


def _normal_quantile(confidence: float) -> float:
    """Two-sided normal quantile: this many standard deviations to either side hold this confidence."""
    from statistics import NormalDist  # half as long to import as all of banbury

    return NormalDist().inv_cdf((1 + confidence) / 2)


@dataclass(frozen=True)
class Summary:
    """A parameter's value and credible interval, by class and feature."""

    value: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    level: float
    """The probability that the parameter lies between `low` and `high`."""
