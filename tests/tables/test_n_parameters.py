"""The number of free parameters of columns, counted by hand."""

import pytest

from banbury import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, Number, Poisson
from banbury.errors import NotAvailable
from banbury.tables.columns import Group
from banbury.tables.frame import read
from banbury.tables.learned import Learned, Rows
from banbury.tables.n_parameters import n_parameters

ROWS = Rows.of(read({"a": [0, 1, 2, 1], "b": [1, 1, 0, 5]}), ["x", "y", "x", "y"], None)


def learned(kind: object) -> Group:
    return Learned([], [], (Group.empty(kind, ["a", "b"], 0),)).plus(ROWS).groups[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind, n",
    [
        (Poisson(), 2),  # a rate each
        (Gaussian(), 4),  # a mean and a variance each
        (Multinomial(), 1),  # two shares that sum to 1
        (Categorical(), 4),  # three values each
        (Histogram(bins=(0.5, 1.5)), 4),  # three intervals each
    ],
)
def test_each_kind_has_its_number(kind: object, n: int) -> None:
    assert n_parameters(learned(kind)) == n


def test_yes_and_no_have_one_and_a_form_that_is_chosen_none_that_is_known() -> None:
    rows = Rows.of(read({"a": [0, 1], "b": [1, 1]}), ["x", "y"], None)
    group = Learned([], [], (Group.empty(Bernoulli(), ["a", "b"], 0),)).plus(rows).groups[0]
    assert n_parameters(group) == 2
    with pytest.raises(NotAvailable, match="'a' depends on the form that Number has chosen"):
        n_parameters(learned(Number()))
