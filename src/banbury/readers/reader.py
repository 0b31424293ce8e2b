"""Reader: the rows of one or more files, in batches that fit into memory.

Which column is the text and which the label is guessed where the caller does not say it; `Reader.layout` is the result.
"""

from __future__ import annotations

import os
from itertools import chain

from banbury.annotations import TYPE_CHECKING, Any, Protocol
from banbury.errors import FileFormatError, InputError, Option, OptionError
from banbury.readers import plain
from banbury.readers.batch import BadRow, Batch, Origin, joined
from banbury.readers.formats import format_by_name
from banbury.readers.guessing import Layout, format_of, layout_of
from banbury.readers.options import Column, Limits, ReadOptions
from banbury.readers.sources import Array, Folder
from banbury.readers.streams import Stream, is_standard_input

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_KEPT = 100  # bad rows that are remembered; all are counted

# Formats whose columns have fixed names: those that the caller asks for must be among them.
NAMES_OF_THEIR_OWN = ("folder", "lines", "fasttext", "mbox", "maildir", "mail")


class Reader:
    """The rows of one or more files; each iteration reads them anew.

    `position` of `size` bytes have been read, `skipped` bad rows were left out, and `bad_rows` has the first of them.
    """

    def __init__(self, sources: tuple[Any, ...], options: ReadOptions) -> None:
        self._sources = sources
        self._options = options
        self.skipped = 0
        self.bad_rows: list[BadRow] = []
        self.n_rows = 0
        self.position = 0
        self._opened: _Opened | None = _Opened(sources[0], options)
        self._begun: Iterator[tuple[Batch, list[BadRow]]] | None = None
        self.layout: Layout = self._opened.layout
        self._files: list[str] = self._opened.files if len(sources) == 1 else []
        self.size = sum(_size(source) for source in sources)
        """Bytes of all files; 0 where nobody knows."""

    @property
    def name(self) -> str:
        """The name of the sources, for messages."""
        names = [Stream(source).name if not _is_folder(source) else os.fspath(source) for source in self._sources]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def n_sources(self) -> int:
        """How many files there are."""
        return len(self._sources)

    @property
    def files(self) -> list[str]:
        """The files of a folder; a row's line is the number of its file, from 1 on. Empty for anything but a folder."""
        return self._files

    @property
    def can_be_read_again(self) -> bool:
        """Whether the sources are files, and not a stream, which can be read only once."""
        return all(isinstance(source, str | os.PathLike) and not is_standard_input(source) for source in self._sources)

    @property
    def reads_ahead(self) -> bool:
        """Whether a thread reads and parses the next batch while one is in use."""
        return self.layout.format in plain.KERNEL_FORMATS

    def begin(self) -> None:
        """Read and parse the first rows meanwhile, where a thread does that, until somebody iterates."""
        if self._opened is not None and self.reads_ahead:
            self._begun = self._opened.source.batches()

    def needs_labels(self) -> Reader:
        """The same reader, or an error where no column has the labels."""
        if self.layout.label is None:
            raise OptionError(f"{self.name}: ", *self._without_labels())
        return self

    def _without_labels(self) -> tuple[str | Option, ...]:
        if self._opened is not None and self._opened.is_empty:
            return ("there are no rows in it",)
        if self.layout.format == "lines":
            return "it has lines of text, and no labels; if it is something else, say ", Option("format")
        if self.layout.format in ("folder", "mail"):
            return ("its files have no labels: they do not lie in folders, whose names would be the labels",)
        known = ", ".join(map(repr, self.layout.columns))
        return "which column is the label? Say ", Option("label"), f"; there are {known}"

    def __iter__(self) -> Iterator[Batch]:
        self.skipped = self.n_rows = self.position = 0
        self.bad_rows = []
        before = 0
        if self._opened is None and not self.can_be_read_again:
            raise InputError(f"{self.name}: a stream can be read only once")
        for number, source in enumerate(self._sources):
            opened, self._opened = self._opened, None
            begun, self._begun = self._begun, None
            if number or opened is None:
                opened = _Opened(source, self._options, like=self.layout)
            for batch, bad in begun or opened.source.batches():
                self.position = before + opened.position
                self._note(bad)
                self.n_rows += len(batch)
                if len(batch):
                    yield batch.replace(files=self._origins(opened, batch))
            before = self.position = before + opened.position

    def _origins(self, opened: _Opened, batch: Batch) -> tuple[Origin, ...]:
        """The file of these rows; in a folder each row is a file of its own."""
        if opened.files:
            return tuple(Origin(opened.files[line - 1], 1, has_lines=False) for line in batch.lines)
        return (Origin(opened.name, len(batch)),)

    def _note(self, bad: list[BadRow]) -> None:
        if bad and self._options.bad_rows == "fail":
            advice: tuple[str | Option, ...] = (Option("bad_rows", "skip"), " leaves such rows out)")
            if bad[0].reason.endswith("not UTF-8"):
                advice = ("is the encoding another one? Say ", Option("encoding"), "; ", *advice)
            raise OptionError(f"{bad[0]} (", *advice)
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
    text: Column = None,
    label: Column = None,
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
    options = ReadOptions(
        format=format,
        text=text,
        label=label,
        weight=weight,
        header=header,
        delimiter=delimiter,
        quotes=quotes,
        encoding=encoding,
        bad_rows=bad_rows,
        limits=limits or Limits(),
        threads=threads,
    )
    return Reader(sources, options)


class _Source(Protocol):
    """One file, or one folder of files, whose layout is known: it can be read once."""

    layout: Layout
    files: list[str]

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """Its rows, and beside each batch those that could not be used."""


class _Opened:
    """A source with the stream that it reads: how far it has come, and whether there is anything in it."""

    def __init__(self, path: Any, options: ReadOptions, like: Layout | None = None) -> None:
        """Find the format and the columns; a further file has those of the first, which it is to be `like`."""
        columns = options
        if like is not None:
            columns = options.replace(text=like.text or False, label=like.label or False)
        self.is_empty = False
        self._stream: Stream | None = None
        if _is_folder(path):
            name = os.fspath(path)
            self.source = _folder(name, columns)
            self.is_empty = not self.source.files
        else:
            self._stream = Stream(path)
            name = self._stream.name
            self.source = self._file(path, self._stream, columns)
        self.name = name
        self.layout = self.source.layout
        self.files = self.source.files
        if self.layout.format in NAMES_OF_THEIR_OWN:
            _check_columns(name, self.layout, options, is_first=like is None)

    def _file(self, path: Any, stream: Stream, options: ReadOptions) -> _Source:
        name, format = stream.name, options.format
        if format == "parquet" or (format is None and format_by_name(name) == "parquet"):
            from banbury.readers.parquet import Parquet  # it needs a process and what belongs to it

            return Parquet(path, name, options)
        blocks = stream.blocks(options.encoding, options.limits)
        head = _first_row(blocks, name, options.limits)
        self.is_empty = not head.strip()
        format = format or format_of(name, head)
        blocks = chain([head], blocks)
        if format == "json":
            return Array(blocks, name, options)
        if format in ("mbox", "mail"):
            from banbury.readers.mailboxes import Mailbox  # Python's package for e-mails takes long to import

            if format == "mbox" and not self.is_empty and not head.startswith(b"From "):
                raise FileFormatError(f"{name}: it is no mbox: it does not start with 'From '")
            return Mailbox(blocks, name, options)
        if format not in plain.KERNEL_FORMATS:
            raise InputError(f"{name}: it is no {format}, or it comes from a stream, which has to be a file")
        return plain.Plain(blocks, name, layout_of(format, head, name, options), options)

    @property
    def position(self) -> int:
        return 0 if self._stream is None else self._stream.position


def _folder(path: str, options: ReadOptions) -> _Source:
    from banbury.readers.mailboxes import Messages, holds_messages, is_maildir_folder

    is_mail = options.format is None and (is_maildir_folder(path) or holds_messages(path))
    return Messages(path, options) if is_mail or options.format in ("mail", "maildir") else Folder(path, options)


def _check_columns(name: str, layout: Layout, options: ReadOptions, *, is_first: bool) -> None:
    """Refuse a column that the caller asks for and the file does not have."""
    wanted: dict[str, tuple[Column, str | None]] = {"weight": (options.weight, None)}
    if is_first:
        wanted |= {"text": (options.text, layout.text), "label": (options.label, layout.label)}
    for use, (given, column) in wanted.items():
        if isinstance(given, str | int) and not isinstance(given, bool) and given != column:
            known = ", ".join(map(repr, layout.columns))
            raise InputError(f"{name}: there is no column {given!r} for the {use}; there is {known}")


def _first_row(blocks: Iterator[bytes], name: str, limits: Limits) -> bytes:
    """What a file starts with, at the least one row."""
    parts = [next(blocks, b"")]
    size = len(parts[0])
    while b"\n" not in parts[-1] and (block := next(blocks, b"")):
        parts.append(block)
        size += len(block)
        if size > limits.row:
            raise limits.too_long(f"{name}, line 1: the row is longer than {limits.row} bytes")
    return b"".join(parts)


def _size(source: Any) -> int:
    return 0 if _is_folder(source) else Stream(source).size


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)
