"""ColumnTable: what was learned of a column of a table, or of a pair of columns, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, lgamma, log, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display.html import Markup, element, piece
from banbury.display.html_tables import table
from banbury.display.nomogram import heat_map
from banbury.display.svg import Line, bars, line_chart
from banbury.display.text_table import Grid
from banbury.stats.intervals import Interval

if TYPE_CHECKING:
    from banbury.text.documents import Label

MOST_LINES = 3  # classes that are drawn in one picture
MOST_CELL_BARS = 40
MOST_COUNTS = 100  # of a Poisson distribution that are drawn


class Parameter(NamedTuple):
    """A parameter of a column's distribution within a class, with a 95 % credible interval."""

    name: str
    """`"mean"`, `"variance"`, `"rate"`, `"probability"` or the probability of a value."""
    label: Label
    value: float
    interval: Interval


class Cell(NamedTuple):
    """Rows with the same value, or with values in the same interval."""

    names: tuple[str, ...]
    """The value or the interval of each column."""
    counts: tuple[int, ...]
    """By class, how many rows are in it."""
    nats: tuple[float, ...]
    """By class, what it adds to the score; of a pair, beyond what each column says."""


@dataclass(frozen=True, repr=False)
class ColumnTable:
    """What was learned of one column, or of two together.

    `print` shows it as text, a notebook as a table with a picture; `rows` is plain data.
    """

    columns: tuple[str, ...]
    kind: str
    weight: float
    """How much it counts; of a pair, by the trust in both of its columns."""
    classes: list[Any]
    cells: list[Cell]
    """In order; empty where the column is read by its distribution alone."""
    parameters: list[Parameter]
    """Of the column's kind; a pair has none."""
    values: tuple[tuple[str, ...], ...] = ()
    """By column the names of all its cells in their order; where they are not given, as they come."""

    @property
    def name(self) -> str:
        """The columns.

        >>> ColumnTable(("a", "b"), "pair", 1.0, [], [], []).name
        'a & b'
        """
        return " & ".join(self.columns)

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each cell and class: ready for a data frame."""
        return [
            {**dict(zip(self.columns, cell.names, strict=True)), "label": label, "count": count, "nats": nats}
            for cell in self.cells
            for label, count, nats in zip(self.classes, cell.counts, cell.nats, strict=True)
        ]

    def _grid(self) -> Grid:
        head = [
            *self.columns,
            *(f"rows {label}" for label in self.classes),
            *(f"nats {label}" for label in self.classes),
        ]
        rows = [[*cell.names, *map(str, cell.counts), *(f"{nats:+.3f}" for nats in cell.nats)] for cell in self.cells]
        return Grid(head, rows)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.kind}, counts {self.weight:.3f}"]
        if self.cells:
            lines += ["", str(self._grid())]
        if self.parameters:
            shown = [
                [
                    parameter.name,
                    str(parameter.label),
                    f"{parameter.value:.4g}",
                    f"{parameter.interval.low:.4g} to {parameter.interval.high:.4g}",
                ]
                for parameter in self.parameters
            ]
            lines += ["", str(Grid(["parameter", "class", "value", "95 % interval"], shown))]
        return "\n".join(lines)

    __repr__ = __str__

    def svg(self, label: Label | None = None) -> Markup | None:
        """A picture: what each cell says for a class, by default the last, against the mean of the others.

        A pair is a table in colours. A column that is read by its distribution is drawn as that: the density of a
        Gaussian, the probabilities of counts or of values, by class. None where there is nothing to draw.

        >>> ColumnTable(("a",), "Categorical", 1.0, ["x", "y"], [Cell(("1",), (3, 0), (0.5, -0.5))], []).svg().html[:4]
        '<svg'
        """
        if not self.cells:
            return self._distributions()
        place = len(self.classes) - 1 if label is None else self.classes.index(label)
        others = max(len(self.classes) - 1, 1)
        title = f"{self.name}: nats for {self.classes[place]}"
        said = {cell.names: cell.nats[place] - (sum(cell.nats) - cell.nats[place]) / others for cell in self.cells}
        if len(self.columns) == 1:
            return bars([(name, nats) for (name,), nats in said.items()], title=title)
        rows, columns = (self._in_order(side) for side in range(2))
        values = [[said.get((row, column)) for column in columns] for row in rows]
        return heat_map(rows, columns, values, title=title, row_title=self.columns[0], column_title=self.columns[1])

    def _in_order(self, side: int) -> list[str]:
        """The names of a column's cells in which there are rows."""
        present = list(dict.fromkeys(cell.names[side] for cell in self.cells))
        return [name for name in self.values[side] if name in present] if self.values else present

    def _distributions(self) -> Markup | None:
        """Densities or probabilities, by class; of more than three classes the first three."""
        values = {(one.name, one.label): one.value for one in self.parameters}
        classes = self.classes[:MOST_LINES]
        names = list(dict.fromkeys(one.name for one in self.parameters))
        if {"mean", "variance"} <= set(names):
            bells = [(str(label), values["mean", label], sqrt(values["variance", label])) for label in classes]
            x_title = f"log {self.name}" if self.kind.endswith(("log", "scale='log')")) else self.name
            curves = [Line(name, _bell(*bell), sizes=[]) for name, *bell in bells]
            return line_chart(curves, title=f"{self.name} by class", x_title=x_title, y_title="density")
        if "rate" in names:
            most = ceil(max(values["rate", label] + 3 * sqrt(values["rate", label]) for label in classes)) + 1
            lines = [
                Line(str(label), _poisson(values["rate", label], most), sizes=[0.0] * (most + 1)) for label in classes
            ]
            title = f"{self.name} by class"
            return line_chart(lines, title=title, x_title=self.name, y_title="probability", counts=True)
        shares = [(f"{one.name} in {one.label}", one.value) for one in self.parameters if one.label in classes]
        return bars(shares[:MOST_CELL_BARS], title=f"{self.name}: probabilities by class") if shares else None

    def _repr_html_(self) -> str:
        return piece(*self._html())

    def _html(self) -> Sequence[Any]:
        parts: list[Any] = [element("p", f"{self.name}: {self.kind}, counts {self.weight:.3f}"), self.svg()]
        if self.cells:
            grid = self._grid()
            parts.append(table(grid.head, grid.rows, texts=len(self.columns)))
        if self.parameters:
            shown = [
                (parameter.name, str(parameter.label), f"{parameter.value:.4g}", str(parameter.interval))
                for parameter in self.parameters
            ]
            parts.append(table(("parameter", "class", "value", "95 % interval"), shown, texts=2))
        return parts


def _bell(mean: float, deviation: float) -> list[tuple[float, float]]:
    """The density of a Gaussian, from three standard deviations below its mean to three above."""
    if not deviation > 0:
        return [(mean, 0.0)]
    steps = [mean + deviation * (step / 10 - 3) for step in range(61)]
    scale = 1 / (deviation * sqrt(2 * pi))
    return [(x, scale * exp(-(((x - mean) / deviation) ** 2) / 2)) for x in steps]


def _poisson(rate: float, most: int) -> list[tuple[float, float]]:
    """The probabilities of counts."""
    step = max(1, most // MOST_COUNTS)
    return [(float(n), exp(n * log(max(rate, 1e-300)) - rate - lgamma(n + 1))) for n in range(0, most + 1, step)]
