"""Credible intervals of word probabilities, and of their log ratios λ.

The posterior of P(word | class) is a Beta distribution whose mean is the smoothed probability: smoothing is the prior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.lazy import numpy as np
from banbury.stats.intervals import beta_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WordIntervals(NamedTuple):
    """Low and high ends: of P(word | class) by word and class, of λ by word."""

    probability_low: NDArray[Any]
    probability_high: NDArray[Any]
    log_ratio_low: NDArray[Any]
    log_ratio_high: NDArray[Any]


class Sides(NamedTuple):
    """The two sides of a log ratio, for each word."""

    ours: NDArray[Any]
    """The class id that each word speaks of."""
    is_other: NDArray[Any]
    """Whether each class is on the other side, by word and class."""

    def our(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of our side, from values by word and class."""
        taken: NDArray[Any] = values[np.arange(len(values)), self.ours]
        return taken

    def others(self, values: NDArray[Any], nothing: float = 0.0) -> NDArray[Any]:
        """The values of the other side, by word and class; `nothing` for the classes that are not on it."""
        return np.where(self.is_other, values, nothing)

    @property
    def n_others(self) -> int:
        """How many classes are on the other side."""
        return int(self.is_other[0].sum()) if len(self.is_other) else 1


def word_intervals(seen: NDArray[Any], missed: NDArray[Any], sides: Sides, level: float) -> WordIntervals:
    """Intervals that hold with this probability, from the two parameters of each Beta posterior, by word and class.

    The interval of λ combines the distances of the two probabilities' ends from their means in quadrature (Zou and
    Donner, 2008): exact intervals of a difference would need numerical integration for each word. The mean of several
    classes is taken to have the Beta distribution of the same mean and variance.
    """
    means = seen / (seen + missed)
    n_others = sides.n_others
    our_mean, their_mean = sides.our(means), sides.others(means).sum(axis=1) / n_others
    theirs = _mean_of_several(seen, missed, means, sides)
    # Few numbers come again and again.
    parameters = np.stack([np.append(seen, theirs[0]), np.append(missed, theirs[1])])
    parameters, places = np.unique(parameters, axis=1, return_inverse=True)
    ends = [end[places.ravel()] for end in beta_interval(parameters[0], parameters[1], level)]
    low, high = (end[: seen.size].reshape(seen.shape) for end in ends)
    if seen.shape[1] == 1:
        return WordIntervals(low, high, np.zeros(len(seen)), np.zeros(len(seen)))
    with np.errstate(divide="ignore"):
        our_logs = [np.log(sides.our(end)) - np.log(our_mean) for end in (low, high)]
        their_logs = [np.log(end[seen.size :]) - np.log(their_mean) for end in ends]
        centre = np.log(our_mean) - np.log(their_mean)
    down, up = np.hypot(our_logs[0], their_logs[1]), np.hypot(our_logs[1], their_logs[0])
    return WordIntervals(low, high, centre - down, centre + up)


def _mean_of_several(
    seen: NDArray[Any], missed: NDArray[Any], means: NDArray[Any], sides: Sides
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The parameters of the Beta distribution of the other classes' mean, for each word."""
    n_others = sides.n_others
    if n_others == 1:
        return sides.others(seen).sum(axis=1), sides.others(missed).sum(axis=1)
    mean = sides.others(means).sum(axis=1) / n_others
    variance = sides.others(means * (1 - means) / (seen + missed + 1)).sum(axis=1) / n_others**2
    is_certain = variance == 0  # a word that all documents have
    size = np.where(is_certain, 1.0, mean * (1 - mean) / np.where(is_certain, 1.0, variance) - 1)
    return mean * size, (1 - mean) * size
