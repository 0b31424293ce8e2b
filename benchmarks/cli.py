"""How quick and how frugal the command `banbury` is, beside scripts with scikit-learn and fastText.

`python benchmarks/cli.py` runs everything; benchmarks/README.md says what each row measures. Commands are processes of
their own: what they take to start is in every figure.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import data
from clocks import Use, command
from saving import check_names, saved, write
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from speed import HEADER, Row, check_same_predictions

import banbury

RESULTS = Path(__file__).parent / "results" / "cli.json"
TEXT = "Free entry in a weekly competition, text WIN to 80085 now"
HUGE = 1_000_000_000  # bytes of the file that is larger than the memory to spare

# What somebody without banbury would write.
TRAIN = """
import json, pickle, sys
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

texts, labels = [], []
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        row = json.loads(line)
        texts.append(row["text"])
        labels.append(row["label"])
vectorizer = CountVectorizer()
model = MultinomialNB().fit(vectorizer.fit_transform(texts), labels)
with open(sys.argv[2], "wb") as file:
    pickle.dump((vectorizer, model), file)
"""
PREDICT = """
import pickle, sys

with open(sys.argv[1], "rb") as file:
    vectorizer, model = pickle.load(file)
features = vectorizer.transform(sys.argv[2:])
print(model.predict(features)[0], f"{model.predict_proba(features).max():.4f}", sep="\\t")
"""


def ours(*arguments: object) -> Use:
    """The command, as its users start it."""
    return command(Path(sys.executable).with_name("banbury"), *arguments)


def script(program: str, *arguments: object) -> Use:
    """A script of Python's."""
    return command(sys.executable, "-c", program, *arguments)


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows as JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def training_part(folder: Path, quick: bool) -> Path:
    """IMDB's training documents: 33 MiB of JSON Lines."""
    rows = [row for row in data.rows("imdb", every=10 if quick else 1) if row["split"] == "train"]
    return write_lines(folder / "imdb.jsonl", rows)


# What is measured: each function yields its rows of the table


def starting(folder: Path, quick: bool) -> Iterator[Row]:
    """The processors' time of commands that have next to nothing to do."""
    rows = data.rows("sms_spam", every=10 if quick else 1)
    file = write_lines(folder / "sms.jsonl", rows)
    model, peer = folder / "spam.banbury", folder / "spam.pickle"
    ours("train", file, "-o", model)
    script(TRAIN, file, peer)
    labels = {ours("predict", model, TEXT).answer.split("\t")[0], script(PREDICT, peer, TEXT).answer.split("\t")[0]}
    if labels != {"spam"}:
        raise AssertionError(f"both should say spam; they say {labels}")
    repeats = 5 if quick else 15
    theirs = median(script(PREDICT, peer, TEXT).cpu for _ in range(repeats // 3))
    for what, arguments, below in (("banbury --help", ["--help"], 0.15), ("predict", ["predict", model, TEXT], 0.2)):
        mine = median(ours(*arguments).cpu for _ in range(repeats))
        is_prediction = what == "predict"
        title = 'banbury predict MODEL "one text"' if is_prediction else what
        yield Row(f"{title}, CPU", mine, theirs if is_prediction else None, below=below)


def training(folder: Path, quick: bool) -> Iterator[Row]:
    """From a file of rows to a file with a model, by the clock."""
    file = training_part(folder, quick)
    model, peer = folder / "imdb.banbury", folder / "imdb.pickle"
    same_words = ["train", file, "--plain", "--analyzer", "python", "-o", model]
    times: dict[str, list[float]] = {"theirs": [], "ours": [], "own words": []}
    for _ in range(1 if quick else 3):  # in turns, so that all meet the same weather
        times["theirs"].append(script(TRAIN, file, peer).seconds)
        times["own words"] += [ours("train", file, "--plain", "-o", model).seconds for _ in range(3)]
        times["ours"] += [ours(*same_words).seconds for _ in range(3)]
    best = {name: min(found) for name, found in times.items()}
    vectorizer, classifier = pickle.loads(peer.read_bytes())
    known, texts = banbury.load(model), [row["text"] for row in data.rows("imdb", every=50)]
    if known.counts_.n_features != len(vectorizer.vocabulary_):
        raise AssertionError(f"{known.counts_.n_features} words, not {len(vectorizer.vocabulary_)}")
    check_same_predictions(known.predict(texts), classifier.predict(vectorizer.transform(texts)))
    size = file.stat().st_size / 2**20
    yield Row(f"train --plain, {size:.0f} MiB of JSON Lines, same words", best["ours"], best["theirs"], at_least=35)
    yield Row("  with our own words", best["own words"], best["theirs"])
    theirs, mine = (min(work(file) for _ in range(n)) for work, n in ((their_work, 1 if quick else 3), (our_work, 9)))
    yield Row("  reading and counting alone, modules imported", mine, theirs)


def our_work(file: Path) -> float:
    """Seconds of reading and counting in this process."""
    start = perf_counter()
    banbury.Classifier.textbook(analyzer="python").fit_batches(banbury.read(file))
    return perf_counter() - start


def their_work(file: Path) -> float:
    """The same with json and scikit-learn."""
    start = perf_counter()
    with open(file, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    MultinomialNB().fit(CountVectorizer().fit_transform([row["text"] for row in rows]), [row["label"] for row in rows])
    return perf_counter() - start


def memory(folder: Path, quick: bool) -> Iterator[Row]:
    """The peak of commands that read a gigabyte, beyond the file of the model."""
    if sys.platform != "linux":
        print("memory: skipped, its unit is Linux's")
        return
    file, size = folder / "huge.jsonl", HUGE // 20 if quick else HUGE
    write_varied(file, size)
    model, answers = folder / "huge.banbury", folder / "answers.jsonl"
    for name, arguments in (
        ("train --plain", ["train", file, "--plain", "-o", model]),
        ("train", ["train", file, "-o", model]),
        ("predict", ["predict", model, file, "-o", answers]),
        ("filter", ["filter", model, file, "--keep", "pos", "--above", 0.9, "-o", answers]),
    ):
        peak = ours(*arguments).peak
        what = f"{name}, {size / 1e9:g} GB: memory beyond the model ({model.stat().st_size / 1e6:.0f} MB)"
        yield Row(what, peak - model.stat().st_size, below=500e6, unit="bytes")


def write_varied(file: Path, size: int) -> None:
    """Real rows again and again: each time their words start elsewhere, and some are new."""
    rows = data.rows("imdb")
    written = 0
    with open(file, "w", encoding="utf-8") as lines:
        for copy in range(size):
            for number, row in enumerate(rows):
                words = row["text"].split(" ")
                at = 37 * copy % len(words)
                text = " ".join([*words[at:], f"name{copy}x{number % 1000}", *words[:at]])
                written += lines.write(json.dumps({"text": text, "label": row["label"]}, ensure_ascii=False) + "\n")
                if written >= size:
                    return


def filtering(folder: Path, quick: bool) -> Iterator[Row]:
    """Lines read, scored, and written where they are of a class; so many that starting is a small part of it."""
    if not find_spec("fasttext"):
        print("filter: skipped, fastText is not installed (pip install fasttext-wheel)")
        return
    fasttext: Any = import_module("fasttext")
    split = data.split("imdb", every=10 if quick else 1)
    lines, examples = folder / "lines.txt", folder / "train.txt"
    lines.write_text("".join(f"{one_line(text)}\n" for text in split.test) * 8, encoding="utf-8")
    labelled = zip(split.train_labels, split.train, strict=True)
    examples.write_text("".join(f"__label__{label} {one_line(text)}\n" for label, text in labelled), encoding="utf-8")
    model, kept, size = folder / "filter.banbury", folder / "kept.txt", lines.stat().st_size
    for name, settings, ngrams, at_least in (
        ("words", ["--plain"], 1, 10),
        ("words and pairs, calibrated", [], 2, None),
    ):
        peer = fasttext.train_supervised(str(examples), wordNgrams=ngrams, thread=2, verbose=0)
        ours("train", examples, *settings, "-o", model)
        theirs: list[Use] = []
        mine: list[Use] = []
        for _ in range(1 if quick else 2):
            theirs.append(fasttext_loop(peer, lines, kept))
            mine += [ours("filter", model, lines, "--keep", "pos", "-o", kept) for _ in range(3)]
        seconds = [min(use.seconds for use in uses) for uses in (mine, theirs)]
        rates = [size / 1e6 / one for one in seconds]
        what = f"filter, {name}: {rates[0]:.0f} MB/s, fastText {rates[1]:.1f}"
        yield Row(what, *seconds, at_least=at_least, peer="fastText, without loading its model")
        # On a machine that others use too, what the processors did says more than the clock.
        cpu = [min(use.cpu for use in uses) for uses in (mine, theirs)]
        yield Row("  CPU, of all threads", *cpu, peer="fastText, without loading its model")


def one_line(text: str) -> str:
    """A text without ends of lines."""
    return " ".join(text.split())


def fasttext_loop(model: Any, lines: Path, kept: Path) -> Use:
    """A loop over the lines. Not `model.predict`, which wraps this call and is not for NumPy 2."""
    start, cpu = perf_counter(), process_time()
    with open(lines, encoding="utf-8") as source, open(kept, "w", encoding="utf-8") as target:
        for line in source:
            [(_, label)] = model.f.predict(line, 1, 0.0, "strict")
            if label == "__label__pos":
                target.write(line)
    return Use(perf_counter() - start, process_time() - cpu, 0, "")


GROUPS: dict[str, Callable[[Path, bool], Iterator[Row]]] = {
    "start": starting,
    "train": training,
    "memory": memory,
    "filter": filtering,
}


def measure(purpose: str, groups: dict[str, Callable[[Path, bool], Iterator[Row]]], results: Path) -> None:
    """Run the groups that the command line names, all by default: measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure (all): {', '.join(groups)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data: a trial, not a result")
    name = f"save (results/{results.name})"
    parser.add_argument("--json", type=Path, nargs="?", const=results, metavar="FILE", help=name)
    options = parser.parse_args()
    check_names(parser, options.groups, groups)
    data.folder()  # ends here where it is not known, rather than after minutes

    print(HEADER)
    found: dict[str, list[Row]] = {}
    for group in options.groups or groups:
        with tempfile.TemporaryDirectory() as folder:
            for row in groups[group](Path(folder), options.quick):
                verdict = "" if options.quick else {True: "met", False: "MISSED", None: ""}[row.is_met]
                print(f"{row}{verdict}".rstrip(), flush=True)
                found.setdefault(group, []).append(row)
    if options.json:
        save(options.json, list(groups), found, options.quick)


def save(file: Path, names: list[str], found: dict[str, list[Row]], quick: bool) -> None:
    """These groups, and those that an earlier run has measured."""
    groups: dict[str, Any] = saved(file, "groups", quick) or {}
    for group, rows in found.items():
        groups[group] = [{**asdict(row), "ratio": row.ratio, "is_met": None if quick else row.is_met} for row in rows]
    write(file, "groups", {name: groups[name] for name in names if name in groups}, quick)


if __name__ == "__main__":
    measure("How quick and how frugal the command is, beside scripts.", GROUPS, RESULTS)
