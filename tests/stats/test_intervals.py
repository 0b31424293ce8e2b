"""Binomial tails, bounds and intervals, against SciPy and by drawing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluation_reference as reference
from banbury.stats.intervals import at_most, beta_interval, chi_squared_tail, false_discoveries, least, most, wilson


@given(st.integers(1, 40), st.data())
def test_a_binomial_tail_is_the_sum_of_its_terms(trials: int, data: st.DataObject) -> None:
    successes, chance = data.draw(st.integers(0, trials)), data.draw(st.floats(0.001, 0.999))
    assert at_most(successes, trials, chance) == pytest.approx(reference.at_most(successes, trials, chance), rel=1e-9)


def test_the_tails_and_bounds_are_those_of_scipy() -> None:
    from scipy import stats

    for successes, trials in ((0, 10), (3, 10), (10, 10), (500, 20_000)):
        interval = stats.binomtest(successes, trials).proportion_ci(0.9, "exact")
        assert (least(successes, trials, 0.05), most(successes, trials, 0.05)) == pytest.approx(tuple(interval))
        score = stats.binomtest(successes, trials).proportion_ci(0.95, "wilson")
        assert wilson(successes, trials) == pytest.approx((score.low, score.high), abs=1e-12)
        assert at_most(successes, trials, 0.03) == pytest.approx(stats.binom.cdf(successes, trials, 0.03), rel=1e-9)
    assert chi_squared_tail(7.5, 3) == pytest.approx(stats.chi2.sf(7.5, 3))
    p_values = np.array([1e-9, 1e-4, 0.002, 0.2])
    adjusted = stats.false_discovery_control(p_values, method="by")
    assert false_discoveries(p_values, 4, 0.05) == max(p_values[adjusted <= 0.05])


def test_an_accuracy_lies_in_its_interval_as_often_as_promised() -> None:
    random = np.random.default_rng(0)
    for chance in (0.1, 0.5, 0.97):
        inside = [
            interval.low <= chance <= interval.high
            for successes in random.binomial(80, chance, 1000)
            for interval in [wilson(int(successes), 80)]
        ]
        assert 0.92 < np.mean(inside) < 0.98


@pytest.mark.parametrize(
    "successes, failures, interval", [(0, 5, (0.0, 0.0)), (5, 0, (1.0, 1.0)), (0, 0, (0.025, 0.975))]
)
def test_an_interval_without_a_prior_knows_only_what_it_saw(
    successes: int, failures: int, interval: tuple[float, float]
) -> None:
    assert beta_interval(successes, failures) == pytest.approx(interval)
