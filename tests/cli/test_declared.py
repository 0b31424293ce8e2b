"""What commands take is read as click reads it, or left to click."""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest

from banbury.cli import COMMANDS, imported
from banbury.cli.declared import Choice, Command, Float, Group, IntRange, argument, command, option, together
from commands import Here, environment

WORDS = [
    "", "-", "--", "-1", "0", "3", "0.5", "nan", "inf", "1e3", "yes", "fail", "skip", "csv", "jsonl", "python", "f1",
    "model.banbury", "rows.jsonl", "no.jsonl", "folder", "folder/new.banbury", "no/new.banbury", "accuracy=0.9", "a=b",
    "--json", "--help", "-h", "-orows.jsonl", "--text=body", "--no-such-option", "spam=0.1", "1,2", "so happy", "é",
]  # fmt: skip


def declared() -> list[Command]:
    commands = [imported(name) for name in COMMANDS if "." not in COMMANDS[name][0]]
    inner = [inner for found in commands if isinstance(found, Group) for inner in found.commands.values()]
    return [found for found in (*commands, *inner) if isinstance(found, Command) and not isinstance(found, Group)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("model.banbury", "rows.jsonl"):
        Path(name).touch()
    Path("folder").mkdir()
    return tmp_path


def by_click(made: click.Command, words: list[str]) -> dict[str, Any] | None:
    """What click reads; None where it shows help or an error."""
    try:
        return made.make_context("command", list(words)).params
    except (click.ClickException, click.exceptions.Exit):
        return None


def test_what_is_read_is_what_click_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(5)
    n_read = 0
    for found in declared():
        made = found.for_click()
        sound = ["model.banbury"] if any(one.name == "model" and one.is_argument for one in found.parameters) else []
        required = [one.options[0] for one in found.parameters if one.is_required and not one.is_argument]
        for _ in range(150):
            options = [random.choice(one.options) for one in random.choices(found.parameters, k=3) if one.options]
            words = [*sound, *random.choices([*options, *WORDS], k=random.randint(0, 5))]
            words += [word for name in required for word in (name, "new.banbury")] if random.random() < 0.9 else []
            values = found.read(words)
            if values is not None:
                n_read += 1
                assert repr(sorted(values.items())) == repr(sorted((by_click(made, words) or {}).items())), words
    assert n_read > 300


def test_usual_calls_are_read_without_click(folder: Path) -> None:
    calls = [
        ["train", "rows.jsonl", "-o", "new.banbury", "--plain", "--analyzer", "python", "--threads", "2"],
        ["train", "rows.jsonl", "--text", "body", "--fail-under", "accuracy=0.9", "--no-header", "-o", "new.banbury"],
        ["predict", "model.banbury", "so happy", "--top", "3", "--above", "0.5"],
        ["filter", "model.banbury", "rows.jsonl", "--keep", "ham", "-o", "-"],
        ["several", "train", "rows.jsonl", "-o", "new.banbury"],
        ["stream", "forget-before", "model.banbury", "2025-01-01"],
    ]
    for name, *words in calls:
        found, left = imported(name).find(words)  # type: ignore[union-attr]
        values = found.read(left)
        assert values is not None, (name, words)
        assert values == by_click(found.for_click(), list(left))


def test_a_command_that_trains_or_predicts_imports_no_click(mood: Here) -> None:
    program = (
        "import sys; from banbury.cli import main\n"
        "assert main() == 0; slow = {'click', 'dataclasses', 'inspect', 'numpy', 'rich', 'typing'}\n"
        "print(sorted(slow & sys.modules.keys()))"
    )
    train = ["train", "mood.jsonl", "--plain", "-o", "new.banbury"]
    for words in (train, ["predict", "new.banbury", "so happy"], ["predict", "new.banbury", "--texts", "so sad"]):
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, cwd=mood.folder, env=environment(), capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (["train", "mood.jsonl", "-o", "x.banbury", "--plain", "--fail-under", "accuracy=0.9"], "nothing is left out"),
        (["train", "mood.jsonl", "-o", "mood.jsonl"], "is read and would be overwritten"),
        (["train", "mood.jsonl", "-o", "x.banbury", "--ngrams", "two"], "for --ngrams: 'two' is not LOW,HIGH"),
        (["train", "mood.jsonl"], "Missing option '-o' / '--output'."),
        (["predict", "mood.banbury", "--top", "0", "so happy"], "for '--top': 0 is not in the range x>=1."),
        (["several", "train", "mood.jsonl", "-o", "no/x.banbury"], "there is no folder 'no' to write"),
    ],
)  # fmt: skip
def test_mistakes_are_said_by_click_with_the_usage(mood: Here, words: list[str], message: str) -> None:
    result = mood(*words)
    assert result.code == 2
    assert f"Usage: banbury {words[0]}" in result.err
    assert message in result.err


def test_a_command_is_what_its_parameters_say() -> None:
    both = together([option("--low", type=Float()), option("--high/--no-high", default=None)])

    @command(epilog="Example.")
    @argument("first")
    @argument("rest", nargs=-1)
    @both
    @option("-k", "--kind", "kind", type=Choice(["a", "b"]), default="a")
    @option("--by", multiple=True, type=IntRange(0, 9))
    def show(**given: Any) -> int:
        """Show it."""
        return len(given)

    assert [one.name for one in show.parameters] == ["first", "rest", "low", "high", "kind", "by"]
    values = show.read(["x", "-k", "b", "y", "--by", "3", "z", "--no-high", "--by", "4"])
    assert values == {"first": "x", "rest": ("y", "z"), "low": None, "high": False, "kind": "b", "by": (3, 4)}
    assert show(values) == 6
    odd = (["--kind=b"], ["--low", "-1"], ["--by", "10"], ["-k", "a", "-k", "b"], ["--low"])
    assert all(show.read(["x", *words]) is None for words in odd)
    assert show.read([]) is None
