"""Values of columns from rows of files: cells of CSV and TSV are texts, and become what a kind of column takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError

if TYPE_CHECKING:
    from banbury.readers.batch import Batch
    from banbury.readers.guessing import Layout

NUMBER_CELL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
MISSING = frozenset(("", "?", "na", "n/a", "nan", "null", "none"))
NUMBERS = ("Number", "Gaussian", "Histogram", "Poisson", "Multinomial")  # kinds whose values are numbers


def documents(batch: Batch, layout: Layout, columns: dict[str, Any] | None) -> Any:
    """What a model takes of a batch: its texts, or the columns of a table."""
    if columns is None:
        return batch.texts
    rows = batch.rows()
    table: dict[str, list[Any]] = {}
    for name, kind in columns.items():
        if layout.format in ("csv", "tsv") and name not in layout.columns:
            known = ", ".join(map(repr, layout.columns))
            raise InputError(f"there is no column {name!r}, which the model needs; there are {known}")
        values = [row.get(name) for row in rows]
        table[name] = _cells(values, name, type(kind).__name__) if layout.format in ("csv", "tsv") else values
    return table


def value(text: str, name: str, kind: str) -> Any:
    """One cell as what a kind of column takes; None where it is missing.

    >>> value("1.5", "size", "Number"), value("?", "size", "Number"), value("yes", "new", "Bernoulli")
    (1.5, None, True)
    """
    return _cells([text], name, kind)[0]


def _cells(values: list[Any], name: str, kind: str) -> list[Any]:
    """Cells of text as what a kind of column takes."""
    cells = [None if _is_missing(value) else value for value in values]
    if kind == "Bernoulli":
        truths = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        return [None if cell is None else truths.get(cell.strip().lower(), cell) for cell in cells]
    if kind not in NUMBERS:
        return cells
    for row, cell in enumerate(cells):
        if cell is not None and not NUMBER_CELL.fullmatch(cell):
            raise InputError(f"row {row + 1}, column {name!r} is {cell!r}; the model needs numbers there")
    return [None if cell is None else float(cell) for cell in cells]


def _is_missing(cell: str | None) -> bool:
    return cell is None or cell.strip().lower() in MISSING


def to_learn(batch: Batch, layout: Layout, given: dict[str, Any] | None, without: list[str]) -> dict[str, list[Any]]:
    """The columns of a table that a model is to learn: those that are given with their kinds, or all but the label and
    those that it is to do without.

    In a file of text a column is of numbers where all its cells are, and where they would not be taken for categories.
    """
    rows = batch.rows()
    others = [name for name in layout.columns if name not in (layout.label, *without)]
    names = others if given is None else list(given)
    if missing := [name for name in (*names, *without) if name not in layout.columns]:
        raise InputError(f"there is no column {missing[0]!r}; there are {', '.join(map(repr, layout.columns))}")
    table = {name: [row.get(name) for row in rows] for name in names}
    if layout.format not in ("csv", "tsv"):
        return table
    return {name: _guessed(cells, (given or {}).get(name, "auto")) for name, cells in table.items()}


def _guessed(values: list[Any], kind: str) -> list[Any]:
    cells = [None if _is_missing(value) else value for value in values]
    if kind in ("text", "categorical") or not all(cell is None or NUMBER_CELL.fullmatch(cell) for cell in cells):
        return _cells(values, "", "Bernoulli") if kind == "bernoulli" else cells
    numbers = [None if cell is None else float(cell) for cell in cells]
    return _cells(values, "", "Bernoulli") if kind == "bernoulli" else numbers
