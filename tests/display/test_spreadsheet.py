"""Spreadsheet cells: no formula is run, and the text comes back."""

import csv
import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.display.spreadsheet import csv_text, escaped, has_formulas

STARTS = "=+-@\t\r\n＝＋－＠"
cells = st.one_of(st.text(f"{STARTS}'15.eA", max_size=6), st.text(max_size=6))


@pytest.mark.parametrize(
    "text, cell",
    [
        ("=1", "'=1"),
        ("@x", "'@x"),
        ("+a", "'+a"),
        ("-a", "'-a"),
        ("\tx", "'\tx"),
        ("\n=1", "'\n=1"),
        ("＝1+1", "'＝1+1"),
        ("-5", "-5"),
        ("+1", "+1"),
        ("-1.5e3", "-1.5e3"),
        ("-5+A1", "'-5+A1"),
        ("-٥", "'-٥"),  # a digit, but not one that spreadsheets everywhere read as a number
        ("'tis", "'tis"),
        ("'=1", "''=1"),
        ("x=1", "x=1"),
        ("", ""),
    ],
)
def test_only_what_starts_like_a_formula_is_escaped(text: str, cell: str) -> None:
    assert escaped(text) == cell


@given(cells)
def test_no_cell_starts_a_formula(text: str) -> None:
    cell = escaped(text)
    assert not cell.startswith(tuple(STARTS)) or float(cell) is not None


@given(cells)
def test_the_text_comes_back_when_one_apostrophe_before_a_formula_is_taken_away(text: str) -> None:
    assert re.sub(f"^'(?='*[{re.escape(STARTS)}])", "", escaped(text)) == text


@pytest.mark.parametrize("delimiter", [",", "\t"])
@given(
    table=st.lists(
        st.lists(st.text(f"{STARTS}'15ab".replace("\n", ""), max_size=4), min_size=2, max_size=2), max_size=4
    )
)
def test_a_table_without_formulas_has_nothing_to_escape(delimiter: str, table: list[list[str]]) -> None:
    if delimiter == "\t":
        table = [[cell.replace("\t", "") for cell in row] for row in table]
    written = "".join(delimiter.join(row) + "\n" for row in table)
    if not has_formulas(written.encode(), delimiter):
        assert [[escaped(cell) for cell in row] for row in table] == table


@pytest.mark.parametrize("delimiter", [",", "\t"])
@given(rows=st.lists(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=5), min_size=2, max_size=2)))
def test_every_cell_comes_back(delimiter: str, rows: list[list[str]]) -> None:
    written = csv_text(rows, delimiter, escape=False)
    assert list(csv.reader(StringIO(written, newline=""), delimiter=delimiter)) == rows
    assert written.count("\r\n") == sum(cell.count("\r\n") for row in rows for cell in row)
