"""Documents that wait for a label: which comes next, who has it, what was answered.

Labels themselves are in the journal; skips, who gave a label and whether the model was right are in `notes`. What is
here can be made again from the file and these two; only who looks at what goes with the server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from banbury.classifier import Classifier
from banbury.display.characters import visible
from banbury.lazy import numpy as np
from banbury.server.journal.entries import plain
from banbury.server.page.notes import Notes, digest, skipped

MOST_SCORED_FOR_PAGE = 1_000  # of the documents that are left: scoring more would make people wait
ASKED_TOGETHER = 10
LEASE = 180.0  # seconds for which a document is one person's


class Given(NamedTuple):
    """A label that was given."""

    number: int
    label: Any
    sequence: int
    """Of its entry in the journal."""
    is_right: bool | None
    """Whether the model had predicted it; None where it knew too little, or was not asked."""
    who: str


@dataclass
class Queue:
    """Documents by their numbers; several people may take from it at once."""

    documents: list[Any]
    is_cut: bool = False
    given: dict[int, Given] = field(default_factory=dict)
    history: list[Given] = field(default_factory=list)
    """Labels given since the queue was made, in order."""
    skipped: set[int] = field(default_factory=set)
    notes: Notes | None = None
    clock: Callable[[], float] = time.monotonic
    _taken: dict[int, tuple[str, float]] = field(default_factory=dict)
    _chosen: list[int] = field(default_factory=list)

    def mark(self, learned: Iterable[tuple[Any, Any, int]]) -> None:
        """Mark documents that the journal has learned already: (document, label, sequence)."""
        waiting: dict[str, list[int]] = {}
        for number, document in enumerate(self.documents):
            if number not in self.given:
                waiting.setdefault(plain(document), []).append(number)
        for document, label, sequence in learned:
            if numbers := waiting.get(plain(document)):
                number = numbers.pop(0)
                self.given[number] = Given(number, label, sequence, None, "")

    def restore(self, notes: Sequence[dict[str, Any]]) -> None:
        """Take up what was noted before the server was last stopped; `mark` comes first."""
        left_out = skipped(notes)
        if left_out:
            self.skipped |= {number for number, one in enumerate(self.documents) if digest(one) in left_out}
        numbers = {one.sequence: one.number for one in self.given.values()}
        for note in notes:
            number = numbers.pop(note.get("sequence", -1), None)
            if number is not None:
                is_right, who = note.get("is_right"), str(note.get("who", ""))
                self.given[number] = self.given[number]._replace(
                    is_right=is_right if isinstance(is_right, bool) else None, who=who
                )
                self.history.append(self.given[number])

    @property
    def n_left(self) -> int:
        """How many documents wait."""
        return len(self.documents) - len(self.given) - len(self.skipped - self.given.keys())

    @property
    def outcomes(self) -> list[bool]:
        """Whether each prediction that was made before its label was right."""
        return [one.is_right for one in self.history if one.is_right is not None and one.number in self.given]

    def candidates(self, who: str, search: str = "") -> list[int]:
        """Documents that this person can be asked about; with a search, those that contain it."""
        now = self.clock()
        part = search.lower()
        return [
            number
            for number, document in enumerate(self.documents)
            if number not in self.given
            and number not in self.skipped
            and not self._is_taken(number, who, now)
            and (not part or part in shown(document).lower())
        ]

    def _is_taken(self, number: int, who: str, now: float) -> bool:
        holder, until = self._taken.get(number, ("", 0.0))
        return holder not in ("", who) and until > now

    def next(self, who: str, classifier: Classifier, search: str = "") -> int | None:
        """The document to ask a person about, which is theirs for some minutes; None where there is none."""
        free = self.candidates(who, search)
        mine = [number for number in free if self._taken.get(number, ("",))[0] == who]
        allowed = set(free)
        if mine and not search:
            number = mine[0]
        else:
            self._chosen = [one for one in self._chosen if one in allowed] if not search else []
            if not self._chosen and free:
                self._chosen = best(classifier, self.documents, free)
            if not self._chosen:
                return None
            number = self._chosen.pop(0)
        for other in mine:
            del self._taken[other]
        self._taken[number] = (who, self.clock() + LEASE)
        return number

    def give(self, one: Given) -> None:
        """A document has its label."""
        self.given[one.number] = one
        self.history.append(one)
        self._taken.pop(one.number, None)
        self._note({"sequence": one.sequence, "who": one.who, "is_right": one.is_right})

    def _note(self, note: dict[str, Any]) -> None:
        if self.notes is not None:
            self.notes.write(note)

    def skip(self, number: int) -> None:
        """A document is left out until skipped ones are asked again."""
        self.skipped.add(number)
        self._taken.pop(number, None)
        self._note({"skip": digest(self.documents[number])})

    def ask_again(self) -> None:
        """What was skipped waits again."""
        self.skipped.clear()
        self._note({"again": True})

    def last(self, who: str) -> Given | None:
        """The last label that a person has given."""
        return next((one for one in reversed(self.history) if one.who == who and one.number in self.given), None)

    def forget(self, sequence: int) -> None:
        """An entry of the journal was forgotten elsewhere: its document waits again."""
        for one in [one for one in self.given.values() if one.sequence == sequence]:
            del self.given[one.number]

    def take_back(self, one: Given, who: str) -> None:
        """A label is gone; its document is that person's again."""
        self.given.pop(one.number, None)
        self.history = [other for other in self.history if other is not one]
        self._taken[one.number] = (who, self.clock() + LEASE)


def best(classifier: Classifier, documents: Sequence[Any], numbers: Sequence[int]) -> list[int]:
    """The documents that teach the most, some together; of rows, those that are least certain."""
    some = list(numbers)
    if len(some) > MOST_SCORED_FOR_PAGE:
        some = some[:: len(some) // MOST_SCORED_FOR_PAGE][:MOST_SCORED_FOR_PAGE]
    chosen = [documents[number] for number in some]
    if not len(classifier.classes_):  # it knows nothing yet
        order = list(range(min(ASKED_TOGETHER, len(some))))
    elif isinstance(chosen[0], str):
        order = classifier.what_to_label_next(chosen, top=ASKED_TOGETHER)
    elif len(classifier.classes_) < 2:
        order = list(range(min(ASKED_TOGETHER, len(some))))
    else:
        chances = np.sort(classifier.predict_proba(columns_of(chosen)), axis=1)
        order = np.argsort(chances[:, -1] - chances[:, -2], kind="stable")[:ASKED_TOGETHER].tolist()
    return [some[place] for place in order]


def columns_of(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns.

    >>> columns_of([{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]}


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Columns as rows.

    >>> rows_of({"a": [1, 2]})
    [{'a': 1}, {'a': 2}]
    """
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def shown(document: Any) -> str:
    """A document as a text: to search in, and to show.

    >>> shown({"age": 3, "cabin": None})
    'age: 3; cabin: –'
    """
    if isinstance(document, str):
        return document
    return "; ".join(f"{visible(name)}: {'–' if cell is None else cell}" for name, cell in document.items())
