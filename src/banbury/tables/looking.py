"""What was learned of a column, or of two columns together, as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury import _kernel
from banbury.errors import InputError
from banbury.results.column_table import Cell, ColumnTable, Parameter
from banbury.stats.intervals import Interval
from banbury.tables.cells import DEPTH, LEVELS, NO_CELL, ColumnCells, NumberCells, short
from banbury.tables.choice import ColumnChoice
from banbury.tables.columns import Group, described
from banbury.tables.frame import names_of, show_value
from banbury.tables.learned import Learned

if TYPE_CHECKING:
    from banbury.text.documents import Label

MOST_BINS = 64  # of a histogram whose probabilities are listed


def column_table(
    learned: Learned, kinds: Mapping[str, Any], choice: ColumnChoice | None, names: Sequence[str]
) -> ColumnTable:
    """The cells and parameters of one column, or the cells of a pair."""
    groups = {name: (group, at) for group in learned.groups for at, name in enumerate(group.names)}
    for name in names:
        if name not in groups:
            raise InputError(f"there is no column {name!r} of values; there is {names_of(groups)}")
    weights = dict(choice.weights) if choice is not None else {}
    if len(names) == 1:
        (name,) = names
        group, at = groups[name]
        cells = _cells(learned, choice, (name,), weights.get(name, 1.0))
        parameters = _parameters(group, at, learned.classes)
        kind = f"{described(kinds[name])}, cells" if cells else group.described(at)
        return ColumnTable((name,), kind, weights.get(name, 1.0), learned.classes, cells, parameters)
    cells = _cells(learned, choice, tuple(names), 0.0)
    if not cells:
        raise InputError(f"{names[0]!r} and {names[1]!r} are not read together in this model")
    weight = _weight(learned, choice, names)
    values = tuple(_cell_names(learned, name) for name in names)
    return ColumnTable(tuple(names), "what they say beyond each", weight, learned.classes, cells, [], values)


def _cell_names(learned: Learned, name: str) -> tuple[str, ...]:
    """The cells that a column has in pairs, in order."""
    assert learned.terms is not None
    cells = learned.terms.cells[learned.terms.names.index(name)]
    return tuple(cells.shown(code, LEVELS[1]) for code in _codes(cells, LEVELS[1]))


def _term(learned: Learned, names: Sequence[str]) -> tuple[int, list[int]] | None:
    """The number of the term of these columns, and their places in its order."""
    terms = learned.terms
    if terms is None or not set(names) <= set(terms.names):
        return None
    places = [terms.names.index(name) for name in names]
    columns = tuple(sorted(places))
    return (terms.columns.index(columns), places) if columns in terms.columns else None


def _weight(learned: Learned, choice: ColumnChoice | None, names: Sequence[str]) -> float:
    term = _term(learned, names)
    if term is None or choice is None or choice.cells is None or learned.terms is None:
        return 0.0
    return float(choice.cells.weights(learned.terms, [0.0] * len(learned.terms.names))[term[0]])


def _cells(learned: Learned, choice: ColumnChoice | None, names: tuple[str, ...], alone: float) -> list[Cell]:
    """The cells of a term, each that some row is in, or None where the term is not read."""
    term = _term(learned, names)
    terms = learned.terms
    if term is None or terms is None or choice is None or choice.cells is None:
        return []
    number, places = term
    if len(names) == 1 and not choice.cells.by_cells[places[0]]:
        return []
    weight = alone if len(names) == 1 else _weight(learned, choice, names)
    level = LEVELS[len(names) - 1]
    codes_of = [_codes(terms.cells[place], level) for place in places]
    combined = list(product(*codes_of))
    codes = np.full((len(terms.names), len(combined)), NO_CELL, np.uint8)
    for place, values in zip(places, zip(*combined, strict=True), strict=True):
        codes[place] = values
    n = len(learned.classes)
    rows = _kernel.CellRows(codes.ravel(), len(combined), n)
    evidence = _kernel.CellEvidence(
        terms.layout, terms.counts.ravel(), list(map(float, learned.documents)), list(choice.cells.smoothing)
    )
    nats = weight * np.asarray(evidence.evidence([number], rows))[:, 0]
    counts = _counts(learned, number, places, combined, level)
    return [
        Cell(
            tuple(terms.cells[place].shown(code, level) for place, code in zip(places, values, strict=True)),
            tuple(counts[at].tolist()),
            tuple(nats[at].tolist()),
        )
        for at, values in enumerate(combined)
        if counts[at].any()
    ]


def _codes(cells: ColumnCells, level: int) -> list[int]:
    """One code for each cell of a column at a level, in order."""
    if isinstance(cells, NumberCells):
        coarse = sorted({int(code) >> (DEPTH - level) for code in cells.codes})
        return [code << (DEPTH - level) for code in coarse]
    return list(range(cells.size))


def _counts(learned: Learned, number: int, places: list[int], combined: Sequence[Sequence[int]], level: int) -> Any:
    terms = learned.terms
    assert terms is not None
    first = terms.layout.firsts()[number]
    order = sorted(range(len(places)), key=lambda at: places[at])
    counts = []
    for values in combined:
        cell = 0
        for at in order:
            cells = terms.cells[places[at]]
            is_number = isinstance(cells, NumberCells)
            size = 2**level if is_number else cells.size
            cell = cell * size + (values[at] >> (DEPTH - level) if is_number else values[at])
        counts.append(terms.counts[first + cell])
    return np.array(counts)


def _parameters(group: Group, at: int, classes: Sequence[Any]) -> list[Parameter]:
    """The parameters of a column's kind, with credible intervals."""
    parameters = []
    for name, summary in group.statistics.columns([at]).posterior(0.95).items():
        values, low, high = (np.asarray(one)[:, 0] for one in (summary.value, summary.low, summary.high))
        if values.ndim > 1 and values.shape[1] > MOST_BINS:
            continue
        names = _value_names(group, at)
        for class_id, label in enumerate(classes):
            if values.ndim == 1:
                if not np.isnan(values[class_id]):
                    parameters.append(_parameter(name, label, values[class_id], low[class_id], high[class_id]))
                continue
            for bin_ in range(values.shape[1]):
                if not np.isnan(values[class_id, bin_]) and (names is None or bin_ < len(names)):
                    shown = f"P({names[bin_] if names else bin_ + 1})"
                    one = values[class_id, bin_], low[class_id, bin_], high[class_id, bin_]
                    parameters.append(_parameter(shown, label, *one))
    return parameters


def _value_names(group: Group, at: int) -> list[str] | None:
    """What values of a column that have a probability each are called: categories, or the intervals of a histogram."""
    if group.categories is not None:
        return [show_value(value) for value in group.categories[at]]
    statistics = group.statistics
    every = getattr(getattr(statistics, "forms", {}).get("histogram", statistics), "edges", None)
    edges = None if every is None else every[at]
    if edges is None or not len(edges):
        return None
    between = [f"{short(low)}–{short(high)}" for low, high in pairwise(edges.tolist())]
    return [f"below {short(float(edges[0]))}", *between, f"{short(float(edges[-1]))} or more"]


def _parameter(name: str, label: Label, value: float, low: float, high: float) -> Parameter:
    return Parameter(name, label, float(value), Interval(float(low), float(high)))
