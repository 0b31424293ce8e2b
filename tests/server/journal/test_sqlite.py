"""A journal in a file: one server at a time, written through to the disk, read by the next."""

import sqlite3
from pathlib import Path

import pytest

from banbury.server.journal.entries import LEARN, Change, JournalError, Written
from banbury.server.journal.sqlite import SqliteJournal


def learn(text: str) -> Change:
    return Change("spam", LEARN, [text], ["ham"])


def test_a_second_server_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    path = str(tmp_path / "learned.journal")
    first = SqliteJournal(path)
    with pytest.raises(JournalError, match="another server is using it"):
        SqliteJournal(path)
    assert first.append([learn("a")]) == [Written(1, 1)]
    first.close()
    second = SqliteJournal(path)
    assert [entry.document for entry in second.examples("spam", 9)] == ["a"]
    assert second.append([learn("b")]) == [Written(2, 2)]
    second.close()
    with pytest.raises(JournalError, match="closed"):
        second.append([learn("c")])


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    journal = SqliteJournal(str(tmp_path / "learned.journal"))
    assert journal.connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert journal.connection.execute("PRAGMA synchronous").fetchall() == [(2,)]  # FULL
    journal.close()


def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be looked at" * 50)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"notes\.txt"):
        SqliteJournal(str(path))
    assert path.read_bytes() == before
    with pytest.raises(JournalError, match="nowhere"):
        SqliteJournal(str(tmp_path / "nowhere" / "learned.journal"))


def test_a_database_of_somebody_else_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE journal_head (something)")
    connection.close()
    with pytest.raises(JournalError):
        SqliteJournal(str(path)).append([learn("a")])
