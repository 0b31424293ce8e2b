"""How rows of a table are scored: the sum of one term for each value and each word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.results.terms import AbsentWords, Change, Term
from banbury.tables.columns import inner_kinds
from banbury.tables.dates import in_parts
from banbury.tables.frame import Table, as_row, read, show_row, show_value
from banbury.tables.recognition import is_row
from banbury.text.preprocessing import changes
from banbury.text.reading import TextReading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from banbury.tables.columns import Group
    from banbury.tables.recognition import Data, Row
    from banbury.tables.votes import CellVotes, Vote


MOST_TOGETHER = 120  # pairs and triples that an explanation names; more are summed up by column


class TextColumn(NamedTuple):
    """A column of texts, and how much it counts."""

    name: str
    reading: TextReading
    weight: float


class WeighedColumns(NamedTuple):
    """The columns of a group that count by their kind."""

    group: int
    """Its place among the groups."""
    places: NDArray[Any]
    """Of the columns in their group."""
    statistics: Any
    weights: NDArray[Any]


def weighed_columns(groups: Sequence[Group], weights: Mapping[str, float]) -> tuple[WeighedColumns, ...]:
    """The columns that count by their kind, made ready once for all rows that will be read."""
    weighed = []
    for number, group in enumerate(groups):
        group_weights = np.array([weights[name] for name in group.names])
        places = np.flatnonzero(group_weights)
        if places.size:
            is_whole = places.size == len(group.names)
            statistics = group.statistics if is_whole else group.statistics.columns(places)
            weighed.append(WeighedColumns(number, places, statistics, group_weights[places]))
    return tuple(weighed)


class TableReading(NamedTuple):
    """How rows are scored, all of one moment."""

    classes: list[Any]
    kinds: dict[str, Any]
    """Of the columns of the table; dates are read as their parts."""
    start: list[float]
    groups: tuple[Group, ...]
    weights: dict[str, float]
    """How much each column counts."""
    weighed: tuple[WeighedColumns, ...]
    texts: tuple[TextColumn, ...]
    votes: CellVotes | None = None
    """What cells of columns, pairs and triples say; a column whose cells are read has no weight besides."""

    def is_one(self, data: Data) -> bool:
        """Whether this is one row rather than a table; a `str` is one document, of the wrong kind."""
        return isinstance(data, str) or is_row(data)

    def one(self, row: Row) -> dict[str, Any]:
        """One row, checked."""
        return as_row(row)

    def shown(self, row: Mapping[str, Any]) -> str:
        """A row as people read it."""
        return show_row(row)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are learned."""
        return tuple(inner_kinds(self.kinds))

    def _read(self, data: Data) -> Table:
        return in_parts(read(data).only(self.kinds), self.kinds)

    def best_one(self, row: Row) -> int:
        """The class id with the highest score, the first of equal ones."""
        return int(self.scores(row, 1)[0].argmax())

    def labeller(self, _made_from: tuple[Any, ...]) -> None:
        """None: a model of tables has no labeller."""

    def best(self, data: Data, threads: int) -> NDArray[Any]:
        """The class id with the highest score, for each row."""
        best: NDArray[Any] = self.scores(data, threads).argmax(axis=1)
        return best

    def scores(self, data: Data, threads: int) -> NDArray[Any]:
        """The score of each row and class, up to a number that the classes share."""
        table = self._read(data)
        scores = np.tile(np.array(self.start), (table.n_rows, 1))
        values = [group.values(table) for group in self.groups]
        for columns in self.weighed:
            numbers = values[columns.group]
            numbers = numbers if len(columns.places) == numbers.shape[1] else numbers[:, columns.places]
            scores += columns.statistics.scores(numbers, columns.weights)
        if self.votes is not None:
            scores += self.votes.scores(self.groups, values, threads)
        for text in self.texts:
            column = table.columns[text.name]
            texts = [one for one in column.as_texts() if one is not None]
            if texts:
                said = aligned(text.reading.evidence(texts, threads), text.reading.classes, self.classes)
                scores[~column.missing] += text.weight * said
        return scores

    def scores_of(self, row: Row) -> list[float]:
        """The scores of one row."""
        scores: list[float] = self.scores(row, 1)[0].tolist()
        return scores

    def terms(self, row: Row) -> tuple[list[float], list[Term]]:
        """The terms that the scores of a row are the sums of: a start for each class, a term for each value or word."""
        start, terms, _ = self._terms(row, with_absent=False)
        return start, terms

    def all_terms(self, row: Row) -> tuple[list[float], list[Term], list[AbsentWords]]:
        """`terms`, and the words that texts of the Bernoulli likelihood have not: then they are not in the start."""
        return self._terms(row, with_absent=True)

    def _terms(self, row: Row, *, with_absent: bool) -> tuple[list[float], list[Term], list[AbsentWords]]:
        table = self._read(row)
        values = table.row(0)
        by_column = {name: [term] for name, term in self._value_terms(table, values)}
        together: list[Term] = []
        if self.votes is not None:
            votes = self.votes.votes(self.groups, [group.values(table) for group in self.groups])
            for vote in votes:
                if len(vote.columns) == 1:
                    (name,), (cell,) = vote.columns, vote.cells
                    word = show_value(values[name])
                    word = word if cell.startswith("=") else f"{word} ({cell})"
                    by_column[name] = [Term(word, None, None, vote.weights, "value", name)]
            together = self._together([vote for vote in votes if len(vote.columns) > 1])
        start, absent = list(self.start), list[AbsentWords]()
        for text in self.texts:
            if values[text.name] is None:
                continue
            reading = text.reading._replace(start=[0.0] * len(text.reading.classes))
            document = values[text.name]
            first, terms, words = reading.all_terms(document) if with_absent else (*reading.terms(document), [])
            # What a text says before its first word: for Bernoulli that every word is absent, unless these are listed.
            (first,) = aligned([first], text.reading.classes, self.classes).tolist()
            start = [one + text.weight * other for one, other in zip(start, first, strict=True)]
            by_column[text.name] = [
                term._replace(column=text.name, weights=self._text_weights(text, term.weights)) for term in terms
            ]
            for some in words:
                weights = text.weight * aligned(some.weights, text.reading.classes, self.classes)
                absent.append(some.replace(weights=weights, column=text.name))
        return start, [*(term for name in self.names for term in by_column.get(name, [])), *together], absent

    def pair_terms(self, row: Row, ours: int, theirs: int) -> None:
        """A row has no single text whose words could be summed at once."""
        return None

    def changes(self, row: Row) -> list[Change]:
        """What preprocessing leaves out of the texts of a row, and what it counts under another name."""
        values = self._read(row).row(0)
        return [
            change._replace(column=text.name)
            for text in self.texts
            if values[text.name] is not None
            for change in changes(text.reading.analyzer, values[text.name])
        ]

    def _together(self, votes: list[Vote]) -> list[Term]:
        """What columns say together, beyond what each says: a term for each pair and triple, or for each column."""
        places = {name: place for place, name in enumerate(self.names)}
        if len(votes) <= MOST_TOGETHER:
            terms = []
            for vote in votes:
                order = sorted(range(len(vote.columns)), key=lambda at: places[vote.columns[at]])
                word = " & ".join(f"{vote.columns[at]} {vote.cells[at]}" for at in order)
                column = " & ".join(vote.columns[at] for at in order)
                terms.append(Term(word, None, None, vote.weights, "together", column))
            return terms
        sums: dict[str, list[float]] = {}
        for vote in votes:
            for name in vote.columns:
                before = sums.get(name, [0.0] * len(self.classes))
                share = [weight / len(vote.columns) for weight in vote.weights]
                sums[name] = [one + other for one, other in zip(before, share, strict=True)]
        names = sorted(sums, key=lambda name: places[name])
        return [Term(f"{name} & others", None, None, sums[name], "together", name) for name in names]

    def _value_terms(self, table: Table, values: dict[str, Any]) -> list[tuple[str, Term]]:
        terms = []
        for group in self.groups:
            logs = group.statistics.log_probabilities(group.values(table))[0]
            for at, name in enumerate(group.names):
                if values[name] is not None and (self.votes is None or self.weights[name]):
                    weights = (self.weights[name] * logs[:, at]).tolist()
                    terms.append((name, Term(show_value(values[name]), None, None, weights, "value", name)))
        return terms

    def _text_weights(self, text: TextColumn, weights: list[float] | None) -> list[float] | None:
        if not weights:
            return weights
        (aligned_weights,) = aligned([weights], text.reading.classes, self.classes).tolist()
        return [text.weight * weight for weight in aligned_weights]


def aligned(evidence: Any, known_classes: list[Any], classes: list[Any]) -> NDArray[Any]:
    """Evidence on some classes as evidence on others: on one that it knows nothing of, the mean of what it knows."""
    known: NDArray[Any] = np.asarray(evidence, dtype=float)
    if known_classes == classes:
        return known
    places = {label: place for place, label in enumerate(known_classes)}
    wide = np.repeat(known.mean(axis=1, keepdims=True), len(classes), axis=1)
    for place, label in enumerate(classes):
        if label in places:
            wide[:, place] = known[:, places[label]]
    return wide
