"""Runs the command `banbury` for tests: as a process of its own, or here, which is quicker."""

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier, cli
from banbury.datasets import demo

TEXTS, LABELS = demo()


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1", **more}


def run(*arguments: object, stdin: bytes = b"", folder: Path | None = None, **variables: str) -> Result:
    """The command as its users run it."""
    command = [sys.executable, "-m", "banbury", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, input=stdin, cwd=folder, env=environment(**variables))
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


class Here:
    """The command in this process, in a folder of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(folder)

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Result:
        streams: dict[str, Any] = {
            "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
            "stdout": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""),
            "stderr": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""),
        }
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["banbury", *map(str, arguments)])
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = cli.main()
        out, err = (_written(streams[name]) for name in ("stdout", "stderr"))
        return Result(code, out, err)


def _written(stream: Any) -> str:
    stream.flush()
    text: str = stream.buffer.getvalue().decode("utf-8")
    return text


def model() -> Classifier:
    """What `train` makes of the demo corpus."""
    return Classifier().fit(TEXTS, LABELS)


def write_rows(path: Path, texts: list[str], labels: list[str]) -> None:
    rows = enumerate(zip(texts, labels, strict=True))
    lines = [json.dumps({"id": n, "text": text, "label": label}) for n, (text, label) in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def json_rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.split("\n") if line]
