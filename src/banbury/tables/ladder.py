"""The ladder: which rung a table is worth, judged by rows that had no part in anything.

Leave-one-out must not choose here. Rows of one small cell hold each other's labels, so it is too hopeful once terms are
selected. So some rows are held out, and cells, counts, weights and the selection are made without them: five folds where
there are up to a thousand rows, else one part of a fifth. A rung is climbed if it is better by one standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import NAMES, SELECTED, Array, Part

FEW_ROWS = 1_000  # up to so many there are five folds, and nothing is selected
SOME_ROWS = 3_000  # up to so many there are three
MOST_ROWS = 20_000  # that the rungs are judged with
FOLDS = 5
MOST_HELD_OUT = 4_000
FEWEST_ROWS = 20  # for each fold to say anything


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


def losses(
    rows: Rows,
    classes: list[Any],
    learned_from: Callable[[Rows], Learned],
    said_by_texts: Array,
    *,
    threads: int,
) -> dict[str, Array]:
    """What each held-out row's class costs on each rung, in nats; a rung that some part does not have is left out."""
    if len(rows.labels) > MOST_ROWS:
        some = np.sort(rows.by_content()[:MOST_ROWS])
        rows, said_by_texts = rows.take(some), said_by_texts[some]
    own = rows.numbers(classes)
    found: dict[str, list[Array]] = {}
    parts = 0
    for held in folds(rows, own):
        others = np.setdiff1d(np.arange(len(own)), held)
        if not len(held) or not len(others):
            continue
        parts += 1
        learned = learned_from(rows.take(others)).of_classes(classes)
        part = Part(learned, rows.take(others), said_by_texts[others], threads)
        test = rows.take(held)
        for name in NAMES:
            if name in SELECTED and len(own) < FEW_ROWS:
                continue
            fitted = part.fit(name)
            if fitted is not None:
                found.setdefault(name, []).append(_losses(part.scores_of(fitted, test, said_by_texts[held]), own[held]))
    return {name: np.concatenate(several) for name, several in found.items() if len(several) == parts}


def climbed(found: dict[str, Array], weights: Array | None = None) -> str:
    """The rung that is climbed to: each has to be better than the last one by a standard error."""
    here = NAMES[0]
    for name in NAMES[1:]:
        if name in found:
            better = found[here] - found[name]
            if better.mean() > better.std() / np.sqrt(len(better)):
                here = name
    return here


def _losses(scores: Array, own: Array) -> Array:
    scores = scores - scores.max(axis=1, keepdims=True)
    found: Array = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(own)), own]
    return found
