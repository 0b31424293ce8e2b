"""Sums of floats in twice the usual precision, against fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banbury.tables.kinds import precise

FLOATS = st.floats(-1e100, 1e100).filter(lambda value: value == 0 or abs(value) > 1e-100)


def exact(pair: Any) -> Fraction:
    return Fraction(float(pair[0])) + Fraction(float(pair[1]))


@given(FLOATS, FLOATS)
def test_a_sum_and_a_product_lose_nothing(a: float, b: float) -> None:
    assert exact(precise.exact_sum(np.array(a), np.array(b))) == Fraction(a) + Fraction(b)
    product = exact(precise.exact_product(np.array(a), b))
    assert abs(product - Fraction(a) * Fraction(b)) <= Fraction(abs(a * b)) / 2**100 + Fraction(1, 10**290)


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_a_total_has_twice_the_digits(values: list[float]) -> None:
    array = np.array(values)[:, None]
    total = precise.total((array, np.zeros_like(array)))
    expected = sum(map(Fraction, values))
    largest = max(map(abs, values))
    assert abs(exact((total[0][0], total[1][0])) - expected) <= Fraction(largest) / 2**95


def test_arithmetic_of_pairs() -> None:
    third = precise.over((np.array(1.0), np.array(0.0)), 3.0)
    assert abs(exact(third) - Fraction(1, 3)) < Fraction(1, 2**100)
    assert abs(exact(precise.times(third, 3.0)) - 1) < Fraction(1, 2**100)
    assert abs(exact(precise.multiply(third, third)) - Fraction(1, 9)) < Fraction(1, 2**100)
    assert exact(precise.add(third, precise.negative(third))) == 0
    nothing = precise.total((np.empty((0, 2)), np.empty((0, 2))))
    assert nothing[0].tolist() == [0.0, 0.0]
