"""Writing rows: JSON Lines, CSV, TSV, Parquet or plain text, compressed by file extension, atomically."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from math import isfinite

from banbury._kernel import ZstdEncoder
from banbury.annotations import TYPE_CHECKING, Any
from banbury.atomic import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, replacing
from banbury.cli import options as reading
from banbury.cli.console import put, put_bytes
from banbury.cli.declared import Choice, option
from banbury.errors import InputError, MissingExtra
from banbury.readers.formats import compression_by_name, extension_of, format_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from banbury.readers import Layout

Rows = list[dict[str, Any]]
OUTPUT_FORMATS = ("jsonl", "csv", "tsv", "parquet", "plain")
LINES = ("plain", "fasttext")  # formats of lines without names of columns
ROW_GROUP = 100_000  # rows of a Parquet file that are held in memory

to_format = option(
    "--to",
    type=Choice(OUTPUT_FORMATS),
    metavar="NAME",
    help="jsonl, csv, tsv, parquet or plain; that of -o, or as read.",
)
to_file = option("-o", "--output", type=reading.new_file, help="Where to; standard output by default.")


def format_of(to: str | None, output: str | None, layout: Layout | None) -> str:
    """The format to write: as told, by the name of the file, or like the input."""
    if to is not None:
        return to
    if output is not None:
        named = "plain" if extension_of(output) == ".txt" else format_by_name(output)
        if named in OUTPUT_FORMATS:
            return named
    like = "plain" if layout is None else layout.format
    return (
        like
        if like in OUTPUT_FORMATS
        else "jsonl"
        if like in ("json", "folder", "mbox", "maildir", "mail")
        else "plain"
    )


def write(output: str | None, format: str, batches: Iterable[Rows | bytes]) -> None:
    """Write batches of rows; one that is bytes is written as it is."""
    if format == "parquet":
        _write_parquet(output, batches)
        return
    encoder = RowEncoder(format)
    with sink(output) as put:
        for batch in batches:
            if isinstance(batch, bytes):
                put(batch)
            elif batch:
                put(encoder.encode(batch))


class RowEncoder:
    """Rows to the bytes of a text format. A table has the columns of its first rows, and their names come first.

    `columns` are those of a table whose header is written already.

    >>> encoder = RowEncoder("csv")
    >>> encoder.encode([{"text": "so happy", "n": 1}]) + encoder.encode([{"text": "=1+1"}])
    b"text,n\\nso happy,1\\n'=1+1,\\n"
    """

    def __init__(self, format: str, columns: Sequence[str] = ()) -> None:
        self._format = format
        self._columns = list(columns)

    def encode(self, rows: Rows) -> bytes:
        """The bytes of some more rows."""
        if self._format == "jsonl":
            return _lines(json.dumps(row, ensure_ascii=False, default=str) for row in rows)
        if self._format in LINES:
            return _lines("\t".join(" ".join(_text(cell).split()) for cell in row.values()) for row in rows)
        table: list[list[str]] = []
        if not self._columns:
            self._columns = list(dict.fromkeys(name for row in rows for name in row))
            table.append(self._columns)
        if others := [name for row in rows for name in row if name not in self._columns]:
            raise InputError(
                f"there is a column {others[0]!r} that the rows before do not have; JSON Lines can: --to jsonl"
            )
        table += [[_text(row.get(name)) for name in self._columns] for row in rows]
        return _table(table, self._format)


def header(columns: Sequence[str], format: str) -> bytes:
    """The first line of a table: the names of its columns."""
    return _table([columns], format)


def _table(rows: Sequence[Sequence[str]], format: str) -> bytes:
    from banbury.display.spreadsheet import csv_text  # a prediction as plain text needs none

    return csv_text(rows, "\t" if format == "tsv" else ",").encode("utf-8", "replace")


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)


@contextmanager
def sink(output: str | None) -> Iterator[Callable[[bytes], object]]:
    """A function that writes bytes. The file appears when all of it is written; after an error nothing has changed."""
    if output is None or output == "-":
        if sys.stdout.isatty():
            yield lambda data: put(data.decode("utf-8", "replace"))
        else:
            yield put_bytes
            sys.stdout.buffer.flush()
        return
    with replacing(output) as temporary, open(temporary, "wb") as file:
        compress, end = _compressor(output)
        yield lambda data: file.write(compress(data))
        file.write(end())


def _compressor(output: str) -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    """The compress and flush functions for a file, by its extension."""
    match compression_by_name(output):
        case "gzip":
            import zlib

            gzip = zlib.compressobj(wbits=31)
            return gzip.compress, gzip.flush
        case "bz2":
            from bz2 import BZ2Compressor

            bz2 = BZ2Compressor()
            return bz2.compress, bz2.flush
        case "xz":
            from lzma import LZMACompressor

            xz = LZMACompressor()
            return xz.compress, xz.flush
        case "zstd":
            zstd = ZstdEncoder()
            return zstd.compress, zstd.finish
    return bytes, bytes


def _write_parquet(output: str | None, batches: Iterable[Rows | bytes]) -> None:
    """Columns have one kind each, which is known at the end; until then rows wait in a file, not in memory."""
    try:
        from arro3.io import read_json, write_parquet
    except ImportError as error:
        raise MissingExtra("Parquet files need arro3: pip install 'banbury[parquet]'") from error
    if output is None or output == "-":
        raise InputError("a Parquet file is written to a file: say -o FILE")
    json_lines = RowEncoder("jsonl")
    kinds: dict[str, set[type]] = {}
    with replacing(output) as temporary, _waiting(output) as file:
        for batch in batches:
            assert not isinstance(batch, bytes)
            for row in batch:
                for name, value in row.items():
                    is_huge = isinstance(value, int) and abs(value) >= 2**63
                    kinds.setdefault(name, set()).add(str if is_huge else type(value))
            file.write(json_lines.encode(batch))
        columns = {name: _kind(seen - {type(None)}) for name, seen in kinds.items()} or {"text": "utf8"}
        with _waiting(output) as typed:
            file.seek(0)
            for line in file:
                typed.write(json_lines.encode([_typed(line, columns)]))
            typed.flush()
            rows = read_json(typed.name, _schema(columns), batch_size=ROW_GROUP // 10)
            write_parquet(rows, temporary, max_row_group_size=ROW_GROUP)


def _waiting(output: str) -> IO[bytes]:
    """A file beside the output, for as long as it is open."""
    import tempfile

    folder = os.path.dirname(os.path.realpath(output))
    return tempfile.NamedTemporaryFile("w+b", prefix=TEMPORARY_PREFIX, suffix=TEMPORARY_SUFFIX, dir=folder)


def _kind(types: set[type]) -> str:
    """The kind of a column; mixed kinds become text."""
    if types == {bool}:
        return "bool"
    if types == {int}:
        return "int64"
    return "float64" if types and types <= {int, float} else "utf8"


def _typed(line: bytes, columns: dict[str, str]) -> dict[str, Any]:
    """A row whose values are of the kinds of their columns."""
    row: dict[str, Any] = json.loads(line)
    for name, value in row.items():
        if columns[name] == "utf8" and not isinstance(value, str | None):
            row[name] = _text(value)
        elif isinstance(value, float) and not isfinite(value):  # which JSON has no form for
            row[name] = None
    return row


def _schema(columns: dict[str, str]) -> Any:
    from arro3.core import DataType, Field, Schema

    return Schema([Field(name, getattr(DataType, kind)(), nullable=True) for name, kind in columns.items()])
