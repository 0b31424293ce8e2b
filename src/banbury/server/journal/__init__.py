"""The journal: every document that was learned or forgotten over HTTP, in order, on disk.

It is the truth of live learning: a model is what its file holds and the journal's entries on top of it. `entries.py`
says what is written, `sql.py` how, `sqlite.py` and `postgres.py` where. A journal may be used by several threads.
"""

from __future__ import annotations

from banbury.server.journal.sql import SqlJournal


def open_journal(address: str) -> SqlJournal:
    """The journal in a file, or in a PostgreSQL database; made where there is none yet.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = open_journal(folder + "/learned.journal")
    ...     journal.close()
    >>> journal.head().sequence
    Traceback (most recent call last):
    banbury.server.journal.entries.JournalError: the journal is closed
    """
    if address.startswith(("postgresql://", "postgres://")):
        from banbury.server.journal.postgres import PostgresJournal

        return PostgresJournal(address)
    from banbury.server.journal.sqlite import SqliteJournal

    return SqliteJournal(address)


def is_file(address: str) -> bool:
    """Whether an address is that of a file."""
    return "://" not in address
