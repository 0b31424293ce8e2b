"""Double-double arithmetic: a number is the sum of two floats, the second far below the first.

For mean and spread of numbers such as 10⁹ ± 10⁻³, and so that rows which are added and removed again leave no trace.
The algorithms are those of Dekker and Knuth, on whole arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pair = tuple[Array, Array]

SPLITTER = 2.0**27 + 1  # halves the 53 bits of a float


def exact_sum(a: Array, b: Array) -> Pair:
    """a + b and its rounding error, exactly.

    >>> high, low = exact_sum(np.array(1e16), np.array(1.0))
    >>> int(high) + int(low) == 10**16 + 1
    True
    """
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def exact_product(a: Array, b: Array | float) -> Pair:
    """a · b and its rounding error, exactly."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Array | float) -> tuple[Array | float, Array | float]:
    large = SPLITTER * a
    high = large - (large - a)
    return high, a - high


def _tidy(high: Array, low: Array) -> Pair:
    total = high + low
    return total, low - (total - high)


def add(x: Pair, y: Pair) -> Pair:
    """x + y."""
    high, more = exact_sum(x[0], y[0])
    low, rest = exact_sum(x[1], y[1])
    high, more = _tidy(high, more + low)
    return _tidy(high, more + rest)


def negative(x: Pair) -> Pair:
    """−x."""
    return -x[0], -x[1]


def multiply(x: Pair, y: Pair) -> Pair:
    """x · y."""
    high, low = exact_product(x[0], y[0])
    return _tidy(high, low + (x[0] * y[1] + x[1] * y[0]))


def times(x: Pair, factor: Array | float) -> Pair:
    """x · factor, a plain float."""
    high, low = exact_product(x[0], factor)
    return _tidy(high, low + x[1] * factor)


def over(x: Pair, divisor: Array | float) -> Pair:
    """x / divisor, a plain float that is not 0."""
    first = x[0] / divisor
    rest = add(x, negative(exact_product(first, divisor)))
    return _tidy(first, (rest[0] + rest[1]) / divisor)


def total(x: Pair) -> Pair:
    """Pairwise sum along the first axis."""
    if not len(x[0]):
        nothing = np.zeros(x[0].shape[1:])
        return nothing, nothing
    while (n := len(x[0])) > 1:
        half = n // 2
        summed = add((x[0][:half], x[1][:half]), (x[0][half : 2 * half], x[1][half : 2 * half]))
        odd = slice(2 * half, n)
        x = np.concatenate([summed[0], x[0][odd]]), np.concatenate([summed[1], x[1][odd]])
    return x[0][0], x[1][0]
