"""ColumnTable: what was learned of a column of a table, or of a pair of columns, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display.html import Markup, element, piece
from banbury.display.html_tables import table
from banbury.display.svg import bars
from banbury.display.text_table import Grid
from banbury.stats.intervals import Interval

if TYPE_CHECKING:
    from banbury.text.documents import Label


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

    def svg(self, label: Label | None = None) -> Markup:
        """A picture: what each cell says for a class, by default the last, against the mean of the others.

        >>> ColumnTable(("a",), "Categorical", 1.0, ["x", "y"], [Cell(("1",), (3, 0), (0.5, -0.5))], []).svg().html[:4]
        '<svg'
        """
        place = len(self.classes) - 1 if label is None else self.classes.index(label)
        others = max(len(self.classes) - 1, 1)
        shown = [
            (" & ".join(cell.names), cell.nats[place] - (sum(cell.nats) - cell.nats[place]) / others)
            for cell in self.cells
        ]
        return bars(shown, title=f"{self.name}: nats for {self.classes[place]}")

    def _repr_html_(self) -> str:
        return piece(*self._html())

    def _html(self) -> Sequence[Any]:
        parts: list[Any] = [element("p", f"{self.name}: {self.kind}, counts {self.weight:.3f}")]
        if self.cells:
            grid = self._grid()
            parts += [self.svg(), table(grid.head, grid.rows, texts=len(self.columns))]
        if self.parameters:
            shown = [
                (parameter.name, str(parameter.label), f"{parameter.value:.4g}", str(parameter.interval))
                for parameter in self.parameters
            ]
            parts.append(table(("parameter", "class", "value", "95 % interval"), shown, texts=2))
        return parts
