"""Numbers of any distribution: the form that tells classes apart."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Number
from banbury.tables.kinds.number import FORMS


def test_the_form_of_numbers_is_that_which_tells_classes_apart() -> None:
    generator = np.random.default_rng(1)
    classes = np.arange(900) % 2
    bell = generator.normal(classes, 1)
    amounts = np.exp(generator.normal(classes * 2, 1))
    rings = np.where(
        classes == 0, generator.normal(size=900), generator.choice([-3, 3], 900) + generator.normal(size=900)
    )
    many_zeros = np.where(generator.random(900) < 0.3 + 0.4 * classes, 0.0, generator.choice([1.0, 2.0, 50.0], 900))
    rows = np.column_stack([bell, amounts, rings, many_zeros])
    statistics = Number().statistics(4, 2).add(rows, classes)
    assert [FORMS[number] for number in statistics.choice][:3] == ["gaussian", "log", "histogram"]
    assert FORMS[statistics.choice[3]] in ("log", "histogram")  # both have a place for zeros
    # A negative number has no logarithm: the column is read in the next best form until it goes.
    statistics.add([[0.0, -1.0, 0.0, 0.0]], [0])
    assert FORMS[statistics.choice[1]] in ("gaussian", "histogram")
    statistics.remove([[0.0, -1.0, 0.0, 0.0]], [0])
    assert FORMS[statistics.choice[1]] == "log"
    assert not statistics.log_probabilities([[0.0, -5.0, 0.0, 0.0]])[0, :, 1].any()


def test_the_order_of_many_rows_does_not_change_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banbury.tables.kinds.number.MOST_CHOICE_CELLS", 200)
    generator = np.random.default_rng(2)
    rows, classes = generator.normal(size=(500, 2)), np.arange(500) % 2
    order = generator.permutation(500)
    one, other = (
        Number().statistics(2, 2).add(rows, classes),
        Number().statistics(2, 2).add(rows[order], classes[order]),
    )
    assert_allclose(one.losses, other.losses, rtol=1e-9)
