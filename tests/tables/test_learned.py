"""What is learned of rows is added, taken away and merged like numbers."""

from typing import Any

import numpy as np
import pytest

from banbury import Bernoulli, Categorical, Classifier, Histogram, Poisson
from banbury.errors import CountError, InputError
from banbury.tables.columns import groups_of, kinds_of
from banbury.tables.frame import read
from banbury.tables.learned import Learned, Rows
from banbury.tables.terms import Terms

TABLE = read({"legs": [2, 4, 4, 6], "wild": [True, False, None, True]})
LABELS = ["bird", "cat", "cat", "ant"]
KINDS = kinds_of({"legs": "poisson", "wild": "bernoulli"}, TABLE)


def rows(*places: int, weights: Any = None) -> Rows:
    table = TABLE.take(np.array(places, dtype=int))
    return Rows.of(table, [LABELS[place] for place in places], weights)


def learned(*places: int) -> Learned:
    return Learned([], [], groups_of(KINDS, 0)).plus(rows(*places))


def sums(known: Learned) -> Any:
    statistics = [{name: array.tolist() for name, array in group.statistics.sums.items()} for group in known.groups]
    return known.classes, known.documents, statistics


def test_rows_come_in_any_order_and_in_any_parts() -> None:
    whole = sums(learned(0, 1, 2, 3))
    assert sums(learned(3, 1, 0, 2)) == whole
    assert sums(learned(0, 1).plus(rows(2, 3))) == whole
    assert sums(learned(2, 3).merged(learned(1, 0))) == whole


def test_what_is_taken_away_was_never_there() -> None:
    assert sums(learned(0, 1, 2, 3).minus(rows(3, 2))) == sums(learned(0, 1))
    with pytest.raises(CountError, match="no row with label 'ant' was ever added"):
        learned(0, 1).minus(rows(3))
    with pytest.raises(CountError, match="not so many rows with label 'bird'"):
        learned(0, 1).minus(rows(0, 0))


def test_a_row_of_weight_three_is_three_rows_and_one_of_weight_zero_none() -> None:
    weighted = Learned([], [], groups_of(KINDS, 0)).plus(rows(0, 1, 3, weights=[3, 1, 0]))
    assert sums(weighted) == sums(learned(0, 0, 0, 1))
    with pytest.raises(InputError, match="4 rows but 1 labels"):
        Rows.of(TABLE, ["bird"], None)


def test_the_order_by_content_does_not_depend_on_the_order_that_was_given() -> None:
    there, back = rows(0, 1, 3), rows(3, 1, 0)
    first, second = ([some.labels[place] for place in some.by_content()] for some in (there, back))
    assert first == second


def test_more_rows_than_cells_have_room_for_are_refused() -> None:
    known = learned(0, 1)
    values = [group.values(TABLE) for group in known.groups]
    terms = Terms.of(known.groups, values, None)
    terms = terms.with_counts(np.zeros((terms.layout.n_cells, 2), np.int64))
    with_cells = known._replace(terms=terms)
    many = rows(0, weights=[2**32 - 1])
    assert known.plus(many).documents == [2**32, 1]  # sums of kinds have room
    with pytest.raises(
        InputError, match=r"'bird' would have 4294967296 rows; .* has room for 4294967295 of each label"
    ):
        with_cells.plus(many)
    with pytest.raises(InputError, match="'bird' would have 4294967296 rows"):
        with_cells.merged(with_cells._replace(documents=[2**32 - 1, 1]))
    assert terms.fits([2**32 - 1, 1])
    assert not terms.fits([2**32, 1])


def test_a_class_is_forgotten_only_with_all_that_it_has() -> None:
    model = Classifier(columns={"word": Categorical()}).fit({"word": ["a", "b"]}, ["x", "y"])
    with pytest.raises(CountError, match="never all the rows with label 'x': values of others would be left"):
        model.forget({"word": [None]}, ["x"])
    assert model.documents_ == [1, 1]
    assert model.forget({"word": ["a"]}, ["x"]).classes_.tolist() == ["y"]


@pytest.mark.parametrize(
    "kind, learned_value, another", [(Bernoulli(), True, False), (Poisson(), 9, 4), (Histogram(), 9.0, 4.0)]
)
def test_a_class_is_not_forgotten_by_a_row_with_another_value(kind: Any, learned_value: Any, another: Any) -> None:
    model = Classifier(columns={"value": kind}).fit({"value": [learned_value, another]}, ["x", "y"])
    before = model.predict_proba({"value": [learned_value, another]}).tolist()
    with pytest.raises(CountError, match="nothing was changed"):
        model.forget({"value": [another]}, ["x"])
    assert model.predict_proba({"value": [learned_value, another]}).tolist() == before


def test_rounding_that_is_left_of_fractions_keeps_no_class() -> None:
    values = [0.1 * 1.37**n for n in range(60)]
    model = Classifier(columns={"value": Poisson(fractions=True)}).fit({"value": [*values, 1.0]}, ["x"] * 60 + ["y"])
    for value in values:
        model.forget({"value": [value]}, ["x"])
    assert model.classes_.tolist() == ["y"]
