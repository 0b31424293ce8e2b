"""How accurate banbury is, and how far its probabilities can be trusted, beside scikit-learn and fastText.

`python benchmarks/accuracy.py` makes the tables; `--small` learns from few documents, `--speed` holds a stopwatch;
`--views`, `--copies`, `--new-label`, `--transfer`, `--reports` and `--many-classes` are about a world that moves
(`moving.py`). benchmarks/README.md says what is compared.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from time import perf_counter
from typing import Any

import data
import moving
import numpy as np
from clocks import fresh, in_turns, stopwatch
from peers import BIGRAMS, PEERS, Fit, Model, calibration_error, log_loss
from saving import check_names, saved, write
from sklearn.metrics import f1_score
from speed import HEADER, SENTENCE, Row, ScikitLearn

import banbury
import tables as table_sets

RESULTS = Path(__file__).parent / "results"
SETS = {
    "20newsgroups": "20 Newsgroups",
    "imdb": "IMDB",
    "rt_polarity": "RT-polarity",
    "sentiment_labelled": "labelled sentences",
    "sms_spam": "SMS spam",
    "trec6": "TREC-6",
    "r8": "R8",
    "spamassassin": "SpamAssassin, body",
    "spooky_authors": "spooky",
    "lang17": "lang17",
}


def banbury_model(**settings: Any) -> Fit:
    """The automatic model with these settings."""
    return lambda texts, labels: banbury.Classifier(**settings).fit(texts, labels)


OURS: dict[str, Model] = {
    "textbook": Model("banbury, textbook", lambda *corpus: banbury.Classifier.textbook().fit(*corpus)),
    "counting": Model("banbury, counting", banbury_model(effort="counting")),
    "best": Model("banbury, best", banbury_model(effort="best")),
    "characters": Model(
        "banbury, characters",
        banbury_model(effort="counting", analyzer=banbury.Analyzer(ngrams=(1, 2), characters=(2, 5))),
    ),
}
MODELS = OURS | PEERS
ONLY_FOR = {"characters": {"lang17"}}  # the others choose for themselves whether they look at characters


# What is asked of a model, and what is found


@dataclass(frozen=True, slots=True)
class Floor:
    """What a model has to reach: this accuracy at least, this log loss and calibration error at most."""

    accuracy: float
    log_loss: float | None = None
    ece: float | None = None


FLOORS: dict[str, dict[str, Floor]] = {
    "20newsgroups": {"counting": Floor(0.865, 0.50, 0.04), "best": Floor(0.870, 0.475, 0.03)},
    "imdb": {"counting": Floor(0.904, 0.242, 0.015), "best": Floor(0.913, 0.220, 0.015)},
    "rt_polarity": {"counting": Floor(0.786, 0.450, 0.03), "best": Floor(0.790, 0.444, 0.03)},
    "sentiment_labelled": {"counting": Floor(0.843, 0.362, 0.045), "best": Floor(0.843, 0.360, 0.045)},
    "sms_spam": {"counting": Floor(0.990, 0.033, 0.01), "best": Floor(0.991, 0.031, 0.01)},
    "trec6": {"counting": Floor(0.880, 0.36, 0.065), "best": Floor(0.900, 0.29, 0.055)},
    "r8": {"counting": Floor(0.968, 0.105, 0.015), "best": Floor(0.972, 0.092, 0.015)},
    "spamassassin": {"counting": Floor(0.988, 0.034, 0.01), "best": Floor(0.989, 0.032, 0.01)},
    "spooky_authors": {"counting": Floor(0.871, 0.327, 0.02), "best": Floor(0.877, 0.313, 0.02)},
    "lang17": {"counting": Floor(0.985, 0.048, 0.01), "characters": Floor(0.993)},
}


@dataclass(frozen=True, slots=True)
class Figures:
    """How a model did: shares, nats, and seconds. A model without probabilities has no log loss and no ECE."""

    accuracy: float
    macro_f1: float
    log_loss: float | None
    ece: float | None
    fit: float
    predict: float

    def __str__(self) -> str:
        shares = "".join(f"{number(value, 4):>10}" for value in (self.accuracy, self.macro_f1, self.log_loss, self.ece))
        return f"{shares}{f'{self.fit:.2f} s':>10}{f'{self.predict:.2f} s':>10}"

    @classmethod
    def mean(cls, several: list[Figures]) -> Figures:
        """Their means, over folds or over sets."""
        columns: Any = zip(*(asdict(figures).values() for figures in several), strict=True)
        means: Iterator[Any] = (None if None in column else fmean(column) for column in columns)
        return cls(*means)

    def shortfalls(self, floor: Floor) -> list[str]:
        """The names of the figures that do not reach the floor; one that is not a number never does."""
        reached = {
            "accuracy": self.accuracy >= floor.accuracy,
            "log loss": floor.log_loss is None or (self.log_loss is not None and self.log_loss <= floor.log_loss),
            "ECE": floor.ece is None or (self.ece is not None and self.ece <= floor.ece),
        }
        return [name for name, is_reached in reached.items() if not is_reached]


HEADINGS = "".join(f"{name:>10}" for name in ("accuracy", "macro-F1", "log loss", "ECE", "fit", "predict"))


def number(value: float | None, digits: int) -> str:
    """The number, or a dash for none."""
    return "–" if value is None else f"{value:.{digits}f}"


def judge(model: Model, split: data.Split) -> Figures:
    """Fit, predict, compare. Peers may warn; of us it is asked that nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("error" if model in OURS.values() else "ignore")
        started = perf_counter()
        fitted = model.fit(split.train, split.train_labels)
        ready = perf_counter()
        probabilities = fitted.predict_proba(split.test) if hasattr(fitted, "predict_proba") else None
        predicted = fitted.predict(split.test) if probabilities is None else None
        done = perf_counter()
    if probabilities is not None:
        predicted = np.asarray(fitted.classes_)[probabilities.argmax(axis=1)]
    is_right = np.asarray(predicted) == np.asarray(split.test_labels)
    return Figures(
        accuracy=float(is_right.mean()),
        macro_f1=float(f1_score(split.test_labels, predicted, average="macro")),
        log_loss=None if probabilities is None else log_loss(fitted.classes_, probabilities, split.test_labels),
        ece=None if probabilities is None else calibration_error(probabilities, is_right),
        fit=ready - started,
        predict=done - ready,
    )


# The tables: each prints itself and returns what is to be saved


def tables(sets: list[str], models: list[str], quick: bool) -> list[dict[str, Any]]:
    """Every model on every set, then means, then the floors."""
    found: dict[tuple[str, str], Figures] = {}
    for name in sets:
        splits = data.splits(name, every=10 if quick else 1)[: 1 if quick else None]
        sizes = f"{len(splits[0].train):,} to learn from, {len(splits[0].test):,} to test"
        print(f"\n{f'{SETS[name]}':<32}{HEADINGS}\n  {sizes}{f', means of {len(splits)} folds' * (len(splits) > 1)}")
        for key in models:
            if name not in ONLY_FOR.get(key, {name}):
                continue
            if MODELS[key].missing:
                print(f"{MODELS[key].title:<32}  {MODELS[key].missing}")
                continue
            found[name, key] = Figures.mean([judge(MODELS[key], split) for split in splits])
            print(f"{MODELS[key].title:<32}{found[name, key]}", flush=True)
    everywhere = [key for key in models if all((name, key) in found for name in sets)]
    if len(sets) > 1:
        print(f"\n{f'means of {len(sets)} sets':<32}{HEADINGS}")
        for key in everywhere:
            print(f"{MODELS[key].title:<32}{Figures.mean([found[name, key] for name in sets])}")
    if quick:
        print("\nA quick trial: little data, so no floor is judged.")
    else:
        print_floors(found)
    return [{"set": name, "model": key, **asdict(figures)} for (name, key), figures in found.items()]


def print_floors(found: dict[tuple[str, str], Figures]) -> None:
    """Our figures beside what is asked of them."""
    asked = [(name, key, floor) for name in FLOORS for key, floor in FLOORS[name].items() if (name, key) in found]
    if not asked:
        return
    headings = ("accuracy", "at least", "log loss", "at most", "ECE", "at most")
    print(f"\n{'floors':<42}{''.join(f'{heading:>10}' for heading in headings)}")
    n_missed = 0
    for name, key, floor in asked:
        figures = found[name, key]
        pairs = [(getattr(figures, column), getattr(floor, column)) for column in ("accuracy", "log_loss", "ece")]
        columns = "".join(f"{number(ours, 4):>10}{number(limit, 3):>10}" for ours, limit in pairs)
        missed = figures.shortfalls(floor)
        n_missed += bool(missed)
        verdict = f"MISSED: {', '.join(missed)}" if missed else "met"
        print(f"{SETS[name]:<20}{MODELS[key].title:<22}{columns}  {verdict}")
    print(f"{len(asked) - n_missed} floors met, {n_missed} missed.")


def few_documents(sets: list[str], models: list[str], quick: bool) -> list[dict[str, Any]]:
    """Log loss after 60 and after 200 documents, ours beside that of two peers; it has to be lower every time."""
    ours, peers = [key for key in models if key in OURS], ["mnb", "calibrated"]
    print(
        f"{'log loss':<16}{'documents':>10}{'draw':>6}", *(f"{MODELS[key].title:>26}" for key in peers + ours), sep=""
    )
    rows: list[dict[str, Any]] = []
    for name in sets:
        split = data.splits(name)[0]
        for size in (60, 200):
            for draw in range(1 if quick else 3):
                drawn = sample(split, size, seed=draw)
                losses: dict[str, Any] = {key: judge(MODELS[key], drawn).log_loss for key in peers + ours}
                limit = min(losses[key] for key in peers)
                higher = [key for key in ours if not losses[key] < limit]
                columns = "".join(f"{number(loss, 4):>26}" for loss in losses.values())
                verdict = f"HIGHER: {', '.join(higher)}" if higher else "lower"
                print(f"{SETS[name]:<16}{size:>10}{draw + 1:>6}{columns}  {verdict}", flush=True)
                rows.append({"set": name, "documents": size, "draw": draw, "log_loss": losses, "higher": higher})
    n_higher = sum(bool(row["higher"]) for row in rows)
    print(f"Lower than both in {len(rows) - n_higher} of {len(rows)} draws; ours gave no warning.")
    return rows


def sample(split: data.Split, size: int, seed: int) -> data.Split:
    """So many documents of the training part, drawn at random with at least one of every class; the same test part."""
    order = list(range(len(split.train)))
    Random(seed).shuffle(order)
    first = {split.train_labels[row]: row for row in reversed(order)}.values()
    rows = [*first, *(row for row in order if row not in first)][:size]
    texts, labels = ([column[row] for row in rows] for column in (split.train, split.train_labels))
    return data.Split(texts, labels, split.test, split.test_labels)


# Against the clock


def speed(sets: list[str], models: list[str], quick: bool) -> list[dict[str, Any]]:
    """Fitting and predicting beside CountVectorizer + MultinomialNB, on words and pairs, not tuned, not calibrated."""
    print(HEADER)
    rows: list[Row] = []
    for name in sets:
        split = data.split(name, every=10 if quick else 1)
        for effort in [key for key in models if key in SPEED_TARGETS[name]]:
            for row in race(name, split, effort, SPEED_TARGETS[name][effort]):
                verdict = "" if quick else {True: "met", False: "MISSED", None: ""}[row.is_met]
                print(f"{row}{verdict}".rstrip(), flush=True)
                rows.append(row)
    return [{**asdict(row), "ratio": row.ratio, "is_met": None if quick else row.is_met} for row in rows]


SPEED_TARGETS = {"imdb": {"counting": 8.0, "best": 1.0}, "20newsgroups": {"counting": 4.0, "best": 0.5}}


def race(name: str, split: data.Split, effort: str, fit: float) -> Iterator[Row]:
    """Both in turns, ours on two threads; `fit` is the ratio asked for."""
    settings: dict[str, Any] = {"effort": effort, "threads": 2}
    makers: dict[str, Callable[[], Any]] = {
        "theirs": lambda: ScikitLearn(BIGRAMS),
        "ours": lambda: banbury.Classifier(**settings),
    }
    fitted: dict[str, Any] = {}

    def fitting(side: str) -> list[float]:
        texts = fresh(split.train)
        model = fitted[side] = makers[side]()
        return stopwatch(lambda: model.fit(texts, split.train_labels), lambda: model.predict([SENTENCE]))

    def predicting(side: str) -> list[float]:
        return stopwatch(partial(fitted[side].predict, fresh(split.test)))

    for what, clock, at_least in (("fit, ready to predict", fitting, fit), ("predict, batch", predicting, 30.0)):
        theirs, ours = in_turns(partial(clock, "theirs"), partial(clock, "ours"), 2)
        yield Row(f"{what}: {SETS[name]}, {effort}", ours[-1], theirs[-1], at_least=at_least)


@dataclass(frozen=True, slots=True)
class Mode:
    """A thing to do, on which sets, with which models where nobody says, and where its results go."""

    run: Callable[[list[str], list[str], bool], list[dict[str, Any]]]
    sets: list[str]
    models: list[str]
    file: str


TABLES = Mode(tables, list(SETS), list(MODELS), "accuracy.json")
SMALL = Mode(
    few_documents, ["rt_polarity", "sms_spam", "trec6", "20newsgroups"], ["counting", "best"], "accuracy_small.json"
)
SPEED = Mode(speed, list(SPEED_TARGETS), ["counting", "best"], "accuracy_speed.json")
MOVING = {
    "views": Mode(moving.views, moving.DESIGN, ["counting", "mnb", "lr-tuned"], "moving_views.json"),
    "copies": Mode(moving.copies, ["rt_polarity", "imdb", "sms_spam"], ["counting"], "moving_copies.json"),
    "new-label": Mode(
        moving.new_label,
        ["rt_polarity", "20newsgroups", "r8", "trec6", "spooky_authors"],
        ["counting"],
        "moving_new_label.json",
    ),
    "transfer": Mode(moving.transfer, ["rt_polarity", "imdb"], ["counting", "mnb", "lr-tuned"], "moving_transfer.json"),
    "reports": Mode(moving.reports, moving.DESIGN, ["counting"], "moving_reports.json"),
    "many-classes": Mode(moving.many_classes, ["20newsgroups"], ["counting", "mnb"], "moving_many_classes.json"),
}
OF_TABLES = Mode(table_sets.compare, list(table_sets.SETS), list(table_sets.MODELS), "accuracy_tables.json")


def main() -> None:
    """Compare, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="How accurate and how calibrated banbury is, beside its peers.")
    parser.add_argument("sets", nargs="*", metavar="set", help=f"on what (all): {', '.join(SETS)}")
    parser.add_argument("--models", nargs="+", metavar="MODEL", help=f"which (all): {', '.join(MODELS)}")
    parser.add_argument(
        "--small", dest="mode", action="store_const", const=SMALL, help="learn from 60 and 200 documents"
    )
    parser.add_argument("--tables", action="store_true", help=f"tables, not texts: {', '.join(table_sets.SETS)}")
    parser.add_argument("--speed", dest="mode", action="store_const", const=SPEED, help="time the automatic model")
    for name, mode in MOVING.items():
        what = (mode.run.__doc__ or "").split(":")[0].split("\n")[0].rstrip(".").lower()
        parser.add_argument(f"--{name}", dest="mode", action="store_const", const=mode, help=what)
    parser.add_argument("--quick", action="store_true", help="little of it: a trial, not a result")
    parser.add_argument(
        "--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save (results/accuracy*.json)"
    )
    parser.set_defaults(mode=TABLES)
    options = parser.parse_args()
    mode = OF_TABLES if options.tables else options.mode
    sets, models = options.sets or mode.sets, options.models or mode.models
    for given, known in ((sets, mode.sets), (models, mode.models if options.tables else [*MODELS, "plain"])):
        check_names(parser, given, known)

    rows = mode.run(sets, models, options.quick)
    if options.json:
        file = options.json / mode.file if options.json == RESULTS else options.json
        save(file, rows, options.quick)


def save(file: Path, rows: list[dict[str, Any]], quick: bool) -> None:
    """Write the rows to a file; those of sets and models that were not compared now stay as they are there."""
    kept = {key(row): row for row in [*(saved(file, "rows", quick) or []), *rows]}
    write(file, "rows", list(kept.values()), quick)


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What a row is about."""
    return tuple(row.get(name) for name in ("set", "model", "documents", "draw", "what", "view"))


if __name__ == "__main__":
    main()
