"""Several labels a document: how good, and how long a fit takes, beside scikit-learn's one-vs-rest and fastText's.

`python benchmarks/labels.py` measures every set and makes results/labels.json; names of sets measure these only. The
sets are made of single-label ones, so that anyone can make them again:

- joined: one, two or three documents at a time, drawn without replacement in a fixed random order, are one document
  with the labels of all; the publishers' split stays.
- tags: the parts of a newsgroup's dotted name are the tags of its messages, so that tags overlap as in a tree.

Peers predict a label from a probability of ½ on, as they come; `MultiLabelClassifier()` by its own thresholds. Seconds
are those of the processor, on one thread; a peer's fit includes its vectorizer. Log loss is the mean over documents and
labels.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from data import split
from peers import TINY, FastText
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from banbury import MultiLabelClassifier
from banbury.labels.sets import indicator

RESULTS = Path(__file__).parent / "results" / "labels.json"


class Labelled(NamedTuple):
    """Texts and the labels of each."""

    texts: list[str]
    labels: list[list[str]]


def joined(texts: list[str], labels: list[str], seed: int) -> Labelled:
    """One, two or three documents at a time as one."""
    random = Random(seed)
    order = list(range(len(texts)))
    random.shuffle(order)
    made = Labelled([], [])
    while order:
        rows = [order.pop() for _ in range(min(random.choice([1, 2, 3]), len(order)))]
        made.texts.append("\n".join(texts[row] for row in rows))
        made.labels.append(sorted({labels[row] for row in rows}))
    return made


def tagged(texts: list[str], labels: list[str], seed: int) -> Labelled:
    """The parts of each label's dotted name as tags."""
    del seed
    return Labelled(texts, [sorted(set(label.split("."))) for label in labels])


SETS: dict[str, tuple[str, Callable[[list[str], list[str], int], Labelled]]] = {
    "R8, joined": ("r8", joined),
    "20 Newsgroups, joined": ("20newsgroups", joined),
    "20 Newsgroups, tags": ("20newsgroups", tagged),
}


class Ova:
    """fastText with a yes or no for each label: `-loss ova`, settings of its tutorial."""

    def fit(self, texts: list[str], truth: Any) -> Ova:
        """Train on a file of lines, as fastText wants them."""
        fasttext: Any = import_module("fasttext")
        self.n_labels = truth.shape[1]
        lines = FastText.lines(texts)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "train.txt")
            rows = [
                " ".join([*(f"__label__{place}" for place in np.flatnonzero(row)), line]) + "\n"
                for row, line in zip(truth, lines, strict=True)
            ]
            file.write_text("".join(rows), encoding="utf-8")
            how: dict[str, Any] = {"lr": 0.5, "epoch": 25, "wordNgrams": 2, "loss": "ova", "thread": 1, "verbose": 0}
            self.model = fasttext.train_supervised(str(file), **how)
        return self

    def predict_proba(self, texts: list[str]) -> Any:
        """A row of probabilities for each text."""
        table = np.zeros((len(texts), self.n_labels))
        for row, line in enumerate(FastText.lines(texts)):
            for probability, name in self.model.f.predict(line + "\n", -1, 0.0, "strict"):
                table[row, int(name.removeprefix("__label__"))] = probability
        return table


def peers() -> dict[str, Any]:
    """The models beside, by their titles."""
    several = {
        "MultinomialNB": make_pipeline(CountVectorizer(), OneVsRestClassifier(MultinomialNB())),
        "logistic regression, tf-idf": make_pipeline(
            TfidfVectorizer(), OneVsRestClassifier(LogisticRegression(max_iter=1000))
        ),
        "logistic regression, sublinear tf-idf, C = 10": make_pipeline(
            TfidfVectorizer(sublinear_tf=True), OneVsRestClassifier(LogisticRegression(C=10, max_iter=1000))
        ),
    }
    return several | ({"fastText, ova": Ova()} if find_spec("fasttext") else {})


def figures(truth: Any, chances: Any, decided: Any) -> dict[str, float]:
    """Micro and macro F1, log loss and subset accuracy."""
    likely = np.clip(np.where(truth == 1, chances, 1 - chances), TINY, 1)
    return {
        "micro_f1": round(float(f1_score(truth, decided, average="micro")), 4),
        "macro_f1": round(float(f1_score(truth, decided, average="macro", zero_division=0)), 4),
        "log_loss": round(float(-np.log(likely).mean()), 4),
        "subset_accuracy": round(float((truth == decided).all(axis=1).mean()), 4),
    }


def measured(name: str) -> list[dict[str, Any]]:
    """Every model on one set."""
    file, make = SETS[name]
    whole = split(file)
    train = make(whole.train, whole.train_labels, 1)
    test = make(whole.test, whole.test_labels, 2)
    labels = sorted({label for given in train.labels for label in given})
    truth, test_truth = (indicator(given, labels) for given in (train.labels, test.labels))
    found = []

    def note(title: str, fit: float, predict: float, values: dict[str, float]) -> None:
        row = {"set": name, "model": title, **values, "fit": round(fit, 2), "predict": round(predict, 2)}
        print(row, flush=True)
        found.append(row)

    started = process_time()
    ours = MultiLabelClassifier(threads=1).fit(train.texts, train.labels)
    fitted = process_time()
    chances = ours.predict_proba(test.texts)
    note(
        "MultiLabelClassifier()",
        fitted - started,
        process_time() - fitted,
        figures(test_truth, chances, indicator(ours.predict(test.texts), labels)),
    )
    for title, model in peers().items():
        started = process_time()
        model.fit(train.texts, truth)
        fitted = process_time()
        chances = model.predict_proba(test.texts)
        note(title, fitted - started, process_time() - fitted, figures(test_truth, chances, chances >= 0.5))
    shape = {"documents": len(train.texts), "test_documents": len(test.texts), "labels": len(labels)}
    return [row | shape | {"labels_a_document": round(float(truth.sum(axis=1).mean()), 2)} for row in found]


def main() -> None:
    """Measure the sets that are named, by default all; the others keep what was measured before."""
    names = sys.argv[1:] or list(SETS)
    if unknown := set(names) - set(SETS):
        sys.exit(f"there is no set {', '.join(sorted(unknown))}; there is {', '.join(SETS)}")
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    for name in names:
        known = [row for row in known if row["set"] != name] + measured(name)
        RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
