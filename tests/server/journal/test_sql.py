"""A journal: what is written stays, once; what is forgotten goes; what is damaged is seen."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.server.journal import open_journal, sql
from banbury.server.journal.entries import FORGET, LEARN, REFIT, Change, JournalError, Written, plain
from banbury.server.journal.sql import SqlJournal
from banbury.server.limits import DOCUMENTS
from banbury.server.problems import Problem

FAR = 2**60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "learned.journal"


@pytest.fixture
def journal(path: Path) -> Iterator[SqlJournal]:
    journal = open_journal(str(path))
    yield journal
    journal.close()


def learn(*texts: str, label: str = "ham", key: str | None = None) -> Change:
    return Change("spam", LEARN, list(texts), [label] * len(texts), key=key, fingerprint="".join(texts))


def forget(*ids: int) -> Change:
    return Change("spam", FORGET, ids=list(ids))


def alive(journal: SqlJournal, upto: int = FAR) -> list[str]:
    return [entry.document for entry in journal.examples("spam", upto)]


def detail(outcome: Written | Problem) -> str:
    assert isinstance(outcome, Problem)
    return outcome.detail


def test_entries_are_numbered_one_after_another(journal: SqlJournal, path: Path) -> None:
    assert journal.append([learn("a", "b"), learn("c")]) == [Written(1, 2), Written(3, 3)]
    assert journal.append([learn("d")]) == [Written(4, 4)]
    assert [(entry.sequence, entry.change, entry.document) for entry in journal.entries(1, FAR)] == [
        (2, 1, "b"), (3, 3, "c"), (4, 4, "d")
    ]  # fmt: skip
    identity = journal.head().identity
    journal.close()
    again = open_journal(str(path))
    assert again.head() == (identity, 4, 0)
    assert alive(again) == ["a", "b", "c", "d"]
    again.close()


def test_a_key_is_answered_twice_and_written_once(journal: SqlJournal) -> None:
    first = journal.append([learn("a", key="k"), learn("a", key="k")])
    assert first == [Written(1, 1), Written(1, 1, True)]
    assert journal.append([learn("a", key="k")]) == [Written(1, 1, True)]
    assert "another request" in detail(journal.append([learn("b", key="k")])[0])
    assert alive(journal) == ["a"]


def test_forgetting_by_number_takes_back_what_was_learned_once(journal: SqlJournal) -> None:
    journal.append([learn("a", "b")])
    assert journal.append([forget(1)]) == [Written(3, 3)]
    assert alive(journal) == ["b"]
    assert alive(journal, upto=2) == ["a", "b"]
    assert "forgotten already" in detail(journal.append([forget(1)])[0])
    assert "forgotten already" in detail(journal.append([forget(2, 2)])[0])
    assert "no document 9" in detail(journal.append([forget(2, 9)])[0])
    assert "no document 3" in detail(journal.append([forget(3)])[0])
    assert alive(journal) == ["b"]


def test_forgetting_by_content_takes_back_the_first_that_is_left(journal: SqlJournal) -> None:
    content = Change("spam", FORGET, ["a", "a"], ["ham", "ham"])
    journal.append([learn("a"), learn("a", label="spam"), learn("a"), content])
    assert [entry.label for entry in journal.examples("spam", FAR)] == ["spam"]
    journal.append([content])  # these are only in the model's file
    assert [entry.label for entry in journal.examples("spam", FAR)] == ["spam"]


def test_a_change_that_is_refused_leaves_the_others_of_its_group(journal: SqlJournal) -> None:
    outcomes = journal.append([learn("a"), forget(7), learn("b")])
    assert [type(one) for one in outcomes] == [Written, Problem, Written]
    assert alive(journal) == ["a", "b"]
    assert journal.head().sequence == 2


def test_what_a_model_refuses_is_marked_and_its_key_is_free(journal: SqlJournal) -> None:
    journal.append([learn("a", key="k"), learn("b")])
    journal.refuse(1)
    assert alive(journal) == ["b"]
    assert journal.append([learn("c", key="k")]) == [Written(3, 3)]


def test_compaction_removes_pairs_and_says_how_far(journal: SqlJournal, path: Path) -> None:
    journal.append([learn("a secret"), learn("b"), forget(1), learn("c"), forget(2)])
    assert journal.compact(3) == 2
    assert journal.head().compacted == 3
    assert [entry.sequence for entry in journal.entries(0, FAR)] == [2, 4, 5]
    assert journal.compact(5) == 2
    assert alive(journal) == ["c"]
    assert journal.append([learn("d")]) == [Written(6, 6)]
    files = [file.read_bytes() for file in path.parent.iterdir()]
    assert not any(b"a secret" in content for content in files)


def test_what_settings_were_chosen_by_stays_until_they_are_chosen_again(journal: SqlJournal) -> None:
    refit = Change("spam", REFIT, ids=[0])
    journal.append([learn("a"), refit, forget(1)])
    assert "already" in detail(journal.append([refit])[0])
    assert journal.compact(3) == 0
    assert alive(journal, upto=2) == ["a"]
    journal.append([Change("spam", REFIT, ids=[2])])
    assert journal.last_refit("spam", FAR) == 4
    assert journal.compact(4) == 2
    assert [entry.act for entry in journal.entries(0, FAR)] == [REFIT]


def steps(journal: SqlJournal, work: Callable[[], object]) -> int:
    """How many thousand steps the database takes for some work: what takes long, on whatever machine."""
    n_steps = 0

    def count() -> int:
        nonlocal n_steps
        n_steps += 1
        return 0

    journal.connection.set_progress_handler(count, 1000)
    work()
    journal.connection.set_progress_handler(None, 0)
    return n_steps


def test_compaction_and_forgetting_take_as_long_as_there_are_entries(tmp_path: Path) -> None:
    """Twice as many took four times as long, a minute for 8,000, in which nothing could be learned."""
    compacting, forgetting = [], []
    for n in (500, 1000):
        journal = open_journal(str(tmp_path / f"{n}.journal"))
        journal.append([learn(*["the same"] * n), learn(*map(str, range(n)))])
        again = Change("spam", FORGET, ["the same"] * n, ["ham"] * n)
        forgetting.append(steps(journal, partial(journal.append, [again])))
        journal.append([forget(*range(n + 1, 2 * n + 1))])
        compacting.append(steps(journal, partial(journal.compact, FAR)))
        assert alive(journal) == []
        journal.close()
    assert compacting[1] < 3 * compacting[0]
    assert forgetting[1] < 3 * forgetting[0]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_pages_hold_whole_changes(sizes: list[int]) -> None:
    rows = [(0, change, 30_000) for change, size in enumerate(sizes) for _ in range(size)]
    rows = [(number, change, length) for number, (_, change, length) in enumerate(rows, 1)]
    after, seen = 0, []
    while after < len(rows):
        end = sql.page_end([row for row in rows if row[0] > after][: DOCUMENTS + 1], len(rows))
        page = [row for row in rows if after < row[0] <= end]
        assert page
        assert page[-1][0] == len(rows) or rows[page[-1][0]][1] != page[-1][1]
        assert sum(row[2] for row in page) <= sql.PAGE_BYTES or len({row[1] for row in page}) == 1
        seen += page
        after = page[-1][0]
    assert seen == rows


def test_one_server_at_a_time(journal: SqlJournal, path: Path) -> None:
    with pytest.raises(JournalError, match="another server is using it"):
        open_journal(str(path))


def test_damage_is_seen(journal: SqlJournal, path: Path) -> None:
    journal.append([learn("a"), learn("b")])
    journal.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE journal_entries SET document = '\"x\"' WHERE sequence = 2")
    connection.close()
    again = open_journal(str(path))
    assert len(again.entries(0, 1)) == 1
    with pytest.raises(JournalError, match="entry 2 is damaged"):
        again.entries(0, FAR)
    again.close()


@pytest.mark.parametrize("content", [b"no database" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_what_is_no_journal_is_said(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"learned\.journal: (file is not a database|database disk image)"):
        open_journal(str(path))


def test_a_journal_of_a_later_version_is_not_touched(journal: SqlJournal, path: Path) -> None:
    journal.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE journal_head SET version = 2")
    connection.close()
    with pytest.raises(JournalError, match="version 2"):
        open_journal(str(path))


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3) | st.none(), max_size=4))
def test_the_order_of_columns_does_not_matter(row: dict[str, object]) -> None:
    assert plain(row) == plain(dict(reversed(row.items())))


def test_the_latest_are_those_that_were_learned_last_and_not_forgotten(journal: SqlJournal) -> None:
    journal.append(
        [learn("so happy", "so sad", "100 %", "100 x", "a_b", "axb"), Change("other", LEARN, ["so"], ["ham"])]
    )
    journal.append([forget(2)])
    found = journal.latest("spam", FAR)
    assert [entry.document for entry in found] == ["axb", "a_b", "100 x", "100 %", "so happy"]
    assert [entry.document for entry in journal.latest("spam", FAR, limit=2)] == ["axb", "a_b"]
    assert [entry.document for entry in journal.latest("spam", 4)] == ["100 x", "100 %", "so sad", "so happy"]
    for part, texts in {"so": ["so happy"], "100 %": ["100 %"], "a_b": ["a_b"], '"': [], "\\": []}.items():
        assert [entry.document for entry in journal.latest("spam", FAR, containing=part)] == texts


def test_what_was_written_since_a_moment_is_counted(journal: SqlJournal) -> None:
    now = int(time.time())
    journal.append([learn("a", "b"), Change("other", LEARN, ["c"], ["ham"])])
    journal.append([forget(1)])
    assert journal.written_since(now - 60) == {("spam", LEARN): 2, ("spam", FORGET): 1, ("other", LEARN): 1}
    assert journal.written_since(now + 3_600) == {}
