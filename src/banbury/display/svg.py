"""Drawings for pages, as inline SVG: bars, a waterfall, lines. Plain data in, `Markup` out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, log10
from typing import Any, NamedTuple

from banbury.display.characters import shorten, visible, width_of
from banbury.display.html import DARK, LIGHT, Markup, element

Scale = Callable[[float], float]

ROW = 22  # points from one bar to the next
LETTER = 6.6  # points that a letter takes, on the average
LINE_COLOURS = ("for", "against", "quiet")
DASHES = ("none", "7 4", "2 3")


class Shape(NamedTuple):
    """The width of a drawing of bars."""

    longest_name: int
    """Letters."""
    plot: float
    """Points between the smallest and the largest bar."""
    after: float
    """Points behind that, for numbers."""


WIDE, NARROW = Shape(36, 360, 72), Shape(16, 96, 52)


def bars(rows: Sequence[tuple[str, float]], *, title: str, places: int = 3, narrow: bool = False) -> Markup:
    """Horizontal bars of named numbers: positive ones to the right, negative ones to the left.

    A `narrow` drawing fits the screen of a telephone without being made smaller.

    >>> bars([("happy", 1.1), ("sad", -0.7)], title="Evidence").html.count("<rect")
    2
    """
    spans = [(name, min(value, 0.0), max(value, 0.0), value, side(value)) for name, value in rows]
    return _horizontal(spans, title, places, shape=NARROW if narrow else WIDE)


def waterfall(
    steps: Sequence[tuple[str, float]],
    *,
    title: str,
    total: str = "total",
    score: float | None = None,
    places: int = 3,
) -> Markup:
    """Waterfall: steps from 0 to their sum, each starting where the one before it ended.

    `score` is given where the steps have no sum: −∞ and +∞ together.

    >>> waterfall([("prior", 0.5), ("happy", 1.1)], title="Why").html.count("<rect")
    3
    """
    spans = []
    start = 0.0
    for name, change in steps:
        # From an impossibility there is no way on: what comes later is drawn from where the numbers were.
        end = start + change if isfinite(change) else change
        spans.append((name, min(start, end), max(start, end), change, side(change)))
        start = end if isfinite(end) else start
    score = sum(change for _, change in steps) if score is None else score
    spans.append((total, min(score, 0.0), max(score, 0.0), score, "bar-total"))
    return _horizontal(spans, title, places, connect=True)


@dataclass(frozen=True)
class Line:
    """A named line through points; `low` and `high` are its band, where there is one."""

    name: str
    points: Sequence[tuple[float, float]]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    sizes: Sequence[float] | None = None
    """Of the dots, from 0 to 1; an empty list for a line without dots."""


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_title: str,
    y_title: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    diagonal: bool = False,
    percent: bool = False,
    counts: bool = False,
) -> Markup:
    """Lines with dots; `diagonal` adds the line x = y, for reliability diagrams; `counts` along x are whole numbers.

    >>> line_chart(
    ...     [Line("model", [(0.5, 0.6), (0.9, 0.8)])],
    ...     title="Reliability",
    ...     x_title="probability",
    ...     y_title="share right",
    ...     x_range=(0, 1),
    ...     y_range=(0, 1),
    ...     diagonal=True,
    ... ).html.count("<circle")
    2
    """
    width, height, left, bottom, top = 470.0, 320.0, 66.0, 46.0, 14.0
    xs = x_range or _range([x for line in lines for x, _ in line.points])
    ys = y_range or _range(
        [y for line in lines for y in [*(y for _, y in line.points), *(line.low or ()), *(line.high or ())]]
    )
    x_of = scaled(xs, left, width - 24)
    y_of = scaled(ys, height - bottom, top)
    write = (lambda value: f"{value:.0%}") if percent else _short_number
    parts: list[Any] = []
    for tick in ticks(*ys):
        parts += [
            element("line", class_="grid", x1=left, x2=width - 24, y1=y_of(tick), y2=y_of(tick)),
            text(write(tick), left - 6, y_of(tick) + 4, "end", faint=True),
        ]
    for tick in (tick for tick in ticks(*xs) if not counts or tick == int(tick)):
        parts += [
            element("line", class_="grid", x1=x_of(tick), x2=x_of(tick), y1=top, y2=height - bottom),
            text(write(tick), x_of(tick), height - bottom + 16, "middle", faint=True),
        ]
    if diagonal:
        low, high = max(xs[0], ys[0]), min(xs[1], ys[1])
        parts.append(element("line", class_="axis", x1=x_of(low), y1=y_of(low), x2=x_of(high), y2=y_of(high)))
    for number, line in enumerate(lines):
        parts += _line(line, number % 3, x_of, y_of)
    parts += [
        text(x_title, (left + width) / 2, height - 10, "middle"),
        text(
            y_title,
            14,
            (height - bottom + top) / 2,
            "middle",
            transform=f"rotate(-90 14 {(height - bottom + top) / 2:.1f})",
        ),
    ]
    if len(lines) > 1:
        for number, line in enumerate(lines):
            x, y = left + 10, height + 8 + number * 18
            parts += [
                element("line", class_=f"line-{number % 3}", x1=x, x2=x + 26, y1=y, y2=y),
                text(shorten(line.name, 60), x + 34, y + 4, whole=line.name),
            ]
        height += 18 * len(lines) + 4
    return drawing(width, height, title, parts)


def standalone(drawn: Markup) -> str:
    """A drawing as an SVG file of its own, in light or dark colours as the reader's screen has them.

    >>> standalone(bars([("happy", 1.1)], title="Evidence")).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    light, dark = (_colours(colours) for colours in (LIGHT, DARK))
    style = f"text{{font:12px system-ui,sans-serif}}{light}@media (prefers-color-scheme:dark){{{dark}}}"
    attributes, _, content = drawn.html.removeprefix("<svg").partition(">")
    return f'<svg xmlns="http://www.w3.org/2000/svg"{attributes}><style>{style}</style>{content}\n'


def _colours(colours: dict[str, str]) -> str:
    """The style of the parts of a drawing; `html.py` has the same for drawings inside a page."""
    fills = {"text": "ink", ".faint": "quiet", ".bar-for": "for", ".bar-against": "against", ".bar-total": "quiet"}
    fills |= {f".dot-{number}": colour for number, colour in enumerate(LINE_COLOURS)}
    strokes = {".axis": "quiet", ".grid": "line"}
    strokes |= {f".line-{number}": colour for number, colour in enumerate(LINE_COLOURS)}
    dashes = [f".line-{number}{{stroke-width:2;stroke-dasharray:{dash}}}" for number, dash in enumerate(DASHES)]
    parts = [f"svg{{color:{colours['ink']}}}", *(f"{name}{{fill:{colours[colour]}}}" for name, colour in fills.items())]
    lines = [f"{name}{{stroke:{colours[colour]};fill:none}}" for name, colour in strokes.items()]
    return "".join([*parts, *lines, *dashes])


def _line(line: Line, number: int, x_of: Scale, y_of: Scale) -> Iterator[Markup]:
    points = [(x_of(x), y_of(y)) for x, y in line.points]
    if line.low is not None and line.high is not None:
        edge = [(x, y_of(y)) for (x, _), y in zip(points, line.high, strict=True)]
        back = [(x, y_of(y)) for (x, _), y in zip(points, line.low, strict=True)]
        yield element("polygon", class_=f"dot-{number}", points=_points([*edge, *back[::-1]]), fill_opacity="0.15")
    yield element("polyline", class_=f"line-{number}", points=_points(points))
    sizes = [0.4] * len(points) if line.sizes is None else line.sizes
    for (x, y), (true_x, true_y), size in zip(points, line.points, sizes, strict=False):
        label = element("title", f"{_short_number(true_x)}, {_short_number(true_y)}")
        yield element("circle", label, class_=f"dot-{number}", cx=x, cy=y, r=2 + 5 * min(max(size, 0), 1))


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _horizontal(
    spans: Sequence[tuple[str, float, float, float, str]],
    title: str,
    places: int,
    *,
    connect: bool = False,
    shape: Shape = WIDE,
) -> Markup:
    """Named bars from one number to another, below each other."""
    ends = [end for _, low, high, _, _ in spans for end in (low, high) if isfinite(end)]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    # What is infinite leads to the edge.
    edge = (high - low or 1.0) * 0.08 if any(not isfinite(value) for *_, value, _ in spans) else 0.0
    left = 8 + name_width([name for name, *_ in spans], shape.longest_name)
    before = 58.0 if shape is WIDE or low < 0 else 8.0  # for the numbers of bars that lead to the left
    x_of = scaled((low - edge, high + edge), left + before, left + before + shape.plot)
    width, height = left + before + shape.plot + shape.after, 10 + ROW * len(spans)
    parts: list[Any] = [element("line", class_="grid", x1=x_of(0), x2=x_of(0), y1=4, y2=height - 4)]
    for place, (name, start, end, value, side) in enumerate(spans):
        y = 5 + place * ROW
        x1, x2 = x_of(max(start, low - edge)), x_of(min(end, high + edge))
        number = _signed(value, places)
        parts += [
            text(shorten(name, shape.longest_name), left, y + 15, "end", whole=name),
            element(
                "rect",
                element("title", f"{visible(name)} {number}"),
                x=x1,
                y=y + 2,
                width=max(x2 - x1, 1.0),
                height=ROW - 6,
                rx=2,
                class_=side,
            ),
            text(number, x1 - 5 if value < 0 else x2 + 5, y + 15, "end" if value < 0 else "start"),
        ]
        if connect and place + 1 < len(spans):
            x = x1 if value < 0 else x2
            parts.append(
                element("line", class_="axis", x1=x, x2=x, y1=y + ROW - 4, y2=y + ROW + 2, stroke_opacity="0.6")
            )
    return drawing(width, height, title, parts)


def drawing(width: float, height: float, title: str, parts: Sequence[Any]) -> Markup:
    """An SVG of so many points, with a title that is read aloud."""
    size = {"width": round(width), "height": round(height), "viewBox": f"0 0 {width:.0f} {height:.0f}"}
    return element("svg", element("title", title), parts, role="img", aria_label=title, **size)


def text(
    words: str,
    x: float,
    y: float,
    anchor: str | None = None,
    *,
    faint: bool = False,
    whole: str | None = None,
    transform: str | None = None,
) -> Markup:
    """A text in a drawing; where it is not `whole`, a title has the rest."""
    title = None if whole is None or visible(whole) == words else element("title", visible(whole))
    return element(
        "text",
        visible(words),
        title,
        x=x,
        y=y,
        text_anchor=anchor,
        class_="faint" if faint else None,
        transform=transform,
    )


def side(value: float) -> str:
    """The class of the colour of a number: for or against."""
    return "bar-against" if value < 0 else "bar-for"


def name_width(names: Sequence[str], longest: int = WIDE.longest_name) -> float:
    """How many points the longest of some names takes, of which so many letters are shown."""
    return max((width_of(shorten(name, longest)) for name in names), default=0) * LETTER + 4


def _signed(value: float, places: int) -> str:
    return f"{value:+.{places}f}" if isfinite(value) else "+∞" if value > 0 else "−∞"


def _short_number(value: float) -> str:
    return f"{value:.3g}" if isinstance(value, float) and not value.is_integer() else f"{int(value)}"


def scaled(ends: tuple[float, float], start: float, stop: float) -> Scale:
    """A function from numbers between two ends to places between two others."""
    low, high = ends
    return lambda value: start + (stop - start) * (min(max(value, low), high) - low) / ((high - low) or 1.0)


def _range(values: Sequence[float]) -> tuple[float, float]:
    finite = [value for value in values if isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    space = (high - low or abs(high) or 1.0) * 0.05
    return low - space, high + space


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers between two others."""
    if not high > low or high - low == inf:
        return [low]
    size = 10 ** floor(log10((high - low) / 5))
    step = next(size * by for by in (1, 2, 2.5, 5, 10) if (high - low) / (size * by) <= 6)
    first = -(-low // step)
    return [round(number * step, 12) for number in range(int(first), int(high / step + 1e-9) + 1)]
