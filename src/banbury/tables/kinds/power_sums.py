"""Power sums of columns: Σ weight, Σ weight · x and Σ weight · x², exactly, by class and feature.

A sum is several arrays, one for each place of its digits: `values-1` has those that count 2⁻³² of the values' sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury.errors import CountError, FileFormatError, InputError
from banbury.tables.kinds import exact_sums, moments, precise
from banbury.tables.kinds.exact_sums import Digits
from banbury.tables.kinds.moments import Moments
from banbury.tables.kinds.statistics import CELLS, Array, Numbers, Sums, slices

POWER_SUMS = ("n", "values", "squares")
MOST_WEIGHT = 2.0**53  # of one row
LARGEST_VALUE = 1e140  # numbers beyond ± this count as this: their squares must be numbers too
SMALLEST_VALUE = 1e-140  # numbers nearer to 0 count as 0, for the same reason
LARGEST_SPREAD = 1e300  # of 2⁶⁴ of them
ROUNDING_BITS = 66  # so small a part of a square is lost where a weight is below 10⁻¹⁰⁰
PLACE_NAMES = {f"{name}{place:+d}": (name, place) for name in POWER_SUMS for place in exact_sums.DIGIT_PLACES}
ALWAYS = "n+0"  # the place that is never left out: it has the number of classes and features


def counted(values: Array, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
    """The sums of these rows; NaN is missing.

    >>> sums = counted(np.array([[1.5], [2.0]]), np.array([0, 0]), None, 1)
    >>> {name: array.tolist() for name, array in sums.items()}  # doctest: +ELLIPSIS
    {'n+0': [[2.0]], 'values-1': [[-2147483648.0]], 'values+0': [[4.0]], 'squares-1': ...
    """
    if weights is not None and weights.max(initial=0.0) > MOST_WEIGHT:
        raise InputError(f"row {weights.argmax()} has weight {weights.max():g}; at most 2⁵³ can be counted exactly")
    n_features = values.shape[1]
    total: dict[str, Digits] = {name: {} for name in POWER_SUMS}
    for rows in slices(len(values), min(exact_sums.MOST_SUMMED_ROWS, max(1, CELLS // max(1, n_features)))):
        for name, floats in _powers(values[rows], None if weights is None else weights[rows]).items():
            more = exact_sums.of_floats(floats, numbers[rows], n_classes)
            total[name] = exact_sums.added(total[name], more)
    return _named(total, (n_classes, n_features))


def _powers(values: Array, weights: Array | None) -> dict[str, Iterable[Array]]:
    """What each row adds to each sum, as floats whose sum is exact."""
    known = ~np.isnan(values)
    within = np.clip(np.where(known, values, 0.0), -LARGEST_VALUE, LARGEST_VALUE)
    within[np.abs(within) < SMALLEST_VALUE] = 0.0
    squares = precise.exact_product(within, within)
    if weights is None:
        return {"n": [known.astype(float)], "values": [within], "squares": squares}
    shares = weights[:, None]
    first, second = (precise.exact_product(square, shares) for square in squares)
    return {"n": [known * shares], "values": precise.exact_product(within, shares), "squares": (*first, *second)}


def combined(a: Sums, b: Sums, sign: int) -> Sums:
    """The sums of both; with the sign −1 those of a without those of b."""
    mine, theirs = _digits(a), _digits(b)
    digits = {name: exact_sums.added(mine[name], theirs[name], sign) for name in POWER_SUMS}
    return _named(digits, next(iter(a.values())).shape)


def _digits(sums: Sums) -> dict[str, Digits]:
    digits: dict[str, Digits] = {name: {} for name in POWER_SUMS}
    for key, array in sums.items():
        if key in PLACE_NAMES:
            name, place = PLACE_NAMES[key]
            digits[name][place] = array
    return digits


def _named(digits: Mapping[str, Digits], shape: tuple[int, ...]) -> Sums:
    digits = {**digits, "n": {0: np.zeros(shape), **digits["n"]}}
    return {f"{name}{place:+d}": array for name in POWER_SUMS for place, array in sorted(digits[name].items())}


def moments_of(sums: Sums, latest: tuple[Sums, Moments] | None = None) -> Moments:
    """Number, mean and spread. Where `latest` are other sums and their moments, only what differs is computed."""
    shape = sums[ALWAYS].shape
    if latest is None or latest[0][ALWAYS].shape != shape:
        return _of_places(sums, (slice(None), slice(None)))
    changed = _differences(sums, latest[0])
    if not changed.any():
        return latest[1]
    old, new = latest[1], _of_places(sums, np.nonzero(changed))
    return Moments(*(_replaced(*parts, changed) for parts in zip(old, new, strict=True)))


def _differences(a: Sums, b: Sums) -> NDArray[np.bool_]:
    differ = np.zeros(a[ALWAYS].shape, dtype=bool)
    for name in (a.keys() | b.keys()) & PLACE_NAMES.keys():
        differ |= a.get(name, 0.0) != b.get(name, 0.0)
    return differ


def _replaced(old: Any, new: Any, changed: NDArray[np.bool_]) -> Any:
    if isinstance(old, tuple):
        return tuple(_replaced(*parts, changed) for parts in zip(old, new, strict=True))
    copy = old.copy()
    copy[changed] = new
    return copy


def _of_places(sums: Sums, places: Any) -> Moments:
    n, first, second, unit = _whole_numbers(sums, places)
    return moments.of_sums(n, first, second, unit)


def _whole_numbers(sums: Sums, places: Any) -> tuple[Any, Any, Any, int]:
    """The three sums at these places, as whole numbers, and how many of their units make 1."""
    digits = _digits(sums)
    lowest = min(0, *(place for by_place in digits.values() for place in by_place))
    shape = sums[ALWAYS][places].shape
    n, first, second = (
        exact_sums.whole_numbers({place: array[places] for place, array in digits[name].items()}, lowest, shape)
        for name in POWER_SUMS
    )
    return n, first, second, 2 ** (-exact_sums.BITS * lowest)


def check_possible(sums: Sums, rest: Sums) -> None:
    """Raise `CountError` where what is left of sums is what no rows have: something was taken that was never there."""
    changed = np.argwhere(_differences(sums, rest))
    if not len(changed):
        return
    n, first, second, _ = _whole_numbers(rest, tuple(changed.T))
    for place, *cell in zip(changed.tolist(), n, first, second, strict=True):
        if not _is_possible(*cell):
            raise CountError(
                f"what is taken away from column {place[1]} was never added; nothing was changed", place[0]
            )


def _is_possible(n: int, first: int, second: int) -> bool:
    """Whether there are numbers with these sums: the spread is not negative, and nothing has no sum."""
    if n <= 0 or second < 0:
        return n == first == second == 0
    return second * n - first * first >= -(second * n >> ROUNDING_BITS)


def file_arrays(sums: Sums) -> Sums:
    """The sums as a file has them: digits of 32 bits, and no place where all of them are 0."""
    tidy = combined(sums, {}, 1)
    return {name: array.astype(np.int32).view(np.uint32) for name, array in tidy.items()}


def from_file(shapes: Mapping[str, Any], arrays: Mapping[str, Any], shape: tuple[int, int]) -> Sums:
    """The sums that a file has, once they are checked."""
    sums = {}
    for name in shapes:
        if name not in PLACE_NAMES:
            raise FileFormatError(f"it has {name!r}, which is no digit of a sum of numbers")
        array = np.asarray(arrays[name])
        if array.dtype != np.uint32 or array.size != np.prod(shape) or tuple(shapes[name]) != shape:
            raise FileFormatError(f"its {name!r} have shape {tuple(shapes[name])}, which does not fit {shape}")
        sums[name] = array.view(np.int32).astype(float).reshape(shape)
    if ALWAYS not in sums:
        raise FileFormatError(f"it has no {ALWAYS!r}: a model of an older version, or a damaged one")
    try:
        check_possible(dict.fromkeys(sums, np.zeros(shape)), sums)
        moments = moments_of(sums)
    except (CountError, OverflowError):
        raise FileFormatError("its sums are not those of any numbers") from None
    limits = {
        "n": (moments.n, 2.0**64),
        "mean": (moments.mean[0], LARGEST_VALUE),
        "spread": (moments.spread[0], LARGEST_SPREAD),
    }
    for name, (array, limit) in limits.items():
        if (np.abs(array) > limit).any():
            raise FileFormatError(f"its {name!r} are larger than those of any numbers")
    return sums
