"""Bars in tables: their places are the numbers beside them."""

import re
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from banbury.display.html_bars import bar_table, share_table, steps_table
from hostile import HOSTILE, Look


def _bars(html: str) -> list[tuple[float, float]]:
    found = re.findall(r'<rect x="([\d.]+)%" y="15%" width="([\d.]+)%"', html)
    return [(float(x), float(width)) for x, width in found]


def test_a_share_is_as_long_as_it_is() -> None:
    assert _bars(share_table([("a", 0.25), ("b", 0.75)], "Shares").html) == [(0, 25), (0, 75)]


def test_each_step_begins_where_the_one_before_it_ended() -> None:
    html = steps_table([("prior", 1.0), ("up", 2.0), ("down", -4.0)], "Why", score=-1.0).html
    # From −1 to 3: a quarter of the width is 1.
    assert _bars(html) == [(25, 25), (50, 50), (0, 100), (0, 25)]


def test_bars_begin_at_zero() -> None:
    assert _bars(bar_table([("for", 3.0), ("against", -1.0)], "Sides").html) == [(25, 75), (0, 25)]


@given(st.lists(st.floats(-1e6, 1e6) | st.just(inf) | st.just(-inf), max_size=8))
def test_bars_stay_within_their_cell(weights: list[float]) -> None:
    steps = [(str(number), weight) for number, weight in enumerate(weights)]
    for html in (steps_table(steps, "Why", score=sum(weights)).html, bar_table(steps, "Sides").html):
        assert all(x >= -0.01 and x + width <= 100.02 for x, width in _bars(html))


def test_hostile_names_stay_texts() -> None:
    rows = [(text, 0.5) for text in HOSTILE]
    assert Look(share_table(rows, HOSTILE[0]).html + bar_table(rows, HOSTILE[0]).html).odd == []
