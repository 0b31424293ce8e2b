"""Command lines that are nearly right, for `fuzzing.py`: each is run here, in a folder of small files of every kind."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import click

from banbury import Classifier, HierarchicalClassifier, MultiLabelClassifier, StreamClassifier, cli
from banbury.apps.spam import SpamFilter
from banbury.cli.by_click import commands
from fuzz_files import LABEL_SETS, LABELS, MAILS, TEXTS, here

SOUND = [
    ["train", "rows.jsonl", "-o", "new.banbury"],
    ["train", "rows.csv", "-o", "new.banbury", "--plain", "--text", "text", "--label", "label"],
    ["predict", "model.banbury", "rows.jsonl"],
    ["predict", "model.banbury", "so happy"],
    ["predict", "model.banbury", "rows.csv", "-o", "out.csv", "--promise", "0.9", "--promised-on", "rows.jsonl"],
    ["explain", "model.banbury", "so happy"],
    ["evaluate", "model.banbury", "rows.jsonl"],
    ["words", "model.banbury", "yes"],
    ["learn", "copy.banbury", "rows.jsonl"],
    ["forget", "copy.banbury", "rows.jsonl"],
    ["merge", "model.banbury", "model.banbury", "-o", "new.banbury"],
    ["filter", "model.banbury", "rows.jsonl", "--keep", "yes"],
    ["mail", "spam.banbury", "--exit-zero"],
    ["rank", "rows.jsonl", "--query", "happy"],
    ["report", "model.banbury", "rows.jsonl", "-o", "page.html"],
    ["inspect", "model.banbury"],
    ["several", "train", "rows.jsonl", "-o", "new.banbury"],
    ["several", "predict", "several.banbury", "so happy"],
    ["several", "evaluate", "several.banbury", "rows.jsonl"],
    ["tree", "train", "rows.jsonl", "-o", "new.banbury"],
    ["tree", "predict", "tree.banbury", "so happy", "--sure", "0.8"],
    ["tree", "learn", "tree.banbury", "rows.jsonl"],
    ["stream", "train", "rows.jsonl", "--time", "n", "--period", "1", "-o", "new.banbury"],
    ["stream", "predict", "stream.banbury", "so happy"],
    ["stream", "learn", "stream.banbury", "rows.jsonl", "--time", "n"],
    ["stream", "drift", "stream.banbury"],
]
NAMES = ["rows.jsonl", "rows.csv", "model.banbury", "copy.banbury", "spam.banbury", "no such file", ".", "-", "empty"]
# "\udcff" is a byte that is no UTF-8, as Python hands it over.
ODD = [
    "", " ", "-", "--", "-1", "0", "1e308", "nan", "inf", "2**70", str(2**70), "yes", "no", "\udcff", "\x1b[2J", "a=b",
    "=", ",", "1,2", "2,1", "255,255", "text", "label", "n", "ä", "日本", "x" * 300, "auto", "none", "{}", "[]",
]  # fmt: skip
INPUTS = [b"", b"so happy\n", b'{"text": "so happy", "label": "yes"}\n', b"\xff\xfe\0", MAILS[0], b'{"text": 1}\n']


@cache
def options_of(command: str) -> list[str]:
    """The options of a command, without those that start something or ask someone."""
    found: Any = commands
    for name in command.split():
        found = found.get_command(click.Context(found), name)
    return [
        name for option in found.get_params(click.Context(found)) for name in (*option.opts, *option.secondary_opts)
    ]


def changed_command(random: Random) -> bytes:
    """A command line and its standard input, as JSON and what follows it."""
    arguments = list(random.choice(SOUND))
    first = 2 if arguments[0] in ("several", "tree", "stream") else 1
    command = " ".join(arguments[:first])
    for _ in range(random.randint(1, 3)):
        place = random.randint(first, max(first, len(arguments)))
        match random.randrange(5):
            case 0 if place < len(arguments):
                del arguments[place]
            case 1 if place < len(arguments):
                arguments[place] = random.choice([*NAMES, *ODD])
            case 2:
                arguments.insert(place, random.choice([*NAMES, *ODD]))
            case _:
                option = random.choice(options_of(command))
                arguments[place:place] = [option] if random.random() < 0.3 else [option, random.choice([*ODD, *NAMES])]
    return json.dumps(arguments).encode() + b"\n" + random.choice(INPUTS)


@cache
def _folder() -> Path:
    """The folder in which commands are run; files of it that a command changes are written anew."""
    folder = here("commands")
    folder.mkdir(exist_ok=True)
    Classifier.textbook().fit(TEXTS, LABELS).save(folder / "model.banbury")
    SpamFilter().fit(MAILS, ["ham", "spam"] * 2).save(folder / "spam.banbury")
    MultiLabelClassifier().fit(TEXTS, LABEL_SETS).save(folder / "several.banbury")
    HierarchicalClassifier().fit(TEXTS, LABELS).save(folder / "tree.banbury")
    StreamClassifier(period=1).fit(TEXTS, LABELS, [0, 0, 1, 1, 2]).save(folder / "stream.banbury")
    rows = [{"text": text, "label": label, "n": n} for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "rows.csv").write_text('text,label,n\nso happy,yes,1\n"so, sad",no,2\n', encoding="utf-8")
    (folder / "empty").touch()
    return folder


@contextmanager
def _as_command(arguments: list[str], stdin: bytes) -> Iterator[list[Any]]:
    """The streams, the arguments and the folder of a command, for as long as it runs."""
    before, place = (sys.argv, sys.stdin, sys.stdout, sys.stderr), Path.cwd()
    errors = ("strict", "backslashreplace")  # those of Python's own streams
    outputs: list[Any] = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", errors=how) for how in errors]
    sys.argv, sys.stdin = ["banbury", *arguments], io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout, sys.stderr = outputs
    os.chdir(_folder())
    try:
        yield outputs
    finally:
        os.chdir(place)
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before


def use_command(data: bytes) -> int:
    """Runs a command: it ends with a code that is told, and an error is a sentence."""
    line, _, stdin = data.partition(b"\n")
    arguments: list[Any] = json.loads(line)
    folder = _folder()
    (folder / "copy.banbury").write_bytes((folder / "model.banbury").read_bytes())
    with _as_command(arguments, stdin) as (out, err):
        code = cli.main()
        out.flush()
        err.flush()
        said = err.buffer.getvalue().decode("utf-8")
    assert code in (0, 1, 2, 3, 141), f"{arguments}: code {code}"
    assert "Traceback" not in said, f"{arguments}: {said}"
    assert code in (0, 1, 141) or arguments[0] == "mail" or said.strip(), f"{arguments}: code {code} without a word"
    return code
