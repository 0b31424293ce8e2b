"""A journal in a file of SQLite: for one server."""

from __future__ import annotations

import sqlite3
import sys
from typing import Any

from banbury.server.journal.entries import JournalError
from banbury.server.journal.sql import SqlJournal

BUSY_SECONDS = 5.0  # for which another program may hold the file


class SqliteJournal(SqlJournal):
    """Write-ahead log, synchronous: a transaction that has ended is on the disk, and no crash takes it back."""

    begin = "BEGIN IMMEDIATE"
    integer = "INTEGER"
    driver_errors = (sqlite3.Error,)

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._lock = _locked(f"{path}-lock")
        except OSError as error:
            raise JournalError(f"the journal {path}: {error.strerror or error}") from error
        try:
            connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # what is forgotten does not stay in the file
            super().__init__(connection)
        except (sqlite3.Error, JournalError) as error:
            self._lock.close()
            text = str(error).removeprefix("the journal: ")
            raise JournalError(f"the journal {path}: {text}") from error

    def close(self) -> None:
        """Let go of the file, and of the lock beside it."""
        super().close()
        self._lock.close()

    def _has_tables(self) -> bool:
        return bool(self._run("SELECT 1 FROM sqlite_master WHERE name = 'journal_head'"))

    def _tidy(self) -> None:
        self._run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _run(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        try:
            return super()._run(statement, *arguments)
        except sqlite3.ProgrammingError as error:
            if "closed" in str(error):
                raise JournalError("the journal is closed") from None
            raise


def _locked(path: str) -> Any:
    """A lock that is held until the file is closed; two servers would not know of each other's documents."""
    file = open(path, "ab")  # noqa: SIM115  for as long as the journal is open
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise JournalError("another server is using it") from None
    return file
