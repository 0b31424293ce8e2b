"""Tables of any library read as the same plain columns, and what is said of what cannot be one."""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from banbury.errors import InputError
from banbury.tables import frame as tables

AGE = [31, None, 45]
WEIGHT = [70.5, 81.0, None]
CITY = ["Banbury", "Bletchley", None]
MEMBER = [True, None, False]
COLUMNS: dict[str, list[Any]] = {"age": AGE, "weight": WEIGHT, "city": CITY, "member": MEMBER}
ROWS = [dict(zip(COLUMNS, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)]


def plain(data: Any) -> dict[str, list[Any]]:
    """The columns of a table as Python lists."""
    return {name: column.as_objects() for name, column in tables.read(data).columns.items()}


TABLES: dict[str, Callable[[], Any]] = {
    "dict of lists": lambda: COLUMNS,
    "dict of tuples": lambda: {name: tuple(values) for name, values in COLUMNS.items()},
    "dict of object arrays": lambda: {name: np.array(values, dtype=object) for name, values in COLUMNS.items()},
    "dict of Series": lambda: {name: pl.Series(values) for name, values in COLUMNS.items()},
    "dict of Arrow": lambda: {name: pa.array(values) for name, values in COLUMNS.items()},
    "list of dicts": lambda: ROWS,
    "list of dicts that leave out what is missing": lambda: [
        {name: value for name, value in row.items() if value is not None} for row in ROWS
    ],
    "iterator of dicts": lambda: iter(ROWS),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas object": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda: pd.DataFrame(COLUMNS).astype({"city": "category", "member": "boolean"}),
    "pandas with other labels of rows": lambda: pd.DataFrame(COLUMNS, index=[7, 7, 2]).astype({"member": "boolean"}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categorical": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("city").cast(pl.Categorical)),
    "arrow": lambda: pa.table(COLUMNS),
    "arrow dictionary": lambda: pa.table({**COLUMNS, "city": pa.array(CITY).dictionary_encode()}),
    "arrow batch": lambda: pa.record_batch(COLUMNS),
    "arrow slice": lambda: pa.concat_tables([pa.table(COLUMNS)] * 2).slice(3),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_any_library_is_the_same_columns(name: str) -> None:
    assert plain(TABLES[name]()) == COLUMNS


def test_arrays_have_numbered_columns_and_records_named_ones() -> None:
    assert plain(np.array([[1, 2], [3, 4]])) == {"0": [1, 3], "1": [2, 4]}
    records = np.array([(1, "x"), (2, "y")], dtype=[("n", int), ("s", "U1")])
    assert plain(records) == {"n": [1, 2], "s": ["x", "y"]}


def test_dates_are_times_of_utc_and_spans_are_seconds() -> None:
    days = [date(1970, 1, 2), None]
    times = [datetime(1970, 1, 1, 1, tzinfo=UTC), None]
    expected = {"day": [datetime(1970, 1, 2), None], "time": [datetime(1970, 1, 1, 1), None], "span": [60, None]}
    columns = {"day": days, "time": times, "span": [timedelta(minutes=1), None]}
    assert plain(columns) == expected
    assert plain(pl.DataFrame(columns)) == expected
    assert plain(pa.table(columns)) == expected
    frame = pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    frame["day"] = pd.to_datetime(frame["day"])
    assert plain(frame) == expected
    array = np.array(["1970-01-02", "NaT"], dtype="datetime64[D]")
    assert plain({"day": array}) == {"day": [datetime(1970, 1, 2), None]}
    assert tables.read({"day": days}).column("day").as_numbers("a number")[0] == 86400


def test_one_row_is_a_table_of_one() -> None:
    assert plain({"age": 31, "city": "Banbury"}) == {"age": [31], "city": ["Banbury"]}
    assert plain(pd.DataFrame(COLUMNS).iloc[0]) == {name: [values[0]] for name, values in COLUMNS.items()}


@pytest.mark.parametrize(
    "data, message",
    [
        ({"a": [1, 2], "b": [1]}, "column 'a' has 2 rows, but column 'b' has 1"),
        ({"a": [1, 2], "b": 3}, "column 'b' is 3; beside other columns it must be a list"),
        ({"a": [[1], [2]]}, "row 0, column 'a': token 0 is 1"),
        ({"a": [1, b"x"]}, "row 1, column 'a' is of type bytes"),
        ({"a": [1, math.inf]}, "row 1, column 'a' is inf; a number must be finite"),
        ({"a": [1, 10**400]}, "row 1, column 'a' is a number with 401 digits"),
        ({1: ["x"]}, "column name 1 is of type int"),
        ({"a\udc80": ["x"]}, r"column name 'a\\udc80' has half of a character"),
        ([{"a": 1}, ["x"]], "row 1 is of type list; every row must be a dictionary"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns 'a'"),
        (3, "expected a table, not one of type int"),
        ("text", "expected a table, not one of type str"),
        (np.zeros((2, 3, 3), bool), r"an array of shape \(2, 3, 3\) is no table .*reshape\(len\(array\), -1\)"),
        (np.zeros(3), r"an array of shape \(3,\) is no table .*reshape\(1, -1\)"),
    ],
)
def test_what_is_no_table_is_an_error_that_names_the_place(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tables.read(data)


def test_an_unknown_column_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(InputError, match="there is no column 'sex'; this table has 'age', 'weight'"):
        tables.read(COLUMNS).column("sex")


def test_a_data_frame_of_one_row_is_read_as_one_of_many() -> None:
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "f": [0.5, None],
            "s": ["x", None],
            "b": [True, False],
            "d": pd.to_datetime(["2026-11-16 09:30", None]),
            "n": pd.array([3, None], dtype="Int64"),
        }
    )
    for row in range(2):
        assert tables.read(frame[row : row + 1]).row(0) == tables.read(frame).row(row)
