"""The figures of the site: tables and charts of what `benchmarks/results/*.json` has, made when the site is built.

A page asks for them by a comment, `<!-- figures: accuracy -->`, which becomes the chart and the table of that name.
"""

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
PLACE = re.compile(r"^<!-- figures: (\w+) -->$", re.MULTILINE)

# Read on white and on black alike.
OURS, THEIRS, INK = "#2f81d6", "#b0662a", "#7b8591"

NOT_MEASURED = ("Vowpal Wabbit", "SpamAssassin, rspamd", "Spark MLlib")
VISIBLE = 0.0005  # half a unit of the last digit that is shown

TEXT_MODELS = {
    "counting": "banbury, `Classifier()`",
    "best": 'banbury, `effort="best"`',
    "textbook": "banbury, `Classifier.textbook()`",
    "mnb": "scikit-learn, MultinomialNB",
    "cnb": "scikit-learn, ComplementNB",
    "grid": "scikit-learn, Naive Bayes, best of 72",
    "calibrated": "scikit-learn, MultinomialNB, calibrated",
    "lr": "scikit-learn, logistic regression",
    "lr-tuned": "scikit-learn, logistic regression, best of ten",
    "fasttext": "fastText",
}
TABLE_MODELS = {
    "automatic": "banbury, `Classifier()`",
    "best": 'banbury, `effort="best"`',
    "gaussian": "scikit-learn, GaussianNB",
    "categorical": "scikit-learn, CategoricalNB",
    "logistic": "scikit-learn, logistic regression",
    "boosting": "scikit-learn, gradient boosting",
}
SPEED = {
    "fit, ready to predict: IMDB": "train on IMDB",
    "fit, ready to predict: 20 Newsgroups": "train on 20 Newsgroups",
    "predict, batch: IMDB": "predict IMDB",
    "predict, batch: 20 Newsgroups": "predict 20 Newsgroups",
    "one short document, p50: IMDB": "predict one short text, IMDB",
    "extra memory in training: IMDB": "memory while training on IMDB",
    "cold process: python -c, fit + predict one sentence": "start a process, learn two texts, predict one",
}

Bars = list[tuple[str, float]]
Figures = tuple[str, Bars, str]  # Markdown of the table, bars of the chart, what they measure


def result(name: str) -> Any:
    """One file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Means:
    """How well one model does over the sets that all models have; on which of them better than ours, by log loss."""

    name: str
    accuracy: float
    log_loss: float
    ece: float
    better_on: list[str]
    n_sets: int


def means(rows: list[dict[str, Any]], models: dict[str, str]) -> list[Means]:
    """The means of each model; the first one is ours."""
    by_model = {model: {row["set"]: row for row in rows if row["model"] == model} for model in models}
    ours = next(iter(by_model.values()))
    sets = [name for name in ours if all(name in several for several in by_model.values())]
    return [
        Means(
            name,
            *(fmean(by_model[model][one][key] for one in sets) for key in ("accuracy", "log_loss", "ece")),
            [one for one in sets if by_model[model][one]["log_loss"] < ours[one]["log_loss"] - VISIBLE],
            len(sets),
        )
        for model, name in models.items()
    ]


def accuracy() -> Figures:
    """Models of texts: means over the sets."""
    return _quality(means(result("accuracy")["rows"], TEXT_MODELS))


def tables() -> Figures:
    """Models of tables: means over the sets."""
    return _quality(means(result("accuracy_tables")["rows"], TABLE_MODELS))


def speed() -> Figures:
    """How many times faster than scikit-learn, the same work on the same texts."""
    rows = {row["what"]: row for row in result("speed")["rows"]}
    known = [(name, rows[what]) for what, name in SPEED.items()]
    lines = []
    for name, row in known:
        theirs, ours = (quantity(row[side], row["unit"]) for side in ("theirs", "ours"))
        lines.append(f"| {name} | {theirs} | {ours} | {ratio(row['ratio'])} |")
    table = markdown_table("| | scikit-learn | banbury | ratio |", lines)
    return table, [(name, row["ratio"]) for name, row in known], "times less than scikit-learn (logarithmic)"


def live() -> Figures:
    """Learning one document and predicting another: medians of CPU time."""
    turns = [row for row in result("live")["rows"]["turns"] if row["what"].endswith("short texts")]
    names = [row["what"].removesuffix(", short texts") for row in turns]
    names = [name if name.startswith(("river", "scikit")) else f"banbury, {name}" for name in names]
    lines = [
        f"| {name} | {row['learn_cpu_p50']:,.0f} | {row['predict_cpu_p50']:,.0f} |"
        for name, row in zip(names, turns, strict=True)
    ]
    bars = [(name, row["learn_cpu_p50"] + row["predict_cpu_p50"]) for name, row in zip(names, turns, strict=True)]
    table = markdown_table("| median CPU time in µs | learn one | predict another |", lines)
    return table, bars, "µs of CPU for learning one short text and predicting another (logarithmic)"


def serving() -> Figures:
    """Requests that one processor answers."""
    rows = result("serve")["measured"]["rows"]
    names = [row["what"] if row["what"].startswith("FastAPI") else f"banbury, {row['what']}" for row in rows]
    lines = [
        f"| {name} | {row['per_second']:,.0f} | {row['p50_ms']:.1f} ms | {row['p99_ms']:.1f} ms |"
        for name, row in zip(names, rows, strict=True)
    ]
    bars = [(name, row["per_second"]) for name, row in zip(names, rows, strict=True) if "beside" not in name]
    table = markdown_table("| one processor, 64 connections | requests a second | p50 at 70 % | p99 at 70 % |", lines)
    return table, bars, "requests a second (logarithmic)"


def filtering() -> Figures:
    """Lines of a file read, scored and written, beside fastText's loop."""
    rows = [row for row in result("cli")["groups"]["filter"] if not row["what"].startswith(" ")]
    rates = [re.findall(r"[\d.]+(?= MB)|(?<=fastText )[\d.]+", row["what"]) for row in rows]
    names = [row["what"].partition(":")[0].removeprefix("filter, ") for row in rows]
    lines = [f"| {name} | {ours} MB/s | {theirs} MB/s |" for name, (ours, theirs) in zip(names, rates, strict=True)]
    bars = []
    for name, (ours, theirs) in zip(names, rates, strict=True):
        bars += [(f"banbury, {name}", float(ours)), (f"fastText, {name}", float(theirs))]
    return markdown_table("| `banbury filter` | banbury | fastText |", lines), bars, "MB/s (logarithmic)"


def labels() -> Figures:
    """Several labels a document."""
    rows = [{**row, "model": _by(row["model"])} for row in result("labels")]
    lines = [
        f"| {row['set']} | {row['model']} | {row['micro_f1']:.4f} | {row['macro_f1']:.4f} | {row['log_loss']:.4f} |"
        for row in rows
    ]
    table = markdown_table("| set | model | micro F1 | macro F1 | log loss |", lines, left=2)
    bars = [(f"{row['model']}: {row['set']}", row["macro_f1"]) for row in rows]
    return table, bars, "macro F1, higher is better"


def comparison() -> str:
    """What was measured of each peer beside us, each with the command that measures it."""
    texts = {one.name: one for one in means(result("accuracy")["rows"], TEXT_MODELS)}
    rows = {one.name: one for one in means(result("accuracy_tables")["rows"], TABLE_MODELS)}
    ours, our_tables = texts["banbury, `Classifier()`"], rows["banbury, `Classifier()`"]
    fit = next(row for row in result("speed")["rows"] if row["what"] == "fit, ready to predict: IMDB")
    turns = {row["what"]: row["learn_cpu_p50"] + row["predict_cpu_p50"] for row in result("live")["rows"]["turns"]}
    serve = {row["what"]: f"{row['per_second']:,.0f}" for row in result("serve")["measured"]["rows"]}
    growth = {row["model"]: row["fit"] for row in result("growth_tables") if row["rows"] == 1_000_000}
    _, reading, _ = filtering()

    def quality(peer: Means, us: Means, what: str, command: str) -> str:
        theirs, mine = (f"{one.accuracy:.3f} / {one.log_loss:.3f}" for one in (peer, us))
        return (
            f"| {peer.name} | {what}: accuracy / log loss, mean of {us.n_sets} sets | {theirs} | {mine} | {command} |"
        )

    lines = [
        quality(texts["scikit-learn, Naive Bayes, best of 72"], ours, "texts", "`benchmarks/accuracy.py`"),
        quality(texts["scikit-learn, logistic regression, best of ten"], ours, "texts", "`benchmarks/accuracy.py`"),
        quality(texts["fastText"], ours, "texts", "`benchmarks/accuracy.py`"),
        quality(rows["scikit-learn, gradient boosting"], our_tables, "tables", "`benchmarks/accuracy.py --tables`"),
        f"| scikit-learn, gradient boosting | train on a million rows of ten columns | {growth['boosting']:.1f} s "
        f"| {growth['banbury']:.1f} s | `benchmarks/growth.py` |",
        f"| scikit-learn, MultinomialNB | train on IMDB, one thread | {quantity(fit['theirs'], 's')} "
        f"| {quantity(fit['ours'], 's')} | `make bench` |",
        "| river, MultinomialNB | learn one short text, predict another, IMDB "
        f"| {turns['river (a part of imdb), short texts']:,.0f} µs | {turns['imdb, short texts']:,.0f} µs "
        "| `benchmarks/live.py` |",
        f"| fastText | filter a file | {reading[1][1]:g} MB/s | {reading[0][1]:g} MB/s | `benchmarks/cli.py filter` |",
        f"| FastAPI + scikit-learn | predictions a second, one processor | {serve['FastAPI + scikit-learn, 1 text']} "
        f"| {serve['predict, 1 text']} | `benchmarks/serve.py` |",
        *(f"| {peer} | | not measured | | |" for peer in NOT_MEASURED),
    ]
    return markdown_table("| peer | what | theirs | banbury | command |", lines, left=2).replace(
        "---: |\n", "--- |\n", 1
    )


FIGURES: dict[str, Callable[[], Figures]] = {
    "accuracy": accuracy,
    "tables": tables,
    "speed": speed,
    "live": live,
    "serving": serving,
    "filtering": filtering,
    "labels": labels,
}


def with_figures(markdown: str, folder: str) -> str:
    """A page with its charts and tables; charts are in `folder`, seen from the page."""

    def figure(place: re.Match[str]) -> str:
        if place[1] == "comparison":
            return comparison()
        table, _, measured = FIGURES[place[1]]()
        return f"![{measured}]({folder}/{place[1]}.svg)\n\n{table}"

    return PLACE.sub(figure, markdown)


def chart(name: str) -> str:
    """The chart of some figures, as SVG: a bar for each, ours in blue."""
    _, bars, measured = FIGURES[name]()
    bars = [(label.replace("`", ""), value) for label, value in bars]
    # The same bytes for the same figures: no date, no random names. Text stays text.
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 10, "font.family": "sans-serif"}):
        figure = Figure(figsize=(7.6, 0.7 + 0.3 * len(bars)), layout="constrained")
        axes = figure.subplots()
        is_ours = [name == "speed" or label.startswith("banbury") for label, _ in bars]
        drawn = axes.barh(
            [label for label, _ in bars],
            [value for _, value in bars],
            color=[OURS if ours else THEIRS for ours in is_ours],
            height=0.68,
        )
        axes.bar_label(drawn, labels=[_short(value) for _, value in bars], padding=4, color=INK)
        axes.invert_yaxis()
        if "logarithmic" in measured:
            axes.set_xscale("log")
            axes.set_xlim(left=1)
        axes.margins(x=0.14)
        axes.set_xlabel(measured, color=INK)
        axes.tick_params(which="both", colors=INK, length=0)
        axes.spines[:].set_visible(False)
        target = io.StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return target.getvalue()


def _quality(models: list[Means]) -> Figures:
    """Table and bars of means."""
    lines = [
        f"| {one.name} | {one.accuracy:.3f} | {one.log_loss:.3f} | {one.ece:.3f} | {', '.join(one.better_on)} |"
        for one in models
    ]
    head = f"| mean of {models[0].n_sets} sets | accuracy | log loss | calibration error |"
    table = markdown_table(f"{head} lower log loss than `Classifier()` |", lines).replace("---: |\n", "--- |\n", 1)
    return table, [(one.name, one.log_loss) for one in models], "mean log loss, lower is better"


def markdown_table(head: str, lines: list[str], left: int = 1) -> str:
    """A table of Markdown: the first columns on the left, numbers on the right."""
    rule = "| " + " | ".join(["---"] * left + ["---:"] * (head.count("|") - 1 - left)) + " |"
    return "\n".join([head, rule, *lines])


def _by(model: str) -> str:
    """The name of a model with that of its makers."""
    makers = {"MultiLabel": "banbury, ", "fastText": "", "": "scikit-learn, "}
    return next(maker for start, maker in makers.items() if model.startswith(start)) + model


def quantity(value: float, unit: str) -> str:
    """Seconds or bytes, in a unit that suits them.

    >>> (
    ...     quantity(15.3, "s"),
    ...     quantity(0.0653, "s"),
    ...     quantity(0.00279, "s"),
    ...     quantity(7.7e-7, "s"),
    ...     quantity(22e6, "bytes"),
    ... )
    ('15.3 s', '65 ms', '2.8 ms', '0.77 µs', '22 MB')
    """
    if unit == "bytes":
        return f"{value / 1e6:.0f} MB"
    if value >= 1:
        return f"{value:.1f} s"
    size, name = (1e3, "ms") if value >= 1e-3 else (1e6, "µs")
    digits = 0 if value * size >= 10 else 1 if value * size >= 1 else 2
    return f"{value * size:.{digits}f} {name}"


def ratio(value: float) -> str:
    """How many times, as precisely as such figures can be repeated.

    >>> ratio(52.6), ratio(11.43), ratio(2866.8)
    ('53×', '11.4×', '2,867×')
    """
    return f"{value:,.0f}×" if value >= 20 else f"{value:.1f}×"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
