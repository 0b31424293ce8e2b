"""Credible intervals of words, against draws of their posteriors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from banbury.results.word_intervals import Sides, word_intervals
from banbury.stats.intervals import beta_interval

SEEN = np.array([[3.0, 40.0, 7.0], [1.0, 1.0, 1.0]])
MISSED = np.array([[97.0, 60.0, 93.0], [99.0, 99.0, 99.0]])
AGAINST_ALL = Sides(np.array([1, 0]), np.array([[True, False, True], [False, True, True]]))


def test_probabilities_have_the_intervals_of_their_posteriors() -> None:
    intervals = word_intervals(SEEN, MISSED, AGAINST_ALL, 0.9)
    low, high = beta_interval(SEEN, MISSED, 0.9)
    np.testing.assert_allclose(intervals.probability_low, low)
    np.testing.assert_allclose(intervals.probability_high, high)


def test_log_ratios_have_about_the_intervals_of_draws() -> None:
    draws = np.random.default_rng(0).beta(SEEN, MISSED, (200_000, *SEEN.shape))
    ratios = np.log(draws[:, 0, 1]) - np.log((draws[:, 0, 0] + draws[:, 0, 2]) / 2)
    expected = np.quantile(ratios, [0.05, 0.95])
    intervals = word_intervals(SEEN, MISSED, AGAINST_ALL, 0.9)
    assert [intervals.log_ratio_low[0], intervals.log_ratio_high[0]] == pytest.approx(expected, abs=0.05)


def test_two_classes_are_compared_one_to_one_and_mirror_each_other() -> None:
    seen, missed = SEEN[:, :2], MISSED[:, :2]
    first = word_intervals(seen, missed, Sides(np.array([0, 0]), np.array([[False, True]] * 2)), 0.95)
    second = word_intervals(seen, missed, Sides(np.array([1, 1]), np.array([[True, False]] * 2)), 0.95)
    np.testing.assert_allclose(first.log_ratio_low, -second.log_ratio_high)
    np.testing.assert_allclose(first.log_ratio_high, -second.log_ratio_low)


def test_one_class_has_nothing_to_be_compared_with() -> None:
    intervals = word_intervals(SEEN[:, :1], MISSED[:, :1], Sides(np.array([0, 0]), np.ones((2, 1), bool)), 0.95)
    assert intervals.log_ratio_low.tolist() == intervals.log_ratio_high.tolist() == [0, 0]


@given(arrays_of.arrays(float, (3, 4), elements=st.floats(0.5, 1e4)), st.floats(0.5, 0.99))
def test_intervals_hold_the_mean_and_grow_with_the_level(seen: np.ndarray, level: float) -> None:
    missed = np.full_like(seen, 2e4)
    sides = Sides(np.zeros(3, int), np.array([[False, True, True, True]] * 3))
    narrow, wide = (word_intervals(seen, missed, sides, chance) for chance in (level / 2, level))
    assert (wide.probability_low <= narrow.probability_low).all()
    assert (wide.log_ratio_low <= narrow.log_ratio_low).all()
    assert (narrow.log_ratio_high <= wide.log_ratio_high).all()
    assert (wide.log_ratio_low < wide.log_ratio_high).all()
