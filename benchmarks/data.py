"""The public data sets that the benchmarks read: JSON Lines, gzipped, in the folder that `BANBURY_DATA` names."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Split:
    """A set in its two parts."""

    train: list[str]
    train_labels: list[str]
    test: list[str]
    test_labels: list[str]


def folder() -> Path:
    """Where the sets are; the program ends with a message where nobody has said."""
    path = os.environ.get("BANBURY_DATA")
    if not path:
        raise SystemExit("BANBURY_DATA is not set: it names the folder with the public data sets (imdb.jsonl.gz, …)")
    if not Path(path).is_dir():
        raise SystemExit(f"BANBURY_DATA names {path}, which is not a folder")
    return Path(path)


def rows(name: str, *, every: int = 1) -> list[dict[str, Any]]:
    """The rows of a set (`text`, `label`, sometimes `split`), or only every so manieth of them."""
    path = folder() / f"{name}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"the folder that BANBURY_DATA names has no {path.name}")
    # Only \n ends a row: some texts hold other line separators.
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for number, line in enumerate(lines) if number % every == 0]


def split(name: str, *, every: int = 1) -> Split:
    """A set as its publishers split it, else with every fifth row in the test part.

    Rows are grouped by label, so every fifth row is also about a fifth of each class.
    """
    train: list[dict[str, Any]] = []
    test: list[dict[str, Any]] = []
    for number, row in enumerate(rows(name, every=every)):
        is_test = row["split"] == "test" if "split" in row else number % 5 == 4
        (test if is_test else train).append(row)
    return Split(
        [row["text"] for row in train],
        [row["label"] for row in train],
        [row["text"] for row in test],
        [row["label"] for row in test],
    )
