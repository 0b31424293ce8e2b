"""`banbury label` on a terminal: keys, undo, resuming."""

import json
from pathlib import Path

import pytest

from banbury import Classifier
from banbury.cli.labelling import LABEL_KEYS
from banbury.datasets import demo
from commands import Here
from terminal import Terminal
from unlabelled import UNLABELLED

TEXTS, LABELS = demo()


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


def test_many_labels_have_letters_and_the_rest_are_found_by_name(folder: Path) -> None:
    names = [f"topic{n:02}" for n in range(40)]
    terminal = label(folder, "--labels", ",".join(names), columns=60, lines=40)
    terminal.wait_for("0 labelled, 5 left")
    terminal.wait_for("quit")
    assert "[9] topic08" in terminal.screen
    assert "[a] topic09" in terminal.screen
    assert f"[/] {40 - len(LABEL_KEYS)} more" in terminal.screen
    terminal.press("b")
    terminal.wait_for("1 labelled")
    terminal.press("/topic3\r")
    terminal.wait_for("which? topic30, topic31")
    terminal.press("/37\r")
    terminal.wait_for("2 labelled")
    terminal.press("/zzz\r")
    terminal.wait_for("no label has that in its name")
    terminal.press("/top\x7f\x7f\x7f\x1b")  # erased, and given up
    terminal.press("1")
    terminal.wait_for("3 labelled")
    terminal.press("q")
    assert terminal.end() == 0
    assert [row["label"] for row in labelled(folder)] == ["topic10", "topic37", "topic00"]


def test_a_label_can_be_added_midway_and_all_keys_be_shown(folder: Path) -> None:
    terminal = label(folder, "--labels", "good,bad")
    terminal.wait_for("quit")
    terminal.press("+ugly café\r")
    terminal.wait_for("[3] ugly café")
    terminal.press("+good\r")
    terminal.wait_for("good is there already")
    terminal.press("3")
    terminal.wait_for("1 labelled, 4 left")
    terminal.wait_for("ugly café 1")
    terminal.press("?")
    terminal.wait_for("[3] ugly café: 1")
    terminal.wait_for("[+] add a label")
    terminal.wait_for("[q] quit; all labels are written")
    terminal.press("q")
    assert terminal.end() == 0
    assert labelled(folder)[0]["label"] == "ugly café"


def test_what_the_model_had_guessed_is_counted(folder: Path) -> None:
    terminal = label(folder, "--model", "mood.banbury")
    terminal.wait_for("quit")
    known = Classifier().fit(TEXTS, LABELS)
    terminal.press("1")
    terminal.wait_for("1 labelled")
    first = labelled(folder)[0]
    is_right = known.predict(str(first["text"])) == first["label"]
    terminal.wait_for(f"guessed right {int(is_right)} of 1")
    terminal.press("u")
    terminal.wait_for("0 labelled")
    assert "guessed" not in terminal.screen.rsplit("0 labelled", 1)[1]
    terminal.press("q")
    assert terminal.end() == 0


def test_other_columns_of_a_row_are_shown_above_its_text(folder: Path) -> None:
    (folder / "new.jsonl").write_text(
        "".join(json.dumps({"from": f"ann{n}@x.org", "text": f"hello {n}", "stars": n}) + "\n" for n in range(3))
    )
    terminal = label(folder, "--labels", "good,bad", columns=40, lines=20)
    terminal.wait_for("quit")
    assert "from: ann" in terminal.screen
    assert "stars: " in terminal.screen
    assert max(len(line) for line in terminal.screen.split("\n")) <= 40
    terminal.press("1")
    terminal.wait_for("1 labelled")
    terminal.press("q")
    assert terminal.end() == 0
    assert set(labelled(folder)[0]) == {"from", "text", "stars", "label"}


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


def test_what_was_answered_stays_on_the_screen(folder: Path) -> None:
    terminal = label(folder, "--labels", "good,bad")
    for key, answer in [("1", "→ good"), ("u", "→ undone"), ("s", "→ skipped"), ("q", "0 labelled, 4 left")]:
        terminal.wait_for("[q] quit")
        terminal.press(key)
        terminal.wait_for(answer)
    assert terminal.end() == 0
