"""Rows of files: any of the usual formats, compressed or not, in batches that fit into memory.

The kernel reads the formats that large files have, and keeps their texts where they were read. Which column is the
text and which the label is guessed where nobody says it, and `Reader.layout` tells what was found.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import FileFormatError, InputError
from banbury.readers.guessing import FORMATS, Layout, format_of, layout_of
from banbury.readers.streams import Limits, Stream, ahead, is_standard_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["BadRow", "Batch", "Layout", "Limits", "Reader", "read"]

MOST_KEPT = 100  # bad rows that are remembered; all are counted
PLAIN = ("jsonl", "csv", "tsv", "fasttext", "lines")  # what the kernel reads


@dataclass(frozen=True)
class BadRow:
    """A row that could not be used."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


@dataclass(frozen=True)
class Batch:
    """Some rows of a file."""

    texts: Any
    """One for each row: a list, or a column that the kernel reads where it lies; `list(batch.texts)` makes `str`.

    None where no text is wanted."""
    labels: list[Any] | None
    """None where they are not in the file, or not wanted."""
    lines: list[int]
    """Where each row starts; in a folder the number of the file."""
    weights: list[Any] | None = None
    kernel: _kernel.Rows | None = field(default=None, repr=False)
    """The rows as the kernel has them, where it has read them."""
    columns: Callable[[], list[dict[str, Any]]] = field(default=list, repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    def rows(self) -> list[dict[str, Any]]:
        """The rows with all their columns, as dictionaries."""
        return self.columns()


class Reader:
    """The rows of one or more files; each iteration reads them anew.

    `position` of `size` bytes have been read, `skipped` bad rows were left out, and `bad_rows` has the first of them.
    """

    def __init__(self, sources: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._sources = sources
        self._options = options
        self._threads: int = options["threads"] or 0
        self._skips: bool = options["bad_rows"] == "skip"
        self.skipped = 0
        self.bad_rows: list[BadRow] = []
        self.n_rows = 0
        self.position = 0
        self._opened: _Opened | None = _Opened(sources[0], options)
        self.layout: Layout = self._opened.layout
        self._files: list[str] = self._opened.files if len(sources) == 1 else []
        self.size = sum(_size(source) for source in sources)
        """Bytes of all files; 0 where nobody knows."""

    @property
    def name(self) -> str:
        """What is read, for messages."""
        names = [Stream(source).name if not _is_folder(source) else os.fspath(source) for source in self._sources]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def n_sources(self) -> int:
        """How many files there are."""
        return len(self._sources)

    @property
    def files(self) -> list[str]:
        """The files of a folder: that of each row is the one that its line counts, from 1 on. Else none."""
        return self._files

    @property
    def can_be_read_again(self) -> bool:
        """Whether the rows are files, not a stream that is gone once it was read."""
        return all(isinstance(source, str | os.PathLike) and not is_standard_input(source) for source in self._sources)

    def needs_labels(self) -> Reader:
        """The same reader, or an error where no column has the labels."""
        if self.layout.label is None:
            raise InputError(f"{self.name}: {self._without_labels()}")
        return self

    def _without_labels(self) -> str:
        if self._opened is not None and self._opened.is_empty:
            return "there are no rows in it"
        if self.layout.format == "lines":
            return "it has lines of text, and no labels; if it is something else, say format=…"
        if self.layout.format in ("folder", "mail"):
            return "its files have no labels: they do not lie in folders, whose names would be that"
        return f"which column is the label? Say label=…; there are {', '.join(map(repr, self.layout.columns))}"

    def __iter__(self) -> Iterator[Batch]:
        self.skipped = self.n_rows = self.position = 0
        self.bad_rows = []
        before = 0
        if self._opened is None and not self.can_be_read_again:
            raise InputError(f"{self.name}: a stream can be read only once")
        for number, source in enumerate(self._sources):
            opened, self._opened = self._opened, None
            if number or opened is None:
                opened = _Opened(source, self._options, like=self.layout)
            for batch, bad in opened.batches(self._threads):
                self.position = before + opened.position
                self._note(bad)
                self.n_rows += len(batch)
                if len(batch):
                    yield batch
            before = self.position = before + opened.position

    def _note(self, bad: list[BadRow]) -> None:
        if bad and not self._skips:
            hint = "is the encoding another one? Say encoding=…; " if bad[0].reason.endswith("not UTF-8") else ""
            raise InputError(f"{bad[0]} ({hint}bad_rows='skip' leaves such rows out)")
        self.skipped += len(bad)
        self.bad_rows += bad[: MOST_KEPT - len(self.bad_rows)]

    def whole(self) -> Batch:
        """All rows in one batch.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(folder + "/mood.csv", "w") as file:
        ...         _ = file.write("text,label\\nso happy,positive\\nso sad,negative\\n")
        ...     batch = read(folder + "/mood.csv").whole()
        >>> list(batch.texts), batch.labels
        (['so happy', 'so sad'], ['positive', 'negative'])
        """
        return joined(list(self), has_labels=self.layout.label is not None)


def read(
    *sources: Any,
    format: str | None = None,
    text: str | int | bool | None = None,
    label: str | int | bool | None = None,
    weight: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    quotes: bool | None = None,
    encoding: str | None = None,
    bad_rows: str = "fail",
    limits: Limits | None = None,
    threads: int | None = None,
) -> Reader:
    """The rows of files, to be read in batches.

    >>> import io
    >>> reader = read(io.BytesIO(b"label\\tmessage\\nham\\tlunch at noon?\\nspam\\tfree money\\n"))
    >>> print(reader.layout)
    TSV: text from 'message', label from 'label'
    >>> for batch in reader:
    ...     print(list(batch.texts), batch.labels)
    ['lunch at noon?', 'free money'] ['ham', 'spam']

    Parameters
    ----------
    sources
        Paths, `"-"` for standard input, or open binary files; a folder has a text in each file, and the names of its
        folders as labels. What is compressed (gzip, zstd, bz2, xz) is expanded.
    format
        `"jsonl"`, `"json"`, `"csv"`, `"tsv"`, `"fasttext"`, `"lines"`, `"parquet"`, `"folder"`, `"mbox"`,
        `"maildir"` or `"mail"` (a message in each file); found out by default.
    text, label, weight
        The names of the columns, or their numbers from 1 on. Text and label are guessed by default; `label=False` reads
        none, `text=False` is for tables, of which `batch.rows()` has all columns. Without a header, columns are called
        `"1"`, `"2"`, …
    header, delimiter, quotes
        Of CSV and TSV, where the guess is wrong.
    encoding
        UTF-8 by default; UTF-16 where the file says so.
    bad_rows
        `"fail"` at the first one, or `"skip"` and count them.
    limits
        How much a file may ask for.
    """
    if not sources:
        raise InputError("no file to read")
    if bad_rows not in ("fail", "skip"):
        raise InputError(f"bad_rows is {bad_rows!r}; it can be 'fail' or 'skip'")
    if format is not None and format not in FORMATS:
        raise InputError(f"format is {format!r}; it can be {', '.join(map(repr, FORMATS))}")
    options = {
        "format": format,
        "text": text,
        "label": label,
        "weight": weight,
        "header": header,
        "delimiter": delimiter,
        "quotes": quotes,
        "encoding": encoding,
        "bad_rows": bad_rows,
        "limits": limits or Limits(),
        "threads": threads,
    }
    return Reader(sources, options)


def joined(batches: list[Batch], *, has_labels: bool) -> Batch:
    """One batch of several."""
    if len(batches) == 1:
        return batches[0]
    texts: Any
    if batches and batches[0].texts is None:
        texts = None
    elif batches and all(batch.kernel is not None for batch in batches):
        texts = _kernel.join([batch.texts for batch in batches])
    else:
        texts = [text for batch in batches for text in batch.texts]
    has_weights = bool(batches) and batches[0].weights is not None
    return Batch(
        texts,
        [label for batch in batches for label in batch.labels or []] if has_labels else None,
        [line for batch in batches for line in batch.lines],
        [weight for batch in batches for weight in batch.weights or []] if has_weights else None,
        None,
        lambda: [row for batch in batches for row in batch.rows()],
    )


def _size(source: Any) -> int:
    return 0 if _is_folder(source) else Stream(source).size


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)


def _folder(path: str, options: dict[str, Any]) -> Any:
    from banbury.readers.mailboxes import Messages, holds_messages, is_maildir_folder
    from banbury.readers.sources import Folder

    format = options["format"]
    if format in ("mail", "maildir") or (format is None and (is_maildir_folder(path) or holds_messages(path))):
        return Messages(path, options)
    return Folder(path, options)


class _Opened:
    """One file whose layout is known, ready to be read once."""

    def __init__(self, source: Any, options: dict[str, Any], like: Layout | None = None) -> None:
        self._options = options
        self._limits: Limits = options["limits"]
        self._stream: Stream | None = None
        self.is_empty = False
        self.files: list[str] = []
        columns = {"text": options["text"], "label": options["label"]}
        if like is not None:  # further files are read like the first
            columns = {"text": like.text or False, "label": like.label or False}
        if _is_folder(source):
            self.source: Any = _folder(os.fspath(source), options | columns)
            self.layout: Layout = self.source.layout
            self.files = self.source.files
            self.is_empty = not self.files
            self._check_names(os.fspath(source), like)
            return
        self._stream = stream = Stream(source)
        format = options["format"]
        if format in ("parquet", None) and stream.name.lower().endswith((".parquet", ".pq")):
            format = "parquet"
        if format == "parquet":
            from banbury.readers.sources import Parquet

            self.source = Parquet(source, stream.name, options | columns)
            self.layout = self.source.layout
            return
        self._blocks = stream.blocks(options["encoding"], self._limits)
        head = self._first_row(next(self._blocks, b""))
        self.is_empty = not head.strip()
        format = format or format_of(stream.name, head)
        self._blocks = chain([head], self._blocks)
        if format == "json":
            from banbury.readers.sources import Array

            self.source = Array(self._blocks, stream.name, options | columns)
            self.layout = self.source.layout
            return
        if format == "mbox" and not self.is_empty and not head.startswith(b"From "):
            raise FileFormatError(f"{stream.name}: it is no mbox: it does not start with 'From '")
        if format in ("mbox", "mail"):
            from banbury.readers.mailboxes import Mailbox

            self.source = Mailbox(self._blocks, stream.name, options | columns)
            self.layout = self.source.layout
            self._check_names(stream.name, like)
            return
        if format not in PLAIN:
            raise InputError(f"{stream.name}: it is no {format}, or it comes from a stream, which has to be a file")
        keys = ("header", "delimiter", "quotes")
        self.layout = layout_of(format, head, stream.name, **columns, **{key: options[key] for key in keys})
        self.source = None
        if format in ("lines", "fasttext"):
            self._check_names(stream.name, like)

    def _check_names(self, name: str, like: Layout | None) -> None:
        """That columns that somebody has asked for are there, in formats whose columns have names of their own."""
        found = {"text": self.layout.text, "label": self.layout.label, "weight": None}
        for use, column in found.items():
            given = None if like is not None and use != "weight" else self._options[use]
            if isinstance(given, str | int) and not isinstance(given, bool) and given != column:
                known = ", ".join(map(repr, self.layout.columns))
                raise InputError(f"{name}: there is no column {given!r} for the {use}; there is {known}")

    def _first_row(self, head: bytes) -> bytes:
        """What the file starts with, at the least one row."""
        parts, size = [head], len(head)
        while b"\n" not in parts[-1] and (block := next(self._blocks, b"")):
            parts.append(block)
            size += len(block)
            if size > self._limits.row:
                raise InputError(
                    f"{self._stream.name if self._stream else ''}, line 1: the row is longer than {self._limits.row} "
                    "bytes; the limit 'row' can be raised"
                )
        return b"".join(parts)

    @property
    def position(self) -> int:
        return 0 if self._stream is None else self._stream.position

    def batches(self, threads: int) -> Iterator[tuple[Batch, list[BadRow]]]:
        if self.source is not None:
            yield from self.source.batches()
            return
        assert self._stream is not None
        name, layout, weight = self._stream.name, self.layout, self._options["weight"]
        reader, wanted = self._reader(name)

        def fed() -> Iterator[_kernel.Rows]:
            for block in chain(filter(None, self._blocks), [b""]):
                try:
                    yield reader.feed(block, not block, threads)
                except InputError as error:
                    raise InputError(f"{name}, {error}; the limit 'row' can be raised") from None

        for rows in ahead(fed()):
            yield self._batch(rows, layout, wanted, weight), [BadRow(name, *bad) for bad in rows.bad]

    def _reader(self, name: str) -> tuple[_kernel.Reader, list[str]]:
        """The kernel's reader, and the columns that it finds."""
        layout, weight = self.layout, self._options["weight"]
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
            raise InputError(f"{name}: there is no column {missing[0]!r}; there are {known}")
        if layout.header:
            self._skip_header()
        reader = _kernel.Reader(
            "csv" if is_table else layout.format,
            uses,
            names=wanted if layout.format == "jsonl" else [],
            places=[layout.columns.index(column) for column in wanted] if is_table else [],
            n_cells=len(layout.columns),
            delimiter=ord(layout.delimiter),
            quotes=layout.quotes,
            line=1 + self._header_lines,
            longest=self._limits.row,
        )
        return reader, wanted

    _header_lines = 0

    def _skip_header(self) -> None:
        """Takes the first record away, which may have lines of its own."""
        head = next(self._blocks)
        quotes, at, start = self.layout.quotes, 0, len(head) - len(head.lstrip(b"\r\n"))
        at, inside = start, False
        while at < len(head) and (inside or head[at] not in b"\r\n"):
            inside ^= quotes and head[at] == ord('"')
            at += 1
        at += 2 if head[at : at + 2] == b"\r\n" else 1
        self._header_lines = head[:at].count(b"\n") or 1
        self._blocks = chain([head[at:]], self._blocks)

    def _batch(self, rows: _kernel.Rows, layout: Layout, wanted: list[str], weight: Any) -> Batch:
        from banbury.readers.rows import dictionaries

        return Batch(
            None if layout.text is None else rows.texts(0),
            None if layout.label is None else rows.values(0 if layout.text is None else 1),
            rows.lines,
            None if weight is None else rows.values(len(wanted) - 1),
            rows,
            lambda: dictionaries(rows, layout),
        )
