"""Messages, results and progress on a terminal, and without one."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from banbury.cli.console import fitted
from commands import LABELS, TEXTS, Here, run, write_rows
from terminal import Terminal


def test_control_characters_of_texts_do_not_reach_a_report(here: Here) -> None:
    evil = "\x1b]0;owned\x07 \x9b31m happy"
    texts, labels = [evil, "so sad"] * 3, ["\x1b[2Jgood", "bad"] * 3
    write_rows(here.folder / "rows.jsonl", texts, labels)
    for arguments in (
        ["train", "rows.jsonl", "-o", "x.banbury"],
        ["evaluate", "x.banbury", "rows.jsonl", "--mistakes", "3"],
        ["explain", "x.banbury", evil],
        ["words", "x.banbury"],
        ["inspect", "x.banbury"],
        ["words", "x.banbury", "\x1b[31mnothing"],
        ["learn", "x.banbury", "--as", "\x1b[2Jgood", evil],
    ):
        result = here(*arguments)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", result.out + result.err), arguments


def test_no_colours_and_no_bars_without_a_terminal(mood: Here) -> None:
    for arguments in (["train", "mood.jsonl", "-o", "x.banbury"], ["evaluate", "mood.banbury", "mood.jsonl"]):
        result = run(*arguments, folder=mood.folder, FORCE_COLOR="1")
        assert "\x1b" not in result.out + result.err
        assert "━" not in result.err


PAIRS = list(zip(TEXTS, LABELS, strict=True))


def test_a_bar_shows_how_far_it_is_and_goes_away(folder: Path) -> None:
    line = json.dumps({"text": "What a lovely, lovely day it was " * 40, "label": "good"}) + "\n"
    (folder / "long.jsonl").write_text(line * 7_000)
    terminal = Terminal("evaluate", "mood.banbury", "long.jsonl", folder=folder)
    assert terminal.end() == 0
    assert "reading" in terminal.screen
    assert "━" in terminal.screen
    assert "MB" in terminal.screen


def long_rows(folder: Path) -> None:
    """A file that takes a while: 10 MB."""
    rows = [{"text": f"{text} {n} " + "and so on " * 160, "label": label} for n in range(10) for text, label in PAIRS]
    (folder / "long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_what_goes_on_after_reading_is_shown_and_goes_away(folder: Path) -> None:
    long_rows(folder)
    terminal = Terminal("train", "long.jsonl", "-o", "x.banbury", folder=folder)
    for sign in ("training ", "choosing ", "looking for duplicates and leaks "):
        terminal.wait_for(sign, seconds=120)
    assert terminal.end() == 0
    last = terminal.raw[terminal.raw.rindex("looking for duplicates") :]
    assert "\x1b[2K" in last  # the line is wiped before the report


def test_an_interrupt_in_the_middle_of_training_leaves_nothing(folder: Path) -> None:
    long_rows(folder)
    before = sorted(path.name for path in folder.iterdir())
    terminal = Terminal("train", "long.jsonl", "-o", "x.banbury", folder=folder)
    terminal.wait_for("choosing")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.screen
    assert sorted(path.name for path in folder.iterdir()) == before


def test_errors_are_broken_between_words(folder: Path) -> None:
    terminal = Terminal("train", "there-is-no.jsonl", "-o", "x.banbury", folder=folder, columns=40)
    assert terminal.end() == 3
    assert terminal.screen == "Error: there-is-no.jsonl: No such file\nor directory\n"


def test_without_any_terminal_there_are_only_plain_lines(folder: Path) -> None:
    long_rows(folder)
    command = [sys.executable, "-m", "banbury", "train", "long.jsonl", "--plain", "-o", "x.banbury"]
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, start_new_session=True)
    assert (done.returncode, done.stdout) == (0, b"")
    assert [line.split(b":")[0] for line in done.stderr.split(b"\n")] == [b"long.jsonl", b"x.banbury", b"Next", b""]
    assert b"\x1b" not in done.stderr


def test_colours_are_for_terminals_that_want_them(folder: Path) -> None:
    colourful = Terminal("explain", "mood.banbury", "What a lovely day", folder=folder)
    assert colourful.end() == 0
    assert re.search(r"\x1b\[[0-9;]*38;5;", colourful.raw)
    plain = Terminal("explain", "mood.banbury", "What a lovely day", folder=folder, NO_COLOR="1")
    assert plain.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain.raw)


def test_standard_input_is_not_waited_for_in_a_terminal(folder: Path) -> None:
    terminal = Terminal("predict", "mood.banbury", folder=folder)
    assert terminal.end() == 2
    assert "'-' for standard input" in terminal.screen


@pytest.mark.parametrize("columns", [40, 80])
def test_the_report_of_training_stays_within_the_window(folder: Path, columns: int) -> None:
    terminal = Terminal("train", "mood.jsonl", "-o", "x.banbury", folder=folder, columns=columns, lines=48)
    assert terminal.end() == 0
    assert max(len(line) for line in terminal.screen.split("\n")) <= columns
    assert len(terminal.screen.split("\n")) < (90 if columns == 40 else 55)
    assert "chosen" in terminal.screen
    assert "strongest words" in terminal.screen


CARD = """25 of 30 right              95 % interval
accuracy            0.9912  0.9867 to 0.9942
calibration error   0.0062
1 of 30 documents repeat earlier ones; each of them counts

class  precision  recall      F1  documents
ham       0.9922  0.9977  0.9949       2171"""


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert fitted(CARD, 60) == CARD


@pytest.mark.parametrize("width", [40, 30, 24])
def test_on_a_narrow_terminal_nothing_of_a_table_is_lost(width: int) -> None:
    lines = fitted(CARD, width).split("\n")
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == CARD.split()


def test_columns_stay_in_line_while_gaps_shrink() -> None:
    assert fitted("name      one    two\nlonger      1     22", 16) == "name   one two\nlonger   1  22"


def test_a_terminal_that_cannot_show_a_sign_shows_a_question_mark(folder: Path) -> None:
    terminal = Terminal("predict", "mood.banbury", "été", "--json", folder=folder, PYTHONIOENCODING="ascii")
    assert terminal.end() == 0
    assert '"text": "?t?"' in terminal.screen
