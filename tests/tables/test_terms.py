"""Counted cells of columns, pairs and triples: arithmetic, files, and what does not fit."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury.errors import CountError, FileFormatError, InputError
from banbury.tables.cells import CategoryCells, NumberCells
from banbury.tables.terms import Terms

CELLS = (CategoryCells(("a", "b")), NumberCells.of(np.arange(100.0)), CategoryCells(("x",)))
TERMS = Terms(("first", "second", "third"), CELLS, tuple(combinations(range(3), 2)), ((0, 1, 2),))
ROWS = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 255]), st.integers(0, 63), st.sampled_from([0, 1]), st.integers(0, 1)),
    max_size=20,
)


def counted(rows: list[tuple[int, ...]]) -> Terms:
    codes = np.ascontiguousarray(np.array([row[:3] for row in rows], np.uint8).reshape(-1, 3).T)
    own = np.array([row[3] for row in rows], np.intp)
    return TERMS.with_counts(TERMS.counted(codes, own, None, 2))


@settings(max_examples=30)
@given(ROWS, ROWS)
def test_counts_add_up_and_come_apart(a: list[tuple[int, ...]], b: list[tuple[int, ...]]) -> None:
    whole = counted(a + b)
    assert (counted(a).plus(counted(b).counts).counts == whole.counts).all()
    assert (counted(b).merged(counted(a)).counts == whole.counts).all()
    assert (whole.minus(counted(b).counts).counts == counted(a).counts).all()
    settings, arrays = whole.parts()
    again = Terms.from_parts(settings, arrays)
    assert (again.counts == whole.counts).all()
    assert again.pairs == whole.pairs
    assert all(one.same(other) for one, other in zip(again.cells, whole.cells, strict=True))


def test_every_known_row_is_counted_once_in_every_term() -> None:
    terms = counted([(0, 5, 1, 0), (255, 40, 0, 1), (2, 40, 0, 1)])
    firsts = [*terms.layout.firsts(), len(terms.counts)]
    totals = [int(terms.counts[a:b].sum()) for a, b in pairwise(firsts)]
    # The second row has no first value: it is in no term that has the first column.
    assert dict(zip(terms.columns, totals, strict=True)) == {
        (0,): 2, (1,): 3, (2,): 3, (0, 1): 2, (0, 2): 2, (1, 2): 3, (0, 1, 2): 2,
    }  # fmt: skip


def test_what_was_never_counted_cannot_be_taken_away() -> None:
    with pytest.raises(CountError, match="never added"):
        counted([(0, 5, 1, 0)]).minus(counted([(1, 5, 1, 0)]).counts)


def test_other_cells_and_other_pairs_cannot_be_merged() -> None:
    other = Terms(TERMS.names, (CategoryCells(("a", "c")), *CELLS[1:]), TERMS.pairs, TERMS.triples)
    with pytest.raises(InputError, match="other cells"):
        counted([]).merged(other)
    with pytest.raises(InputError, match="other pairs"):
        counted([]).merged(Terms(TERMS.names, CELLS))


def test_classes_that_come_and_go_keep_their_counts() -> None:
    terms = counted([(0, 5, 1, 0), (1, 9, 0, 1)])
    wider = terms.renumbered([2, 0], 3)
    assert (wider.counts[:, [2, 0]] == terms.counts).all()
    assert not wider.counts[:, 1].any()


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": [[1, 0]]},
        {"pairs": []},
        {"triples": [[0, 1, 9]]},
        {"n_classes": 3},
        {"cells": [{"values": list("abc")}, {"edges": [2.0, 1.0], "codes": [0, 1, 2]}, {"values": ["x"]}]},
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    settings, arrays = counted([(0, 5, 1, 0)]).parts()
    with pytest.raises(FileFormatError):
        Terms.from_parts({**settings, **change}, arrays)
