"""Formats that the kernel reads: JSON Lines, CSV, TSV, fastText and lines. Their texts stay where they were read."""

from __future__ import annotations

import json
from itertools import chain

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import InputError
from banbury.readers.batch import BadRow, Batch
from banbury.readers.streams import ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.readers.guessing import Layout
    from banbury.readers.options import ReadOptions

KERNEL_FORMATS = ("jsonl", "csv", "tsv", "fasttext", "lines")
ROWS_OF_A_BATCH = 1 << 18


class Plain:
    """The rows of a file whose layout is known, from blocks of its bytes."""

    def __init__(self, blocks: Iterator[bytes], name: str, layout: Layout, options: ReadOptions) -> None:
        self._blocks, self._name, self._options = blocks, name, options
        self.layout = layout
        self.files: list[str] = []

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """A batch for each block. The first is read and parsed from now on, the next while a batch is in use."""
        reader, wanted = self._reader()
        made = ahead(self._parsed(reader))
        return ((self._batch(rows, wanted), [BadRow(self._name, *bad) for bad in rows.bad]) for rows in made)

    def _parsed(self, reader: _kernel.Reader) -> Iterator[_kernel.Rows]:
        blocks = (piece for block in self._blocks for piece in _pieces(block))
        for block in chain(filter(None, blocks), [b""]):
            try:
                yield reader.feed(block, not block, self._options.threads or 0)
            except InputError as error:  # the only one that the kernel has here: a row that is too long
                raise self._options.limits.too_long(f"{self._name}, {error}") from None

    def _reader(self) -> tuple[_kernel.Reader, list[str]]:
        """The kernel's reader, and the columns that it finds."""
        layout, weight = self.layout, self._options.weight
        both = {"text": layout.text, "label": layout.label}
        wanted = [column for column in both.values() if column is not None]
        uses = [use for use, column in both.items() if column is not None]
        if weight is not None:
            wanted.append(str(weight))
            uses.append("value")
        is_table = layout.format in ("csv", "tsv")
        missing = [column for column in wanted if is_table and column not in layout.columns]
        if missing:
            known = ", ".join(map(repr, layout.columns))
            raise InputError(f"{self._name}: there is no column {missing[0]!r}; there are {known}")
        reader = _kernel.Reader(
            "csv" if is_table else layout.format,
            uses,
            names=wanted if layout.format == "jsonl" else [],
            places=[layout.columns.index(column) for column in wanted] if is_table else [],
            n_cells=len(layout.columns),
            delimiter=ord(layout.delimiter),
            quotes=layout.quotes,
            line=1 + (self._skip_header() if layout.header else 0),
            longest=self._options.limits.row,
        )
        return reader, wanted

    def _skip_header(self) -> int:
        """Take the first record away; how many lines it had."""
        head = next(self._blocks)
        end = len(head) - len(head.lstrip(b"\r\n"))
        is_quoted = False
        while end < len(head) and (is_quoted or head[end] not in b"\r\n"):
            is_quoted ^= self.layout.quotes and head[end] == ord('"')
            end += 1
        end += 2 if head[end : end + 2] == b"\r\n" else 1
        self._blocks = chain([head[end:]], self._blocks)
        return head[:end].count(b"\n") or 1

    def _batch(self, rows: _kernel.Rows, wanted: list[str]) -> Batch:
        layout = self.layout
        return Batch(
            None if layout.text is None else rows.texts(0),
            None if layout.label is None else rows.values(0 if layout.text is None else 1),
            rows.lines,
            None if self._options.weight is None else rows.values(len(wanted) - 1),
            rows,
            lambda: dictionaries(rows, layout),
        )


def _pieces(block: bytes) -> Iterator[bytes]:
    """A block in pieces of a bounded number of rows: a row needs memory of its own, however short it is."""
    if _kernel.n_line_ends(block) <= ROWS_OF_A_BATCH:
        yield block
    else:
        half = len(block) // 2
        yield from _pieces(block[:half])
        yield from _pieces(block[half:])


def dictionaries(rows: _kernel.Rows, layout: Layout) -> list[dict[str, Any]]:
    """Each row as a dictionary with all its columns, which are parsed only when they are asked for."""
    match layout.format:
        case "jsonl":
            return [json.loads(line, strict=False) for line in rows.raw().split(b"\n")[:-1]]
        case "csv" | "tsv":
            return [dict(zip(layout.columns, cells, strict=True)) for cells in _cells(rows, layout)]
    names = [name for name in (layout.text, layout.label) if name is not None]
    columns = [rows.values(number) for number, _ in enumerate(names)]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _cells(rows: _kernel.Rows, layout: Layout) -> list[list[str]]:
    """The cells of each row, by the kernel again: nobody else reads quotes in quite the same way."""
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
