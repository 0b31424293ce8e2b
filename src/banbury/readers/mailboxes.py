"""E-mails as rows: mailboxes in one file (mbox), maildirs, folders with a message in each file.

The text of a message is its subject and its body; `mail.py` takes it apart. Its label is the name of the mailbox,
or of the folder that it lies in.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from banbury.readers.batch import BadRow, batch_of
from banbury.readers.guessing import Layout
from banbury.readers.mail import parse
from banbury.readers.sources import ENOUGH, files_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from banbury.readers.batch import Batch
    from banbury.readers.options import Column, ReadOptions

PROBED_FILES = 5  # files of a folder
OF_MESSAGES = re.compile(rb"(?im)^(Received|Return-Path|Delivered-To):")
MAILBOX_COLUMNS = ("text", *parse(b"").row(), "label")
TEXT_COLUMNS = tuple(name for name, value in parse(b"").row().items() if isinstance(value, str))


class Mailbox:
    """The messages of an mbox file: each starts with a line `From `, and `>From ` in it is `From `."""

    def __init__(self, blocks: Iterable[bytes], name: str, options: ReadOptions) -> None:
        self._blocks, self._name = blocks, name
        self._longest: int = options.limits.row
        self._label = None if options.label is False else _stem(name)
        self.files: list[str] = []
        self.layout = _layout("mbox", options.text, self._label is not None)

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """Some messages at a time; their line is that of the `From `."""
        yield from _batches(self._messages(), self.layout, self._longest)

    def _messages(self) -> Iterator[tuple[str, int, bytes, str | None]]:
        lines: list[bytes] = []
        size, start, is_blank = 0, 1, True
        for number, line in enumerate(_lines(self._blocks), 1):
            if is_blank and line.startswith(b"From "):
                if lines:
                    yield self._name, start, b"".join(lines), self._label
                lines, size, start = [], 0, number
            elif size <= self._longest:
                lines.append(line[1:] if line.lstrip(b">").startswith(b"From ") and line.startswith(b">") else line)
                size += len(line)
            is_blank = line in (b"\n", b"\r\n")
        if b"".join(lines).strip():
            yield self._name, start, b"".join(lines), self._label


class Messages:
    """A message in each file of a folder; a maildir has them in `cur` and `new`."""

    def __init__(self, path: str, options: ReadOptions) -> None:
        self._path = path
        self._longest: int = options.limits.row
        is_maildir = is_maildir_folder(path)
        files = sorted(files_below(path))
        if is_maildir:
            files = [file for file in files if os.path.dirname(file).split(os.sep)[-1] in ("cur", "new")]
        self.files = files
        self._is_maildir = is_maildir
        has_labels = options.label is not False and (is_maildir or any(map(os.path.dirname, files)))
        self.layout = _layout("maildir" if is_maildir else "mail", options.text, has_labels)

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """Some files at a time."""
        yield from _batches(self._messages(), self.layout, self._longest)

    def _messages(self) -> Iterator[tuple[str, int, bytes, str | None]]:
        for number, file in enumerate(self.files, 1):
            path = os.path.join(self._path, file)
            folder = os.path.dirname(file).replace(os.sep, "/")
            if self._is_maildir:  # Maildir++ keeps other folders as .Name/cur
                folder = os.path.dirname(folder).lstrip(".") or _stem(os.path.abspath(self._path))
            with open(path, "rb") as content:
                yield path, number, content.read(self._longest + 1), folder if self.layout.label else None


def is_maildir_folder(path: str) -> bool:
    """Whether a folder is a maildir: it has `cur` and `new`."""
    return all(os.path.isdir(os.path.join(path, part)) for part in ("cur", "new"))


def holds_messages(path: str) -> bool:
    """Whether the files of a folder are messages: those that are looked at start with lines that only messages have."""
    files = list(islice(files_below(path), PROBED_FILES))
    return bool(files) and all(_is_message(os.path.join(path, file)) for file in files)


def _is_message(path: str) -> bool:
    with open(path, "rb") as file:
        head = file.read(16 << 10)
    return bool(re.match(rb"(From |[!-9;-~]+:[ \t])", head) and OF_MESSAGES.search(head.split(b"\n\n")[0]))


def _layout(format: str, text: Column, has_labels: bool) -> Layout:
    """Any part of a message can be its text."""
    columns = MAILBOX_COLUMNS if has_labels else MAILBOX_COLUMNS[:-1]
    return Layout(format, columns, str(text) if text in TEXT_COLUMNS else "text", "label" if has_labels else None)


def _stem(name: str) -> str:
    return os.path.basename(name.rstrip("/")).lstrip(".").split(".")[0] or name


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _batches(
    messages: Iterable[tuple[str, int, bytes, str | None]], layout: Layout, longest: int
) -> Iterator[tuple[Batch, list[BadRow]]]:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    size = 0
    for name, line, message, label in messages:
        start = line if layout.format == "mbox" else 1
        if len(message) > longest:
            bad.append(BadRow(name, start, f"the message is longer than {longest:,} bytes"))
        elif layout.label and not label:
            bad.append(BadRow(name, start, "it has no label: it lies beside the folders"))
        else:
            rows.append(row_of(message) | ({"label": label} if layout.label else {}))
            lines.append(line)
            size += len(rows[-1]["text"])
        if size > ENOUGH:
            yield batch_of(rows, lines, layout), bad
            rows, lines, bad, size = [], [], [], 0
    yield batch_of(rows, lines, layout), bad


def row_of(message: bytes) -> dict[str, Any]:
    """A message as a row: its text, and all else that `Mail.row` has.

    >>> row_of(b"From: ann@example.org\\nSubject: Lunch?\\n\\nAt noon.")["text"]
    'Lunch?\\n\\nAt noon.'
    """
    mail = parse(message)
    return {"text": f"{mail.subject}\n\n{mail.body}", **mail.row()}
