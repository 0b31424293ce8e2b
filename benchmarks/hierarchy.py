"""Labels in a hierarchy: HierarchicalClassifier beside Classifier, on the dotted names of 20 Newsgroups.

`python benchmarks/hierarchy.py` makes results/labels_hierarchy.json: log loss and accuracy on the whole test part,
learned from so many documents a class (five draws each) and from all; accuracy at the top level (comp, rec, sci …); and
how long a hierarchy of thousands of labels takes, each made of a word of the messages.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
from data import split

from banbury import Classifier, HierarchicalClassifier

HIERARCHY_RESULTS = Path(__file__).parent / "results" / "labels_hierarchy.json"
SIZES = (20, 100)
DRAWS = 5
MANY = (1_000, 5_000)


def measured(texts: list[str], labels: list[str], test: list[str], test_labels: list[str]) -> dict[str, float]:
    """Both models, fitted and tested."""
    started = process_time()
    flat = Classifier(threads=1).fit(texts, labels)
    flat_done = process_time()
    tree = HierarchicalClassifier(separator=".", threads=1).fit(texts, labels)
    tree_done = process_time()
    report = tree.evaluate(test, test_labels)
    flat_report = flat.evaluate(test, test_labels)
    assert flat_report.log_loss is not None
    tops = [label.split(".")[0] for label in flat.predict(test).tolist()]
    return {
        "flat_log_loss": flat_report.log_loss,
        "log_loss": report.log_loss,
        "flat_accuracy": flat_report.accuracy,
        "accuracy": report.accuracy,
        "flat_top_accuracy": float(np.mean([a == b.split(".")[0] for a, b in zip(tops, test_labels, strict=True)])),
        "top_accuracy": report.levels[0].accuracy,
        "flat_fit": flat_done - started,
        "fit": tree_done - flat_done,
    }


def newsgroups() -> list[dict[str, Any]]:
    """20 Newsgroups, from few documents a class and from all."""
    whole = split("20newsgroups")
    rows: list[dict[str, Any]] = []
    for size in (*SIZES, None):
        found = []
        for draw in range(DRAWS if size else 1):
            kept = drawn(whole.train_labels, size, draw)
            texts, labels = [whole.train[row] for row in kept], [whole.train_labels[row] for row in kept]
            found.append(measured(texts, labels, whole.test, whole.test_labels))
            print(size, draw, found[-1], flush=True)
        means = {name: round(float(np.mean([one[name] for one in found])), 4) for name in found[0]}
        better = sum(one["log_loss"] < one["flat_log_loss"] for one in found)
        rows.append({"documents_a_class": size or "all", "draws": len(found), "better": better, **means})
    return rows


def drawn(labels: list[str], size: int | None, seed: int) -> list[int]:
    """The rows of so many documents of each class, or of all."""
    if size is None:
        return list(range(len(labels)))
    random = Random(seed)
    by_label: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        by_label.setdefault(label, []).append(row)
    return [row for label in sorted(by_label) for row in random.sample(by_label[label], size)]


def many(n_labels: int) -> dict[str, Any]:
    """A hierarchy of so many labels: newsgroup, first letter of a word, word; a text is a line that had the word."""
    whole = split("20newsgroups")
    lines = [
        (label.replace(".", "-"), line.split())
        for text, label in zip(whole.train, whole.train_labels, strict=True)
        for line in text.splitlines()
    ]
    lines = [(label, [word.lower() for word in words if word.isalpha()]) for label, words in lines]
    seen = Counter((label, word) for label, words in lines for word in set(words) if len(word) > 4)
    chosen = {pair for pair, n in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:n_labels]}
    texts, labels = [], []
    for label, words in lines:
        for word in sorted(set(words)):
            if (label, word) in chosen and len(words) > 4:
                texts.append(" ".join(other for other in words if other != word))
                labels.append(f"{label}.{word[0]}.{word}")
    order = list(range(len(texts)))
    Random(0).shuffle(order)
    test, kept = order[:1_000], order[1_000:100_000]
    started = process_time()
    model = HierarchicalClassifier(separator=".", threads=1).fit(
        [texts[row] for row in kept], [labels[row] for row in kept]
    )
    fitted = process_time()
    report = model.evaluate([texts[row] for row in test], [labels[row] for row in test])
    return {
        "labels": len(model.classes_),
        "documents": len(kept),
        "fit": round(fitted - started, 2),
        "evaluate_1000": round(process_time() - fitted, 2),
        "accuracy": round(report.accuracy, 4),
        "top_accuracy": round(report.levels[0].accuracy, 4),
        "log_loss": round(report.log_loss, 4),
    }


def main() -> None:
    """Measure everything."""
    found = {"newsgroups": newsgroups(), "many": []}
    for n_labels in MANY:
        found["many"].append(many(n_labels))
        print(found["many"][-1], flush=True)
    HIERARCHY_RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
