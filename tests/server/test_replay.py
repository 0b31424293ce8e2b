"""Replay: entries one by one, in groups, from a file or from a snapshot give the same model, to the bit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from banbury import Classifier
from banbury.server import replay, snapshots
from banbury.server.journal import open_journal
from banbury.server.journal.entries import FORGET, LEARN, Change, Entry
from banbury.server.journal.sql import SqlJournal
from serving import bytes_of


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mood.banbury"
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(path)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqlJournal]:
    journal = open_journal(str(tmp_path / "learned.journal"))
    journal.append([Change("mood", LEARN, ["a b", "c"], ["sad", "glad"]), Change("mood", LEARN, ["d"], ["new"])])
    journal.append([Change("mood", FORGET, ids=[1]), Change("mood", LEARN, ["e a"], ["glad"])])
    yield journal
    journal.close()


def test_neighbours_of_one_change_are_one_step() -> None:
    rows = [(1, 1, LEARN), (2, 1, LEARN), (3, 3, LEARN), (4, 4, FORGET)]
    entries = [Entry(sequence, change, "mood", act, str(sequence), "x") for sequence, change, act in rows]
    steps = replay.steps_of(entries)
    assert [(step.change, step.act, step.documents) for step in steps] == [
        (1, LEARN, ["1", "2"]), (3, LEARN, ["3"]), (4, FORGET, ["4"]),
    ]  # fmt: skip


def test_a_change_that_the_model_refuses_is_left_out_whole() -> None:
    model = Classifier.textbook().fit(["a", "b"], ["x", "y"])
    steps = [
        replay.Step(1, FORGET, ["a", "never"], ["x", "x"]),
        replay.Step(3, FORGET, ["b"], ["y"]),
        replay.Step(4, LEARN, ["c"], ["x"]),
    ]
    refused = replay.apply(model, steps)
    assert list(refused) == [1]
    assert (model.classes_.tolist(), model.documents_) == (["x"], [2])


def test_the_whole_journal_equals_its_parts_and_a_snapshot_with_the_rest(
    model: Path, journal: SqlJournal, tmp_path: Path
) -> None:
    last = journal.head().sequence
    whole = replay.build(model, "digest", None, journal, "mood", last)
    assert (whole.sequence, whole.classifier.documents_) == (last, [3, 1, 1])
    for middle in range(last):
        part = replay.build(model, "digest", None, journal, "mood", middle)
        place = snapshots.Place(journal.head().identity, middle, "digest", part.chosen_at)
        snapshots.save(tmp_path / "snapshots", "mood", part.classifier.parts(), place)
        rest = replay.build(model, "digest", tmp_path / "snapshots", journal, "mood", last)
        assert bytes_of(rest.classifier, tmp_path) == bytes_of(whole.classifier, tmp_path)
