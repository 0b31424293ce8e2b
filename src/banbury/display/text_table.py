"""Grid: a table of texts with a head, as plain text, on a terminal, in a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from banbury.display.characters import shorten, width_of
from banbury.display.html import Markup, element, isolated, tint

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

LONGEST_CELL = 40  # columns of a cell


@dataclass(frozen=True)
class Grid:
    """Rows of cells below a head; the first cell of each row is its name.

    >>> print(Grid(["word", "count"], [["happy", "2"], ["sad", "13"]]))
    word   count
    happy      2
    sad       13
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    gap: tuple[int, str] | None = None
    """A line of text after so many rows, for rows that are left out."""
    strengths: tuple[str, Sequence[float]] | None = None
    """The name of the coloured column, and the strength of each row, from −1 to +1."""
    spare: Sequence[str] = ()
    """The names of columns that are dropped on a narrow terminal, in this order."""
    foot: Sequence[Sequence[str]] = ()
    """Rows below all others, for totals."""

    def __str__(self) -> str:
        cells = [[shorten(text, LONGEST_CELL) for text in row] for row in (self.head, *self.rows, *self.foot)]
        widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
        lines = []
        for row in cells:
            padding = [" " * (width - width_of(text)) for text, width in zip(row, widths, strict=True)]
            first, *others = zip(row, padding, strict=True)
            lines.append("  ".join(["".join(first), *(space + text for text, space in others)]).rstrip())
        if self.gap is not None:
            lines.insert(1 + self.gap[0], self.gap[1])
        return "\n".join(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.box import SIMPLE
        from rich.table import Table
        from rich.text import Text

        caption = Text(self.caption) if self.caption else None
        table = Table(caption=caption, caption_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
        shown = self._that_fit(options.max_width)
        for place in shown:
            name = Text(shorten(self.head[place], LONGEST_CELL))
            table.add_column(name, justify="left" if place == 0 else "right", overflow="fold", no_wrap=place > 0)
        for row_number, (row, strengths) in enumerate(zip(self.rows, self._strengths(), strict=True)):
            if self.gap is not None and row_number == self.gap[0]:
                table.add_row(Text(self.gap[1], style="dim"))
            table.add_row(*(Text(shorten(row[place], LONGEST_CELL), style=colour(strengths[place])) for place in shown))
        for row in self.foot:
            table.add_row(*(Text(shorten(row[place], LONGEST_CELL), style="dim") for place in shown))
        yield table

    def _that_fit(self, width: int) -> list[int]:
        """The columns that a terminal has room for."""
        shown = list(range(len(self.head)))
        cells = [[width_of(shorten(text, LONGEST_CELL)) for text in row] for row in (self.head, *self.rows, *self.foot)]
        widths = [max(column) for column in zip(*cells, strict=True)]
        for name in self.spare:
            if sum(widths[place] + 2 for place in shown) <= width:
                break
            shown = [place for place in shown if self.head[place] != name]
        return shown

    def markup(self) -> Markup:
        """The grid as a table of a page."""
        head = [
            element("th", isolated(name, width=LONGEST_CELL), class_="text" if place == 0 else None, scope="col")
            for place, name in enumerate(self.head)
        ]
        body = []
        for row_number, (row, strengths) in enumerate(zip(self.rows, self._strengths(), strict=True)):
            if self.gap is not None and row_number == self.gap[0]:
                note = element("td", self.gap[1], class_="text quiet", colspan=len(self.head))
                body.append(element("tr", note))
            name, *cells = zip(row, strengths, strict=True)
            first = element("th", isolated(name[0], width=LONGEST_CELL), class_="text", scope="row")
            others = [
                element("td", isolated(text, width=LONGEST_CELL), class_=tint(strength)) for text, strength in cells
            ]
            body.append(element("tr", first, others))
        foot = [
            element(
                "tr",
                element("th", isolated(row[0]), class_="text", scope="row"),
                [element("td", isolated(text)) for text in row[1:]],
            )
            for row in self.foot
        ]
        caption = element("caption", self.caption) if self.caption else None
        parts = [element("thead", element("tr", head)), element("tbody", body)]
        table = element("table", caption, parts, element("tfoot", foot) if foot else None)
        return element("div", table, class_="scroll", tabindex="0")

    def _strengths(self) -> list[list[float]]:
        """The strength of each cell."""
        if self.strengths is None:
            return [[0.0] * len(self.head) for _ in self.rows]
        coloured, strengths = self.strengths
        return [[strength if name == coloured else 0.0 for name in self.head] for strength in strengths]


def colour(strength: float) -> str:
    """Terminal style of a strength: positive speaks for, negative against.

    The two can be read on black and on white, and told apart by every kind of colour vision.

    >>> colour(1.0), colour(-0.1), colour(0.0)
    ('bold dodger_blue1', 'dark_orange3', '')
    """
    if not abs(strength) >= 0.02:
        return ""
    name = "dodger_blue1" if strength > 0 else "dark_orange3"
    return f"bold {name}" if abs(strength) >= 0.5 else name
