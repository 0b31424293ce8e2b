"""Number, mean and spread of columns: digits, what is joined and parted, what cannot be taken away."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import columns_reference as reference
from banbury.errors import CountError
from banbury.tables.kinds import moments, power_sums
from banbury.tables.kinds.moments import Moments


def of_values(values: list[float]) -> Moments:
    """The moments of one column of one class."""
    sums = power_sums.counted(np.array(values, dtype=float)[:, None], np.zeros(len(values), np.intp), None, 1)
    return power_sums.moments_of(sums)


@settings(max_examples=40)
@given(
    st.lists(st.integers(-5000, 5000), min_size=2, max_size=12),
    st.sampled_from([0.0, 1e9, -1e9, 1e12]),
    st.sampled_from([1e-3, 1.0, 1e6]),
    st.data(),
)
def test_mean_and_spread_keep_their_digits(whole: list[int], offset: float, unit: float, data: st.DataObject) -> None:
    values = [value * unit + offset for value in whole]
    cut = data.draw(st.integers(1, len(values)))
    rest = of_values(values[cut:])
    for found in (of_values(values[:cut]), moments.parted(moments.joined(of_values(values[:cut]), rest), rest)):
        n, mean, spread = reference.moments([(value, 1.0) for value in values[:cut]])
        wide = max(float(spread / n) ** 0.5, unit)
        found_mean, found_spread = (
            sum(Fraction(float(part[0, 0])) for part in pair) for pair in (found.mean, found.spread)
        )
        assert float(found_mean - mean) == pytest.approx(0, abs=1e-12 * wide)
        assert float(found_spread) == pytest.approx(float(spread), rel=1e-12, abs=1e-12 * wide**2)


def test_what_was_never_there_cannot_be_taken_away() -> None:
    one = of_values([1.0, 2.0])
    with pytest.raises(CountError, match="was never added"):
        moments.parted(one, of_values([1.0, 2.0, 3.0]))
    with pytest.raises(CountError, match="was never added"):
        moments.parted(one, of_values([9.0]))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_joined_and_parted_are_each_others_inverse(a: list[float], b: list[float]) -> None:
    first, second = of_values(a), of_values(b)
    back = moments.parted(moments.joined(first, second), second)
    assert_allclose(back.mean[0], first.mean[0], rtol=1e-9, atol=1e-9)
    assert_allclose(back.spread[0], first.spread[0], rtol=1e-9, atol=1e-6)
    assert back.n.tolist() == [[float(len(a))]]


def test_moments_of_whole_numbers() -> None:
    n, first, second = (np.array([number], dtype=object) for number in (4, 10, 30))  # 1, 2, 3, 4
    found = moments.of_sums(n, first, second, 1)
    assert (found.n.tolist(), found.mean[0].tolist(), found.spread[0].tolist()) == ([4.0], [2.5], [5.0])
    halves = moments.of_sums(n * 2, first, second // 2, 2)  # 0.5, 1, 1.5, 2
    assert (halves.n.tolist(), halves.mean[0].tolist(), halves.spread[0].tolist()) == ([4.0], [1.25], [1.25])


def test_a_part_is_replaced() -> None:
    both = of_values([1.0, 3.0]).at(([0, 0], slice(None)))
    changed = both.with_values(of_values([8.0]).at(([0], slice(None))), [1])
    assert changed.mean[0].tolist() == [[2.0], [8.0]]
