"""Recognition of tables: texts, rows and tables of every library are told from each other."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from banbury.tables.recognition import column_names, is_column, is_row, is_table

CITY = ["Banbury", None, "Oxford"]
COLUMNS = {"age": [31, 45, 27], "city": CITY}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def test_texts_are_told_from_tables() -> None:
    frame = pd.DataFrame(COLUMNS)
    for table in (frame, pl.DataFrame(COLUMNS), pa.table(COLUMNS), COLUMNS, ROWS, np.zeros((3, 1))):
        assert is_table(table)
    for texts in (CITY, pl.Series(CITY), frame["city"], frame[["city"]], pa.array(CITY), np.array(CITY), [], "text"):
        assert not is_table(texts)


def test_a_row_has_one_value_for_each_column() -> None:
    for row in (ROWS[0], {}, pd.DataFrame(COLUMNS).iloc[0], {"n": np.array(3)}):
        assert is_row(row)
    for other in (COLUMNS, {"age": pl.Series([1])}, pd.DataFrame(COLUMNS), ROWS, "text", None):
        assert not is_row(other)


def test_names_of_columns_are_those_that_the_library_has() -> None:
    for table in (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)):
        assert column_names(table) == ["age", "city"]
    for other in (ROWS, "text", 5, pd.DataFrame):
        assert column_names(other) is None


def test_one_value_is_no_column() -> None:
    assert all(map(is_column, ([], (1, 2), np.zeros(3), pa.array([1]), pl.Series([1]), {"a": 1})))
    assert not any(map(is_column, ("abc", b"abc", 5, None, np.array(5))))
