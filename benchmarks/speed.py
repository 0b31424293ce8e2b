"""How fast banbury is, beside scikit-learn's CountVectorizer + MultinomialNB: same process, rows, tokens, predictions.

`python benchmarks/speed.py` runs everything; benchmarks/README.md says what each row measures and what it includes.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

import data
from clocks import fresh, in_turns, p50, process_seconds, python, stopwatch
from saving import check_names, write
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import banbury

HERE = Path(__file__).parent
TITLES = {"imdb": "IMDB", "20newsgroups": "20 Newsgroups", "lang17": "lang17"}
SENTENCE = "a short sentence about nothing in particular"
UNIGRAMS, BIGRAMS = (1, 1), (1, 2)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: seconds or bytes of each side, and what is asked of us, if anything."""

    what: str
    ours: float
    theirs: float | None = None
    at_least: float | None = None  # of the ratio
    below: float | None = None  # of our own figure
    unit: str = "s"
    peer: str = "scikit-learn"

    @property
    def ratio(self) -> float | None:
        """How many times less of it we need; None where it is too little to measure."""
        return None if self.theirs is None or self.ours <= 0 else self.theirs / self.ours

    @property
    def is_met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.at_least is None and self.below is None:
            return None
        far_enough = self.at_least is None or (self.ratio is not None and self.ratio >= self.at_least)
        return far_enough and (self.below is None or self.ours < self.below)

    def __str__(self) -> str:
        theirs = "–" if self.theirs is None else quantity(self.theirs, self.unit)
        ratio = "–" if self.ratio is None else f"{self.ratio:.{1 if self.ratio < 20 else 0}f}×"
        targets = [f"≥ {self.at_least:g}×"] if self.at_least else []
        targets += [f"< {quantity(self.below, self.unit)}"] if self.below else []
        figures = f"{theirs:>10}  {quantity(self.ours, self.unit):>10}  {ratio:>7}"
        return f"{self.what:<58}{figures}  {' and '.join(targets):<22}"


HEADER = f"{'':<58}{'peer':>10}  {'banbury':>10}  {'ratio':>7}  target"


def quantity(value: float, unit: str) -> str:
    """A figure with three digits and a unit of handy size."""
    if unit == "bytes":
        return f"{value / 1e6:.1f} MB"
    scale, name = next((pair for pair in ((1.0, "s"), (1e3, "ms")) if abs(value) * pair[0] >= 1), (1e6, "µs"))
    digits = 2 if abs(value * scale) < 10 else 1 if abs(value * scale) < 100 else 0
    return f"{value * scale:.{digits}f} {name}"


# The two sides, and what both are put through


class ScikitLearn:
    """Its usual pipeline, without the pipeline."""

    def __init__(self, ngrams: tuple[int, int]) -> None:
        self.vectorizer = CountVectorizer(ngram_range=ngrams)
        self.classifier = MultinomialNB()

    def fit(self, texts: list[str], labels: list[str]) -> ScikitLearn:
        """Learn from these documents alone."""
        self.classifier.fit(self.vectorizer.fit_transform(texts), labels)
        return self

    def predict(self, texts: list[str]) -> Any:
        """The label of each text."""
        return self.classifier.predict(self.vectorizer.transform(texts))


def ours(ngrams: tuple[int, int], threads: int = 1) -> banbury.Classifier:
    """The same model over the same tokens."""
    analyzer = banbury.Analyzer(words="python", min_length=2, ngrams=ngrams)
    return banbury.Classifier.textbook(analyzer=analyzer, threads=threads)


def check_same_counts(model: banbury.Classifier, peer: ScikitLearn) -> None:
    """Both must have seen the same words equally often."""
    seen, expected = model.counts_.occurrences, peer.classifier.feature_count_.sum(axis=1).tolist()
    if model.counts_.n_features != len(peer.vectorizer.vocabulary_) or seen != expected:
        raise AssertionError(f"the counts differ: {model.counts_.n_features} words, {seen} occurrences, not {expected}")


def check_same_predictions(found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Both must say the same about every document."""
    differing = [row for row, (ours, theirs) in enumerate(zip(found, expected, strict=True)) if ours != theirs]
    if differing:
        raise AssertionError(f"{len(differing)} of {len(found)} predictions differ, first in document {differing[0]}")


# What is measured: each function yields its rows of the table


def on_one_thread(*steps: Callable[[], object]) -> list[float]:
    """Seconds of the processor for work on one thread: those of the clock on a machine that nobody else uses."""
    return stopwatch(*steps, clock=process_time)


def read(name: str, quick: bool) -> data.Split:
    """A set, or a tenth of it."""
    return data.split(name, every=10 if quick else 1)


def title(name: str, ngrams: tuple[int, int]) -> str:
    """What the table calls a set and its features."""
    return TITLES[name] + (", unigrams + bigrams" if ngrams == BIGRAMS else "")


def text_set(name: str, ngrams: tuple[int, int], fit: float, predict: float | None, quick: bool) -> Iterator[Row]:
    """Training, and predicting the test documents in one batch; `fit` and `predict` are the ratios asked for."""
    split = read(name, quick)
    fitted: dict[Any, Any] = {}

    def fitting(make: Callable[[tuple[int, int]], Any]) -> list[float]:
        texts = fresh(split.train)
        model = fitted[make] = make(ngrams)
        return on_one_thread(lambda: model.fit(texts, split.train_labels), lambda: model.predict([SENTENCE]))

    def predicting(make: Callable[[tuple[int, int]], Any]) -> list[float]:
        return on_one_thread(partial(fitted[make].predict, fresh(split.test)))

    repeats = 2 if quick or ngrams == BIGRAMS else 3
    theirs, mine = in_turns(lambda: fitting(ScikitLearn), lambda: fitting(ours), repeats)
    check_same_counts(fitted[ours], fitted[ScikitLearn])
    check_same_predictions(*(fitted[make].predict(split.test) for make in (ours, ScikitLearn)))
    yield Row(f"fit, ready to predict: {title(name, ngrams)}", mine[1], theirs[1], at_least=fit)
    yield Row("  fit alone", mine[0], theirs[0])
    theirs, mine = in_turns(lambda: predicting(ScikitLearn), lambda: predicting(ours), repeats)
    yield Row(f"predict, batch: {title(name, ngrams)}", mine[0], theirs[0], at_least=predict)


def own_words(name: str, fit: float, quick: bool) -> Iterator[Row]:
    """Training on the words that an `Analyzer()` finds: of any language, with emoticons, tags and addresses apart.

    The peer has its own words, so counts and predictions are not compared.
    """
    split = read(name, quick)

    def fitting(make: Callable[[], Any]) -> list[float]:
        texts, model = fresh(split.train), make()
        return on_one_thread(lambda: model.fit(texts, split.train_labels))

    peer, own = partial(ScikitLearn, UNIGRAMS), partial(banbury.Classifier.textbook, threads=1)
    theirs, mine = in_turns(lambda: fitting(peer), lambda: fitting(own), 3)
    yield Row(f"fit, default words: {TITLES[name]}", mine[0], theirs[0], at_least=fit)


SCRIPTS = {
    "Latin with diacritics": ["French", "Spanish", "Portugeese", "Sweedish", "Danish", "German", "Turkish"],
    "Cyrillic": ["Russian"],
    "Greek": ["Greek"],
    "Arabic": ["Arabic"],
    "Indic": ["Hindi", "Kannada", "Malayalam", "Tamil"],
}
SCRIPT_BYTES = 2_000_000


def chinese(n_bytes: int) -> list[str]:
    """Made-up sentences of Chinese characters, few of them frequent: none of the sets has any."""
    random, length = Random(1), 30
    weights = [1 / rank for rank in range(1, 3001)]
    n = n_bytes // (3 * length)
    characters = random.choices([chr(0x4E00 + 7 * rank) for rank in range(3000)], weights, k=n * length)
    return ["".join(characters[at : at + length]) + "。" for at in range(0, n * length, length)]


def scripts(quick: bool) -> Iterator[Row]:
    """Training on the words that an `Analyzer()` finds in one script: texts of lang17, over again up to 2 MB."""
    split, room = data.split("lang17"), SCRIPT_BYTES // (10 if quick else 1)
    for name, languages in {**SCRIPTS, "Chinese, made up": []}.items():
        texts = [text for text, label in zip(split.train, split.train_labels, strict=True) if label in languages]
        texts = texts or chinese(room)
        texts *= -(-room // sum(len(text.encode()) for text in texts))
        labels = [("even", "odd")[row % 2] for row in range(len(texts))]

        def fitting(make: Callable[[], Any], texts: list[str] = texts, labels: list[str] = labels) -> list[float]:
            copies, model = fresh(texts), make()
            return on_one_thread(lambda: model.fit(copies, labels))

        peer, own = partial(ScikitLearn, UNIGRAMS), partial(banbury.Classifier.textbook, threads=1)
        theirs, mine = in_turns(partial(fitting, peer), partial(fitting, own), 3)
        n_bytes = sum(len(text.encode()) for text in texts)
        yield Row(f"fit, default words: {name} ({n_bytes / 1e6:.1f} MB)", mine[0], theirs[0])


def one_document(name: str, quick: bool) -> Iterator[Row]:
    """The first ten words of a test document to its label, called from Python."""
    split = read(name, quick)
    texts = [" ".join(text.split()[:10]) for text in split.test[:: max(1, len(split.test) // 1000)]]
    peer = ScikitLearn(UNIGRAMS).fit(split.train, split.train_labels)
    model = ours(UNIGRAMS).fit(split.train, split.train_labels)
    calls: list[Callable[[str], Any]] = [
        lambda text: peer.predict([text])[0],
        model.predict,
        lambda text: model.predict([text])[0],
    ]
    for call in calls:
        check_same_predictions([call(text) for text in texts], peer.predict(texts))
    theirs, mine, batch = (
        min(times) for times in zip(*([p50(call, texts) for call in calls] for _ in range(5)), strict=True)
    )
    yield Row(f"one short document, p50: {TITLES[name]}", mine, theirs, at_least=300, below=0.6e-6)
    yield Row("  as a batch of one, predict([text])[0]", batch, theirs)


def two_threads(quick: bool) -> Iterator[Row]:
    """The gain of a second thread."""
    split = read("imdb", quick)
    predictions: dict[int, Any] = {}

    def fitting(threads: int) -> list[float]:
        texts, model = fresh(split.train), ours(UNIGRAMS, threads)
        times = stopwatch(lambda: model.fit(texts, split.train_labels), lambda: model.predict([SENTENCE]))
        predictions[threads] = model.predict(split.test)
        return times

    one, two = in_turns(lambda: fitting(1), lambda: fitting(2), 5 if quick else 15, mine_each=1)
    check_same_predictions(predictions[1], predictions[2])
    yield Row("fit, two threads against one: IMDB", two[1], one[1], at_least=1.7, peer="banbury, one thread")


def growth(name: str, ngrams: tuple[int, int], make: Callable[[tuple[int, int]], Any], quick: bool) -> int:
    """By how many bytes training makes this process grow at its peak; for a process of its own, on Linux."""

    def status(field: str) -> int:
        return int(re.findall(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) * 1024

    split = read(name, quick)
    make(ngrams).fit(["one text", "another text"], ["one", "another"]).predict([SENTENCE])  # imports what it needs
    gc.collect()
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here; getrusage would know that of reading the set
    make(ngrams).fit(split.train, split.train_labels).predict([SENTENCE])
    return status("VmHWM") - before


def memory(quick: bool) -> Iterator[Row]:
    """Extra memory in training, with the texts already there."""
    if sys.platform != "linux":
        print("memory: skipped, it is read from Linux's /proc")
        return
    for name, ngrams in (("imdb", UNIGRAMS), ("20newsgroups", UNIGRAMS), ("imdb", BIGRAMS)):
        program = "import speed; print(speed.growth({!r}, {}, speed.{}, {}))"
        theirs, mine = (
            int(python(program.format(name, ngrams, make.__name__, quick), HERE)) for make in (ScikitLearn, ours)
        )
        yield Row(f"extra memory in training: {title(name, ngrams)}", mine, theirs, at_least=3, unit="bytes")


def loading(quick: bool) -> Iterator[Row]:
    """A model of a million made-up words in two classes, from its file."""
    n_words = 100_000 if quick else 1_000_000
    # Every twentieth is a long one, as in real vocabularies.
    words = [f"word{number:x}" if number % 20 else f"averyverylongword{number:x}" for number in range(n_words)]
    texts = [" ".join(words[start : start + 100]) for start in range(0, n_words, 100)]
    labels = [("even", "odd")[number % 2] for number in range(len(texts))]
    model, peer = ours(UNIGRAMS).fit(texts, labels), ScikitLearn(UNIGRAMS).fit(texts, labels)
    check_same_counts(model, peer)
    with tempfile.TemporaryDirectory() as folder:
        file, pickled = Path(folder, "model.banbury"), Path(folder, "model.pickle")
        model.save(file)
        pickled.write_bytes(pickle.dumps(peer))
        check_same_predictions(banbury.load(file).predict(texts), model.predict(texts))
        size = file.stat().st_size
        theirs = median(stopwatch(lambda: pickle.loads(pickled.read_bytes()))[0] for _ in range(3))
        mine = median(stopwatch(lambda: banbury.load(file))[0] for _ in range(21))
        first = median(stopwatch(partial(banbury.load(file).predict, " ".join(words[:10])))[0] for _ in range(21))
    what = f"load {n_words:,} words ({size / 1e6:.0f} MB)"
    yield Row(what, mine, theirs, below=5e-3, peer="scikit-learn, pickled")
    yield Row("  the first prediction after that", first)


def importing(quick: bool) -> Iterator[Row]:
    """What an import adds to the start of Python."""
    programs = ["pass", "import banbury", "import banbury; banbury.Classifier"]
    bare, package, classifier = process_seconds(programs, 11 if quick else 41)
    [theirs] = process_seconds(["import sklearn.feature_extraction.text, sklearn.naive_bayes"], 3 if quick else 7)
    yield Row("import banbury, over bare Python", package - bare, theirs - bare, below=5e-3)
    # The package imports what is asked for when it is asked for, so this is what a program pays in the end.
    yield Row("  and banbury.Classifier with it", classifier - bare, theirs - bare, below=15e-3)


def cold_process(quick: bool) -> Iterator[Row]:
    """From nothing to a prediction: start Python, import, learn two texts, answer one."""
    theirs = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
vectorizer = CountVectorizer()
model = MultinomialNB().fit(vectorizer.fit_transform(["so happy today", "so sad today"]), ["positive", "negative"])
print(model.predict(vectorizer.transform(["happy because I love ice cream"]))[0])"""
    mine = """
from banbury import Analyzer, Classifier
model = Classifier.textbook(analyzer=Analyzer(words="python", min_length=2))
model.fit(["so happy today", "so sad today"], ["positive", "negative"])
print(model.predict("happy because I love ice cream"))"""
    peer, own = process_seconds([theirs, mine], 5 if quick else 15)
    yield Row("cold process: python -c, fit + predict one sentence", own, peer, at_least=10)


GROUPS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "imdb": partial(text_set, "imdb", UNIGRAMS, 58, 58),
    "newsgroups": partial(text_set, "20newsgroups", UNIGRAMS, 58, 50),
    "imdb-bigrams": partial(text_set, "imdb", BIGRAMS, 75, None),
    "newsgroups-bigrams": partial(text_set, "20newsgroups", BIGRAMS, 80, None),
    "languages": partial(text_set, "lang17", UNIGRAMS, 12, None),
    "imdb-own-words": partial(own_words, "imdb", 40),
    "languages-own-words": partial(own_words, "lang17", 25),
    "scripts": scripts,
    "one": partial(one_document, "imdb"),
    "one-newsgroups": partial(one_document, "20newsgroups"),
    "threads": two_threads,
    "memory": memory,
    "load": loading,
    "import": importing,
    "cold": cold_process,
}
WITHOUT_DATA = {"load", "import", "cold"}


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="How fast banbury is, beside scikit-learn.")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure (all): {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data: a trial, not a result")
    default = HERE / "results" / "speed.json"
    parser.add_argument("--json", type=Path, nargs="?", const=default, metavar="FILE", help="save (results/speed.json)")
    options = parser.parse_args()
    check_names(parser, options.groups, GROUPS)
    groups = options.groups or list(GROUPS)
    if set(groups) - WITHOUT_DATA:
        data.folder()  # ends here where it is not known, rather than after minutes

    print(HEADER)
    rows: list[Row] = []
    for group in groups:
        for row in GROUPS[group](options.quick):
            verdict = "" if options.quick else {True: "met", False: "MISSED", None: ""}[row.is_met]
            print(f"{row}{verdict}".rstrip(), flush=True)
            rows.append(row)
    print("\nCounts and predictions of both sides were equal wherever both made them.")
    if options.quick:
        print("A quick trial: the ratios of small inputs are others, so no target is judged.")
    else:
        verdicts = [row.is_met for row in rows]
        print(f"{verdicts.count(True)} targets met, {verdicts.count(False)} missed.")
    if options.json:
        results = [{**asdict(row), "ratio": row.ratio, "is_met": None if options.quick else row.is_met} for row in rows]
        write(options.json, "rows", results, options.quick)


if __name__ == "__main__":
    main()
