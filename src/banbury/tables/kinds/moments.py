"""Moments: number, mean and spread of columns of numbers, joined and parted in double-double precision.

They come from exact sums, and serve to leave rows out. Chan's formulas join them. Neither a large mean nor a row that
is left out costs digits: 13 are left of a spread that is 10⁻⁹ of the mean, or of what it was before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from banbury.errors import CountError
from banbury.tables.kinds import precise
from banbury.tables.kinds.precise import Array, Pair
from banbury.tables.kinds.statistics import EXACT

FLOAT_SPACING = 1e-17  # two floats that are not the same differ by more than this much of themselves
SPREAD_ROUNDING = (
    1e-26  # what is left of a mean or spread after a subtraction, relative to what it was, is this much rounding
)


class Moments(NamedTuple):
    """Number of values, mean and Σ (x − mean)², of each column or of each class and column."""

    n: Array
    mean: Pair
    spread: Pair

    def at(self, place: Any) -> Moments:
        """The moments at this place."""
        return Moments(self.n[place], _at(self.mean, place), _at(self.spread, place))

    def with_values(self, values: Moments, place: Any) -> Moments:
        """The moments with these at this place; the arrays must be nobody else's."""
        pairs = zip((self.n, *self.mean, *self.spread), (values.n, *values.mean, *values.spread), strict=True)
        for array, value in pairs:
            array[place] = value
        return self


def _at(pair: Pair, place: Any) -> Pair:
    return pair[0][place], pair[1][place]


def of_sums(n: Any, first: Any, second: Any, unit: int) -> Moments:
    """The moments from Σ weight, Σ weight · x and Σ weight · x²: arrays of whole numbers, of which `unit` make 1.

    >>> one = np.array([3], dtype=object), np.array([10**9 * 3 + 3], dtype=object)
    >>> of_sums(*one, np.array([(10**9) ** 2 + (10**9 + 1) ** 2 + (10**9 + 2) ** 2], dtype=object), 1).spread[0]
    array([2.])
    """
    kept = np.array([_moments(*cell, unit) for cell in zip(n.flat, first.flat, second.flat, strict=True)])
    n_float, mean, mean_rest, spread, spread_rest = kept.reshape(-1, 5).T.reshape(5, *n.shape)
    return Moments(n_float, (mean, mean_rest), (spread, spread_rest))


def _moments(n: int, first: int, second: int, unit: int) -> tuple[float, ...]:
    if not n:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return n / unit, *_quotient(first, n), *_quotient(second * n - first * first, n * unit)


def _quotient(a: int, b: int) -> tuple[float, float]:
    """a / b, and what rounding left of it."""
    quotient = a / b
    above, below = quotient.as_integer_ratio()
    return quotient, (a * below - above * b) / (b * below)


def joined(a: Moments, b: Moments) -> Moments:
    """The moments of all values of both."""
    n = a.n + b.n
    divisor = np.where(n > 0, n, 1.0)
    apart = precise.add(b.mean, precise.negative(a.mean))
    mean = precise.add(a.mean, precise.over(precise.times(apart, b.n), divisor))
    between = precise.over(precise.times(precise.times(precise.multiply(apart, apart), a.n), b.n), divisor)
    spread = precise.add(precise.add(a.spread, b.spread), between)
    alone_a, alone_b = b.n == 0, a.n == 0
    return Moments(
        n, _choose(alone_a, a.mean, _choose(alone_b, b.mean, mean)), _choose(alone_b & alone_a, a.spread, spread)
    )


def parted(whole: Moments, part: Moments) -> Moments:
    """The moments of the values of the whole without those of a part of it."""
    n = whole.n - part.n
    n = np.where(np.abs(n) <= EXACT * whole.n, 0.0, n)
    divisor = np.where(n > 0, n, 1.0)
    apart = precise.add(whole.mean, precise.negative(part.mean))
    step = precise.over(precise.times(apart, part.n), divisor)
    mean = precise.add(whole.mean, step)
    square = precise.times(precise.times(precise.multiply(apart, apart), whole.n), part.n)
    spread = precise.add(
        precise.add(whole.spread, precise.negative(part.spread)), precise.negative(precise.over(square, divisor))
    )
    unchanged = part.n == 0
    spread = _choose(unchanged, whole.spread, spread)
    impossible = (n < 0) | ((n > 0) & (spread[0] < -1e-9 * whole.spread[0]))
    if impossible.any():
        place = np.argwhere(impossible)[0].tolist()
        raise CountError(
            f"what is taken away from column {place[-1]} was never added; nothing was changed",
            place[0] if len(place) > 1 else 0,
        )
    gone = (n <= 0) | (spread[0] <= SPREAD_ROUNDING * whole.spread[0] + (FLOAT_SPACING * whole.mean[0]) ** 2)
    nothing = np.zeros_like(n), np.zeros_like(n)
    at_zero = np.abs(mean[0]) <= SPREAD_ROUNDING * (np.abs(whole.mean[0]) + np.abs(step[0]))
    mean = _choose(at_zero, nothing, mean)
    return Moments(n, _choose(n <= 0, nothing, _choose(unchanged, whole.mean, mean)), _choose(gone, nothing, spread))


def overall(moments: Moments) -> Moments:
    """All classes together: the first axis goes."""
    result = moments.at(0)
    for number in range(1, len(moments.n)):
        result = joined(result, moments.at(number))
    return result


def _choose(condition: Any, one: Pair, other: Pair) -> Pair:
    return np.where(condition, one[0], other[0]), np.where(condition, one[1], other[1])
