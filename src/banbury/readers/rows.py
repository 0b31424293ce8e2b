"""Rows that the kernel has read, with all their columns: only made where somebody asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from banbury._kernel import Rows
    from banbury.readers.guessing import Layout


def dictionaries(rows: Rows, layout: Layout) -> list[dict[str, Any]]:
    """Each row as a dictionary, by the names of the columns."""
    match layout.format:
        case "jsonl":
            import json

            return [json.loads(line) for line in rows.raw().split(b"\n")[:-1]]
        case "csv" | "tsv":
            return [dict(zip(layout.columns, cells, strict=True)) for cells in _cells(rows, layout)]
    names = [name for name in (layout.text, layout.label) if name is not None]
    columns = [rows.values(number) for number, _ in enumerate(names)]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _cells(rows: Rows, layout: Layout) -> list[list[str]]:
    """The cells of each row, by the kernel again: nobody else reads quotes in quite the same way."""
    from banbury import _kernel

    n_cells = len(layout.columns)
    reader = _kernel.Reader(
        "csv",
        ["text"] * n_cells,
        names=[],
        places=list(range(n_cells)),
        n_cells=n_cells,
        delimiter=ord(layout.delimiter),
        quotes=layout.quotes,
        line=1,
        longest=2**62,
    )
    again = reader.feed(rows.raw(), True, 1)
    return [list(cells) for cells in zip(*(again.values(column) for column in range(n_cells)), strict=True)]
