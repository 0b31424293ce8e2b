"""The demo corpus: six hundred short texts, written for this project."""

from __future__ import annotations

import json
from importlib.resources import files


def demo() -> tuple[list[str], list[str]]:
    """The texts and labels (`"negative"`, `"positive"`) of the demo corpus.

    >>> texts, labels = demo()
    >>> len(texts), sorted(set(labels))
    (600, ['negative', 'positive'])
    """
    lines = files("banbury").joinpath("data", "demo.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [row["text"] for row in rows], [row["label"] for row in rows]
