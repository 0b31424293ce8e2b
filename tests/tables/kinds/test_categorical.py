"""Categories: new ones, and those that are only known to exist."""

import numpy as np
from numpy.testing import assert_allclose

from banbury import Categorical


def test_a_category_of_any_number_is_new_and_smoothed() -> None:
    statistics = Categorical().statistics(1, 2).add([[0], [1], [1]], [0, 0, 1])
    expected = np.log([1 / 4, 1 / 3])
    for code in (2, 1e18, 1e300):
        assert_allclose(statistics.scores([[code]])[0], expected)


def test_categories_that_are_only_known_to_exist_have_their_share() -> None:
    statistics = Categorical(categories=4).statistics(1, 1).add([[0], [0], [1]], [0, 0, 0])
    assert_allclose(statistics.posterior()["probability"].value, [[[3 / 7, 2 / 7, 1 / 7, 1 / 7]]])
    assert_allclose(np.exp(statistics.scores([[0], [1], [2], [3]])[:, 0]), [3 / 7, 2 / 7, 1 / 7, 1 / 7])
