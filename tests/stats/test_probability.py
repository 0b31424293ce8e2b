"""Probability by counting: the rules hold, and what cannot be is refused."""

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from banbury.errors import BanburyError, InputError
from banbury.stats.probability import (
    bayes,
    complement,
    conditional,
    from_odds,
    log_sum_exp,
    odds,
    posterior,
    probability,
    total_probability,
)

chances = st.floats(0, 1)
logarithms = st.floats(-1e6, 1e6)


@given(st.integers(0, 10**30), st.integers(0, 10**30))
def test_a_part_and_the_rest_make_the_whole(part: int, rest: int) -> None:
    assume(part + rest > 0)
    assert probability(part, part + rest) + probability(rest, part + rest) == pytest.approx(1, abs=1e-15)


def test_counts_too_large_for_a_float_still_give_their_share() -> None:
    assert probability(10**400, 4 * 10**400) == 0.25


@given(chances)
def test_the_complement_of_the_complement_is_the_probability(chance: float) -> None:
    assert complement(complement(chance)) == pytest.approx(chance, abs=1e-15)


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_bayes_rule_turns_one_conditional_into_the_other(both: int, only_a: int, only_b: int, neither: int) -> None:
    assume(both + only_a > 0 and both + only_b > 0)
    total = both + only_a + only_b + neither
    prior, evidence = probability(both + only_a, total), probability(both + only_b, total)
    turned = bayes(prior, conditional(both, both + only_a), evidence)
    assert turned == pytest.approx(conditional(both, both + only_b), abs=1e-12)


@given(chances, chances, chances)
def test_total_probability_lies_between_the_likelihoods(prior: float, one: float, other: float) -> None:
    total = total_probability([prior, 1 - prior], [one, other])
    assert min(one, other) - 1e-12 <= total <= max(one, other) + 1e-12


@given(chances)
def test_odds_and_back_is_the_probability(chance: float) -> None:
    assert from_odds(odds(chance)) == pytest.approx(chance, abs=1e-12)


def test_the_certain_has_infinite_odds() -> None:
    assert odds(1) == math.inf
    assert from_odds(math.inf) == 1
    assert odds(0) == from_odds(0) == 0


@given(st.lists(logarithms, min_size=1, max_size=20))
def test_log_sum_exp_shifts_with_its_values(values: list[float]) -> None:
    shifted = log_sum_exp([value + 5 for value in values])
    assert shifted == pytest.approx(log_sum_exp(values) + 5, rel=1e-12, abs=1e-9)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=20))
def test_log_sum_exp_is_the_logarithm_of_the_sum(values: list[float]) -> None:
    assert log_sum_exp(values) == pytest.approx(math.log(sum(math.exp(value) for value in values)), abs=1e-9)


def test_a_sum_of_nothing_is_zero_whose_logarithm_is_minus_infinity() -> None:
    assert log_sum_exp([]) == log_sum_exp([-math.inf, -math.inf]) == -math.inf
    assert log_sum_exp([math.inf, 0]) == math.inf


@given(st.lists(logarithms, min_size=1, max_size=20))
def test_posteriors_sum_to_one_for_scores_of_any_size(scores: list[float]) -> None:
    assert math.fsum(posterior(scores)) == pytest.approx(1, abs=1e-12)


def test_an_impossible_class_has_posterior_zero() -> None:
    assert posterior([-math.inf, -3000.0]) == [0.0, 1.0]


@pytest.mark.parametrize(
    "impossible",
    [
        lambda: probability(-1, 10),
        lambda: probability(11, 10),
        lambda: probability(1, 0),
        lambda: probability(math.nan, 10),
        lambda: probability(1, math.nan),
        lambda: probability(math.inf, math.inf),
        lambda: complement(1.1),
        lambda: complement(math.nan),
        lambda: conditional(1, 0),
        lambda: conditional(5, 4),
        lambda: conditional(-1, 4),
        lambda: bayes(0.5, 0.5, 0),
        lambda: bayes(0.5, 0.9, 0.1),
        lambda: bayes(-0.5, 0.9, 0.1),
        lambda: bayes(0.5, math.nan, 0.1),
        lambda: total_probability([0.5, 0.5], [0.1]),
        lambda: total_probability([0.5, 0.4], [0.1, 0.1]),
        lambda: total_probability([0.5, 0.5], [0.1, 2]),
        lambda: total_probability([], []),
        lambda: odds(-0.1),
        lambda: odds(math.nan),
        lambda: from_odds(-1),
        lambda: from_odds(math.nan),
        lambda: log_sum_exp([0.0, math.nan]),
        lambda: posterior([]),
        lambda: posterior([-math.inf, -math.inf]),
        lambda: posterior([math.inf, 0.0]),
    ],
)
def test_what_cannot_be_is_refused_and_named(impossible: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"nan|NaN|\d|inf|\[\]") as refused:
        impossible()
    assert isinstance(refused.value, BanburyError)
    assert isinstance(refused.value, ValueError)
