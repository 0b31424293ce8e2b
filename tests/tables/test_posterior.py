"""How well the predictions of a table are known."""

import numpy as np
import pytest

from banbury import Bernoulli, Poisson
from banbury.tables.posterior import table_posterior


def width(n: int) -> float:
    statistics = Poisson().statistics(1, 2).add([[1], [2], [9], [7]] * n, [0, 0, 1, 1] * n)
    found = table_posterior([(statistics, [[4]])], [2 * n, 2 * n], draws=200).probability
    return float(found.high[0, 0] - found.low[0, 0])


def test_more_rows_know_more() -> None:
    assert width(1) > width(10) > width(100) > 0


def test_the_value_is_within_and_the_classes_sum_to_1() -> None:
    parts = [
        (Poisson().statistics(1, 2).add([[1], [9]], [0, 1]), [[4], [0]]),
        (Bernoulli().statistics(1, 2).add([[1], [0]], [0, 1]), [[1], [0]]),
    ]
    found = table_posterior(parts, [1, 1], draws=100, seed=3).probability
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    assert found.value.sum(axis=1) == pytest.approx([1, 1], abs=1e-9)
    again = table_posterior(parts, [1, 1], draws=100, seed=3).probability
    assert (again.value == found.value).all()


def test_two_columns_are_two_pieces_of_evidence() -> None:
    rows, labels = np.array([[1.0]] * 6 + [[0.0]] * 6), [0] * 6 + [1] * 6
    one = Bernoulli().statistics(1, 2).add(rows, labels)
    alone = table_posterior([(one, [[1]])], [6, 6], draws=100).probability.value[0, 0]
    twice = table_posterior([(one, [[1]]), (one, [[1]])], [6, 6], draws=100).probability.value[0, 0]
    assert 0.5 < alone < twice < 1
