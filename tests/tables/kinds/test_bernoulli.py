"""Columns of yes and no: priors of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Bernoulli, Classifier, Multinomial
from banbury.errors import CountError, InputError


def test_pseudo_counts_can_differ_by_column() -> None:
    several = Multinomial(smoothing=(1.0, 2.0, 3.0)).statistics(3, 1)
    assert_allclose(several.posterior()["probability"].value, [[1 / 6, 2 / 6, 3 / 6]])
    one = Bernoulli(smoothing=(1.0, 3.0), absent_smoothing=1.0).statistics(2, 1)
    assert_allclose(one.posterior()["probability"].value, [[0.5, 0.75]])


def test_a_prior_of_its_own_for_yes_and_for_no() -> None:
    statistics = Bernoulli(smoothing=2, absent_smoothing=5).statistics(1, 1).add([[1], [1], [0]], [0, 0, 0])
    assert_allclose(np.exp(statistics.scores([[1], [0]])[:, 0]), [4 / 10, 6 / 10])


def test_two_numbers_for_one_column_are_refused_with_what_to_write_instead() -> None:
    with pytest.raises(InputError, match=r"2 numbers, one for each column.*absent_smoothing"):
        Bernoulli(smoothing=(2, 5)).statistics(1, 2)
    with pytest.raises(InputError, match=r"column 'x'.*Bernoulli\(smoothing=2, absent_smoothing=5\)"):
        Classifier(columns={"x": Bernoulli(smoothing=(2, 5))}).fit({"x": [0, 1]}, ["a", "b"])


def test_there_are_never_fewer_zeros_than_none() -> None:
    statistics = Bernoulli().statistics(1, 1).add([[1], [0]], [0, 0])
    with pytest.raises(CountError):
        statistics.remove([[0], [0]], [0, 0])
