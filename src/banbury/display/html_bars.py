"""Bars in tables of HTML: they take the width that there is, where a drawing would shrink."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from banbury.display.html import Markup, element, isolated

BAR_NAME_WIDTH = 40  # columns that a name may take


def share_table(
    rows: Iterable[tuple[Any, float]], caption: str, *, head: tuple[str, str] = ("class", "probability")
) -> Markup:
    """Shares of a whole, the bar of each as long as it is.

    >>> share_table([("spam", 0.75), ("ham", 0.25)], "Probabilities").html.count('width="75%"')
    1
    """
    lines = [
        (isolated(name, width=BAR_NAME_WIDTH), _bar(0.0, share, "bar-for"), f"{share:.1%}") for name, share in rows
    ]
    return _table(lines, caption, head, "bars shares")


def steps_table(
    steps: Sequence[tuple[str, float]], caption: str, *, score: float, total: str = "total", unit: str = "nats"
) -> Markup:
    """Waterfall as a table: each bar begins where the one before it ended; the last is the sum, from 0.

    >>> steps_table([("prior", 0.5), ("happy", 1.1)], "Why", score=1.6).html.count('class="bar-for"')
    2
    """
    spans: list[tuple[str, float, float, float, str]] = []
    start = 0.0
    for name, change in steps:
        end = start + change if isfinite(change) else start
        spans.append((name, min(start, end), max(start, end), change, "bar-against" if change < 0 else "bar-for"))
        start = end
    last = score if isfinite(score) else start
    spans.append((total, min(0.0, last), max(0.0, last), score, "bar-total"))
    low, high = min(one[1] for one in spans), max(one[2] for one in spans)
    size = (high - low) or 1.0
    lines = [
        (
            isolated(name, width=BAR_NAME_WIDTH),
            _bar((left - low) / size, (right - left) / size, side, -low / size),
            _signed(value),
        )
        for name, left, right, value, side in spans
    ]
    return _table(lines, caption, ("part", unit))


def bar_table(rows: Sequence[tuple[Any, float]], caption: str, *, head: tuple[str, str] = ("part", "nats")) -> Markup:
    """Named numbers as bars from a common zero: positive ones to the right, negative ones to the left.

    >>> bar_table([("happy", 1.1), ("sad", -0.7)], "Evidence").html.count("bar-against")
    1
    """
    finite = [value for _, value in rows if isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    size = (high - low) or 1.0
    lines = []
    for name, value in rows:
        end = value if isfinite(value) else (high if value > 0 else low)
        left, right = min(0.0, end), max(0.0, end)
        side = "bar-against" if value < 0 else "bar-for"
        bar = _bar((left - low) / size, (right - left) / size, side, -low / size)
        lines.append((isolated(name, width=BAR_NAME_WIDTH), bar, _signed(value)))
    return _table(lines, caption, head)


def _table(lines: Iterable[tuple[Any, Markup, str]], caption: str, head: tuple[str, str], kind: str = "bars") -> Markup:
    rows = [
        element("tr", element("th", name, scope="row"), element("td", bar, class_="span"), element("td", number))
        for name, bar, number in lines
    ]
    top = element(
        "tr", element("th", head[0], scope="col"), element("td", class_="span"), element("th", head[1], scope="col")
    )
    columns = element("colgroup", element("col", class_="names"), element("col"), element("col", class_="numbers"))
    body = element("tbody", rows)
    return element("table", element("caption", caption), columns, element("thead", top), body, class_=kind)


def _bar(start: float, width: float, side: str, zero: float | None = None) -> Markup:
    """A bar in a cell, by shares of its width; the numbers beside it say the same, so it is hidden from readers."""
    shown = max(width, 0.004)
    line = None if zero is None else element("rect", x=_percent(zero), y=0, width=1, height="100%", class_="bar-zero")
    bar = element(
        "rect", x=_percent(min(start, 1 - shown)), y="15%", width=_percent(shown), height="70%", rx=2, class_=side
    )
    return element("svg", line, bar, aria_hidden="true", width="100%", height="100%")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def _signed(value: float) -> str:
    return f"{value:+.3f}" if isfinite(value) else "+∞" if value > 0 else "−∞"
