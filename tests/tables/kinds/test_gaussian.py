"""Gaussian columns: densities, digits, units, columns that never vary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import columns_reference as reference
from banbury import Gaussian


@pytest.mark.parametrize("predictive", [False, True])
def test_the_density_of_a_logarithm_and_the_share_of_zeros_sum_to_1(predictive: bool) -> None:
    kind = Gaussian(scale="log", predictive=predictive)
    statistics = kind.statistics(1, 3).add([[0.0], [1.0], [1.5], [4.0], [0.0], [7.0]], [0, 0, 0, 1, 1, 1])
    logs = np.linspace(-650, 650, 500_001)
    density = np.exp(statistics.log_probabilities(np.exp(logs)[:, None])[:, :, 0] + logs[:, None])
    zero = np.exp(statistics.log_probabilities([[0.0]])[0, :, 0])
    # With one row's worth of prior the tails of Student's t reach far beyond e^650.
    assert_allclose(density.sum(axis=0) * (logs[1] - logs[0]) + zero, 1, rtol=5e-3)


def test_a_small_spread_around_a_large_mean_is_seen() -> None:
    values = 1e9 + np.array([0.0, 1e-3, 2e-3, 10e-3, 11e-3, 12e-3])[:, None]
    statistics = Gaussian().statistics(1, 2).add(values, [0, 0, 0, 1, 1, 1])
    assert statistics.scores(values).argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    exact = reference.gaussian(
        [(float(v), c, 1.0) for v, c in zip(values[:, 0], [0, 0, 0, 1, 1, 1], strict=True)], 0, 1e9
    )
    assert float(statistics.log_probabilities([[1e9]])[0, 0, 0]) == pytest.approx(exact, rel=1e-12)


@given(st.floats(1e-100, 1e100), st.floats(-1e100, 1e100))
def test_the_unit_of_a_column_does_not_matter(scale: float, value: float) -> None:
    rows, numbers = np.array([[1.0], [2.0], [4.0], [9.0]]), [0, 0, 1, 1]
    plain, scaled = (
        Gaussian().statistics(1, 2).add(rows, numbers),
        Gaussian().statistics(1, 2).add(rows * scale, numbers),
    )
    place = np.array([[value % 10]])
    difference = np.diff(plain.scores(place)), np.diff(scaled.scores(place * scale))
    assert_allclose(difference[0], difference[1], rtol=1e-6, atol=1e-9)


def test_the_biased_variance_is_that_of_the_rows() -> None:
    kind = Gaussian(variance="biased", smoothing=0)
    rows = np.random.default_rng(0).normal(size=(20, 3))
    statistics = kind.statistics(3, 2).add(rows, np.arange(20) % 2)
    for number in range(2):
        assert_allclose(statistics.posterior()["mean"].value[number], rows[number::2].mean(axis=0), rtol=1e-12)
        assert_allclose(statistics.posterior()["variance"].value[number], rows[number::2].var(axis=0), rtol=1e-12)


def test_one_row_for_each_class_is_enough() -> None:
    statistics = Gaussian().statistics(1, 3).add([[1.0], [2.0], [30.0]], [0, 1, 2])
    assert statistics.scores([[1.1], [2.2], [25.0]]).argmax(axis=1).tolist() == [0, 1, 2]


def test_a_column_that_never_varied_is_drawn_as_it_is() -> None:
    statistics = Gaussian().statistics(1, 1).add([[7.0]] * 3, [0] * 3)
    assert statistics.sample(np.random.default_rng(0), 0, 3).tolist() == [[7.0]] * 3
