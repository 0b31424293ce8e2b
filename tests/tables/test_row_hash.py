"""Hashes of rows: they depend on the values of a row alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banbury.tables.row_hash import row_hashes

rows = st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 3), min_size=1, max_size=20)


def reference(row: tuple[int, ...]) -> int:
    """The same in whole numbers of Python."""
    value = 0
    for cell in row:
        value = (value ^ cell) * 0x9E3779B97F4A7C15 % 2**64
        value ^= value >> 29
    return value


@given(rows)
def test_each_row_has_the_hash_of_its_values(rows: list[tuple[int, ...]]) -> None:
    columns = np.array(rows, dtype=np.uint64).T
    assert row_hashes(columns, len(rows)).tolist() == [reference(row) for row in rows]


def test_columns_do_not_change_places() -> None:
    one, other = np.array([[1], [2]], dtype=np.uint64)
    assert row_hashes([one, other], 1) != row_hashes([other, one], 1)
