"""The demo corpus: six hundred short texts, written for this project."""

from __future__ import annotations

import json
import os


def demo() -> tuple[list[str], list[str]]:
    """The texts and labels (`"negative"`, `"positive"`) of the demo corpus.

    >>> texts, labels = demo()
    >>> len(texts), sorted(set(labels))
    (600, ['negative', 'positive'])
    """
    with open(os.path.join(os.path.dirname(__file__), "data", "demo.jsonl"), encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows], [row["label"] for row in rows]
