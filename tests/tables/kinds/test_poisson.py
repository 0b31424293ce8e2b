"""Columns of counts: rates and what is no count."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Poisson
from banbury.errors import InputError


def test_the_rate_is_drawn_to_that_of_all_classes_by_one_row() -> None:
    statistics = Poisson().statistics(1, 2).add([[2], [4], [9]], [0, 0, 1])
    overall = 15.5 / 4  # half an event in one more row
    expected = [(6 + overall) / 3, (9 + overall) / 2]
    assert_allclose(statistics.posterior()["rate"].value[:, 0], expected)
    logs = statistics.log_probabilities([[3]])[0, :, 0]
    assert_allclose(logs, [3 * math.log(rate) - rate - math.lgamma(4) for rate in expected])


def test_a_rate_that_no_number_of_64_bits_holds_can_be_drawn_from() -> None:
    statistics = Poisson().statistics(1, 1).add([[2.0**1000]], [0])
    assert statistics.sample(np.random.default_rng(1), 0, 3).min() > 2.0**59


def test_what_is_no_count_is_refused_where_it_stands() -> None:
    for value in (-1, 1.5):
        with pytest.raises(InputError, match=f"row 1, column 0 has {value}; a Poisson column has whole numbers"):
            Poisson().statistics(1, 1).add([[1], [value]], [0, 0])
    assert Poisson(fractions=True).statistics(1, 1).add([[1.5]], [0]).sums["events"].tolist() == [[1.5]]
