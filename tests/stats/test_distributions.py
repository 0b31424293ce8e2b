"""Quantiles and the gamma function: SciPy's numbers, without SciPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.errors import InputError
from banbury.stats.distributions import beta_quantile, gamma_quantile, log_gamma, log_rising, student_quantile
from banbury.stats.intervals import beta_interval

stats = pytest.importorskip("scipy.stats")


special = pytest.importorskip("scipy.special")


shapes = st.floats(-3, 5).map(lambda power: 10**power)


chances = st.one_of(st.floats(1e-6, 1 - 1e-6), st.sampled_from([0.0, 0.025, 0.5, 0.975, 1.0]))


@given(chances, shapes, shapes)
def test_beta_quantiles_are_those_of_scipy(chance: float, a: float, b: float) -> None:
    expected = stats.beta.ppf(chance, a, b)
    assert beta_quantile(chance, a, b) == pytest.approx(expected, rel=1e-9, abs=1e-50)


@given(chances, shapes)
def test_gamma_quantiles_are_those_of_scipy(chance: float, shape: float) -> None:
    expected = stats.gamma.ppf(chance, shape)
    assert gamma_quantile(chance, shape) == pytest.approx(expected, rel=1e-9, abs=1e-50)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(-1, 5).map(lambda power: 10**power))
def test_student_quantiles_are_those_of_scipy(chance: float, freedom: float) -> None:
    assert student_quantile(chance, freedom) == pytest.approx(stats.t.ppf(chance, freedom), rel=1e-7, abs=1e-9)


large = st.floats(5, 9).map(lambda power: 10**power)


@given(st.floats(1e-3, 1 - 1e-3), large, large)  # SciPy is less sure of the far tails than we are
def test_quantiles_of_large_counts_take_no_longer_than_others(chance: float, a: float, b: float) -> None:
    """A continued fraction would take √(a + b) steps: minutes for counts that a file may claim."""
    sizes = {"beta": a * b / (a + b) / (a + b) / (a + b), "gamma": a}  # variances
    found = {"beta": beta_quantile(chance, a, b), "gamma": gamma_quantile(chance, a)}
    expected = {"beta": stats.beta.ppf(chance, a, b), "gamma": stats.gamma.ppf(chance, a)}
    for name, size in sizes.items():
        assert abs(found[name] - expected[name]) < 1e-5 * size**0.5 + 1e-12 * expected[name]
    assert np.isfinite(beta_quantile(chance, 1e308, 1e308))


def test_arrays_give_arrays_and_are_solved_at_once() -> None:
    generator = np.random.default_rng(0)
    a, b = 10 ** generator.uniform(-2, 4, (2, 50, 20))
    low, high = beta_interval(a, b, 0.9)
    assert low.shape == (50, 20)
    np.testing.assert_allclose(low, stats.beta.ppf(0.05, a, b), rtol=1e-9, atol=1e-50)
    np.testing.assert_allclose(high, stats.beta.ppf(0.95, a, b), rtol=1e-9)


@given(st.floats(-6, 9).map(lambda power: 10**power), st.floats(0, 1e4))
def test_the_gamma_function_is_that_of_scipy(x: float, n: float) -> None:
    assert float(log_gamma(x)) == pytest.approx(special.gammaln(x), rel=1e-13, abs=1e-13)
    # Not a difference of gammaln: that is what loses the digits.
    expected = special.gammaln(n) - special.betaln(x, n) if n > 1e-3 and x < 1e6 else None
    if expected is not None:
        assert float(log_rising(x, n)) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_log_gamma_of_1_and_2_is_exactly_0() -> None:
    assert log_gamma([1.0, 2.0]).tolist() == [0.0, 0.0]


@given(st.floats(1e-3, 1e12), st.integers(0, 30))
def test_a_rising_factorial_is_a_product(x: float, n: int) -> None:
    product = float(np.log(x + np.arange(n)).sum())
    assert float(log_rising(x, n)) == pytest.approx(product, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda: beta_interval(-1, 2), "successes and failures"),
        (lambda: beta_interval(1, np.inf), "successes and failures"),
        (lambda: beta_interval(1, 2, level=95), "the level is 95"),
        (lambda: beta_quantile(1.5, 1, 1), "between 0 and 1"),
        (lambda: gamma_quantile(0.5, -1), "shape"),
        (lambda: gamma_quantile(np.nan, 1), "between 0 and 1"),
        (lambda: student_quantile(0.5, 0), "degrees of freedom"),
    ],
)
def test_what_has_no_quantile_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()
