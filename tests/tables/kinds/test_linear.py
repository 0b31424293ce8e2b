"""Kinds whose scores are products."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Bernoulli, Multinomial, Poisson
from banbury.stats.softmax import IMPOSSIBLE
from banbury.tables.kinds.linear import apart


@pytest.mark.parametrize(
    "kind", [Bernoulli(), Bernoulli(smoothing=0), Poisson(), Multinomial(), Multinomial(smoothing=0)]
)
def test_a_product_is_the_sum_of_log_probabilities(kind: Any) -> None:
    rows = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [1, 0, 0]], dtype=float)
    statistics = kind.statistics(3, 2).add(rows, [0, 0, 1, 1])
    weights = np.array([0.5, 2.0, 1.0])
    expected = (statistics.log_probabilities(rows) * weights).sum(axis=2)
    assert_allclose(statistics.scores(rows, weights), expected, rtol=1e-9)


def test_a_missing_value_adds_nothing() -> None:
    statistics = Bernoulli().statistics(2, 2).add([[1, 0], [0, 1]], [0, 1])
    one, both = statistics.scores([[1, np.nan]]), statistics.columns([0]).scores([[1]])
    assert_allclose(one, both)


def test_what_is_impossible_is_kept_apart() -> None:
    logs, impossible = apart(np.array([-1.0, IMPOSSIBLE, 0.0]))
    assert logs.tolist() == [-1.0, 0.0, 0.0]
    assert impossible.tolist() == [0.0, 1.0, 0.0]
