"""What the values of columns say, each alone: axes of a nomogram, and the plane of two columns.

A missing value says nothing. So what a value says is the score of a row that has no other value, less that of a row
that has none at all: exactly what it adds in the model, whatever its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banbury.display.nomogram import Axis
from banbury.errors import InputError
from banbury.results.boundary import Boundary
from banbury.results.nomogram import Nomogram
from banbury.stats.softmax import log_softmax
from banbury.tables.cells import DEPTH, LEVELS, CategoryCells, ColumnCells, NumberCells, short
from banbury.tables.columns import Group
from banbury.tables.frame import Table, names_of, show_value
from banbury.tables.kinds import Bernoulli, Gaussian, Poisson
from banbury.tables.values import column

if TYPE_CHECKING:
    from banbury.tables.learned import Learned
    from banbury.tables.scoring import TableReading
    from banbury.tables.terms import Terms
    from banbury.tables.votes import CellChoice
    from banbury.text.documents import Label

MOST_MARKS = 10  # values of a category on its axis
NUMBERS_SHOWN = 9  # places on the axis of a column of numbers
INTERVALS = 3  # levels of the tree of a column that is read by its cells: eight intervals
PAIRS_LOOKED_AT = 20  # those that are trusted most
PAIR_MARKS = 6  # cells of a pair, those that say most
PLANE_PLACES = 48  # of a plane, each way


def nomogram(
    reading: TableReading,
    learned: Learned,
    cells: CellChoice | None,
    *,
    label: Label | None,
    against: Label | None,
    top: int,
    pairs: int,
) -> Nomogram:
    """Axes of the columns, and of the pairs that say most beyond their columns."""
    classes = reading.classes
    label = classes[-1] if label is None else label
    others = [name for name in classes if name != label]
    against = others[-1] if against is None and others else against
    for name in (label, against):
        if name not in classes:
            raise InputError(f"there is no class {name!r}; there is {names_of(classes)}")
    if label == against:
        raise InputError(f"the two classes of a nomogram are different ones, not {label!r} twice")
    ours, theirs = classes.index(label), classes.index(against)
    asked = _Asked(reading, ours, theirs)
    axes = []
    for group in learned.groups:
        for place, name in enumerate(group.names):
            marks = _marks(asked, learned, cells, group, place, name)
            if marks:
                axes.append(Axis(name, sorted(marks, key=lambda mark: mark[1])))
    axes = sorted(axes, key=_length, reverse=True)
    of_pairs = sorted(_pairs(asked, learned, cells), key=_length, reverse=True) if pairs else []
    shown, shown_pairs = axes[:top], of_pairs[:pairs]
    n_more = len(axes) + len(of_pairs) - len(shown) - len(shown_pairs)
    return Nomogram(label, classes[theirs], asked.start, shown, shown_pairs, n_more)


def boundary(reading: TableReading, learned: Learned, names: tuple[str, str], label: Label | None) -> Boundary:
    """How probable a class is by the values of two columns of numbers."""
    label = reading.classes[-1] if label is None else label
    if label not in reading.classes:
        raise InputError(f"there is no class {label!r}; there is {names_of(reading.classes)}")
    groups = {name: (group, place) for group in learned.groups for place, name in enumerate(group.names)}
    values = []
    for name in names:
        group, place = groups.get(name, (None, 0))
        ends = None if group is None else _numbers(learned, group, place, name)
        if ends is None or len(ends) < 2:
            known = [one for one, (group, at) in groups.items() if _numbers(learned, group, at, one) is not None]
            raise InputError(f"{name!r} is no column of numbers that vary; there is {names_of(known)}")
        places = np.linspace(ends[0], ends[-1], PLANE_PLACES)
        is_count = group is not None and isinstance(group.kind, Poisson)
        values.append(np.unique(np.round(places)) if is_count else places)
    across, up = np.meshgrid(*values)
    columns = dict.fromkeys(reading.names) | dict(zip(names, (across.ravel(), up.ravel()), strict=True))
    logs = log_softmax(reading.scores(_table(columns, across.size), 1))
    chances = np.exp(logs[:, reading.classes.index(label)]).reshape(across.shape)
    return Boundary(names, label, values[0].tolist(), values[1].tolist(), chances.tolist())


class _Asked:
    """What rows with a single value say of one class rather than of another."""

    def __init__(self, reading: TableReading, ours: int, theirs: int) -> None:
        self.reading, self.of, self.than = reading, ours, theirs
        self.names = reading.names
        self.start = float(self._odds({}, 1)[0])

    def __call__(self, name: str, values: Sequence[Any] | NDArray[Any]) -> list[float]:
        said: list[float] = (self._odds({name: values}, len(values)) - self.start).tolist()
        return said

    def together(self, names: tuple[str, str], values: Sequence[tuple[Any, Any]]) -> list[float]:
        """What pairs of values say, their columns included."""
        columns = {name: [row[place] for row in values] for place, name in enumerate(names)}
        said: list[float] = (self._odds(columns, len(values)) - self.start).tolist()
        return said

    def _odds(self, columns: Mapping[str, Any], n_rows: int) -> NDArray[Any]:
        scores = self.reading.scores(_table({**dict.fromkeys(self.names), **columns}, n_rows), 1)
        odds: NDArray[Any] = scores[:, self.of] - scores[:, self.than]
        return odds


def _table(columns: Mapping[str, Any], n_rows: int) -> Table:
    """A table of what is learned: dates are their parts, and a column without values is missing."""
    made = {}
    for name, values in columns.items():
        made[name] = column(name, [None] * n_rows if values is None else values)
    return Table(made, n_rows)


def _marks(
    asked: _Asked, learned: Learned, choice: CellChoice | None, group: Group, place: int, name: str
) -> list[tuple[str, float]]:
    if isinstance(group.kind, Bernoulli):
        return list(zip(("no", "yes"), asked(name, np.array([0.0, 1.0])), strict=True))
    if group.categories is not None:
        counts = group.statistics.sums["counts"].sum(axis=0)[place]
        numbers = {value: number for value, number in group.categories[place].items() if number < len(counts)}
        known = sorted(numbers, key=lambda value: -counts[numbers[value]])[:MOST_MARKS]
        return list(zip(map(show_value, known), asked(name, known), strict=True))
    cells = _cells_of(learned, name)
    terms = learned.terms
    if cells is not None and terms is not None and choice is not None and choice.by_cells[terms.names.index(name)]:
        return _interval_marks(asked, learned, cells, name)
    ends = _numbers(learned, group, place, name)
    if ends is None:
        return []
    values = np.linspace(ends[0], ends[-1], NUMBERS_SHOWN)
    values = np.unique(np.round(values)) if isinstance(group.kind, Poisson) else values
    return list(zip(map(short, values.tolist()), asked(name, values), strict=True))


def _interval_marks(asked: _Asked, learned: Learned, cells: NumberCells, name: str) -> list[tuple[str, float]]:
    """Intervals of a column that is read by its cells: what their cells say, on the average of their rows."""
    terms = learned.terms
    assert terms is not None
    counts = terms.counts[terms.layout.firsts()[terms.names.index(name)] :][: 2**DEPTH].sum(axis=1)
    inside = np.concatenate([np.nextafter(cells.edges[:1], -np.inf), cells.edges])
    said, rows = np.array(asked(name, inside)), counts[cells.codes]
    coarse = cells.codes >> (DEPTH - INTERVALS)
    marks = []
    for code in np.unique(coarse).tolist():
        part = coarse == code
        mean = float((said[part] * rows[part]).sum() / max(rows[part].sum(), 1))
        marks.append((cells.shown(code << (DEPTH - INTERVALS), INTERVALS), mean))
    return marks


def _cells_of(learned: Learned, name: str) -> NumberCells | None:
    terms = learned.terms
    if terms is None or name not in terms.names:
        return None
    cells = terms.cells[terms.names.index(name)]
    return cells if isinstance(cells, NumberCells) and len(cells.edges) else None


def _numbers(learned: Learned, group: Group, place: int, name: str) -> list[float] | None:
    """Rough range of the numbers of a column; None for columns of no numbers."""
    if group.categories is not None or isinstance(group.kind, Bernoulli):
        return None
    cells = _cells_of(learned, name)
    if cells is not None:
        return [float(cells.edges[0]), float(cells.edges[-1])]
    statistics = group.statistics
    edges = getattr(getattr(statistics, "forms", {}).get("histogram", statistics), "edges", None)
    if edges is not None:
        feature_edges = edges[place]
        return (
            None
            if feature_edges is None or len(feature_edges) < 2
            else [float(feature_edges[0]), float(feature_edges[-1])]
        )
    summaries = statistics.columns([place]).posterior(0.95)
    means = np.asarray(summaries["rate" if "rate" in summaries else "mean"].value)[:, 0]
    if "variance" not in summaries:
        return [0.0, float(means.max() + 2 * np.sqrt(means.max()))]
    spread = 2 * np.sqrt(np.asarray(summaries["variance"].value)[:, 0])
    low, high = float((means - spread).min()), float((means + spread).max())
    if isinstance(group.kind, Gaussian) and group.kind.scale == "log":
        low, high = np.exp(low), np.exp(high)
    return [low, high] if np.isfinite([low, high]).all() else None


def _pairs(asked: _Asked, learned: Learned, choice: CellChoice | None) -> list[Axis]:
    """Axes of the most trusted pairs: their cells that say most beyond what each column says."""
    terms = learned.terms
    if terms is None or choice is None:
        return []
    weights = choice.weights(terms, [0.0] * len(terms.names))[len(terms.names) :][: len(terms.pairs)]
    axes = []
    for number in np.argsort(-weights, kind="stable")[:PAIRS_LOOKED_AT].tolist():
        if weights[number] > 0:
            first, second = terms.pairs[number]
            axes.append(_pair(asked, terms, first, second))
    return axes


def _pair(asked: _Asked, terms: Terms, first: int, second: int) -> Axis:
    names = terms.names[first], terms.names[second]
    left, right = (_pair_values(terms.cells[place]) for place in (first, second))
    rows = [(a, b) for a in left for b in right]
    alone = [dict(zip((value for _, value in values), asked(name, [value for _, value in values]), strict=True))
             for name, values in zip(names, (left, right), strict=True)]  # fmt: skip
    both = asked.together(names, [(a[1], b[1]) for a, b in rows])
    beyond = [
        (f"{a[0]} & {b[0]}", said - alone[0][a[1]] - alone[1][b[1]]) for (a, b), said in zip(rows, both, strict=True)
    ]
    strongest = sorted(beyond, key=lambda mark: -abs(mark[1]))[:PAIR_MARKS]
    return Axis(" & ".join(names), sorted(strongest, key=lambda mark: mark[1]))


def _pair_values(cells: ColumnCells) -> list[tuple[str, Any]]:
    """A value in each cell that a column has in pairs, and the cell for people."""
    if isinstance(cells, CategoryCells):
        return [(f"= {show_value(value)}", value) for value in cells.values]
    level = LEVELS[1]
    inside = np.concatenate([np.nextafter(cells.edges[:1], -np.inf), cells.edges]).tolist() or [0.0]
    by_cell = {int(code) >> (DEPTH - level): value for code, value in zip(cells.codes, inside, strict=False)}
    return [(cells.shown(code << (DEPTH - level), level), value) for code, value in by_cell.items()]


def _length(axis: Axis) -> float:
    values = [nats for _, nats in axis.marks]
    return max(values) - min(values)
