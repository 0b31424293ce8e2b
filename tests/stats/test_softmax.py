"""Softmax and differences of logarithms, against the plain formulas for single numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from banbury.stats.probability import posterior
from banbury.stats.softmax import log_difference, log_differences, log_softmax, possible_log_softmax, softmax

SCORES = arrays_of.arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats(-800, 800))


@given(SCORES)
def test_softmax_equals_the_posterior_of_each_row(scores: np.ndarray) -> None:
    np.testing.assert_allclose(softmax(scores), [posterior(row) for row in scores.tolist()], rtol=1e-12)
    np.testing.assert_allclose(softmax(scores).sum(axis=1), 1, rtol=1e-12)


@given(SCORES)
def test_log_softmax_is_the_logarithm_and_keeps_the_differences(scores: np.ndarray) -> None:
    logs = log_softmax(scores)
    np.testing.assert_allclose(np.exp(logs), softmax(scores), atol=1e-15)
    np.testing.assert_allclose(logs - logs[:, :1], scores - scores[:, :1], atol=1e-9)


def test_scores_are_left_as_they_are_and_a_sum_over_classes_is_the_last_axis() -> None:
    scores = np.log([[[3.0, 1.0]], [[1.0, 1.0]]])
    before = scores.copy()
    assert softmax(scores).round(2).tolist() == [[[0.75, 0.25]], [[0.5, 0.5]]]
    assert np.exp(log_softmax(scores)).round(2).tolist() == [[[0.75, 0.25]], [[0.5, 0.5]]]
    np.testing.assert_array_equal(scores, before)


@pytest.mark.filterwarnings("error")
@given(st.lists(st.tuples(*[st.floats(max_value=0) | st.just(-math.inf)] * 2), min_size=1))
def test_differences_of_arrays_are_those_of_numbers(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    assert log_differences(first, second).tolist() == [log_difference(*pair) for pair in pairs]


def test_where_no_class_is_possible_all_are_alike() -> None:
    logs = possible_log_softmax(np.array([[-np.inf, -np.inf], [-np.inf, 0.0]]))
    np.testing.assert_allclose(np.exp(logs), [[0.5, 0.5], [0.0, 1.0]])
