"""Values of one column of any library: numbers, strings, and what is missing."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from banbury.errors import InputError
from banbury.tables.frame import read
from banbury.tables.values import are_truths, column


def test_a_masked_element_is_missing() -> None:
    ages = np.ma.masked_array([31, 0, 45], mask=[False, True, False])
    cities = np.ma.masked_array(["Banbury", "Bletchley", "x"], mask=[False, False, True])
    assert column("age", ages).as_objects() == [31, None, 45]
    assert column("city", cities).as_objects() == ["Banbury", "Bletchley", None]


@pytest.mark.parametrize("value", [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.ma.masked])
def test_whatever_stands_for_nothing_is_missing(value: Any) -> None:
    for known in ("x", 1):
        assert column("a", [known, value]).as_objects() == [known, None]
    assert column("a", [value]).as_objects() == [None]


def test_numbers_of_any_kind_are_numbers() -> None:
    values = [Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.int8(3), True]
    assert column("a", values).as_objects() == [0.5, 0.5, 0.5, 3, 1]


def test_numbers_and_strings_together_stay_what_they_are() -> None:
    assert column("a", [1, "one", 1.5, None]).as_objects() == [1, "one", 1.5, None]


def test_numbers_and_texts_are_asked_for_by_row_and_column() -> None:
    with pytest.raises(InputError, match="row 1, column 'a' is 'x'; Gaussian needs numbers"):
        column("a", [1, "x"]).as_numbers("Gaussian")
    with pytest.raises(InputError, match="row 1, column 'b' is 1, of type int; a text must be a str"):
        column("b", ["x", 1]).as_texts()


def test_strings_are_the_same_from_every_library() -> None:
    values = ["b", None, "a", "b", "c"]
    arrow = pa.table({"x": values})
    sources: list[Any] = [
        {"x": values},
        pd.DataFrame({"x": values}),
        pd.DataFrame({"x": pd.Series(values, dtype="category")}),
        pd.DataFrame({"x": pd.Series(values, dtype=object)}),
        pl.DataFrame({"x": values}),
        pl.DataFrame({"x": pl.Series(values, dtype=pl.Categorical)}),
        arrow,
        pa.concat_tables([arrow[:2], arrow[2:]]),
        pa.table({"x": pa.array(values, pa.large_string())}),
    ]
    plain = read(sources[0]).column("x")
    for source in sources:
        column = read(source).column("x")
        assert column.as_objects() == values
        assert column.missing.tolist() == [False, True, False, False, False]
        assert column.hashes().tolist() == plain.hashes().tolist()
        assert np.array_equal(column.mapped(ord), plain.mapped(ord), equal_nan=True)
        assert column.take([1, 4]).as_objects() == [None, "c"]
        assert len(column) == 5
    assert read(arrow[:0]).column("x").as_objects() == []


def test_a_single_value_is_read_as_one_of_many() -> None:
    for value in (0.5, -0.0, 3, True, None, math.nan, "x", Decimal("0.5"), np.float64(2.5)):
        alone, among = column("a", [value]), column("a", [value, value])
        assert alone.as_objects() == among.as_objects()[:1]
        assert alone.is_bool == among.is_bool
        assert alone.hashes().tolist() == among.hashes().tolist()[:1]
    number = column("a", [2.0])
    assert number.mapped(lambda value: value + 1).tolist() == [3.0]
    with pytest.raises(InputError, match="row 0, column 'a' is inf; a number must be finite"):
        column("a", [math.inf])


def test_truths_are_written_in_letters_of_any_size() -> None:
    assert are_truths(["TRUE", "false", None])
    assert not are_truths(["true", "yes"])
    assert column("a", ["True", None, "false"]).as_numbers("Bernoulli")[[0, 2]].tolist() == [1.0, 0.0]
