"""The ladder: which rung a table is worth, judged by rows that had no part in anything.

Leave-one-out must not choose here. Rows of one small cell hold each other's labels, so it is too hopeful once terms are
selected. So some rows are held out, and cells, counts, weights and the selection are made without them: five folds
where there are up to 1,000 rows, three up to 3,000, else one part of a fifth. A rung is climbed if it is better by one
standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from banbury.stats.softmax import log_softmax
from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import NAMES, SELECTED, Array, Part

FEW_ROWS = 1_000  # up to so many there are five folds, and nothing is selected
SOME_ROWS = 3_000  # up to so many there are three
MOST_ROWS = 20_000  # that the rungs are judged with
FOLDS = 5
MOST_HELD_OUT = 4_000
FEWEST_ROWS = 50  # below, nothing is climbed


def folds(rows: Rows, own: Array) -> Iterator[Array]:
    """Places of rows to hold out, one array after the other, the classes in their shares; by what is in them alone."""
    order = rows.by_content()
    classes, ranks = own[order], np.empty(len(own), np.intp)
    for number in np.unique(classes):
        places = order[classes == number]
        ranks[places] = np.arange(len(places))
    if len(own) <= SOME_ROWS:
        n = FOLDS if len(own) <= FEW_ROWS else 3
        yield from (np.flatnonzero(ranks % n == fold) for fold in range(n))
    else:
        every = max(FOLDS, -(-len(own) // MOST_HELD_OUT))
        yield np.flatnonzero(ranks % every == 0)


class Trial(NamedTuple):
    """What a rung makes of rows that were held out."""

    rows: Array
    """Their places."""
    log_probabilities: Array
    losses: Array
    """What each row's class costs, in nats."""


def trials(
    rows: Rows,
    classes: list[Any],
    learned_from: Callable[[Rows], Learned],
    texts: Callable[[Array], Array],
    *,
    threads: int,
) -> dict[str, Trial]:
    """Every rung on rows that were held out; one that some part of the rows does not have is left out."""
    places = np.sort(rows.by_content()[:MOST_ROWS])
    rows = rows.take(places)
    own = rows.numbers(classes)
    found: dict[str, list[Trial]] = {}
    n_parts = 0
    for held in folds(rows, own):
        others = np.setdiff1d(np.arange(len(own)), held)
        n_parts += 1
        part = _part(rows.take(others), classes, learned_from, _at(texts, places[others]), threads)
        for name in NAMES:
            if name in SELECTED and len(own) < FEW_ROWS:
                continue
            fitted = part.fit(name)
            if fitted is not None:
                logs = log_softmax(part.scores_of(fitted, rows.take(held), texts(places[held])))
                trial = Trial(places[held], logs, -logs[np.arange(len(held)), own[held]])
                found.setdefault(name, []).append(trial)
    return {
        name: Trial(*map(np.concatenate, zip(*several, strict=True)))
        for name, several in found.items()
        if len(several) == n_parts
    }


def _part(
    rows: Rows,
    classes: list[Any],
    learned_from: Callable[[Rows], Learned],
    texts: Callable[[Array], Array],
    threads: int,
) -> Part:
    return Part(learned_from(rows).of_classes(classes), rows, texts, threads)


def _at(texts: Callable[[Array], Array], places: Array) -> Callable[[Array], Array]:
    return lambda some: texts(places[some])


def climbed(found: Mapping[str, Trial]) -> str:
    """The rung that is climbed to: each has to be better than the last one by a standard error."""
    here = NAMES[0]
    for name in NAMES[1:]:
        if name in found:
            better = found[here].losses - found[name].losses
            if better.mean() > better.std() / np.sqrt(len(better)):
                here = name
    return here
