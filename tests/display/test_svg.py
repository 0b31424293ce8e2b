"""Drawings in pages: what they show, and that no name breaks out of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.display import svg as charts
from banbury.display.html import piece
from banbury.display.svg import Line, bars, line_chart, waterfall
from hostile import Look, assert_harmless, hostile_texts

NUMBERS = st.one_of(st.floats(-50, 50), st.sampled_from([0.0, math.inf, -math.inf]))


def numbers_of(html: str) -> list[float]:
    """All places and sizes in a drawing."""
    names = ("x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "r")
    return [float(found[name] or 0) for _, found in Look(html).elements for name in names if name in found]


@given(st.lists(st.tuples(hostile_texts(), NUMBERS), max_size=8), hostile_texts())
def test_bars_and_waterfalls_hold_any_names_and_numbers(rows: list[tuple[str, float]], title: str) -> None:
    for drawing in (bars(rows, title=title), waterfall(rows, title=title, score=1.0)):
        assert_harmless(piece(drawing))
        assert all(math.isfinite(number) for number in numbers_of(drawing.html))
        rects = [found for tag, found in Look(drawing.html).elements if tag == "rect"]
        assert all(float(rect["width"] or 0) > 0 for rect in rects)


def test_a_waterfall_goes_from_one_step_to_the_next_and_ends_at_the_sum() -> None:
    drawing = waterfall([("prior", -1.0), ("good", 3.0), ("bad", -0.5)], title="why")
    rects = [found for tag, found in Look(drawing.html).elements if tag == "rect"]
    prior, good, bad, total = ((float(r["x"] or 0), float(r["x"] or 0) + float(r["width"] or 0)) for r in rects)
    zero = prior[1]
    assert good[0] == pytest.approx(prior[0], abs=0.02)
    assert bad[1] == pytest.approx(good[1], abs=0.02)
    assert total == pytest.approx((zero, bad[0]), abs=0.02)
    assert [r["class"] for r in rects] == ["bar-against", "bar-for", "bar-against", "bar-total"]
    for text in ("-1.000", "+3.000", "-0.500", "+1.500"):
        assert text in Look(drawing.html).texts


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), NUMBERS), max_size=6), hostile_texts(), st.booleans())
def test_lines_hold_any_names_and_numbers(points: list[tuple[float, float]], name: str, percent: bool) -> None:
    band = [y for _, y in points]
    lines = [Line(name, points, band, band, [0.5] * len(points)), Line(name, points)]
    drawing = line_chart(lines, title=name, x_title=name, y_title=name, diagonal=True, percent=percent)
    assert_harmless(piece(drawing))
    assert all(math.isfinite(number) for number in numbers_of(drawing.html))


@pytest.mark.parametrize(
    "low, high, ticks",
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (95, 1045, [200, 400, 600, 800, 1000]),
        (-3, 3, [-3, -2, -1, 0, 1, 2, 3]),
        (3, 3, [3]),
    ],
)
def test_axes_have_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert charts.ticks(low, high) == ticks
