"""The ladder: which rung a table is worth, judged by rows that had no part in anything.

Leave-one-out must not choose here. Rows of one small cell hold each other's labels, so it is too hopeful once terms are
selected. So some rows are held out, and cells, counts, weights and the selection are made without them: five folds
where there are up to 1,000 rows, three up to 3,000, two parts of a fifth up to 6,000, else one. A rung is climbed if it
is better by one standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from banbury.stats.softmax import log_softmax
from banbury.tables.fit import Array
from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import RUNG_NAMES, SELECTED, Part

FEW_ROWS = 1_000  # up to so many there are five folds, and nothing is selected
SOME_ROWS = 3_000  # up to so many there are three
MORE_ROWS = 6_000  # up to so many two parts of a fifth are held out, one after the other
MOST_JUDGED_ROWS = 20_000  # that the rungs are judged with
LADDER_FOLDS = 5
MOST_HELD_OUT_ROWS = 4_000
FEW_COLUMNS = 200  # of more columns one part is held out, whatever the rows
MOST_CLIMBED_COLUMNS = 2_000  # of more columns nothing is climbed
RUNG_PENALTIES = (10.0, 1.0, 0.1)  # of the correction
FEWEST_CLIMBED_ROWS = 50  # below, nothing is climbed


def folds(rows: Rows, class_ids: Array, n_columns: int = 0) -> Iterator[Array]:
    """Stratified folds: arrays of the rows to hold out, which depend on what is in the rows alone."""
    order = rows.by_content()
    # Rows that belong together are held out together, as one row of the class of the first of them.
    _, firsts, keys = np.unique(rows.together()[order], return_index=True, return_inverse=True)
    heads = order[np.sort(firsts)]
    ranks = np.empty(len(firsts), np.intp)
    for number in np.unique(class_ids[heads]):
        of_class = np.flatnonzero(class_ids[heads] == number)
        ranks[of_class] = np.arange(len(of_class))
    by_key = np.empty(len(firsts), np.intp)
    by_key[np.argsort(firsts, kind="stable")] = ranks
    rank_of_row = np.empty(len(class_ids), np.intp)
    rank_of_row[order] = by_key[keys.ravel()]
    if len(class_ids) <= SOME_ROWS and n_columns <= FEW_COLUMNS:
        n = LADDER_FOLDS if len(class_ids) <= FEW_ROWS else 3
        parts = [np.flatnonzero(rank_of_row % n == fold) for fold in range(n)]
    else:
        every = max(LADDER_FOLDS, -(-len(class_ids) // MOST_HELD_OUT_ROWS))
        n = 2 if len(class_ids) <= MORE_ROWS and n_columns <= FEW_COLUMNS else 1
        parts = [np.flatnonzero(rank_of_row % every == part) for part in range(n)]
    yield from (part for part in parts if 0 < len(part) < len(class_ids))


class Trial(NamedTuple):
    """What a rung makes of rows that were held out."""

    rows: Array
    """Their places."""
    log_probabilities: Array
    losses: Array
    """What each row's class costs, in nats."""


class Ladder:
    """Every rung on rows that were held out; one that some part of the rows does not have is left out."""

    def __init__(
        self,
        rows: Rows,
        classes: list[Any],
        learned_from: Callable[[Rows], Learned],
        texts: Callable[[Array], Array],
        *,
        threads: int,
    ) -> None:
        places = np.sort(rows.by_content()[:MOST_JUDGED_ROWS])
        rows = rows.take(places)
        class_ids = rows.numbers(classes)
        self._parts: list[tuple[Part, Rows, Array, Array, Array]] = []
        for held in folds(rows, class_ids, len(rows.table.columns)):
            others = np.setdiff1d(np.arange(len(class_ids)), held)
            part = _part(rows.take(others), classes, learned_from, _at(texts, places[others]), threads)
            self._parts.append((part, rows.take(held), texts(places[held]), places[held], class_ids[held]))
        names = [name for name in RUNG_NAMES if name not in SELECTED or len(class_ids) >= FEW_ROWS]
        names = names if self._parts else []  # all rows belong together
        tried = {name: self._trial(name) for name in names}
        self.trials: dict[str, Trial] = {name: trial for name, trial in tried.items() if trial is not None}
        self.penalties: dict[float, Trial] = {}

    def _trial(self, name: str, penalty: float | None = None) -> Trial | None:
        trials = []
        for part, test, said, places, class_ids in self._parts:
            fitted = part.fit(name)
            if fitted is None:
                return None
            correction: tuple[Any, ...] = ()
            if penalty is not None:
                terms, weights = part.corrections(fitted, [one for one in RUNG_PENALTIES if one >= penalty])
                if not terms:
                    return None
                correction = terms, weights[-1]
            logs = log_softmax(part.scores_of(fitted, test, said, *correction))
            trials.append(Trial(places, logs, -logs[np.arange(len(class_ids)), class_ids]))
        return Trial(*map(np.concatenate, zip(*trials, strict=True)))

    def climbed(self) -> str:
        """The rung that is climbed to: each has to be better than the last one by a standard error."""
        here = RUNG_NAMES[0]
        if here not in self.trials:
            return here
        for name in RUNG_NAMES[1:]:
            if name in self.trials and _is_better(self.trials[name], self.trials[here]):
                here = name
        return here

    def penalty(self, rung: str) -> float | None:
        """The penalty of a correction on top of a rung, where it is better by a standard error."""
        here, best = None, self.trials[rung]
        for penalty in RUNG_PENALTIES:
            trial = self._trial(rung, penalty)
            if trial is not None:
                self.penalties[penalty] = trial
                if _is_better(trial, best):
                    here, best = penalty, trial
        return here


def _is_better(one: Trial, other: Trial) -> bool:
    better = other.losses - one.losses
    return bool(better.mean() > better.std() / np.sqrt(len(better)))


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
