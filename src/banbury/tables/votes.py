"""Votes: what leave-one-out has chosen for cells of columns, pairs and triples, and how rows are scored by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banbury import _kernel
from banbury.errors import FileFormatError, InputError
from banbury.tables.cells import LEVELS, NO_CELL, NumberCells
from banbury.tables.columns import Group
from banbury.tables.fit import Fit, term_weights
from banbury.tables.terms import Terms

LARGEST_FILED_WEIGHT = 1e100  # in a file: the sum of all of them is a number


@dataclass(frozen=True, eq=False)
class CellChoice:
    """What was chosen for cells; it stays when more is learned. All but the rung and the correction is by column."""

    rung: str
    smoothing: tuple[tuple[float, float], ...]
    by_cells: tuple[bool, ...]
    """Whether the column alone is read by its cells rather than by its kind."""
    silent: tuple[int, ...] = ()
    """Terms that are counted for the sake of triples only."""
    pair_trust: tuple[float, ...] = ()
    triple_trust: tuple[float, ...] = ()
    corrected: tuple[int, ...] = ()
    """Terms whose cells have weights of their own."""
    correction: NDArray[np.float64] | None = None
    """By feature and label."""
    labels: tuple[Any, ...] = ()

    @classmethod
    def of(cls, fitted: Fit) -> CellChoice:
        """The choice that a rung stands for."""
        is_silent = ~fitted.votes & (np.arange(len(fitted.votes)) >= len(fitted.terms.names))
        return cls(
            fitted.name,
            fitted.smoothing,
            fitted.by_cells,
            tuple(np.flatnonzero(is_silent).tolist()),
            tuple(fitted.pair_trust.tolist()),
            tuple(fitted.triple_trust.tolist()),
        )

    def weights(self, terms: Terms, column_weights: Sequence[float]) -> NDArray[Any]:
        """How much each term counts; columns that are read by their kind count by that."""
        votes = np.ones(len(terms.columns), bool)
        votes[list(self.silent)] = False
        weights = term_weights(terms, votes, np.array(self.pair_trust), np.array(self.triple_trust))
        weights[: len(terms.names)] = np.where(self.by_cells, column_weights, 0.0)
        return weights

    def corrections(self, classes: Sequence[Any]) -> NDArray[np.float64] | None:
        """The weights of cells by feature and class; a label that came later has none."""
        if self.correction is None:
            return None
        places = {label: place for place, label in enumerate(self.labels)}
        corrections = np.zeros((len(self.correction), len(classes)))
        for at, label in enumerate(classes):
            if label in places:
                corrections[:, at] = self.correction[:, places[label]]
        return corrections

    # How it is kept

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        settings = {
            "rung": self.rung,
            "smoothing": list(map(list, self.smoothing)),
            "by_cells": list(self.by_cells),
            "silent": list(self.silent),
            "pair_trust": list(self.pair_trust),
            "triple_trust": list(self.triple_trust),
            "corrected": list(self.corrected),
            "labels": list(self.labels),
        }
        return settings, {} if self.correction is None else {"correction": self.correction.ravel()}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any], terms: Terms) -> CellChoice:
        """The choice that `parts` were taken from."""
        n, labels = len(terms.names), tuple(settings["labels"])
        choice = cls(
            str(settings["rung"]),
            tuple((float(strength), float(growth)) for strength, growth in settings["smoothing"]),
            tuple(map(bool, settings["by_cells"])),
            tuple(map(int, settings["silent"])),
            tuple(map(float, settings["pair_trust"])),
            tuple(map(float, settings["triple_trust"])),
            tuple(map(int, settings["corrected"])),
            np.array(arrays["correction"], float).reshape(-1, max(1, len(labels))) if "correction" in arrays else None,
            labels,
        )
        lengths = {len(one) for one in (choice.smoothing, choice.by_cells, choice.pair_trust, choice.triple_trust)}
        numbers = [at for at in choice.silent + choice.corrected if not 0 <= at < len(terms.columns)]
        correction = () if choice.correction is None else choice.correction.ravel()
        weights = np.abs([*choice.pair_trust, *choice.triple_trust, *correction])
        smoothing = np.array(choice.smoothing).ravel()
        is_sound = (weights <= LARGEST_FILED_WEIGHT).all() and (
            (smoothing >= 0) & (smoothing <= LARGEST_FILED_WEIGHT)
        ).all()
        if len(set(labels)) != len(labels):
            raise FileFormatError("the labels of its correction repeat")
        if lengths != {n} or numbers or not is_sound or sorted(choice.corrected) != list(choice.corrected):
            raise FileFormatError("what was chosen for its cells does not fit its columns")
        return choice


class Vote(NamedTuple):
    """What a column, a pair or a triple adds to the scores of a row."""

    columns: tuple[str, ...]
    cells: tuple[str, ...]
    """The cell of each, for people: "= 3" for a category, "60–80" for an interval."""
    weights: list[float]
    """By class."""


class CellVotes:
    """Rows scored by cells: all of one moment."""

    def __init__(
        self,
        terms: Terms,
        choice: CellChoice,
        column_weights: Sequence[float],
        classes: Sequence[Any],
        documents: Sequence[int],
    ) -> None:
        self.terms = terms
        self.n_classes = len(documents)
        try:
            evidence = _kernel.CellEvidence(
                terms.layout, terms.counts.ravel(), list(map(float, documents)), list(choice.smoothing)
            )
            weights, correction = choice.weights(terms, column_weights), choice.corrections(classes)
            flat = None if correction is None else correction.ravel()
            self._reading = _kernel.CellReading(evidence, weights.tolist(), list(choice.corrected), flat)
        except InputError as error:
            raise FileFormatError(f"what was chosen for its cells does not fit them: {error}") from None

    def scores(self, groups: Sequence[Group], values: Sequence[NDArray[Any]], threads: int) -> NDArray[Any]:
        """What all terms add to the scores, by row and class."""
        codes = self.terms.codes(groups, values)
        rows = _kernel.CellRows(codes.ravel(), codes.shape[1], self.n_classes)
        return np.asarray(self._reading.scores(rows, threads))

    def votes(self, groups: Sequence[Group], values: Sequence[NDArray[Any]]) -> list[Vote]:
        """The terms that add to the scores of one row."""
        codes = self.terms.codes(groups, values)[:, 0]
        rows = _kernel.CellRows(codes, 1, self.n_classes)
        votes = []
        for number, weights in self._reading.terms(rows):
            columns = self.terms.columns[number]
            if all(codes[at] != NO_CELL for at in columns):
                level = LEVELS[len(columns) - 1]
                shown = tuple(
                    ("" if isinstance(self.terms.cells[at], NumberCells) else "= ")
                    + self.terms.cells[at].shown(int(codes[at]), level)
                    for at in columns
                )
                votes.append(Vote(tuple(self.terms.names[at] for at in columns), shown, weights))
        return votes
