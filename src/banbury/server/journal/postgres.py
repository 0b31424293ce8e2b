"""A journal in a PostgreSQL database: for any number of servers, which follow each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from banbury.errors import MissingExtra
from banbury.server.journal.entries import JournalError
from banbury.server.journal.sql import SqlJournal

try:
    import psycopg
except ImportError as error:  # pragma: no cover
    raise MissingExtra("a journal in PostgreSQL needs psycopg: pip install 'banbury[postgres]'") from error

CONNECT_SECONDS = 5
CHANNEL = "banbury_journal"
LOCK = 7_204_901  # held while the tables are made, so that servers that start together make them once


class PostgresJournal(SqlJournal):
    """The row of `journal_head` is locked by whoever writes, so entries are seen in the order of their numbers."""

    driver_errors = (psycopg.Error,)

    def __init__(self, address: str) -> None:
        self._address = address
        self._listener: psycopg.Connection[Any] | None = None
        try:
            connection = self._connected()
            try:
                super().__init__(connection)
            except BaseException:
                connection.close()
                raise
        except psycopg.Error as error:
            raise JournalError(f"the journal: {str(error).strip()}") from error

    def _connected(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = psycopg.connect(
            self._address, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="banbury"
        )
        return connection

    def listen(self, call: Callable[[], None]) -> None:
        """Call a function when another server has written, and when that can no longer be heard."""
        with self._guarded():
            listener = self._listener = self._connected()
            listener.execute(f"LISTEN {CHANNEL}")

        def wait() -> None:
            with suppress(psycopg.Error):
                for _ in listener.notifies():
                    call()
            with suppress(RuntimeError):  # the event loop may have ended
                call()

        threading.Thread(target=wait, name="banbury-listener", daemon=True).start()

    def close(self) -> None:
        """Let go of the database."""
        if self._listener is not None:
            with suppress(psycopg.Error):
                self._listener.close()
        super().close()

    def _announce(self, sequence: int) -> None:
        self._run("SELECT pg_notify(?, ?)", CHANNEL, str(sequence))

    def _has_tables(self) -> bool:
        self._run("SELECT pg_advisory_lock(?)", LOCK)
        try:
            return self._run("SELECT to_regclass('journal_head')")[0][0] is not None
        finally:
            self._run("SELECT pg_advisory_unlock(?)", LOCK)

    def _adapted(self, statement: str) -> str:
        return statement.replace("?", "%s")
