"""Poisoning and evasion: what a spam filter loses to someone who writes some of its mail, and what vetting saves.

`python benchmarks/poisoning.py` makes the table in docs/how-to/poisoning.md. On SpamAssassin's mail, in three splits:

- poisoning: 1 % of the training mail is written by an attacker and labelled spam, so that ordinary letters look like
  spam. Each has nine tenths of a dictionary: of all words that two letters of the training part have, or of the 1,000
  words that speak most for ham;
- evasion: to each spam of the test part good words are added, those that tell ham from spam best.

Ours is the automatic model and the textbook's, the peer scikit-learn's MultinomialNB with the same words counted by its
CountVectorizer. A tenth of the training part is the set that is trusted: it judges what is learned by the vetted model,
which is fitted on half of the rest and is asked of each source whether it may learn from it. A source has ten letters:
of the other half of the mail, of which the first 400 letters are judged, or of the attacker's.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import data
import numpy as np
from saving import write
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from banbury import Classifier
from banbury.apps.vetting import vet

RESULTS = Path(__file__).parent / "results" / "poisoning.json"
SHARE = 0.01  # of the training mail that the attacker writes
SOURCE = 10  # letters
MOST_HONEST = 40  # honest sources that are asked about; the rest of the mail is learned as it is
GOOD_WORDS = (20, 100)


def words(text: str) -> set[str]:
    """The words of a text as the attacker knows them."""
    return {word for word in text.lower().split() if word.isalpha()}


def dictionary(texts: list[str]) -> list[str]:
    """All words that two letters have."""
    seen = Counter(word for text in texts for word in words(text))
    return sorted(word for word, times in seen.items() if times >= 2)


def attack(vocabulary: list[str], n: int, random: Random) -> list[str]:
    """Letters with most of these words."""
    return [" ".join(random.sample(vocabulary, len(vocabulary) * 9 // 10)) for _ in range(n)]


def good_words(texts: list[str], labels: list[str], n: int) -> list[str]:
    """The words that speak most for ham: by how many letters of each class have them."""
    ham, spam = Counter(), Counter()
    for text, label in zip(texts, labels, strict=True):
        (spam if label == "spam" else ham).update(words(text))
    n_ham, n_spam = labels.count("ham"), labels.count("spam")
    weight = {word: np.log((ham[word] + 1) / n_ham) - np.log((spam[word] + 1) / n_spam) for word in ham}
    return sorted(weight, key=lambda word: -weight[word])[:n]


def figures(model: Any, texts: list[str], labels: list[str]) -> dict[str, float]:
    """The share of ham that is kept, and of spam that is caught."""
    predicted = np.asarray(model.predict(texts))
    truth = np.asarray(labels)
    return {name: float((predicted[truth == label] == label).mean()) for name, label in
            (("ham kept", "ham"), ("spam caught", "spam"))}  # fmt: skip


def fitted(name: str, texts: list[str], labels: list[str]) -> Any:
    """A filter of this kind."""
    models: dict[str, Any] = {
        "automatic": Classifier(threads=1),
        "textbook": Classifier.textbook(threads=1),
        "MultinomialNB": make_pipeline(CountVectorizer(), MultinomialNB()),
    }
    return models[name].fit(texts, labels)


def vetted(
    name: str, texts: list[str], labels: list[str], trusted: Any, poisons: dict[str, list[str]], test: Any
) -> dict[str, dict[str, float]]:
    """Figures of a model of what was accepted, and how much was refused, by attack."""
    half = len(texts) // 2
    first, result = fitted(name, texts[:half], labels[:half]), {}
    end = min(half + SOURCE * MOST_HONEST, len(texts))
    honest = [f"honest {n // SOURCE}" for n in range(end - half)]
    found = vet(first, texts[half:end], labels[half:end], trusted=trusted, sources=honest)
    honest_refused = {half + n for n in found.refused}
    kept = [n for n in range(len(texts)) if n not in honest_refused]
    for kind, letters in {"clean": [], **poisons}.items():
        accepted: list[int] = []
        if letters:
            sources = [f"attack {n // SOURCE}" for n in range(len(letters))]
            accepted = vet(first, letters, ["spam"] * len(letters), trusted=trusted, sources=sources).accepted
        learned = [*(texts[n] for n in kept), *(letters[n] for n in accepted)]
        model = fitted(name, learned, [*(labels[n] for n in kept), *["spam"] * len(accepted)])
        result[kind] = figures(model, *test) | {"honest refused": len(found.refused) / (end - half)}
        if letters:
            result[kind]["attack refused"] = 1 - len(accepted) / len(letters)
    return result


def run(seed: int, every: int) -> dict[str, dict[str, float]]:
    """All figures of one split."""
    random = Random(seed)
    rows = data.rows("spamassassin", every=every)
    random.shuffle(rows)
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    n_test, n_trusted = len(rows) // 5, len(rows) * 4 // 50
    test, trusted = (texts[:n_test], labels[:n_test]), slice(n_test, n_test + n_trusted)
    train, known = texts[n_test + n_trusted :], labels[n_test + n_trusted :]
    judges = texts[trusted], labels[trusted]
    n_poison = max(round(SHARE * len(train)), 1)
    poisons = {
        "dictionary": attack(dictionary(train), n_poison, random),
        "words of ham": attack(good_words(train, known, 1000), n_poison, random),
    }
    evasions = {n: " ".join(good_words(train, known, n)) for n in GOOD_WORDS}
    result: dict[str, dict[str, float]] = {}
    for name in ("automatic", "textbook", "MultinomialNB"):
        clean = fitted(name, train, known)
        result[f"{name}: clean"] = figures(clean, *test)
        for n, good in evasions.items():
            evading = [f"{text} {good}" if label == "spam" else text for text, label in zip(*test, strict=True)]
            result[f"{name}: {n} good words"] = figures(clean, evading, test[1])
        for kind, letters in poisons.items():
            poisoned = fitted(name, [*train, *letters], [*known, *["spam"] * len(letters)])
            result[f"{name}: {kind} learned"] = figures(poisoned, *test)
    for name in ("automatic", "textbook"):
        for kind, values in vetted(name, train, known, judges, poisons, test).items():
            result[f"{name}, vetted: {kind}"] = values
    return result


def main() -> None:
    """Measure in three splits, print the table, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every so manieth letter: a trial")
    parser.add_argument("--splits", type=int, default=3)
    options = parser.parse_args()
    runs = [run(seed, options.every) for seed in range(options.splits)]
    means = {
        name: {what: float(np.mean([one[name][what] for one in runs])) for what in runs[0][name]} for name in runs[0]
    }
    for name, values in means.items():
        print(f"{name:32}", "  ".join(f"{what} {100 * value:.1f} %" for what, value in values.items()), flush=True)
    write(RESULTS, "means", means, quick=options.every > 1)


if __name__ == "__main__":
    main()
