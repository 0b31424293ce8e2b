"""Columns exported to CSV and data frames: what comes back is what went in."""

import csv
import io
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.display import export
from banbury.errors import InputError, MissingExtra

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(cells, st.integers(), st.floats(allow_nan=False)), max_size=6))
def test_unescaped_csv_has_every_cell(rows: list[tuple[str, int, float]]) -> None:
    columns: dict[str, list[Any]] = {name: [row[place] for row in rows] for place, name in enumerate(("a", "b", "c"))}
    written = export.to_csv(columns, escape=False)
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert read == [["a", "b", "c"], *([text, str(n), str(x)] for text, n, x in rows)]


def test_names_and_texts_are_escaped_and_numbers_are_not(tmp_path: Path) -> None:
    written = export.to_csv({"=a": ["=1", "so"], "b": [-1, -2.5]}, tmp_path / "x.csv")
    assert written == "'=a,b\n'=1,-1\nso,-2.5\n"
    assert (tmp_path / "x.csv").read_bytes() == written.encode()


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("before")
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        export.to_csv({"a": ["x", "y"], "b": ["z"]}, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "before"


def test_parquet_holds_names_and_texts_that_no_file_can(tmp_path: Path) -> None:
    export.to_parquet({"a\0b": ["so \ud83d"], "n": [1], "x": [0.5], "is": [True]}, tmp_path / "x.parquet")
    frame = pl.read_parquet(tmp_path / "x.parquet")
    assert frame.columns == ["a␀b", "n", "x", "is"]
    assert frame.row(0) == ("so ?", 1, 0.5, True)


def test_a_data_frame_has_the_columns() -> None:
    for library in ("pandas", "polars"):
        frame = export.to_frame({"word": ["so", "happy"], "n": [2, 1]}, library)
        assert list(frame["word"]) == ["so", "happy"]
        assert list(frame["n"]) == [2, 1]


def test_other_libraries_and_missing_ones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="library is 'R'; it can be 'pandas' or 'polars'"):
        export.to_frame({}, "R")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtra, match="pip install polars"):
        export.to_frame({}, "polars")
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match=r"pip install 'banbury\[parquet\]'"):
        export.to_parquet({"a": ["x"]}, "x.parquet")
