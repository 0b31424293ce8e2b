"""A journal in SQL that SQLite and PostgreSQL both understand."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Any

import msgspec

from banbury.server.journal.entries import (
    FORGET,
    LEARN,
    REFIT,
    REFUSED,
    Change,
    Entry,
    Head,
    JournalError,
    Written,
    digest,
    plain,
    read_document,
)
from banbury.server.limits import DOCUMENTS
from banbury.server.problems import Problem

SCHEMA_VERSION = 1
PAGE_BYTES = 8 << 20  # of documents that are read at a time
KEPT_KEYS = 7 * 24 * 3600  # seconds for which an Idempotency-Key is remembered
SCHEMA = """
CREATE TABLE journal_head (
    one {integer} PRIMARY KEY, version {integer} NOT NULL, identity TEXT NOT NULL,
    sequence {integer} NOT NULL, compacted {integer} NOT NULL);
CREATE TABLE journal_entries (
    sequence {integer} PRIMARY KEY, change {integer} NOT NULL, model TEXT NOT NULL, act TEXT NOT NULL,
    document TEXT NOT NULL, label TEXT NOT NULL, digest TEXT NOT NULL, undoes {integer} UNIQUE,
    written {integer} NOT NULL);
CREATE INDEX journal_entries_by_content ON journal_entries (model, digest);
CREATE TABLE journal_requests (
    model TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    first {integer} NOT NULL, last {integer} NOT NULL, written {integer} NOT NULL,
    PRIMARY KEY (model, idempotency_key));
"""
ALIVE = """
    FROM journal_entries e WHERE e.model = ? AND e.act = 'learn' AND e.sequence <= ? AND NOT EXISTS
    (SELECT 1 FROM journal_entries f WHERE f.undoes = e.sequence AND f.act = 'forget' AND f.sequence <= ?)
"""
# Documents and their forgetting, but for those between which a model's settings were chosen last. (With a subquery for
# each of them, 8,000 took a minute.)
PAIRS_TABLE = """
    SELECT f.sequence, f.undoes FROM journal_entries f LEFT JOIN
    (SELECT model, max(sequence) AS sequence FROM journal_entries WHERE act = 'refit' AND sequence <= ? GROUP BY model)
    last ON last.model = f.model
    WHERE f.act = 'forget' AND f.undoes IS NOT NULL AND f.sequence <= ?
    AND (last.sequence IS NULL OR last.sequence < f.undoes OR last.sequence > f.sequence)
"""
INSERT = """
    INSERT INTO journal_entries (sequence, change, model, act, document, label, digest, undoes, written)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
Row = tuple[Any, ...]


class SqlJournal:
    """Entries in a table. Changes are written in groups, each group in one transaction that is on disk at its end."""

    begin = "BEGIN"
    integer = "BIGINT"
    driver_errors: tuple[type[Exception], ...] = ()

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._turn = threading.RLock()
        with self._guarded():
            self._prepare()

    # Writing

    def append(self, changes: Sequence[Change]) -> list[Written | Problem]:
        """Write changes, all of them on disk at the end; for each where it stands, or why it cannot be written."""
        outcomes: list[Written | Problem] = []
        with self._transaction():
            # The row is locked from here on, so that numbers are given in the order in which they are seen.
            [(sequence,)] = self._run("UPDATE journal_head SET sequence = sequence RETURNING sequence")
            before, rows = sequence, list[Row]()
            for change in changes:
                try:
                    written = self._place(change, sequence, rows)
                except Problem as problem:
                    outcomes.append(problem)
                    continue
                outcomes.append(written)
                if not written.is_repeat:
                    sequence = written.last
            self._flush(rows)
            if sequence > before:
                self._run("UPDATE journal_head SET sequence = ?", sequence)
                self._announce(sequence)
        return outcomes

    def _place(self, change: Change, sequence: int, rows: list[Row]) -> Written:
        if change.key is not None:
            known = self._run(
                "SELECT fingerprint, first, last FROM journal_requests WHERE model = ? AND idempotency_key = ?",
                change.model,
                change.key,
            )
            for fingerprint, first, last in known:
                if fingerprint != change.fingerprint:
                    raise Problem(422, "this Idempotency-Key came with another request before")
                return Written(first, last, True)
        first, now = sequence + 1, int(time.time())
        new = self._rows(change, first, now, rows)
        last = sequence + len(new)
        rows += new
        if change.key is not None:
            self._run(
                "INSERT INTO journal_requests (model, idempotency_key, fingerprint, first, last, written) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                *(change.model, change.key, change.fingerprint, first, last, now),
            )
        return Written(first, last)

    def _rows(self, change: Change, first: int, now: int, waiting: list[Row]) -> list[Row]:
        """The entries of a change."""
        if change.act == LEARN:
            contents = self._contents(change)
            return [(first + n, first, change.model, LEARN, *content, None, now) for n, content in enumerate(contents)]
        self._flush(waiting)  # what is asked for now may be among them
        if change.act == REFIT:
            self._check_refit(change)
            return [(first, first, change.model, REFIT, "null", "null", digest("null", "null"), None, now)]
        forgotten = self._of_ids(change) if change.ids else self._of_contents(change)
        return [(first + n, first, change.model, FORGET, *row, now) for n, row in enumerate(forgotten)]

    def _contents(self, change: Change) -> list[tuple[str, str, str]]:
        pairs = [(plain(one), plain(label)) for one, label in zip(change.documents, change.labels, strict=True)]
        return [(document, label, digest(document, label)) for document, label in pairs]

    def _of_ids(self, change: Change) -> list[Row]:
        """What was learned under the numbers of a forget."""
        taken: set[int] = set()
        return [self._of_id(change.model, number, taken) for number in change.ids]

    def _of_id(self, model: str, number: int, taken: set[int]) -> Row:
        rows = self._run(
            "SELECT e.document, e.label, e.digest, (SELECT 1 FROM journal_entries f WHERE f.undoes = e.sequence) "
            "FROM journal_entries e WHERE e.sequence = ? AND e.model = ? AND e.act = 'learn'",
            number,
            model,
        )
        for document, label, content, is_undone in rows:
            if is_undone or number in taken:
                raise Problem(409, f"document {number} is forgotten already; nothing was changed")
            taken.add(number)
            return document, label, content, number
        raise Problem(404, f"no document {number} was learned by {model!r} here; nothing was changed")

    def _of_contents(self, change: Change) -> list[Row]:
        """The contents of a forget, each with the entry by which it was learned; None where the model's file has it."""
        contents = self._contents(change)
        learned = {
            content: iter(self._of_content(change.model, content, n))
            for content, n in Counter(content for *_, content in contents).items()
        }
        return [(document, label, content, next(learned[content], None)) for document, label, content in contents]

    def _of_content(self, model: str, content: str, n: int) -> list[int]:
        """The first entries by which a content was learned that are not forgotten, `n` at the most."""
        sequences = self._run(
            "SELECT e.sequence FROM journal_entries e WHERE e.model = ? AND e.digest = ? AND e.act = 'learn' "
            "AND NOT EXISTS (SELECT 1 FROM journal_entries f WHERE f.undoes = e.sequence) ORDER BY e.sequence LIMIT ?",
            *(model, content, n),
        )
        return [int(number) for (number,) in sequences]

    def _check_refit(self, change: Change) -> None:
        if self._last_refit(change.model, 2**62) > change.ids[0]:
            raise Problem(409, "the settings were chosen again already")

    def _flush(self, rows: list[Row]) -> None:
        if rows:
            self._run_many(INSERT, rows)
            rows.clear()

    def refuse(self, change: int) -> None:
        """Mark the entries of a change that the model could not take; its key can be used again."""
        with self._transaction():
            self._run(
                "UPDATE journal_entries SET act = ?, undoes = NULL, document = 'null', label = 'null', digest = ? "
                "WHERE change = ?",
                *(REFUSED, digest("null", "null"), change),
            )
            self._run("DELETE FROM journal_requests WHERE first = ?", change)

    def compact(self, upto: int) -> int:
        """Remove what no longer matters, up to an entry; how many entries that were.

        That is documents that were forgotten, with their forgetting; choices of settings that were followed by others;
        what was refused; and old Idempotency-Keys. A document that the last choice was made with stays until the next.
        """
        with self._transaction():
            self._run(
                "DELETE FROM journal_entries WHERE act = 'refit' AND EXISTS (SELECT 1 FROM journal_entries r "
                "WHERE r.act = 'refit' AND r.model = journal_entries.model AND r.sequence > journal_entries.sequence "
                "AND r.sequence <= ?)",
                upto,
            )
            pairs = self._run(PAIRS_TABLE, upto, upto)
            gone = [number for pair in pairs for number in pair]
            self._run_many("DELETE FROM journal_entries WHERE sequence = ?", [(number,) for number in gone])
            if pairs:
                highest = max(forget for forget, _ in pairs)
                self._run("UPDATE journal_head SET compacted = ? WHERE compacted < ?", highest, highest)
            self._run("DELETE FROM journal_entries WHERE act = 'refused' AND sequence <= ?", upto)
            self._run("DELETE FROM journal_requests WHERE written < ?", int(time.time()) - KEPT_KEYS)
        with self._guarded():
            self._tidy()
        return len(gone)

    # Reading

    def head(self) -> Head:
        """The journal as a whole."""
        with self._guarded():
            [row] = self._run("SELECT identity, sequence, compacted FROM journal_head")
            return Head(*row)

    def entries(self, after: int, upto: int, model: str | None = None) -> list[Entry]:
        """The next entries after one, of a model or of all: some megabytes, and of each change all or none."""
        which, arguments = ("", ()) if model is None else ("AND model = ? ", (model,))
        where = f"FROM journal_entries WHERE sequence > ? AND sequence <= ? {which}ORDER BY sequence"
        with self._guarded():
            sizes = self._run(
                f"SELECT sequence, change, length(document) {where} LIMIT ?", after, upto, *arguments, DOCUMENTS + 1
            )
            end = page_end(sizes, upto)
            rows = self._run(
                f"SELECT sequence, change, model, act, document, label, digest {where}", after, end, *arguments
            )
        return [_entry(row) for row in rows]

    def examples(self, model: str, upto: int, *, after: int = 0, limit: int = 2**62) -> list[Entry]:
        """The documents that were learned and not forgotten, as of an entry."""
        with self._guarded():
            rows = self._run(
                f"SELECT e.sequence, e.change, e.model, e.act, e.document, e.label, e.digest {ALIVE} "
                "AND e.sequence > ? ORDER BY e.sequence LIMIT ?",
                *(model, upto, upto, after, limit),
            )
        return [_entry(row) for row in rows]

    def latest(self, model: str, upto: int, *, containing: str = "", limit: int = 50) -> list[Entry]:
        """The documents that were learned last and not forgotten; with a text, those that contain it."""
        part = plain(containing)[1:-1].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        with self._guarded():
            rows = self._run(
                f"SELECT e.sequence, e.change, e.model, e.act, e.document, e.label, e.digest {ALIVE} "
                "AND e.document LIKE ? ESCAPE '\\' ORDER BY e.sequence DESC LIMIT ?",
                *(model, upto, upto, f"%{part}%", limit),
            )
        return [_entry(row) for row in rows]

    def written_since(self, moment: int) -> dict[tuple[str, str], int]:
        """How many entries of each model and act were written since a moment, in seconds since 1970."""
        with self._guarded():
            rows = self._run(
                "SELECT model, act, count(*) FROM journal_entries WHERE written >= ? GROUP BY model, act", moment
            )
        return {(model, act): int(n) for model, act, n in rows}

    def last_refit(self, model: str, upto: int) -> int:
        """The entry of the last choice of a model's settings up to an entry; 0 where there was none."""
        with self._guarded():
            return self._last_refit(model, upto)

    def _last_refit(self, model: str, upto: int) -> int:
        rows = self._run(
            "SELECT max(sequence) FROM journal_entries WHERE model = ? AND act = 'refit' AND sequence <= ?", model, upto
        )
        return rows[0][0] or 0

    # For what differs between the two databases

    def listen(self, call: Callable[[], None]) -> None:
        """Call a function when another process has written; where only one can write, never."""

    def close(self) -> None:
        """Let go of the journal."""
        with self._turn, suppress(*self.driver_errors):
            self.connection.close()

    def _announce(self, sequence: int) -> None:
        """Tell others of the entries that are being written."""

    def _tidy(self) -> None:
        """Give back the place of what was removed."""

    def _has_tables(self) -> bool:
        raise NotImplementedError

    # Inside

    def _prepare(self) -> None:
        if not self._has_tables():
            with self._transaction():
                if not self._has_tables():
                    for statement in SCHEMA.format(integer=self.integer).split(";")[:-1]:
                        self._run(statement)
                    head = (1, SCHEMA_VERSION, secrets.token_hex(8), 0, 0)
                    self._run("INSERT INTO journal_head VALUES (?, ?, ?, ?, ?)", *head)
        [(version,)] = self._run("SELECT version FROM journal_head")
        if version != SCHEMA_VERSION:
            raise JournalError(f"it is of version {version}; this banbury reads version {SCHEMA_VERSION}")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One thread at a time, and the driver's errors as ours."""
        with self._turn:
            try:
                yield
            except self.driver_errors as error:
                raise JournalError(f"the journal: {str(error).strip()}") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._guarded():
            self._run(self.begin)
            try:
                yield
                self._run("COMMIT")
            except BaseException:
                with suppress(*self.driver_errors):
                    self._run("ROLLBACK")
                raise

    def _run(self, statement: str, *arguments: Any) -> list[Row]:
        cursor = self.connection.execute(self._adapted(statement), arguments)
        return list(cursor.fetchall()) if cursor.description is not None else []

    def _run_many(self, statement: str, rows: Iterable[Row]) -> None:
        self.connection.cursor().executemany(self._adapted(statement), rows)

    def _adapted(self, statement: str) -> str:
        return statement


def page_end(sizes: list[Row], upto: int) -> int:
    """The last entry of the changes that fit into a page; one always does, since no change has more documents."""
    changes = [list(group) for _, group in groupby(sizes, key=lambda row: row[1])]
    if len(sizes) > DOCUMENTS:
        changes.pop()  # there may be more of it than was looked at
    total = end = 0
    for change in changes:
        total += sum(length for *_, length in change)
        if end and total > PAGE_BYTES:
            return end
        end = change[-1][0]
    return end if len(sizes) > DOCUMENTS else upto


def _entry(row: Row) -> Entry:
    sequence, change, model, act, document, label, content = row
    if digest(document, label) != content:
        raise JournalError(f"the journal: entry {sequence} is damaged")
    return Entry(sequence, change, model, act, read_document(document), msgspec.json.decode(label))
