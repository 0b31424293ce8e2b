"""Queues: two people never have the same document, and what the journal has is not asked again."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Classifier
from banbury.server.page.notes import Notes
from banbury.server.page.queues import LEASE, Given, Queue, best, columns_of, rows_of, shown
from commands import LABELS, TEXTS

MODEL = Classifier.textbook().fit(TEXTS[:100], LABELS[:100])


def test_two_people_have_different_documents_until_the_lease_ends() -> None:
    now = [0.0]
    queue = Queue(TEXTS[100:103], clock=lambda: now[0])
    first, second, third = (queue.next(who, MODEL) for who in ("ann", "ben", "cleo"))
    assert len({first, second, third}) == 3
    assert queue.next("ann", MODEL) == first  # a reload shows the same
    assert queue.next("dora", MODEL) is None
    now[0] = LEASE + 1
    assert queue.next("dora", MODEL) is not None


@given(st.randoms(use_true_random=False))
def test_whatever_people_do_every_document_is_asked_once(draw: random.Random) -> None:
    queue, seen = Queue(TEXTS[:12]), list[int]()
    while queue.n_left:
        who = draw.choice(["ann", "ben"])
        number = queue.next(who, MODEL)
        if number is None:
            continue
        if draw.random() < 0.2 and (last := queue.last(who)) is not None:
            queue.take_back(last, who)
            seen.remove(last.number)
            continue
        if draw.random() < 0.2:
            queue.skip(number)
        else:
            queue.give(Given(number, "x", len(seen), True, who))
            seen.append(number)
    assert sorted(seen) == sorted(queue.given)
    assert len(seen) + len(queue.skipped - queue.given.keys()) == 12


def test_what_the_journal_has_learned_is_not_asked_again() -> None:
    queue = Queue(["a", "b", "a"])
    queue.mark([("a", "x", 7), ("c", "x", 8)])
    assert (queue.n_left, queue.given[0].sequence, queue.last("ann")) == (2, 7, None)


def test_search_finds_what_waits() -> None:
    queue = Queue(["so happy", "so SAD", "glad"])
    assert queue.candidates("ann", "sad") == [1]
    assert queue.next("ann", MODEL, "sad") == 1
    assert queue.next("ann", MODEL, "nothing like this") is None


def test_rows_that_are_least_certain_come_first() -> None:
    table = {"size": [1.0, 2.0, 8.0, 9.0] * 20}
    model = Classifier().fit(table, ["small", "small", "large", "large"] * 20)
    rows = [{"size": 1.0}, {"size": 5.0}, {"size": 9.0}]
    assert best(model, rows, [0, 1, 2])[0] == 1
    assert rows_of(columns_of(rows)) == rows
    assert shown(rows[0]) == "size: 1.0"


def test_outcomes_leave_out_what_was_taken_back() -> None:
    queue = Queue(["a", "b"])
    queue.give(Given(0, "x", 1, True, "ann"))
    queue.give(Given(1, "x", 2, False, "ann"))
    assert queue.outcomes == [True, False]
    last = queue.last("ann")
    assert last is not None
    queue.take_back(last, "ann")
    assert queue.outcomes == [True]
    assert queue.next("ann", MODEL) == pytest.approx(1)


def test_a_queue_is_restored_from_its_notes(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "mood.jsonl")
    queue = Queue(TEXTS[:6], notes=notes)
    for number, is_right in ((0, True), (1, False), (2, None)):
        queue.give(Given(number, LABELS[number], 10 + number, is_right, "ann"))
    queue.skip(3)
    last = queue.last("ann")
    assert last is not None
    queue.take_back(last, "ann")

    again = Queue(TEXTS[:6], notes=notes)
    again.mark((TEXTS[number], LABELS[number], 10 + number) for number in (0, 1))  # 12 was forgotten
    again.restore(notes.read())
    assert again.outcomes == queue.outcomes == [True, False]
    assert (again.skipped, again.n_left) == ({3}, queue.n_left)
    assert again.last("ann") == queue.last("ann") == Given(1, LABELS[1], 11, False, "ann")
    again.ask_again()
    assert again.n_left == 4
    fresh = Queue(TEXTS[:6])
    fresh.restore(notes.read())
    assert not fresh.skipped


def test_a_model_that_knows_nothing_asks_in_the_order_of_the_file() -> None:
    empty = Classifier().fit(["x"], ["y"]).forget(["x"], ["y"])
    assert best(empty, TEXTS[:3], [0, 1, 2]) == [0, 1, 2]
