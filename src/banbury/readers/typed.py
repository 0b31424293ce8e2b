"""Values of columns from rows of files: cells of CSV and TSV are texts, and become what a kind of column takes."""

from __future__ import annotations

import re
from array import array
from math import nan

from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.readers.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from banbury.readers.guessing import Layout

NUMBER_CELL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
MISSING = frozenset(("", "?", "na", "n/a", "nan", "null", "none"))
TEXT_FORMATS = ("csv", "tsv")  # whose cells are texts
NUMBERS = ("Number", "Gaussian", "Histogram", "Poisson", "Multinomial")  # kinds whose values are numbers


def documents(batch: Batch, layout: Layout, columns: dict[str, Any] | None) -> Any:
    """What a model takes of a batch: its texts, or the columns of a table."""
    if columns is None:
        return batch.texts
    return _documents(batch.rows(), layout, columns)


def _documents(rows: list[dict[str, Any]], layout: Layout, columns: dict[str, Any]) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {}
    for name, kind in columns.items():
        if layout.format in TEXT_FORMATS and name not in layout.columns:
            known = ", ".join(map(repr, layout.columns))
            raise InputError(f"there is no column {name!r}, which the model needs; there are {known}")
        values = [row.get(name) for row in rows]
        table[name] = _cells(values, name, type(kind).__name__) if layout.format in TEXT_FORMATS else values
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


def to_learn(
    batches: Iterable[Batch], layout: Layout, given: dict[str, Any] | None, without: Sequence[str], every: int = 1
) -> dict[str, Any]:
    """The columns of a table that a model is to learn: those that are given with their kinds, or all but the label and
    those that it is to do without; of every `every`-th row.

    In a file of text a column is of numbers where all its cells are, and where they would not be taken for categories.
    To see that, the batches are gone through once before: they are a list, or a reader of files. Only one batch at a
    time is there as rows; what is kept has 8 bytes a cell, and each different text once.
    """
    others = [name for name in layout.columns if name not in (layout.label, *without)]
    names = others if given is None else list(given)
    if missing := [name for name in (*names, *without) if name not in layout.columns]:
        raise InputError(f"there is no column {missing[0]!r}; there are {', '.join(map(repr, layout.columns))}")
    kinds = {name: (given or {}).get(name, "auto") for name in names}
    if layout.format not in TEXT_FORMATS:
        return _gathered(batches, {name: [] for name in names}, lambda name, cells: cells, every)
    numbers = _columns_of_numbers(batches, [name for name in names if kinds[name] not in ("text", "categorical")])

    def converted(name: str, cells: list[Any]) -> Iterable[Any]:
        if kinds[name] == "bernoulli":
            return _cells(cells, name, "Bernoulli")
        if name in numbers:
            return (nan if _is_missing(cell) else float(cell) for cell in cells)
        return (None if _is_missing(cell) else cell for cell in cells)

    is_number = {name: name in numbers and kinds[name] != "bernoulli" for name in names}
    columns = _gathered(batches, {name: array("d") if is_number[name] else [] for name in names}, converted, every)
    return {name: np.asarray(column) if is_number[name] else column for name, column in columns.items()}


def _columns_of_numbers(batches: Iterable[Batch], names: Iterable[str]) -> set[str]:
    """Those columns of which every cell is a number or missing."""
    numbers = set(names)
    for batch in batches:
        rows = batch.rows()
        for name in tuple(numbers):
            cells: list[Any] = [row.get(name) for row in rows]
            if not all(_is_missing(cell) or NUMBER_CELL.fullmatch(cell) for cell in cells):
                numbers.remove(name)
    return numbers


def _gathered(
    batches: Iterable[Batch],
    columns: dict[str, Any],
    converted: Callable[[str, list[Any]], Iterable[Any]],
    every: int,
) -> dict[str, Any]:
    """The columns, which come empty, with the cells of every `every`-th row."""
    same: dict[str, str] = {}
    first = 0
    for batch in batches:
        rows = batch.rows()
        kept = rows[-first % every :: every]
        first += len(rows)
        for name, column in columns.items():
            cells = converted(name, [row.get(name) for row in kept])
            column.extend(same.setdefault(cell, cell) if isinstance(cell, str) else cell for cell in cells)
    return columns


def labels_to_learn(batches: Iterable[Batch], every: int = 1) -> list[Any]:
    """The labels of every `every`-th row.

    >>> labels_to_learn([Batch(None, ["a", "b"], [1, 2]), Batch(None, ["c"], [3])], every=2)
    ['a', 'c']
    """
    same: dict[Any, Any] = {}
    labels: list[Any] = []
    first = 0
    for batch in batches:
        kept = (batch.labels or [])[-first % every :: every]
        labels += [same.setdefault((type(label), label), label) for label in kept]
        first += len(batch)
    return labels


def left_to_learn(
    batches: Iterable[Batch], layout: Layout, columns: dict[str, Any], every: int
) -> Iterator[tuple[dict[str, list[Any]], list[Any]]]:
    """All rows but every `every`-th, as columns and labels, a batch at a time."""
    first = 0
    for batch in batches:
        is_kept = [number % every == 0 for number in range(first, first + len(batch))]
        first += len(batch)
        rows = [row for row, kept in zip(batch.rows(), is_kept, strict=True) if not kept]
        labels = [label for label, kept in zip(batch.labels or [], is_kept, strict=True) if not kept]
        if rows:
            yield _documents(rows, layout, columns), labels
