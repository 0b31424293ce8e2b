"""How long a model takes to learn one document and to predict the next one, and what learning costs those who predict.

Automatic models of 20 Newsgroups and IMDB, fitted to the training part. Then a document is learned and another one is
predicted, a thousand times: short ones, the first fifteen words of test documents, and ones of 2,000 characters. Beside
them river's and scikit-learn's `partial_fit`. Times are those of the clock and of the processor: others may use the
machine too. At last some threads predict, alone and beside one that learns a hundred documents a second.
"""

from __future__ import annotations

import argparse
import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import data
from saving import check_names, write

import banbury

RESULTS = Path(__file__).parent / "results" / "live.json"
SETS = ("20newsgroups", "imdb")
SHORT_WORDS = 15
LONG = 2000  # characters
LEARNS_PER_SECOND = 100
HEADER = f"{'microseconds':52}  {'learn p50':>9}  {'p99':>7}  {'predict p50':>11}  {'p99':>7}"


@dataclass(frozen=True)
class Row:
    """Learning and predicting in turns."""

    what: str
    learn_p50: float
    learn_p99: float
    predict_p50: float
    predict_p99: float
    """Microseconds of the clock, and …"""
    learn_cpu_p50: float
    predict_cpu_p50: float
    predict_cpu_p99: float
    """… of the processor."""
    target: str = ""

    def __str__(self) -> str:
        return (
            f"{self.what:52}  {self.learn_p50:9.0f}  {self.learn_p99:7.0f}  {self.predict_p50:11.0f}  "
            f"{self.predict_p99:7.0f}  (CPU: {self.learn_cpu_p50:.0f}, {self.predict_cpu_p50:.0f}, "
            f"{self.predict_cpu_p99:.0f})  {self.target}".rstrip()
        )


@dataclass(frozen=True)
class Threads:
    """How many texts a second threads predict, alone and beside one that learns."""

    what: str
    n_threads: int
    alone: float
    beside_learning: float
    share: float
    target: str = "80 %"

    def __str__(self) -> str:
        return (
            f"{self.what:52}  {self.n_threads} threads: {self.alone:,.0f}/s alone, "
            f"{self.beside_learning:,.0f}/s beside learning: {self.share:.0%} ({self.target})"
        )


Learn = Callable[[str, str], object]
Predict = Callable[[str], object]


def in_turns(
    what: str, learn: Learn, predict: Predict, documents: list[tuple[str, str]], asked: list[str], target: str
) -> Row:
    """Learn a document, predict another, and so on."""
    clocks: list[list[float]] = [[], [], [], []]
    gc.collect()
    gc.disable()
    for (text, label), other in zip(documents, asked, strict=True):
        start, cpu = time.perf_counter(), time.thread_time()
        learn(text, label)
        learned, learned_cpu = time.perf_counter(), time.thread_time()
        predict(other)
        end, end_cpu = time.perf_counter(), time.thread_time()
        passed = (learned - start, end - learned, learned_cpu - cpu, end_cpu - learned_cpu)
        for times, seconds in zip(clocks, passed, strict=True):
            times.append(seconds)
    gc.enable()
    learns, predicts, learns_cpu, predicts_cpu = clocks
    return Row(
        what,
        quantile(learns, 0.5),
        quantile(learns, 0.99),
        quantile(predicts, 0.5),
        quantile(predicts, 0.99),
        quantile(learns_cpu, 0.5),
        quantile(predicts_cpu, 0.5),
        quantile(predicts_cpu, 0.99),
        target,
    )


def quantile(seconds: list[float], share: float) -> float:
    """In microseconds."""
    return sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)] * 1e6


def documents_of(name: str, n: int) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Documents to learn, short, with their labels; and others to predict, short and long."""
    split = data.split(name)
    rows = list(zip(split.test, split.test_labels, strict=True))
    Random(0).shuffle(rows)
    short = [(" ".join(text.split()[:SHORT_WORDS]), label) for text, label in rows]
    long = [text[:LONG] for text, _ in rows if len(text) >= LONG]
    asked = [text for text, _ in reversed(short)]
    return short[:n], asked[:n], (long * (n // len(long) + 1))[:n]


def ours(name: str, n: int, seconds: float) -> Iterator[Any]:
    """The automatic model."""
    split = data.split(name)
    model = banbury.Classifier().fit(split.train, split.train_labels)
    short, asked, long = documents_of(name, n)

    def learn(text: str, label: str) -> object:
        return model.learn([text], [label])

    in_turns("", learn, model.predict, short[:20], asked[:20], "")  # an index may have to grow first
    target = "learn ≤ 100, predict ≤ 50, p99 ≤ 500"
    yield in_turns(f"{name}, short texts", learn, model.predict, short, asked, target)
    yield in_turns(f"{name}, texts of 2,000 characters", learn, model.predict, short, long, "predict p99 ≤ 1,000")
    yield beside_learning(f"{name}, short texts", learn, model.predict, short, asked, seconds)


def beside_learning(
    what: str, learn: Learn, predict: Predict, documents: list[tuple[str, str]], asked: list[str], seconds: float
) -> Threads:
    """What threads predict in turns of a second, alone and beside one that learns."""
    n_threads = 2
    rates: dict[bool, list[float]] = {False: [], True: []}
    for round in range(max(2, int(seconds))):
        for is_learning in (False, True) if round % 2 else (True, False):
            rates[is_learning].append(_rate(learn if is_learning else None, predict, documents, asked, n_threads))
    alone, beside = (sorted(rates[is_learning])[len(rates[is_learning]) // 2] for is_learning in (False, True))
    return Threads(what, n_threads, alone, beside, beside / alone)


def _rate(
    learn: Learn | None, predict: Predict, documents: list[tuple[str, str]], asked: list[str], n_threads: int
) -> float:
    done = threading.Event()
    counts = [0] * n_threads

    def read(number: int) -> None:
        at = number * 17
        while not done.is_set():
            for _ in range(10):
                predict(asked[at % len(asked)])
                at += 1
            counts[number] += 10

    def write() -> None:
        at, start = 0, time.perf_counter()
        while learn is not None and not done.is_set():
            learn(*documents[at % len(documents)])
            at += 1
            time.sleep(max(0.0, start + at / LEARNS_PER_SECOND - time.perf_counter()))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(n_threads)]
    threads.append(threading.Thread(target=write))
    cpu = time.process_time()
    for thread in threads:
        thread.start()
    time.sleep(1)
    done.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.process_time() - cpu)


def with_river(name: str, n: int, seconds: float) -> Iterator[Any]:
    """river's multinomial on words and pairs: what it has of this kind that learns one by one."""
    if not find_spec("river"):
        print("river: skipped, it is not installed (pip install river)")
        return
    from river.feature_extraction import BagOfWords
    from river.naive_bayes import MultinomialNB

    split = data.split(name)
    model = BagOfWords(lowercase=True, ngram_range=(1, 2)) | MultinomialNB(alpha=1)
    for text, label in list(zip(split.train, split.train_labels, strict=True))[:: max(1, len(split.train) // 1000)]:
        model.learn_one(text, label)
    short, asked, long = documents_of(name, min(n, 300))
    yield in_turns(f"river (a part of {name}), short texts", model.learn_one, model.predict_one, short, asked, "")
    few = min(n, 30)
    what = f"river (a part of {name}), texts of 2,000 characters"
    yield in_turns(what, model.learn_one, model.predict_one, short[:few], long[:few], "")


def with_sklearn(name: str, n: int, seconds: float) -> Iterator[Any]:
    """scikit-learn's `partial_fit`, on the vocabulary of the training part: new words are not learned."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    split = data.split(name)
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    model = MultinomialNB().fit(vectorizer.fit_transform(split.train), split.train_labels)
    short, asked, long = documents_of(name, min(n, 30))

    def learn(text: str, label: str) -> object:
        return model.partial_fit(vectorizer.transform([text]), [label])

    def predict(text: str) -> object:
        return model.predict(vectorizer.transform([text]))

    yield in_turns(f"scikit-learn, {name}, short texts", learn, predict, short, asked, "")
    yield in_turns(f"scikit-learn, {name}, texts of 2,000 characters", learn, predict, short, long, "")


GROUPS = {"ours": ours, "river": with_river, "sklearn": with_sklearn}


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="Learning and predicting in turns, and at the same time.")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure (all): {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="a hundred turns: a trial, not a result")
    parser.add_argument("--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save (results/live.json)")
    options = parser.parse_args()
    check_names(parser, options.groups, GROUPS)
    n, seconds = (100, 2) if options.quick else (1000, 8)
    found: list[Any] = []
    print(HEADER)
    for name in SETS:
        for group in options.groups or GROUPS:
            for row in GROUPS[group](name, n, seconds):
                print(row, flush=True)
                found.append(row)
    if options.json:
        load = os.getloadavg()[0]
        rows = {"load": load, "turns": [asdict(row) for row in found if isinstance(row, Row)]}
        rows["threads"] = [asdict(row) for row in found if isinstance(row, Threads)]
        write(options.json, "rows", rows, options.quick)


if __name__ == "__main__":
    main()
