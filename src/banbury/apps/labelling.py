"""Active learning by hand: the documents that teach a model the most are labelled first."""

from __future__ import annotations

from copy import deepcopy
from math import exp, log
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.classifier import Classifier
from banbury.errors import InputError
from banbury.text.documents import Label, as_labels, as_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from banbury.text.documents import Texts

MOST_SCORED = 2_000  # of the documents that are left: scoring more would make people wait
CHOSEN_TOGETHER = {"gain": 5, "uncertainty": 1}  # documents chosen together: by gain they complement each other
FITTED_ANEW = 1.2  # times as many labels as at the last fit


class Labelling:
    """Documents that get their labels one by one.

    `next` is the document to ask about, by what `Classifier.what_to_label_next` says of a model that learns along.
    Which of equally good ones it is depends on the texts alone.

    Parameters
    ----------
    texts
        The documents.
    labels
        Those that have a label already, by their number.
    model
        A model that knows something already; it is not changed.
    by
        `"gain"`, or `"uncertainty"`, which begins when there are two labels.

    >>> labelling = Labelling(["free money", "lunch?", "free lunch", "money, money"], {0: "spam", 1: "ham"})
    >>> labelling.next()
    2
    >>> labelling.give(2, "ham")
    >>> labelling.undo(), labelling.labels
    (2, {0: 'spam', 1: 'ham'})
    """

    def __init__(
        self,
        texts: Texts,
        labels: Mapping[int, Any] | None = None,
        *,
        model: Classifier | None = None,
        by: str = "gain",
    ) -> None:
        self.texts = as_texts(texts)
        self.labels: dict[int, Any] = dict(labels or {})
        if wrong := [number for number in self.labels if not 0 <= number < len(self.texts)]:
            raise InputError(f"there is no document {wrong[0]}; there are {len(self.texts)}")
        as_labels(list(self.labels.values()))
        if by not in CHOSEN_TOGETHER:
            raise InputError(f"by is {by!r}; it can be {' or '.join(map(repr, CHOSEN_TOGETHER))}")
        self.by = by
        self._given = list(self.labels)
        self._guesses: dict[int, bool] = {}
        self._known = model
        self._model: Classifier | None = None
        self._n_fitted = 0
        self._skipped: list[int] = []
        self._chosen: list[int] = []
        digest = _kernel.checksum
        self._order = sorted(
            range(len(self.texts)), key=lambda number: (digest(self.texts[number].encode("utf-8", "replace")), number)
        )

    def __len__(self) -> int:
        """How many documents are left."""
        return len(self.texts) - len(self.labels) - len(self._skipped)

    def next(self) -> int | None:
        """The document to ask about; None where all have been."""
        gone = {*self.labels, *self._skipped}
        self._chosen = [number for number in self._chosen if number not in gone]
        if not self._chosen:
            left = [number for number in self._order if number not in gone][:MOST_SCORED]
            self._chosen = left[:1] if self.by == "uncertainty" and self._learned() is None else self._best(left)
        return self._chosen[0] if self._chosen else None

    def _best(self, left: list[int]) -> list[int]:
        model = self._learned()
        if model is None:  # of one label it has learned the words at least
            texts, labels = [self.texts[number] for number in self.labels], list(self.labels.values())
            model = Classifier().fit(texts, labels) if labels else Classifier()
        asked = model.what_to_label_next(
            [self.texts[number] for number in left], top=CHOSEN_TOGETHER[self.by], by=self.by
        )
        return [left[place] for place in asked]

    def probabilities(self, number: int) -> dict[Any, float]:
        """The probability of each label for a document; empty where too few labels are known."""
        model = self._learned()
        return {} if model is None else model.probabilities(self.texts[number])

    def give(self, number: int, label: Label | None) -> None:
        """Give a document its label."""
        as_labels([*list(self.labels.values())[:1], label])
        chances = self.probabilities(number)
        if number in self.labels:
            raise InputError(f"document {number} has a label already: {self.labels[number]!r}")
        if chances:
            self._guesses[number] = max(chances, key=lambda one: chances[one]) == label
        self.labels[number] = label
        self._given.append(number)
        if self._model is not None:
            self._model.learn([self.texts[number]], [label])

    @property
    def n_guessed(self) -> int:
        """How many of the labels given here the model had guessed before it was told, right or wrong."""
        return len(self._guesses)

    @property
    def n_guessed_right(self) -> int:
        """How many of these guesses were right."""
        return sum(self._guesses.values())

    def skip(self, number: int) -> None:
        """Leave a document without a label."""
        self._skipped.append(number)

    def undo(self) -> int | None:
        """Take the last label back; the document that had it, None where there is none."""
        if not self._given:
            return None
        number = self._given.pop()
        label = self.labels.pop(number)
        self._guesses.pop(number, None)
        if self._model is not None:
            self._model.forget([self.texts[number]], [label])
            if len(set(self.labels.values())) < 2 and self._known is None:
                self._model = None
        return number

    def _learned(self) -> Classifier | None:
        """A model of all labels so far. Its settings are chosen anew now and then; in between it only counts."""
        if self._model is not None and len(self.labels) <= self._n_fitted * FITTED_ANEW + 1:
            return self._model
        texts, labels = [self.texts[number] for number in self.labels], list(self.labels.values())
        if self._known is not None:
            if self._model is None:
                self._model = deepcopy(self._known).learn(texts, labels) if labels else deepcopy(self._known)
            self._n_fitted = len(self.texts)  # it has been fitted to other documents: its settings stay
        elif len(set(labels)) >= 2:
            self._model, self._n_fitted = Classifier().fit(texts, labels), len(labels)
        return self._model


FEWEST_TO_EXTRAPOLATE = 40  # labels
EXTRAPOLATION_BLOCKS = 4


def expected_accuracy(is_right: Sequence[bool], n: int) -> float | None:
    """Accuracy after `n` labels, extrapolated from predictions that were each made before their label was learned.

    A power law is fitted to the share of mistakes in consecutive blocks, each twice as long as the one before it, and
    never grows. None with fewer than 40 labels. Documents that teach the most are asked about first, and are harder
    than others: the model is better than this on all documents.

    >>> expected_accuracy([True] * 39, 80) is None
    True
    >>> round(expected_accuracy([n % 4 != 0 for n in range(80)], 160), 2)  # one in four is wrong, all along
    0.75
    """
    if len(is_right) < FEWEST_TO_EXTRAPOLATE:
        return None
    points = []
    end = len(is_right)
    for _ in range(EXTRAPOLATION_BLOCKS):
        start = end // 2
        wrong = sum(not right for right in is_right[start:end])
        # Half a mistake more, and half a right one, so that no block has a share of 0.
        points.append((log((start + end) / 2), log((wrong + 0.5) / (end - start + 1))))
        end = start
    middle = sum(x for x, _ in points) / EXTRAPOLATION_BLOCKS
    spread = sum((x - middle) ** 2 for x, _ in points)
    level = sum(y for _, y in points) / EXTRAPOLATION_BLOCKS
    slope = min(sum((x - middle) * (y - level) for x, y in points) / spread, 0.0)
    return 1 - min(exp(level + slope * (log(n) - middle)), 1.0)
