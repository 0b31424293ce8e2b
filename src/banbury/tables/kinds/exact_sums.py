"""Exact sums of floats, as whole digits in base 2³²: in any order the same, and what is taken away leaves no trace.

A digit stands for so many times 2^(32 · place). Digits are in [−2³¹, 2³¹), so a sum has one way to be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from banbury.tables.kinds.statistics import Array, Numbers, class_sums

BITS = 32  # of a digit
BASE = 2.0**BITS
DIGIT_PLACES = range(-31, 32)  # below 2⁻⁹⁹² each float loses what it has; 2⁹⁹² is far above the largest square
MOST_SUMMED_ROWS = 2**18  # so many digits have a sum that is exact as a float

Digits = dict[int, Array]
"""Digits by place; a place that is not there is 0 everywhere."""


def of_floats(parts: Iterable[Array], numbers: Numbers, n_classes: int) -> Digits:
    """The sum of all parts over the rows of each class, by class and feature; `MOST_SUMMED_ROWS` of them at most.

    >>> digits = of_floats([np.array([[1.5], [2.0**40]])], np.array([0, 0]), 1)
    >>> {place: array.tolist() for place, array in sorted(digits.items())}
    {-1: [[-2147483648.0]], 0: [[2.0]], 1: [[256.0]]}
    """
    digits: Digits = {}
    for part in parts:
        largest = np.abs(part).max(initial=0.0)
        place = min(int(np.frexp(largest)[1]) // BITS, DIGIT_PLACES[-1])
        while largest > 0 and place >= DIGIT_PLACES[0]:
            whole = np.rint(part * BASE**-place)
            _add(digits, place, class_sums(whole, numbers, None, n_classes))
            part = part - whole * BASE**place
            place, largest = place - 1, np.abs(part).max()
    return carried(digits)


def _add(digits: Digits, place: int, more: Array) -> None:
    digits[place] = digits[place] + more if place in digits else more


def added(a: Mapping[int, Array], b: Mapping[int, Array], sign: int = 1) -> Digits:
    """a + b, or with the sign −1 a − b."""
    digits = dict(a)
    for place, array in b.items():
        _add(digits, place, sign * array)
    return carried(digits)


def carried(digits: Digits) -> Digits:
    """The same sum with every digit in its range, and without places where all digits are 0."""
    result, place, carry = {}, min(digits, default=0), np.zeros(1)
    while place <= max(digits, default=-1) or carry.any():
        total = digits.get(place, 0.0) + carry
        carry = np.floor(total / BASE + 0.5)
        result[place] = total - carry * BASE
        place += 1
    return {place: array for place, array in result.items() if array.any()}


def whole_numbers(digits: Mapping[int, Array], lowest: int, shape: tuple[int, ...]) -> Any:
    """The sums as Python's whole numbers, in units of 2^(32 · lowest): an array of objects."""
    total = np.zeros(shape, dtype=object)
    for place, array in digits.items():
        total = total + array.astype(np.int64).astype(object) * 2 ** (BITS * (place - lowest))
    return total
