"""From the terms of a score to an explanation: what each part of a document says for one class against another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite, isnan

from banbury.annotations import TYPE_CHECKING, Any, NamedTuple
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.records import Record
from banbury.stats.softmax import log_difference, softmax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from banbury.results.explanation import Evidence, Explanation
    from banbury.text.documents import Label


MOST_ABSENT = 10  # words that a document has not; the rest is summed up
LONG_TEXT = 100_000  # characters; in a longer text each part is listed once, with the sum of its weights
LONGEST_BY_WORDS = 1_000_000  # characters of a text that is explained word by word


class Term(NamedTuple):
    """One part of a document, from `start` to `end`, and what it adds to the score of each class."""

    word: str
    """A feature of a text, or the value of a column."""
    start: int | None
    end: int | None
    weights: list[float] | None
    """By class. None if the feature is unknown; empty if it is a repeat that counts only once."""
    kind: str = "word"
    """`"word"`, `"characters"`, `"value"` of a column, or `"together"`: of several columns, beyond what each says."""
    column: str | None = None
    """The column of a table."""


class Change(NamedTuple):
    """A part of a document, from `start` to `end`, that preprocessing left out or changed."""

    text: str
    token: str | None
    """What it is counted as; None for what is left out."""
    start: int
    end: int
    column: str | None = None
    """The column of a table."""


class AbsentWords(Record):
    """The words that a document has not, where that counts: with the Bernoulli likelihood."""

    names: list[str]
    weights: NDArray[Any]
    """What the absence of each adds to the score of each class, by word and class."""
    column: str | None = None
    """The column of a table."""

    def strongest(self, ours: int, theirs: int, most: int) -> list[tuple[str, float]]:
        """At most so many that say the most for one class against another, and the sum of the rest."""
        both = self.weights[:, [ours, theirs]]
        with np.errstate(invalid="ignore"):
            said = np.where(both[:, 0] == both[:, 1], 0.0, both[:, 0] - both[:, 1])
        order = np.argsort(-np.abs(said), kind="stable").tolist()
        listed = [(self.names[row], float(said[row])) for row in order[:most]]
        rest = order[most:]
        if rest:
            sums = self.weights[rest].sum(axis=0)
            listed.append((f"other word ({len(rest):,})", log_difference(float(sums[ours]), float(sums[theirs]))))
        return listed


class PairTerms(Record):
    """What each feature of a text says for one class against another, without an object for each."""

    start: list[float]
    """The score of each class before the first term."""
    weights: NDArray[Any]
    """Of each feature that is known."""
    places: NDArray[Any]
    """Start and end of each in the text."""


class Score(Record):
    """The scores of one document, and the terms that they are the sums of."""

    classes: list[Any]
    scores: list[float]
    start: list[float]
    """The score of each class before the first term."""
    terms: list[Term]
    absent: Sequence[AbsentWords] = ()
    changes: Sequence[Change] = ()


def explanation_of(
    score: Score, *, text: str, row: Mapping[str, Any] | None, label: Label | None, against: Label | None, unit: str
) -> Explanation:
    """Why a document is of class `label` (by default the best one) rather than `against` (by default the next best).

    `text` is the document as people read it; `row` is the document itself where it is a row of a table.
    """
    from banbury.results.explanation import Evidence, Explanation  # nothing that predicts needs it

    ours, theirs = compared(score.scores, score.classes, label, against)
    # A text has hundreds of features: tuples are made without the detour by `Evidence(…)`, which takes twice as long. A
    # repeat that counts only once weighs 0.
    new = partial(tuple.__new__, Evidence)
    evidence = [
        new((word, log_difference(weights[ours], weights[theirs]) if weights else 0.0, start, end, column, kind))
        for word, start, end, weights, kind, column in score.terms
        if weights is not None
    ]
    for absent in score.absent:
        strongest = absent.strongest(ours, theirs, MOST_ABSENT)
        evidence += [Evidence(word, weight, None, None, absent.column, "absent") for word, weight in strongest]
    prior = log_difference(score.start[ours], score.start[theirs])
    explanation = Explanation(
        text=text,
        label=score.classes[ours],
        against=score.classes[theirs],
        prior=prior,
        evidence=evidence,
        score=_total(score.scores[ours], score.scores[theirs], prior, evidence),
        unknown=[term.word for term in score.terms if term.weights is None],
        probabilities=dict(zip(score.classes, softmax(np.array([score.scores]))[0].tolist(), strict=True)),
        row=None if row is None else dict(row),
        changes=list(score.changes),
    )
    return explanation.in_unit(unit)


def explanation_by_words(
    terms: PairTerms, scores: list[float], classes: list[Any], pair: tuple[int, int], *, text: str,
    changes: Sequence[Change], unit: str
) -> Explanation | None:  # fmt: skip
    """`Explanation.by_words` of a text, several times quicker; None where something known lies in no word."""
    from banbury.results.explanation import Evidence, Explanation  # nothing that predicts needs them
    from banbury.results.word_weights import Words

    ours, theirs = pair
    words = Words(text)
    sums = words.sums(terms.places, terms.weights)
    if sums is None:
        return None
    evidence = [Evidence(words.name(number), weight, *words.bounds[number]) for number, weight in sums]
    known = {number for number, _ in sums}
    prior = log_difference(terms.start[ours], terms.start[theirs])
    return Explanation(
        text=text,
        label=classes[ours],
        against=classes[theirs],
        prior=prior,
        evidence=evidence,
        score=_total(scores[ours], scores[theirs], prior, evidence),
        unknown=[words.name(number) for number in range(len(words.bounds)) if number not in known],
        probabilities=dict(zip(classes, softmax(np.array([scores]))[0].tolist(), strict=True)),
        changes=list(changes),
    ).in_unit(unit)


def class_id_of(label: Label | None, classes: Sequence[Any]) -> int:
    """The position of a label among the classes; an unknown label is an error that names the known ones.

    >>> class_id_of("spam", ["ham", "spam"])
    1
    """
    if label not in classes:
        raise InputError(f"there is no class {label!r}; this model knows {', '.join(map(repr, classes))}")
    return classes.index(label)


def compared(scores: list[float], classes: list[Any], label: Label | None, against: Label | None) -> tuple[int, int]:
    """The class ids of `label` and `against`; those that are not named are the best of the others."""
    if len(classes) < 2:
        raise InputError("this model knows one class only: there is nothing to decide")
    ranked = sorted(range(len(classes)), key=lambda class_id: -scores[class_id])
    other = None if against is None else class_id_of(against, classes)
    ours = next(class_id for class_id in ranked if class_id != other) if label is None else class_id_of(label, classes)
    theirs = next(class_id for class_id in ranked if class_id != ours) if other is None else other
    if ours == theirs:
        raise InputError(f"label and against are both {classes[ours]!r}; an explanation compares two classes")
    return ours, theirs


def _total(ours: float, theirs: float, prior: float, evidence: list[Evidence]) -> float:
    """The difference of two scores; where both are −inf, the sum of prior and evidence, or else the prior."""
    if ours != theirs or isfinite(ours):
        return log_difference(ours, theirs)
    total = prior + sum(part.weight for part in evidence)
    return prior if isnan(total) else total
