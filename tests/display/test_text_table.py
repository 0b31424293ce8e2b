"""A grid of texts: the same cells as plain lines, on a terminal and in a page."""

from io import StringIO

import pytest
from rich.console import Console

from banbury.display.characters import width_of
from banbury.display.html import piece
from banbury.display.text_table import Grid, colour
from hostile import HOSTILE, Look, assert_harmless, is_visible

GRID = Grid(
    ["word", "count", "λ"],
    [["happy", "2", "+1.1"], ["日本", "13", "-0.5"], ["so", "7", "+0.0"]],
    "three words",
    gap=(2, "… 4 more"),
    strengths=("λ", [1.0, -0.4, 0.0]),
    spare=["count"],
)


def on_terminal(grid: Grid, width: int) -> list[str]:
    file = StringIO()
    Console(file=file, width=width, force_terminal=False).print(grid)
    return [line.rstrip() for line in file.getvalue().splitlines() if line.strip()]


def test_plain_columns_line_up_and_the_gap_stands_in_its_place() -> None:
    lines = str(GRID).splitlines()
    assert lines == ["word   count     λ", "happy      2  +1.1", "日本      13  -0.5", "… 4 more", "so         7  +0.0"]
    assert {width_of(line) for line in lines if "…" not in line} == {18}


def test_a_narrow_terminal_does_without_spare_columns() -> None:
    wide, narrow = on_terminal(GRID, 60), on_terminal(GRID, 16)
    assert wide[0].split() == ["word", "count", "λ"]
    assert narrow[0].split() == ["word", "λ"]
    assert any("… 4 more" in line for line in narrow)


def test_a_page_has_every_cell_and_colours_one_column() -> None:
    html = GRID.markup().html
    assert Look(html).texts[:4] == ["three words", "word", "count", "λ"]
    assert [found["class"] for tag, found in Look(html).elements if tag == "td" and "class" in found] == [
        "for-8",
        "against-4",
        "text quiet",
    ]


def test_any_text_is_harmless_everywhere() -> None:
    grid = Grid(["text", "n"], [[text, "1"] for text in HOSTILE])
    assert is_visible(str(grid).replace("\n", ""))
    assert_harmless(piece(grid.markup()))
    assert all(is_visible(line) for line in on_terminal(grid, 80))


@pytest.mark.parametrize(
    "strength, style", [(1.0, "bold dodger_blue1"), (0.3, "dodger_blue1"), (-0.3, "dark_orange3"), (0.01, "")]
)
def test_strong_words_are_bold_and_weak_ones_plain(strength: float, style: str) -> None:
    assert colour(strength) == style
