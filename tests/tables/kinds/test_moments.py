"""Number, mean and spread of columns: digits, weights, what cannot be taken away."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import columns_reference as reference
from banbury import Gaussian
from banbury.errors import CountError
from banbury.tables.kinds import moments


@settings(max_examples=40)
@given(
    st.lists(st.integers(-5000, 5000), min_size=2, max_size=12),
    st.sampled_from([0.0, 1e9, -1e9, 1e12]),
    st.sampled_from([1e-3, 1.0, 1e6]),
    st.data(),
)
def test_mean_and_spread_keep_their_digits(whole: list[int], offset: float, unit: float, data: st.DataObject) -> None:
    values = np.array(whole, dtype=float)[:, None] * unit + offset
    cut = data.draw(st.integers(1, len(values)))
    statistics = Gaussian().statistics(1, 1).add(values, [0] * len(values))
    other = statistics.empty().add(values[cut:], [0] * (len(values) - cut))
    statistics.remove(values[cut:], [0] * (len(values) - cut)).merge(other).remove(
        values[cut:], [0] * len(values[cut:])
    )
    n, mean, spread = reference.moments([(float(value), 1.0) for value in values[:cut, 0]])
    sums = {name: Fraction(float(array[0, 0])) for name, array in statistics.sums.items()}
    wide = max(float(spread / n) ** 0.5, unit)
    assert float(sums["mean"] + sums["mean_rest"] - mean) == pytest.approx(0, abs=1e-12 * wide)
    assert float(sums["spread"] + sums["spread_rest"]) == pytest.approx(float(spread), rel=1e-12, abs=1e-12 * wide**2)


def test_what_was_never_there_cannot_be_taken_away() -> None:
    one = moments.of_values(np.array([[1.0], [2.0]]))
    with pytest.raises(CountError, match="was never added"):
        moments.parted(one, moments.of_values(np.array([[1.0], [2.0], [3.0]])))
    with pytest.raises(CountError, match="was never added"):
        moments.parted(one, moments.of_values(np.array([[9.0]])))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_joined_and_parted_are_each_others_inverse(a: list[float], b: list[float]) -> None:
    first, second = (moments.of_values(np.array(values)[:, None]) for values in (a, b))
    back = moments.parted(moments.joined(first, second), second)
    assert_allclose(back.mean[0], first.mean[0], rtol=1e-9, atol=1e-9)
    assert_allclose(back.spread[0], first.spread[0], rtol=1e-9, atol=1e-6)
    assert back.n.tolist() == [float(len(a))]


def test_weights_count_and_missing_values_do_not() -> None:
    found = moments.of_values(np.array([[1.0], [np.nan], [4.0]]), np.array([2.0, 5.0, 1.0]))
    assert (found.n.tolist(), found.mean[0].tolist(), found.spread[0].tolist()) == ([3.0], [2.0], [6.0])
    nothing = moments.of_values(np.empty((0, 1)))
    assert (nothing.n.tolist(), nothing.mean[0].tolist()) == ([0.0], [0.0])
