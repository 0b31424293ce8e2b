"""Blocks of output: a heading, and below it lines with cells in columns."""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING
from banbury.display.characters import padded, visible, width_of
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

NARROWEST = 16  # columns of a terminal for the last cell; with fewer it gets a line of its own


class Block(Record):
    """A heading and rows of cells; the last cell of a row may be long, and is broken or cut by the window."""

    heading: str
    rows: Sequence[tuple[str, ...]] = ()
    right: tuple[int, ...] = ()
    """Which columns are set to the right: numbers."""
    marked: int | None = None
    """A row that stands out."""
    is_cut: bool = False
    """Whether each row has one line, however long it would be."""


class Blocks(Record):
    """Blocks, one below the other: plain lines, or on a terminal as wide as that is.

    >>> print(Blocks([Block("strongest words", [("ham", "later, come"), ("spam", "claim")])]))
    strongest words
      ham   later, come
      spam  claim
    """

    blocks: list[Block]

    def __str__(self) -> str:
        return "\n\n".join("\n".join(line for line, _ in _lines(block, None)) for block in self.blocks)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        for number, block in enumerate(self.blocks):
            if number:
                yield Text()
            for line, style in _lines(block, options.max_width):
                yield Text(line, style=style, no_wrap=True, overflow="ellipsis")


def _lines(block: Block, width: int | None) -> Iterator[tuple[str, str]]:
    """Each line, and its style; without a width they are as long as they are."""
    yield from ((line, "bold") for line in _broken(visible(block.heading), width))
    rows = [[visible(cell) for cell in row] for row in block.rows]
    n_columns = max(map(len, rows), default=0)
    widths = [max((width_of(row[place]) for row in rows if place < len(row)), default=0) for place in range(n_columns)]
    before = 2 + sum(width + 2 for width in widths[:-1])  # columns in front of the last cell
    is_narrow = width is not None and width - before < min(NARROWEST, widths[-1] if widths else 0)
    for number, row in enumerate(rows):
        style = "green" if number == block.marked else ""
        cells = [_set(cell, widths[place], place in block.right) for place, cell in enumerate(row)]
        if is_narrow and row[0]:  # the first cell on a line of its own, all others below it
            yield f"  {row[0]}", style
        head = "" if is_narrow else "  ".join(cells[:-1])
        last = "  ".join(cells[1:]).rstrip() if is_narrow else row[-1]
        start = "    " if is_narrow else f"  {head}  " if head else "  "
        if width is None or block.is_cut:
            yield f"{start}{last}".rstrip(), style
            continue
        for place, line in enumerate(_broken(last, width - width_of(start))):
            yield f"{start if place == 0 else ' ' * width_of(start)}{line}".rstrip(), style


def _broken(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    from textwrap import wrap  # only on a terminal

    return wrap(text, max(width, 8), drop_whitespace=False, break_on_hyphens=False) or [""]


def _set(cell: str, width: int, to_the_right: bool) -> str:
    return " " * (width - width_of(cell)) + cell if to_the_right else padded(cell, width)
