"""Blocks of lines whose cells stand in columns."""

from pathlib import Path

import pytest

from banbury import Classifier
from banbury.cli.blocks import Block, Blocks
from banbury.datasets import demo
from terminal import Terminal


def test_cells_stand_in_columns_and_nothing_moves_the_cursor() -> None:
    blocks = Blocks([Block("h\x1b[2J", [("漢", "1", "one"), ("ab\x07c", "22", "two")], right=(1,))])
    assert str(blocks) == "h␛[2J\n  漢     1  one\n  ab␇c  22  two"


TEXTS, LABELS = demo()


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_words_stand_in_columns_of_any_window(folder: Path, columns: int) -> None:
    terminal = Terminal("words", "mood.banbury", "positive", "--top", 9, folder=folder, columns=columns)
    assert terminal.end() == 0
    lines = terminal.screen.split("\n")
    assert max(map(len, lines)) <= columns
    words = Classifier().fit(TEXTS, LABELS).words("positive", top=9).words
    first_cells = [line.strip().split("  ")[0] for line in lines]
    assert [word for word in first_cells if word in words] == words
    assert ("95% interval" in terminal.screen) == (columns == 120)
    assert "weight" in terminal.screen
