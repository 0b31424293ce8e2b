"""TableModel: what a model of tables has learned of columns of different kinds, texts among them, and how each counts.

The score of a class is a sum of one term for each value and each word. By the textbook every column counts once. The
automatic model gives each column a weight, fitted on what all other rows say of each row (`column_weights.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.changes import Changes
from banbury.errors import FORGOTTEN, FileFormatError, InputError, NotAvailable, NotFittedError
from banbury.results.training_report import ColumnUse, TrainingReport
from banbury.tables.axes import boundary, nomogram
from banbury.tables.choice import ColumnChoice, check_text_settings, choose, report_of_one_text, text_settings
from banbury.tables.column_weights import universal_weight
from banbury.tables.columns import (
    Group,
    check_same_columns,
    groups_of,
    inner_kinds,
    kind_from_file,
    kind_settings,
    kinds_of,
)
from banbury.tables.dates import in_parts
from banbury.tables.frame import Table, names_of, read
from banbury.tables.kinds import Id, Text
from banbury.tables.learned import Learned, Rows
from banbury.tables.looking import column_table
from banbury.tables.n_parameters import n_parameters
from banbury.tables.scoring import TableReading, TextColumn, aligned, weighed_columns
from banbury.tables.terms import Terms
from banbury.tables.votes import CellChoice, CellVotes
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import LABEL_TYPES, Column, Label, check_kind
from banbury.text.likelihoods import Prior, log_prior
from banbury.text.model import TextModel, TextState
from banbury.text.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from banbury.results.boundary import Boundary
    from banbury.results.column_table import ColumnTable
    from banbury.results.nomogram import Nomogram
    from banbury.results.word_table import WordTable
    from banbury.tables.recognition import Data


class TableState(NamedTuple):
    """All that a reading of a model depends on besides the settings, of one moment."""

    identity: int
    """Of what was learned: quicker to compare."""
    learned: Learned
    choice: ColumnChoice | None
    texts: dict[str, TextState]


MOST_CLASSES = 10_000  # of a table; with more, nothing is fitted to the scores of rows by class
MOST_ROWS = 1 << 53  # of a class in a file: sums of such numbers are exact


class TableModel:
    """Statistics of columns and counts of texts, and what leave-one-out has chosen for them."""

    def __init__(
        self, kinds: dict[str, Any], learned: Learned, texts: dict[str, TextModel], choice: ColumnChoice | None = None
    ) -> None:
        self.kinds = kinds
        self.inner_kinds = inner_kinds(kinds)
        """Of the columns that are learned: dates are read as their parts."""
        self.learned = learned
        self.texts = texts
        self.choice = choice
        self.changes = Changes()

    @classmethod
    def fitted(
        cls,
        data: Data,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        columns: Any,
        effort: str,
        groups: Column = None,
        threads: int | None,
    ) -> tuple[TableModel, TrainingReport | None]:
        """A model of these rows, with everything chosen, and how well it does."""
        table = read(data)
        if columns is not None and not table.n_rows:
            raise InputError("no rows to learn from")
        kinds = kinds_of(columns, table, smoothing=settings.smoothing)
        inner = inner_kinds(kinds)
        if not inner:
            raise InputError(f"every column only names its rows ({names_of(kinds)}): there is nothing to learn from")
        check_text_settings(inner, settings)
        rows = Rows.of(in_parts(table.only(kinds), kinds), labels, weights, groups)
        if not rows.labels:  # all have weight 0
            raise InputError("no rows to learn from")
        model = cls(kinds, Learned([], [], groups_of(inner, 0)).plus(rows), {})
        log_prior(model.classes, model.documents, settings.prior)
        reports = {}
        for name, kind in inner.items():
            if isinstance(kind, Text):
                texts, text_labels, text_weights, present = rows.texts(name)
                if texts:
                    model.texts[name], reports[name] = TextModel.fitted(
                        texts,
                        text_labels,
                        text_weights,
                        text_settings(kind, settings),
                        analyzer=kind.analyzer,
                        effort=model._text_effort(effort),
                        groups=rows.group_names(present),
                        threads=threads,
                    )
                else:
                    model.texts[name] = TextModel.empty(text_settings(kind, settings), kind.analyzer)
        return model, model._choose(rows, settings, reports, effort, threads)

    @property
    def _only_text(self) -> str | None:
        """The name of the only column, where that is a text: then this is a model of texts, read as one."""
        (name, kind), *others = self.inner_kinds.items()
        return name if isinstance(kind, Text) and not others else None

    @property
    def _ids(self) -> list[str]:
        """Columns that only name rows."""
        return [name for name, kind in self.kinds.items() if isinstance(kind, Id)]

    def _read(self, data: Data) -> Table:
        """A table with the columns that are learned."""
        return in_parts(read(data).only(self.kinds), self.kinds)

    # What is learned

    @property
    def counts(self) -> Counts:
        """A model of a table has no counts: an `AttributeError`."""
        raise NotAvailable("a model of a table has no counts_; columns_ says what its columns are")

    @property
    def classes(self) -> list[Any]:
        """The labels, sorted."""
        return self.learned.classes

    @property
    def documents(self) -> list[int]:
        """How many rows each class has."""
        return self.learned.documents

    def add(self, data: Data, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Learn these rows too; a bad one changes nothing."""
        rows = Rows.of(self._read(data), labels, weights)
        with self.changes:
            learned, counted = self.learned.plus(rows), self._counted(rows, threads)
            for name, counts in counted.items():
                self.texts[name].counts.merge(counts)
            self.learned = learned

    def remove(self, data: Data, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Unlearn these rows; one that was never learned is a `CountError`, and nothing changes."""
        rows = Rows.of(self._read(data), labels, weights)
        with self.changes:
            learned, left = self.learned.minus(rows), {}
            for name in self.texts:
                texts, text_labels, text_weights, _ = rows.texts(name)
                left[name] = self.texts[name].counts.copy()
                left[name].remove(texts, text_labels, weights=text_weights, threads=threads)
            for name, counts in left.items():
                self.texts[name].counts = counts
            self.learned = learned

    def copy(self) -> TableModel:
        """The same model, which changes on its own from now on."""

        def look() -> TableModel:
            texts = {name: model.copy() for name, model in self.texts.items()}
            return TableModel(self.kinds, self.learned, texts, self.choice)

        return self.changes.whole(look)

    def empty_copy(self) -> TableModel:
        """A model with the same cells, bins and weights that has learned nothing: parts of one table can be merged."""
        texts = {name: model.empty_copy() for name, model in self.texts.items()}
        return TableModel(self.kinds, self.learned.empty(), texts, self.choice)

    def merge(self, other: Any) -> None:
        """Learn all that another model of the same columns has learned."""
        if not isinstance(other, TableModel):
            raise InputError("a model of a table cannot be merged with a model of texts")
        check_same_columns(self.kinds, other.kinds)
        theirs, texts = other.learned, {name: model.counts.copy() for name, model in other.texts.items()}
        with self.changes:
            for name, counts in texts.items():
                if counts.analyzer != self.texts[name].counts.analyzer:
                    raise InputError(
                        f"column {name!r} has texts of different analyzers in the two models; name one: "
                        f"columns={{{name!r}: banbury.Text(analyzer=…)}}"
                    )
            learned = self.learned.merged(theirs)
            for name, counts in texts.items():
                self.texts[name].counts.merge(counts)
            self.learned = learned

    def _counted(self, rows: Rows, threads: int | None) -> dict[str, Counts]:
        """The texts of these rows alone."""
        counted = {}
        for name, model in self.texts.items():
            texts, labels, weights, _ = rows.texts(name)
            counted[name] = Counts(model.counts.analyzer).add(texts, labels, weights=weights, threads=threads)
        return counted

    # What is chosen

    def choose(
        self,
        data: Data,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        effort: str,
        groups: Column = None,
        threads: int | None,
    ) -> TrainingReport | None:
        """Choose again what leave-one-out chooses, by rows that were learned."""
        rows = Rows.of(self._read(data), labels, weights, groups)
        check_kind(rows.labels, self.classes)
        if unknown := set(rows.labels).difference(self.classes):
            raise InputError(f"no row with label {min(unknown)!r} was learned")
        numbers = rows.numbers(self.classes)
        copies = rows.copies(numbers, len(self.classes))
        chosen = tuple(
            group.chosen_again(group.values(rows.table), numbers, rows.weights, copies) for group in self.learned.groups
        )
        with self.changes:
            self.learned = self.learned._replace(groups=chosen)
        reports = {}
        for name, model in self.texts.items():
            texts, text_labels, text_weights, present = rows.texts(name)
            if texts:
                reports[name] = model.choose(
                    texts,
                    text_labels,
                    text_weights,
                    text_settings(self.inner_kinds[name], settings),
                    effort=self._text_effort(effort),
                    groups=rows.group_names(present),
                    threads=threads,
                )
        return self._choose(rows, settings, reports, effort, threads)

    def _text_effort(self, effort: str) -> str:
        """A correction has seen the rows that weights are fitted on; so beside other columns a text has none."""
        return effort if self._only_text is not None else "counting"

    def _choose(
        self,
        rows: Rows,
        settings: Settings,
        reports: Mapping[str, TrainingReport | None],
        effort: str,
        threads: int | None,
    ) -> TrainingReport | None:
        self.choice = None
        if settings.calibration is None or not 1 < len(self.classes) <= MOST_CLASSES or not rows.labels:
            return None
        if self._only_text is not None:
            return report_of_one_text(self.inner_kinds, self.learned, rows, reports.get(self._only_text))
        choice, learned, report = choose(
            self.inner_kinds, self.learned, self.texts, rows, settings, effort=effort, threads=threads
        )
        with self.changes:
            self.choice, self.learned = choice, learned
        ids = [ColumnUse(name, "Id: it only names rows, and is left out", 0.0) for name in self._ids]
        report = replace(report, columns=[*report.columns, *ids])
        if effort == "best" and self.texts:
            note = 'beside other columns, words have no correction: effort="best" is for cells and for texts alone'
            report = replace(report, note=f"{report.note}; {note}" if report.note else note)
        return report

    # How it is read

    def state(self) -> TableState:
        """What a reading depends on besides the settings: where this is the same, the reading is."""
        return self.changes.whole(self._look)

    def is_in(self, state: tuple[Any, ...]) -> bool:
        """False: a model of tables has no labeller."""
        return False

    def _look(self) -> TableState:
        learned, choice = self.learned, self.choice
        return TableState(id(learned), learned, choice, {name: model.state() for name, model in self.texts.items()})

    def reading(self, settings: Settings, prior: Prior | None = None, state: TableState | None = None) -> TableReading:
        """How rows are scored in this state, by default the present one; `prior` stands in for that of the settings."""
        state = state or self.state()
        classes, documents, groups, terms = state.learned
        if not classes:  # another thread has made it forget the last of them
            raise NotFittedError(FORGOTTEN)
        prior = settings.prior if prior is None else prior
        weights = dict.fromkeys(self.inner_kinds, 1.0)
        votes = None
        if settings.calibration is None or len(classes) > MOST_CLASSES:
            start = log_prior(classes, documents, prior)
        else:
            choice = state.choice or ColumnChoice()
            known = dict(choice.weights)
            weights = {name: known.get(name, universal_weight(len(weights))) for name in weights}
            start = choice.start(classes, documents, prior)
            if choice.cells is not None and terms is not None:
                votes = CellVotes(terms, choice.cells, [weights[name] for name in terms.names], classes, documents)
                weights |= {
                    name: 0.0 for name, is_cells in zip(terms.names, choice.cells.by_cells, strict=True) if is_cells
                }
        texts = []
        for name, text_state in state.texts.items():
            if text_state.classes:
                how = text_settings(self.inner_kinds[name], settings)
                texts.append(TextColumn(name, self.texts[name].reading(how, state=text_state), weights[name]))
        only = self._only_text
        if only is not None and state.texts[only].classes == classes:
            how = text_settings(self.inner_kinds[only], settings)._replace(prior=settings.prior)
            text = self.texts[only].reading(how, prior, state.texts[only])
            start = text.start
            texts = [TextColumn(only, text, 1.0)]
        weighed = weighed_columns(groups, weights)
        return TableReading(classes, self.kinds, start, groups, weights, weighed, tuple(texts), votes)

    def n_parameters(self, settings: Settings) -> int:
        """The number of free parameters of the plain likelihoods of all columns in one class."""
        texts = [model.n_parameters(text_settings(self.kinds[name], settings)) for name, model in self.texts.items()]
        return sum(n_parameters(group) for group in self.learned.groups) + sum(texts)

    def joint_log_likelihood(self, data: Data, settings: Settings, *, coefficient: bool) -> NDArray[Any]:
        """log P(class) + log P(row | class), for each row and class: every column counts once."""
        classes, documents, groups, _ = self.learned
        table = self._read(data)
        logs = np.tile(np.array(log_prior(classes, documents, settings.prior)), (table.n_rows, 1))
        for group in groups:
            logs += group.statistics.scores(group.values(table))
        for name, model in self.texts.items():
            rows = np.flatnonzero(~table.columns[name].missing)
            texts = [text for text in table.columns[name].as_texts() if text is not None]
            if texts and model.classes:
                how = text_settings(self.inner_kinds[name], settings)
                said = model.log_likelihoods(texts, how, coefficient=coefficient)
                logs[rows] += aligned(said, model.classes, classes)
        return logs

    def sample(self, rng: Any, numbers: NDArray[Any], settings: Settings) -> list[dict[str, Any]]:
        """New rows of these classes."""
        classes, _, groups, _ = self.learned
        rows: list[dict[str, Any]] = [dict.fromkeys(self.inner_kinds) for _ in numbers]
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number).tolist()
            drawn: dict[str, list[Any]] = {}
            for group in groups:
                drawn |= group.decoded(group.statistics.sample(rng, number, len(places)))
            for name, model in self.texts.items():
                if classes[number] in model.classes:
                    class_ids = np.full(len(places), model.classes.index(classes[number]))
                    drawn[name] = model.sample(rng, class_ids, text_settings(self.inner_kinds[name], settings))
            for name, values in drawn.items():
                for place, value in zip(places, values, strict=True):
                    rows[place][name] = value
        return rows

    def words(self, label: Label | None, settings: Settings, *, column: str | None = None, **options: Any) -> WordTable:
        """The table of words of a column of texts; it has to be named where there are several."""
        if column is None and len(self.texts) == 1:
            (column,) = self.texts
        if column not in self.texts:
            if not self.texts:
                raise InputError(
                    f"this model has no column of texts, so it has no words; column() says what it has learned of "
                    f"{names_of(self.inner_kinds)}"
                )
            known = ", ".join(map(repr, self.texts))
            asked = "which column of texts?" if column is None else f"there is no column of texts {column!r};"
            raise InputError(f"{asked} there is {known}: words(label, column={next(iter(self.texts))!r})")
        return self.texts[column].words(label, text_settings(self.inner_kinds[column], settings), **options)

    def column(self, *names: str) -> ColumnTable:
        """What was learned of a column, or of two columns together."""
        return column_table(self.learned, self.inner_kinds, self.choice, names)

    def nomogram(
        self, settings: Settings, *, label: Label | None, against: Label | None, top: int, pairs: int
    ) -> Nomogram:
        """What the values of each column say, on one scale."""
        cells = None if self.choice is None else self.choice.cells
        how: dict[str, Any] = {"label": label, "against": against, "top": top, "pairs": pairs}
        return nomogram(self.reading(settings), self.learned, cells, **how)

    def boundary(self, settings: Settings, first: str, second: str, label: Label | None) -> Boundary:
        """How probable a class is by two columns of numbers."""
        return boundary(self.reading(settings), self.learned, (first, second), label)

    def rows(self, data: Data, labels: list[Any] | None = None) -> Rows:
        """Rows as they are learned, of labels that may be unknown."""
        table = self._read(data)
        return Rows.of(table, [None] * table.n_rows if labels is None else labels, None)

    def spelling(self, word: str) -> list[str]:
        """The tokens that the usual analyzer makes of a word."""
        return [token.text for token in Analyzer().tokens(word)]

    def hold(self, data: Data) -> tuple[Table, Callable[[int], dict[str, Any]]]:
        """Rows that can be read more than once, and a function from the number of a row to the row."""
        table = read(data).only(self.kinds)
        return table, table.row

    def of_texts(self, purpose: str) -> TextModel:
        """An error that says the purpose for which a model of texts is needed."""
        raise InputError(f"this is a model of a table; {purpose}")

    def of_table(self) -> TableModel:
        """This model."""
        return self

    # How it is kept

    def parameters(self) -> dict[str, Any]:
        """The parameters of a classifier that say what was learned: those that stay as they are after training."""
        return {"columns": self.kinds}

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""
        classes, documents, groups, terms = self.learned
        settings: dict[str, Any] = {
            "classes": classes,
            "labels": type(classes[0]).__name__ if classes else "str",
            "documents": documents,
            "columns": [[name, kind_settings(kind)] for name, kind in self.kinds.items()],
            "groups": [],
            "texts": [],
            "weights": None if self.choice is None else self.choice.settings(),
            "terms": None,
            "cells": None,
        }
        arrays: dict[str, Any] = {}
        if terms is not None and self.choice is not None and self.choice.cells is not None:
            settings["terms"], part_arrays = terms.parts()
            settings["cells"], more = self.choice.cells.parts()
            arrays |= {f"terms.{name}": array for name, array in {**part_arrays, **more}.items()}
        for number, group in enumerate(groups):
            part, part_arrays = group.parts()
            settings["groups"].append(part)
            arrays |= {f"group{number}.{name}": array for name, array in part_arrays.items()}
        for number, (name, model) in enumerate(self.texts.items()):
            part, part_arrays = model.parts()
            settings["texts"].append([name, part])
            arrays |= {f"text{number}.{name}": array for name, array in part_arrays.items()}
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> TableModel:
        """The model that `parts` were taken from."""
        groups = tuple(
            Group.from_parts(part, _named(arrays, f"group{number}.")) for number, part in enumerate(settings["groups"])
        )
        texts = {
            name: TextModel.from_parts(part, _named(arrays, f"text{number}."))
            for number, (name, part) in enumerate(settings["texts"])
        }
        known_kinds = {name: group.kind for group in groups for name in group.names}
        kinds = {
            name: known_kinds[name] if name in known_kinds else kind_from_file(part)
            for name, part in settings["columns"]
        }
        classes, documents = list(settings["classes"]), list(settings["documents"])
        if not all(type(n) is int and 0 < n < MOST_ROWS for n in documents):
            raise FileFormatError("a class has an impossible number of rows")
        kind = LABEL_TYPES[settings["labels"]]
        if any(type(label) is not kind for label in classes) or sorted(set(classes)) != classes:
            raise FileFormatError("its labels are not of one kind, or not in order")
        is_whole = len(documents) == len(classes) and all(
            group.statistics.n_classes == len(classes) for group in groups
        )
        if not is_whole or {*known_kinds, *texts} != set(inner_kinds(kinds)):
            raise FileFormatError("its columns or classes do not fit together")
        terms, cells, weights = None, None, settings["weights"]
        if settings["terms"] is not None:
            part = _named(arrays, "terms.")
            terms = Terms.from_parts(settings["terms"], part)
            cells = CellChoice.from_parts(settings["cells"], part, terms)
            if terms.counts.shape[1] != len(classes) or not set(terms.names) <= set(known_kinds):
                raise FileFormatError("its cells do not fit its columns or classes")
        choice = None if weights is None else ColumnChoice.from_settings(weights, cells)
        return cls(kinds, Learned(classes, documents, groups, terms), texts, choice)


def _named(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
