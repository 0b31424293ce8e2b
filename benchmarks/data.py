"""The public data sets that the benchmarks read: JSON Lines, gzipped, in the folder that `BANBURY_DATA` names."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
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
    return _split(train, test)


def splits(name: str, *, every: int = 1) -> list[Split]:
    """A set as its publishers split it, all in one; else in five ways, so that each row is tested once.

    Sets are published in groups, so rows are shuffled first, always in the same way.
    """
    table = rows(name, every=every)
    Random(0).shuffle(table)
    if "split" in table[0]:
        return [_split(*([row for row in table if row["split"] == part] for part in ("train", "test")))]
    labels = [row["label"] for row in table]
    return [_split(*([table[row] for row in part] for part in parts)) for parts in folds(labels)]


def folds(labels: list[str], n: int = 5) -> list[tuple[list[int], list[int]]]:
    """The rows to learn from and the rows to test on, in `n` ways. Every class is dealt out evenly, however small.

    >>> folds(["a", "b", "a", "a", "b"], n=2)
    [([0, 1], [2, 3, 4]), ([2, 3, 4], [0, 1])]
    """
    order = list(range(len(labels)))
    Random(0).shuffle(order)
    order.sort(key=labels.__getitem__)  # it keeps the order that rows of a class were shuffled into
    tests = [set(order[fold::n]) for fold in range(n)]
    return [([row for row in range(len(labels)) if row not in test], sorted(test)) for test in tests]


def _split(train: Iterable[dict[str, Any]], test: Iterable[dict[str, Any]]) -> Split:
    (texts, labels), (test_texts, test_labels) = (
        ([row["text"] for row in part], [row["label"] for row in part]) for part in map(list, (train, test))
    )
    return Split(texts, labels, test_texts, test_labels)
