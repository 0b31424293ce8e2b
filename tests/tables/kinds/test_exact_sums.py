"""Exact sums: equal to those of fractions, in any order, with one way to be written."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banbury.tables.kinds import exact_sums

FLOATS = st.floats(-1e140, 1e140).map(lambda value: value if abs(value) > 1e-140 else 0.0)


def digits(values: list[float]) -> exact_sums.Digits:
    return exact_sums.of_floats([np.array(values)[:, None]], np.zeros(len(values), np.intp), 1)


def whole(sums: exact_sums.Digits) -> Fraction:
    lowest = exact_sums.DIGIT_PLACES[0]
    number = exact_sums.whole_numbers(sums, lowest, (1, 1))[0, 0]
    return Fraction(int(number)) * Fraction(2) ** (exact_sums.BITS * lowest)


def written(sums: exact_sums.Digits) -> dict[int, list[list[float]]]:
    return {place: array.tolist() for place, array in sorted(sums.items())}


@given(st.lists(FLOATS, max_size=12))
def test_a_sum_is_that_of_fractions(values: list[float]) -> None:
    assert whole(digits(values)) == sum(map(Fraction, values), Fraction(0))


@given(st.lists(FLOATS, max_size=8), st.lists(FLOATS, max_size=8))
def test_what_is_added_and_taken_away_leaves_no_trace(a: list[float], b: list[float]) -> None:
    both = exact_sums.added(digits(a), digits(b))
    assert written(both) == written(digits(b + a))
    assert written(exact_sums.added(both, digits(b), -1)) == written(digits(a))
    assert exact_sums.added(digits(a), digits(a), -1) == {}


@given(st.dictionaries(st.integers(-5, 5), st.integers(-(2**52), 2**52), max_size=6))
def test_digits_are_in_their_range_and_mean_the_same(loose: dict[int, int]) -> None:
    sums = {place: np.array([[float(number)]]) for place, number in loose.items()}
    carried = exact_sums.carried(sums)
    assert whole(carried) == sum((number * Fraction(2) ** (32 * place) for place, number in loose.items()), Fraction(0))
    assert all(array.any() and -(2**31) <= array.min() <= array.max() < 2**31 for array in carried.values())


def test_classes_and_features_are_apart() -> None:
    values = np.array([[1.0, 0.5], [2.0, 0.25], [4.0, 2.0**40]])
    sums = exact_sums.of_floats([values], np.array([0, 1, 0]), 2)
    total = exact_sums.whole_numbers(sums, -1, (2, 2))
    assert (total / 2**32).tolist() == [[5.0, 2.0**40 + 0.5], [2.0, 0.25]]


def test_many_rows_have_an_exact_sum() -> None:
    values = np.full((exact_sums.MOST_SUMMED_ROWS, 1), np.nextafter(2.0**32, 0))
    sums = exact_sums.of_floats([values], np.zeros(len(values), np.intp), 1)
    assert whole(sums) == len(values) * Fraction(float(values[0, 0]))
