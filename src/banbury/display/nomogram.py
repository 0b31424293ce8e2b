"""Drawings of what columns of a table say, as inline SVG: a nomogram, a table of cells in colours."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any, NamedTuple

from banbury.display.characters import shorten, visible, width_of
from banbury.display.html import Markup, element
from banbury.display.svg import LETTER, WIDE, drawing, name_width, scaled, side, text, ticks

SCALE_WIDTH = 520  # points from the smallest to the largest number of nats
AXIS = 46  # points from one axis to the next
PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
CELL_HEIGHT, CELL_WIDTH = 22, 52
LONGEST_HEAD = 16  # letters above a column of cells


class Axis(NamedTuple):
    """A column, or a pair, with what some of its values say."""

    name: str
    marks: Sequence[tuple[str, float]]


def nomogram(axes: Sequence[Axis], *, start: float, title: str, outcome: str) -> Markup:
    """A nomogram: an axis for each column on which its values stand where their nats are, and one for probabilities.

    The nats of a row are added up, beginning with `start`; the last axis says what probability they come to.

    >>> drawn = nomogram([Axis("sex", [("male", -1.1), ("female", 1.2)])], start=-0.4, title="t", outcome="P(yes)")
    >>> "male" in drawn.html and "50%" in drawn.html
    True
    """
    values = [nats for axis in axes for _, nats in axis.marks] or [0.0]
    left = 12 + name_width([*(axis.name for axis in axes), "sum of nats", outcome])
    x_of = scaled((min(*values, -0.1), max(*values, 0.1)), left, left + SCALE_WIDTH)
    parts: list[Any] = [text("nats", left - 12, 18, "end", faint=True)]
    height = 40 + AXIS * len(axes)
    for tick in ticks(min(*values, -0.1), max(*values, 0.1)):
        x = x_of(tick)
        parts += [
            element("line", class_="grid", x1=x, x2=x, y1=24, y2=height),
            text(f"{tick:+g}" if tick else "0", x, 18, "middle", faint=True),
        ]
    for number, axis in enumerate(axes):
        parts += _axis(axis, x_of, left, 52 + number * AXIS)
    low = start + sum(min((nats for _, nats in axis.marks), default=0.0) for axis in axes)
    high = start + sum(max((nats for _, nats in axis.marks), default=0.0) for axis in axes)
    low, high = max(min(low, start - 1), -8.0), min(max(high, start + 1), 8.0)
    total = scaled((low, high), left, left + SCALE_WIDTH)
    y = height + 34
    parts += [text("sum of nats", left - 12, y - 6, "end"), text(outcome, left - 12, y + 16, "end")]
    parts.append(element("line", class_="axis", x1=left, x2=left + SCALE_WIDTH, y1=y, y2=y))
    parts += _labels([(f"{tick:+g}" if tick else "0", total(tick)) for tick in ticks(low, high)], y - 8, faint=True)
    chances = [(chance, log(chance / (1 - chance))) for chance in PROBABILITIES]
    inside = [(f"{100 * chance:g}%", total(odds)) for chance, odds in chances if low <= odds <= high]
    parts += [element("line", class_="axis", x1=x, x2=x, y1=y, y2=y + 6) for _, x in inside]
    parts += _labels(inside, y + 20)
    x = total(min(max(start, low), high))
    begin = element("title", f"without any value: {100 / (1 + exp(-start)):.1f}%")
    parts.append(element("circle", begin, class_="dot-0", cx=x, cy=y, r=4))
    return drawing(left + SCALE_WIDTH + 50, y + 34, title, parts)


def _axis(axis: Axis, x_of: Any, left: float, y: float) -> list[Any]:
    """The axis of one column: its name, a line from its lowest to its highest value, and its values."""
    places = [(name, x_of(nats), nats) for name, nats in axis.marks]
    parts: list[Any] = [text(shorten(axis.name, WIDE.longest_name), left - 12, y + 4, "end", whole=axis.name)]
    if not places:
        return parts
    ends = min(x for _, x, _ in places), max(x for _, x, _ in places)
    parts.append(element("line", class_="axis", x1=ends[0], x2=max(ends[1], ends[0] + 1), y1=y, y2=y))
    for name, x, nats in places:
        label = element("title", f"{visible(axis.name)} {visible(name)}: {nats:+.3f}")
        parts.append(element("rect", label, class_=side(nats), x=x - 1.5, y=y - 5, width=3, height=10))
    above, below = _in_two_lines([(name, x) for name, x, _ in places])
    return [*parts, *_labels(above, y - 9), *_labels(below, y + 19)]


def _in_two_lines(labels: Sequence[tuple[str, float]]) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Labels above and below a line, as many as have room; those at the ends first."""
    ordered = sorted(labels, key=lambda label: label[1])
    by_worth = [*ordered[:1], *ordered[:0:-1]] if len(ordered) > 1 else ordered
    lines: tuple[list[tuple[str, float]], list[tuple[str, float]]] = ([], [])
    for label in by_worth:
        for line in lines:
            if all(abs(label[1] - other[1]) > (_width(label[0]) + _width(other[0])) / 2 + 6 for other in line):
                line.append(label)
                break
    return lines


def _width(name: str) -> float:
    return width_of(shorten(name, WIDE.longest_name)) * LETTER


def _labels(labels: Sequence[tuple[str, float]], y: float, *, faint: bool = False) -> list[Markup]:
    kept: list[tuple[str, float]] = []
    for label in sorted(labels, key=lambda one: one[1]):
        if not kept or label[1] - kept[-1][1] > (_width(label[0]) + _width(kept[-1][0])) / 2 + 4:
            kept.append(label)
    return [text(shorten(name, WIDE.longest_name), x, y, "middle", faint=faint, whole=name) for name, x in kept]


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    row_title: str = "",
    column_title: str = "",
) -> Markup:
    """A table of numbers in colours: one for positive ones, one for negative ones, stronger for larger ones.

    >>> heat_map(["a"], ["x", "y"], [[0.5, None]], title="t").html.count("<rect")
    2
    """
    largest = max((abs(value) for line in values for value in line if value is not None), default=0.0) or 1.0
    left = 20 + name_width([*rows, row_title])
    slanted = max((width_of(shorten(name, LONGEST_HEAD)) for name in columns), default=0) * LETTER * 0.72
    top = 36 + slanted
    parts: list[Any] = [
        text(column_title, left + len(columns) * CELL_WIDTH / 2, 14, "middle"),
        text(row_title, left - 10, top - 8, "end"),
    ]
    for number, name in enumerate(columns):
        x = left + (number + 0.4) * CELL_WIDTH
        turned = f"rotate(-45 {x:.1f} {top - 6:.1f})"
        parts.append(text(shorten(name, LONGEST_HEAD), x, top - 6, "start", faint=True, whole=name, transform=turned))
    for row, (name, line) in enumerate(zip(rows, values, strict=True)):
        y = top + row * CELL_HEIGHT
        parts.append(text(shorten(name, WIDE.longest_name), left - 10, y + 15, "end", faint=True, whole=name))
        for column, value in enumerate(line):
            label = f"{visible(name)} & {visible(columns[column])}"
            strength = 0.0 if value is None else abs(value) / largest
            parts.append(
                element(
                    "rect",
                    element("title", f"{label}: nobody" if value is None else f"{label}: {value:+.3f}"),
                    class_=side(value or 0.0),
                    fill_opacity=f"{0.75 * strength:.2f}",
                    x=left + column * CELL_WIDTH,
                    y=y,
                    width=CELL_WIDTH - 2,
                    height=CELL_HEIGHT - 2,
                )
            )
            if value is not None:
                x = left + (column + 0.5) * CELL_WIDTH - 1
                parts.append(text(f"{value:+.2f}", x, y + 15, "middle"))
    width = left + len(columns) * CELL_WIDTH + slanted + 10
    return drawing(width, top + len(rows) * CELL_HEIGHT + 8, title, parts)


def plane(
    chances: Sequence[Sequence[float]], *, x_range: tuple[float, float], y_range: tuple[float, float],
    title: str, x_title: str, y_title: str,
) -> Markup:  # fmt: skip
    """A plane of two numbers, coloured by a probability at each place; the first line of `chances` is the lowest.

    Where neighbours are on different sides of one half, the boundary is drawn.

    >>> drawn = plane([[0.2, 0.9]], x_range=(0, 1), y_range=(0, 1), title="t", x_title="x", y_title="y")
    >>> drawn.html.count("<rect")
    2
    """
    size, left, top, bottom = 384.0, 66.0, 12.0, 46.0  # whole points for a square, where there are 48
    n_rows, n_columns = len(chances), len(chances[0])
    wide, high = size / n_columns, size / n_rows
    squares: list[Any] = []
    parts: list[Any] = []
    for row, line in enumerate(chances):
        for column, chance in enumerate(line):
            x, y = left + column * wide, top + size - (row + 1) * high
            strength = f"{0.85 * abs(2 * chance - 1):.2f}"
            colour = "bar-for" if chance >= 0.5 else "bar-against"
            squares.append(element("rect", class_=colour, fill_opacity=strength, x=x, y=y, width=wide, height=high))
            if column and (chance >= 0.5) != (line[column - 1] >= 0.5):
                parts.append(element("line", stroke="currentColor", x1=x, x2=x, y1=y, y2=y + high))
            if row and (chance >= 0.5) != (chances[row - 1][column] >= 0.5):
                parts.append(element("line", stroke="currentColor", x1=x, x2=x + wide, y1=y + high, y2=y + high))
    parts = [*squares, *parts]
    x_of, y_of = scaled(x_range, left, left + size), scaled(y_range, top + size, top)
    below = top + size + 16
    parts += [text(f"{tick:g}", x_of(tick), below, "middle", faint=True) for tick in ticks(*x_range)]
    parts += [text(f"{tick:g}", left - 6, y_of(tick) + 4, "end", faint=True) for tick in ticks(*y_range)]
    parts.append(text(x_title, left + size / 2, top + size + 36, "middle"))
    turned = f"rotate(-90 14 {top + size / 2:.1f})"
    parts.append(text(y_title, 14, top + size / 2, "middle", transform=turned))
    return drawing(left + size + 24, top + size + bottom, title, parts)
