"""What becomes of a model when the world moves: shorter and longer texts, copies, weights, new labels, other sources.

`accuracy.py --views`, `--copies`, `--new-label`, `--transfer`, `--reports` and `--many-classes` run these. Sets are
split as their publishers did, else every fifth row is tested. Peers are fitted to the same documents.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import data
import numpy as np
from peers import PEERS, calibration_error, log_loss

import banbury

DESIGN = [
    "20newsgroups", "imdb", "rt_polarity", "sentiment_labelled", "sms_spam", "trec6", "r8", "spamassassin",
    "spooky_authors",
]  # fmt: skip
SIZES = (1, 3, 10, 30, 100, 300)
NEW_LABELS = {"20newsgroups": "sci.space", "r8": "trade", "trec6": "NUM", "spooky_authors": "MWS"}
Row = dict[str, Any]
Figures = tuple[float, float, float]


def first(n: int) -> Callable[[str, Random], str]:
    """The first words of a text."""
    return lambda text, random: " ".join(text.split()[:n])


def some(n: int) -> Callable[[str, Random], str]:
    """Random words of a text, in their order."""

    def drawn(text: str, random: Random) -> str:
        words = text.split()
        return " ".join(words[at] for at in sorted(random.sample(range(len(words)), min(n, len(words)))))

    return drawn


def subject(text: str, random: Random) -> str:
    """The subject line of a message."""
    lines = [line[8:].strip() for line in text.split("\n") if line.lower().startswith("subject:")]
    return lines[0] if lines else ""


VIEWS: dict[str, Callable[[str, Random], str]] = {
    "full": lambda text, random: text,
    **{f"first {n}": first(n) for n in (1, 3, 5, 10, 25, 50)},
    "1 random": some(1),
    "10 random": some(10),
}


def views_of(name: str) -> dict[str, Callable[[str, Random], str]]:
    """The views of a set's test documents."""
    return VIEWS | ({"subject": subject} if name == "20newsgroups" else {})


def figures(model: Any, texts: list[str], labels: list[str]) -> Figures:
    """Accuracy, log loss and calibration error."""
    probabilities = model.predict_proba(texts)
    is_right = np.asarray(model.classes_)[probabilities.argmax(axis=1)] == np.asarray(labels)
    return (
        float(is_right.mean()),
        log_loss(model.classes_, probabilities, labels),
        calibration_error(probabilities, is_right),
    )


def shown(found: Figures) -> str:
    """Accuracy in %, log loss, calibration error in %."""
    return f"{100 * found[0]:.1f}/{found[1]:.3f}/{100 * found[2]:.1f}"


def models_of(names: list[str]) -> dict[str, Any]:
    """Functions that fit these models."""
    ours = {
        "counting": lambda *corpus: banbury.Classifier().fit(*corpus),
        "best": lambda *corpus: banbury.Classifier(effort="best").fit(*corpus),
        "plain": lambda *corpus: banbury.Classifier(likelihood="multinomial", smoothing=0.1).fit(*corpus),
    }
    return {name: ours[name] if name in ours else PEERS[name].fit for name in names}


def views(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """Test documents of which only a part is left."""
    rows: list[Row] = []
    for name in sets:
        split = data.split(name, every=10 if quick else 1)
        for key, fit in models_of(models).items():
            model = fit(split.train, split.train_labels)
            for view, cut in views_of(name).items():
                random = Random(0)
                found = figures(model, [cut(text, random) for text in split.test], split.test_labels)
                rows.append(row("views", name, key, view, found))
                print(f"{name:20}{key:10}{view:12}{shown(found)}", flush=True)
    for view in views_of(""):
        for key in models:
            cells = [one for one in rows if one["model"] == key and one["view"] == view]
            means = [float(np.mean([cell[what] for cell in cells])) for what in ("accuracy", "log_loss", "ece")]
            print(f"{'mean of ' + str(len(cells)):20}{key:10}{view:12}{shown((means[0], means[1], means[2]))}")
    return rows


def row(what: str, name: str, model: str, view: str, found: Figures, **more: Any) -> Row:
    """A line of the results."""
    accuracy, loss, ece = found
    return {
        "what": what,
        "set": name,
        "model": model,
        "view": view,
        "accuracy": accuracy,
        "log_loss": loss,
        "ece": ece,
        **more,
    }


def copies(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """Rows twice, weights, a fifth repeated, one class weighted: what the report says, and what is true."""
    rows: list[Row] = []
    for name in sets:
        split = data.split(name, every=10 if quick else 1)
        texts, labels = split.train, split.train_labels
        rare = min(set(labels), key=labels.count)
        fifth = list(range(0, len(texts), 5))
        ways: dict[str, tuple[list[str], list[str], list[int] | None]] = {
            "as they are": (texts, labels, None),
            "rows twice": (texts * 2, labels * 2, None),
            "weights of 2": (texts, labels, [2] * len(texts)),
            "a fifth repeated": (
                texts + [texts[at] for at in fifth] * 2, labels + [labels[at] for at in fifth] * 2, None
            ),
            f"{rare} ×7": (texts, labels, [7 if label == rare else 1 for label in labels]),
            f"{rare} ×20": (texts, labels, [20 if label == rare else 1 for label in labels]),
        }  # fmt: skip
        for way, corpus in ways.items():
            model = banbury.Classifier().fit(*corpus)
            found = figures(model, split.test, split.test_labels)
            predicted = model.predict(split.test)
            missed = sum(a == rare != b for a, b in zip(split.test_labels, predicted, strict=True))
            report, once = model.report_.accuracy, float(model.report_.predictions.is_right.mean())
            rows.append(row("copies", name, "counting", way, found, report=report, once=once, missed=missed))
            told = f"report {100 * report:5.1f}  each once {100 * once:5.1f}"
            print(f"{name:20}{way:22}{told}  test {shown(found)}  missed {missed}", flush=True)
    return rows


def new_label(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """A label that comes later: accuracy on the old ones, recall of the new one, beside a fresh fit."""
    rows: list[Row] = []
    for name in sets:
        rows += grown(name, quick)
        split = data.split(name, every=10 if quick else 1)
        train, labels, test, test_labels = split.train, split.train_labels, split.test, split.test_labels
        new = NEW_LABELS.get(name, "question")
        if name == "rt_polarity":
            questions = data.split("trec6")
            train, labels = train + questions.train, labels + [new] * len(questions.train)
            test, test_labels = test + questions.test, test_labels + [new] * len(questions.test)
        old = [at for at, label in enumerate(labels) if label != new]
        more = [at for at, label in enumerate(labels) if label == new]
        Random(1).shuffle(more)
        old_texts, old_labels = [train[at] for at in old], [labels[at] for at in old]
        model = banbury.Classifier().fit(old_texts, old_labels)
        learned = 0
        for size in (0, *SIZES):
            if size > len(more):
                continue
            batch = [train[at] for at in more[learned:size]]
            model = model.learn(batch, [new] * len(batch)) if batch else model
            learned = size
            fresh = None
            if size in (30, 100, 300):
                fresh = banbury.Classifier().fit(
                    [*old_texts, *(train[at] for at in more[:size])], [*old_labels, *[new] * size]
                )
            for key, one in (("learned", model), ("fresh", fresh)):
                if one is None:
                    continue
                predicted = one.predict(test)
                is_right = np.asarray(predicted) == np.asarray(test_labels)
                is_new = np.asarray(test_labels) == new
                found = {"old": float(is_right[~is_new].mean()), "recall": float(is_right[is_new].mean())}
                loss = log_loss(one.classes_, one.predict_proba(test), test_labels)
                rows.append(
                    {"what": "new label", "set": name, "model": key, "view": str(size), **found, "log_loss": loss}
                )
                print(
                    f"{name:16}{key:9}{size:5}  old {100 * found['old']:5.1f}  recall {100 * found['recall']:5.1f}"
                    f"  log loss {loss:.3f}",
                    flush=True,
                )
    return rows


def grown(name: str, quick: bool) -> list[Row]:
    """A class of which nine tenths are learned after the fit, beside a fresh fit."""
    split = data.split(name, every=10 if quick else 1)
    label = NEW_LABELS.get(name, split.train_labels[0])
    members = [row for row, known in enumerate(split.train_labels) if known == label]
    Random(2).shuffle(members)
    later = set(members[len(members) // 10 :])
    early = [row for row in range(len(split.train)) if row not in later]
    learned = banbury.Classifier().fit([split.train[row] for row in early], [split.train_labels[row] for row in early])
    learned = learned.learn([split.train[row] for row in sorted(later)], [label] * len(later))
    fresh = banbury.Classifier().fit(split.train, split.train_labels)
    rows = []
    for key, model in (("learned", learned), ("fresh", fresh)):
        found = figures(model, split.test, split.test_labels)
        rows.append(row("new label", name, key, "a class that grew tenfold", found))
        print(f"{name:16}{key:9}tenfold {label}: {shown(found)}", flush=True)
    return rows


def reports(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """Reports beside a real refit: what leave-one-out says of a model, and what five folds say, each fitted anew."""
    rows: list[Row] = []
    for name in sets:
        split = data.split(name, every=10 if quick else 1)
        texts, labels = split.train, split.train_labels
        report = banbury.Classifier().fit(texts, labels).report_
        # Copies would be in both parts of a fold: each text once, as the report counts it.
        distinct = list(dict(zip(texts, range(len(texts)), strict=True)).values())
        parts = data.folds([labels[row] for row in distinct])
        folds = []
        for learn, test in parts:
            rows_of = [[distinct[at] for at in part] for part in (learn, test)]
            train, held = ([texts[row] for row in part] for part in rows_of)
            train_labels, held_labels = ([labels[row] for row in part] for part in rows_of)
            folds.append(figures(banbury.Classifier().fit(train, train_labels), held, held_labels))
        refit = tuple(float(np.mean(column)) for column in zip(*folds, strict=True))
        told = (report.accuracy, report.log_loss, report.calibration_error)
        rows += [row("reports", name, key, "full", found) for key, found in (("report", told), ("refit", refit))]
        print(f"{name:20}report {shown(told)}  refit {shown(refit)}  {100 * (told[0] - refit[0]):+.2f}", flush=True)
    return rows


def transfer(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """Reviews by sentences and whole ones: a model of the one asked about the other."""
    rows: list[Row] = []
    labels = {"neg": "negative", "pos": "positive"}
    splits = {name: data.split(name, every=10 if quick else 1) for name in ("rt_polarity", "imdb")}
    for source, target in (("rt_polarity", "imdb"), ("imdb", "rt_polarity")):
        for key, fit in models_of(models).items():
            own = [labels.get(label, label) for label in splits[source].train_labels]
            model = fit(splits[source].train, own)
            asked = splits[target]
            found = figures(model, asked.test, [labels.get(label, label) for label in asked.test_labels])
            rows.append(row("transfer", f"{source} to {target}", key, "full", found))
            print(f"{source} to {target:14}{key:10}{shown(found)}", flush=True)
    return rows


def many_classes(sets: list[str], models: list[str], quick: bool) -> list[Row]:
    """300 classes of real texts: each newsgroup cut into fifteen by the words that its messages have in common.

    Within a newsgroup, messages are grouped by their most frequent word of medium frequency; the fifteen largest such
    groups are classes of their own.
    """
    split = data.split("20newsgroups", every=10 if quick else 1)
    texts = split.train + split.test
    labels = split.train_labels + split.test_labels
    counts: dict[str, int] = {}
    words = [set(text.lower().split()) for text in texts]
    for own in words:
        for word in own:
            counts[word] = counts.get(word, 0) + 1
    medium = {word for word, n in counts.items() if 20 <= n <= 200 and word.isalpha()}
    keys = [
        f"{label}/{max(own & medium, key=lambda w: (counts[w], w), default='')}"
        for own, label in zip(words, labels, strict=True)
    ]
    sizes: dict[str, int] = {}
    for key in keys:
        sizes[key] = sizes.get(key, 0) + 1
    largest = set(sorted(sizes, key=lambda key: (-sizes[key], key))[:300])
    rows_of = [at for at, key in enumerate(keys) if key in largest]
    Random(0).shuffle(rows_of)
    test, train = rows_of[::4], [at for place, at in enumerate(rows_of) if place % 4]
    rows: list[Row] = []
    for key, fit in models_of(models).items():
        started = process_time()
        model = fit([texts[at] for at in train], [keys[at] for at in train])
        seconds = process_time() - started
        found = figures(model, [texts[at] for at in test], [keys[at] for at in test])
        rows.append(row("many classes", "20newsgroups", key, "full", found, fit=seconds, classes=len(largest)))
        print(
            f"{len(largest)} classes, {len(train)} documents  {key:10}{shown(found)}  fit {seconds:.1f} s", flush=True
        )
    return rows
