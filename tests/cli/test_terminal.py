"""The command in a real terminal: colours, bars, keys, a narrow window."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Here

pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")

from banbury import Classifier
from banbury.datasets import demo
from terminal import Terminal

TEXTS, LABELS = demo()
PAIRS = list(zip(TEXTS, LABELS, strict=True))
UNLABELLED = [
    "What a lovely day",
    "My train is late again",
    "so so",
    "\x1b]0;owned\x07 a wonderful trick",
    "lovely, late",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Classifier().fit(TEXTS, LABELS).save(tmp_path / "mood.banbury")
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "mood.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    new = [json.dumps({"id": n, "text": text}) for n, text in enumerate(UNLABELLED)]
    (tmp_path / "new.jsonl").write_text("\n".join(new))
    return tmp_path


def labelled(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "done.jsonl").read_text().split("\n") if line]


def label(folder: Path, *arguments: str, **options: object) -> Terminal:
    return Terminal("label", "new.jsonl", "-o", "done.jsonl", *arguments, folder=folder, **options)  # type: ignore[arg-type]


def test_keys_give_labels_that_are_written_at_once_and_can_be_undone(folder: Path) -> None:
    terminal = label(folder, "--labels", "good,bad")
    terminal.wait_for("0 labelled, 5 left")
    terminal.press("1")
    terminal.wait_for("1 labelled, 4 left")
    assert [row["label"] for row in labelled(folder)] == ["good"]
    terminal.press("2")
    terminal.wait_for("2 labelled, 3 left")
    terminal.wait_for("%")  # a model has learned from both, and says what it thinks
    second = labelled(folder)[1]
    terminal.press("u")
    terminal.wait_for("1 labelled, 4 left")
    terminal.wait_for(str(second["text"])[-10:])
    assert len(labelled(folder)) == 1
    terminal.press("x")  # means nothing
    terminal.press("s")
    terminal.wait_for("1 labelled, 3 left")
    terminal.press("q")
    assert terminal.end() == 0
    assert "1 labelled, 3 left: done.jsonl" in terminal.screen
    assert list(labelled(folder)[0]) == ["id", "text", "label"]


def test_labelling_goes_on_where_it_was_left(folder: Path) -> None:
    first = label(folder, "--labels", "good,bad")
    for n in range(3):
        first.wait_for(f"{n} labelled")
        first.press("12"[n % 2])
    first.wait_for("3 labelled")
    first.interrupt()
    assert first.end() == 0
    with open(folder / "done.jsonl", "a") as file:
        file.write('{"text": "cut o')  # the machine went off in the middle of a line
    second = label(folder)  # what there is to choose from is in the file
    second.wait_for("3 labelled, 2 left")
    second.press("u")  # those of an earlier session stay
    second.wait_for("→ nothing to undo in this session")
    second.press("1")
    second.wait_for("4 labelled, 1 left")
    second.press("2")
    assert second.end() == 0
    assert "Every row has a label" in second.screen
    assert "Next: banbury train done.jsonl -o MODEL" in second.screen
    assert sorted(str(row["text"]) for row in labelled(folder)) == sorted(UNLABELLED)


def test_by_uncertainty_the_least_certain_row_comes_first(folder: Path) -> None:
    terminal = label(folder, "--model", "mood.banbury", "--by", "uncertainty")
    terminal.wait_for("0 labelled, 5 left")
    terminal.wait_for("quit")
    known = Classifier().fit(TEXTS, LABELS)
    chances = [abs(known.probabilities(text)["positive"] - 0.5) for text in UNLABELLED]
    assert UNLABELLED[chances.index(min(chances))] in terminal.screen
    terminal.press("q")
    assert terminal.end() == 0


def test_texts_cannot_play_tricks_on_the_terminal(folder: Path) -> None:
    terminal = label(folder, "--labels", "good,bad")
    for n in range(5):
        terminal.wait_for(f"{n} labelled")
        terminal.press("1")
    assert terminal.end() == 0
    assert "\x1b]" not in terminal.raw
    assert "␛]0;owned␇ a wonderful trick" in terminal.screen
    predicted = Terminal("predict", "mood.banbury", "new.jsonl", folder=folder)
    assert predicted.end() == 0
    assert "\x1b]0" not in predicted.raw


def test_a_narrow_window_is_filled_and_not_left(folder: Path) -> None:
    rows = "".join(json.dumps({"text": f"{n} a rather long text that has to be broken " * 30}) + "\n" for n in "ab")
    (folder / "new.jsonl").write_text(rows)
    terminal = label(folder, "--labels", "good,bad", columns=30, lines=12)
    terminal.wait_for("more lines")
    terminal.wait_for("quit")
    assert max(len(line) for line in terminal.screen.split("\n")) <= 30
    terminal.press("q")
    assert terminal.end() == 0


def test_labelling_without_a_terminal_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = Here(folder, monkeypatch)("label", "new.jsonl", "-o", "done.jsonl", "--labels", "a,b")
    assert (result.code, "needs a terminal" in result.err) == (2, True)
    assert not (folder / "done.jsonl").exists()


@pytest.mark.parametrize(
    "arguments, content, message",
    [
        ([], None, "Say what there is to choose from"),
        (["--labels", "a"], None, "Say what there is to choose from"),
        (["--labels", "a,b,c,d,e,f,g,h,i,j"], None, "more than there are keys"),
        (["--labels", "a,b"], "not labels\n", "not a file of labels"),
    ],
)
def test_labelling_says_what_is_wrong(folder: Path, arguments: list[str], content: str | None, message: str) -> None:
    if content is not None:
        (folder / "done.jsonl").write_text(content)
    terminal = label(folder, *arguments)
    assert terminal.end() in (2, 3)
    assert message in " ".join(terminal.screen.split())
    if content is not None:
        assert (folder / "done.jsonl").read_text() == content


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


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_words_stand_in_columns_of_any_window(folder: Path, columns: int) -> None:
    terminal = Terminal("words", "mood.banbury", "positive", "--top", 9, folder=folder, columns=columns)
    assert terminal.end() == 0
    lines = terminal.screen.split("\n")
    assert max(map(len, lines)) <= columns
    words = Classifier().fit(TEXTS, LABELS).words("positive", top=9).words
    assert [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in words] == words
    assert ("95% interval" in terminal.screen) == (columns == 120)
    assert "weight" in terminal.screen


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


def test_what_was_answered_stays_on_the_screen(folder: Path) -> None:
    terminal = label(folder, "--labels", "good,bad")
    for key, answer in [("1", "→ good"), ("u", "→ undone"), ("s", "→ skipped"), ("q", "0 labelled, 4 left")]:
        terminal.wait_for("[q]\u00a0quit")
        terminal.press(key)
        terminal.wait_for(answer)
    assert terminal.end() == 0
