"""Columns of counts that are one thing."""

import math

import pytest

from banbury import Multinomial


@pytest.mark.parametrize("predictive", [False, True])
def test_the_probabilities_of_all_sequences_of_counts_sum_to_1(predictive: bool) -> None:
    statistics = Multinomial(predictive=predictive).statistics(2, 1).add([[3, 1], [0, 1]], [0, 0])
    totals = [
        math.comb(4, first) * math.exp(float(statistics.scores([[first, 4 - first]])[0, 0])) for first in range(5)
    ]
    assert sum(totals) == pytest.approx(1, rel=1e-12)
