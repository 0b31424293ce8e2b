"""Very many classes: 10,000 and 100,000, made from real words.

`python benchmarks/many_labels.py` makes results/labels_many.json. A class is a word of IMDb's reviews; a document is
a sentence, and its class is its rarest word among those that are classes. A class has ten sentences at most; of all
sentences 2,000 are not learned, but predicted and evaluated. Each size runs in a process of its own; seconds are those
of the processor, on one thread, and megabytes are the peak of the process above what it had before it fitted.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from data import rows

from banbury import Classifier

MANY_RESULTS = Path(__file__).parent / "results" / "labels_many.json"
MANY_CLASSES = (1_000, 10_000, 100_000)
MOST_OF_A_WORD = 10
TESTED = 2_000


def made(n_classes: int) -> tuple[list[str], list[str]]:
    """Sentences and their words, in a fixed random order."""
    sentences = [
        words
        for row in rows("imdb")
        for sentence in re.split(r"[.!?<>]", row["text"].lower())
        if 6 <= len(words := re.findall(r"[a-z']+", sentence)) <= 30
    ]
    Random(0).shuffle(sentences)
    seen = Counter(word for words in sentences for word in set(words) if len(word) > 2)
    wanted = {word for word, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:n_classes]}
    taken: Counter[str] = Counter()
    texts, labels = [], []
    for words in sentences:
        word = min(set(words) & wanted, key=lambda word: (seen[word], word), default=None)
        if word is not None and taken[word] < MOST_OF_A_WORD:
            taken[word] += 1
            texts.append(" ".join(words))
            labels.append(word)
    order = list(range(len(texts)))
    Random(1).shuffle(order)
    return [texts[row] for row in order], [labels[row] for row in order]


def peak() -> float:
    """Megabytes that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(n_classes: int) -> dict[str, Any]:
    """Fit, predict, probabilities of a few, and evaluate."""
    texts, labels = made(n_classes)
    before, started = peak(), process_time()
    model = Classifier(analyzer="words", threads=1).fit(texts[TESTED:], labels[TESTED:])
    fitted, fit_peak = process_time(), peak()
    model.predict(texts[:TESTED])
    predicted = process_time()
    report = model.evaluate_many(texts[:TESTED], labels[:TESTED])
    return {
        "classes": len(model.classes_),
        "documents": len(texts) - TESTED,
        "text_megabytes": round(sum(map(len, texts)) / 1e6, 1),
        "fit": round(fitted - started, 2),
        "predict_2000": round(predicted - fitted, 2),
        "evaluate_2000": round(process_time() - predicted, 2),
        "fit_megabytes": round(fit_peak - before),
        "all_megabytes": round(peak() - before),
        "accuracy": round(report.accuracy, 4),
        "among_10": round(report.top_accuracies[10], 4),
    }


def main() -> None:
    """Measure every size in a process of its own, or with a number that one here."""
    if sys.argv[1:]:
        print(json.dumps(measured(int(sys.argv[1]))))
        return
    found = []
    for n_classes in MANY_CLASSES:
        command = [sys.executable, __file__, str(n_classes)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
        print(found[-1], flush=True)
    MANY_RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
