"""Writes the figures of `benchmarks/results/*.json` into the documents that name them: `make figures`.

A table stands between `<!-- recorded: NAME -->` and `<!-- end -->`: the function of that name in `TABLES` makes it.
A figure in a sentence stands between `<!--= EXPRESSION -->` and `<!--end-->`: the expression is what an f-string has
between its braces, and may call the functions of `VALUES`. Documents for the site alone have charts too: `figures.py`.
"""

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from figures import markdown_table, quantity, ratio, result

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?<=^<!-- recorded: )(\w+)( -->\n).*?(?=^<!-- end -->$)", re.DOTALL | re.MULTILINE)
VALUE = re.compile(r"<!--= (.+?) -->(.*?)<!--end-->", re.DOTALL)

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
NEW_LABELS = {
    "rt_polarity": "questions",
    "20newsgroups": "sci.space",
    "r8": "trade",
    "trec6": "NUM",
    "spooky_authors": "MWS",
}
VIEWS = {
    "full": "whole documents",
    "first 1": "first word",
    "first 3": "first 3 words",
    "first 5": "first 5 words",
    "first 10": "first 10 words",
    "first 25": "first 25 words",
    "first 50": "first 50 words",
    "1 random": "a random word",
    "10 random": "10 random words",
    "subject": "20 Newsgroups, subject lines",
}
COPIES = {
    "as they are": "as they are",
    "rows twice": "rows twice, or weights of 2",
    "a fifth repeated": "a fifth three times",
}
TABLE_MODELS = ("automatic", "best", "gaussian", "categorical", "logistic", "boosting")


def one(rows: Iterable[dict[str, Any]], /, **wanted: object) -> dict[str, Any]:
    """The only row with these values."""
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows have {wanted}; one was expected")
    return found[0]


def application(name: str, key: str = "measured") -> float:
    """A figure of an application, by the name of its row; `key` may be `peer`."""
    rows = (row for several in result("applications")["figures"].values() for row in several)
    return one(rows, set=name)[key]


def text_mean(model: str, key: str = "log_loss") -> float:
    """The mean of a model over the sets of texts that every shown model has."""
    return fmean(row[key] for row in result("accuracy")["rows"] if row["model"] == model and row["set"] in SETS)


def text_sets_lost(model: str) -> list[str]:
    """The sets of texts on which the log loss of `model` is lower than that of `Classifier()`."""
    rows = result("accuracy")["rows"]
    return [
        name
        for key, name in SETS.items()
        if one(rows, set=key, model=model)["log_loss"] < one(rows, set=key, model="counting")["log_loss"]
    ]


def measured_table(name: str, model: str = "automatic") -> str:
    """Accuracy in %, log loss and calibration error in % of a model of a table."""
    row = one(result("accuracy_tables")["rows"], set=name, model=model)
    return _quality(row["accuracy"], row["log_loss"], row["ece"])


def table_accuracy(name: str, model: str) -> float:
    """The accuracy of a model of a table."""
    return one(result("accuracy_tables")["rows"], set=name, model=model)["accuracy"]


def growth(key: str, rows: int = 1_000_000, columns: int = 10, model: str = "banbury") -> float:
    """How long or how much a table of that size takes: `fit`, `predict_100k` or `peak_mb`."""
    return one(result("growth_tables"), rows=rows, columns=columns, model=model)[key]


def speed(what: str, key: str = "ratio", file: str = "speed") -> float:
    """A figure of the speed benchmark: `ratio`, or seconds or bytes of `ours` and `theirs`."""
    return one(result(file)["rows"], what=what)[key]


def command(group: str, start: str, key: str = "ours") -> float:
    """A figure of the command line's benchmark, by the beginning of its row's name."""
    found = [row for row in result("cli")["groups"][group] if row["what"].startswith(start)]
    return found[0][key]


def hierarchy_gain(documents_a_class: int) -> float:
    """The share of the log loss that the hierarchy saves."""
    row = one(result("labels_hierarchy")["newsgroups"], documents_a_class=documents_a_class)
    return 1 - row["log_loss"] / row["flat_log_loss"]


def many_in_hierarchy(key: str, place: int = 0) -> float:
    """A figure of a hierarchy of many labels."""
    return result("labels_hierarchy")["many"][place][key]


def moving(file: str, key: str, **wanted: object) -> float:
    """A figure of a file of `moving_*.json`, by the values of its row."""
    return one(result(f"moving_{file}")["rows"], **wanted)[key]


def views_won(*peers: str) -> str:
    """In how many cells, of sets and views, the log loss is below that of all these peers: `75 of 82`."""
    rows = result("moving_views")["rows"]

    def losses(model: str) -> dict[tuple[str, str], float]:
        return {(row["set"], row["view"]): row["log_loss"] for row in rows if row["model"] == model}

    ours, theirs = losses("counting"), [losses(peer) for peer in peers]
    cells = [cell for cell in ours if all(cell in losses_of_peer for losses_of_peer in theirs)]
    won = sum(all(ours[cell] < losses_of_peer[cell] for losses_of_peer in theirs) for cell in cells)
    return f"{won} of {len(cells)}"


def small_won() -> str:
    """In how many draws of few documents no peer's log loss was lower: `24 of 24`."""
    rows = result("accuracy_small")["rows"]
    return f"{sum(not row['higher'] for row in rows)} of {len(rows)}"


def reports_above() -> str:
    """How far reports are above a real refit, in points: `0.0 to 0.7`."""
    rows = result("moving_reports")["rows"]
    sets = {row["set"] for row in rows}
    gaps = [
        one(rows, set=name, model="report")["accuracy"] - one(rows, set=name, model="refit")["accuracy"]
        for name in sets
    ]
    return f"{min(gaps) * 100:.1f} to {max(gaps) * 100:.1f}"


def unshared(what: str) -> float:
    """What one thread does alone of a fit, in ms."""
    return float(one(result("threads")["rows"], what=what, threads=1)["reading"]) * 1e3


def shared_cost(what: str, threads: int = 16) -> float:
    """How many times the processor time of one thread so many take together."""
    alone, together = (one(result("threads")["rows"], what=what, threads=n)["all_threads"] for n in (1, threads))
    return float(together / alone)


def readme() -> str:
    """The three figures of the README."""
    (ours, our_loss), (theirs, their_loss) = (
        (text_mean(model, "accuracy"), text_mean(model)) for model in ("counting", "grid")
    )
    fit, one_text = speed("fit, ready to predict: IMDB"), speed("one short document, p50: IMDB")
    lines = [
        f"| **Good** | accuracy {ours:.3f}, log loss {our_loss:.3f} | mean of ten public sets, nothing set; "
        f"scikit-learn's Naive Bayes, the best of 72 tuned pipelines: {theirs:.3f} and {their_loss:.3f} |",
        f"| **Fast** | training {ratio(fit)}, one text {ratio(one_text)} faster | than scikit-learn's "
        "`CountVectorizer` + `MultinomialNB`: the same tokens, counts and predictions, IMDB, one thread |",
        "| **Exact** | learn, forget, merge | to the bit, in any order, at any time: what is learned is counts |",
    ]
    return "\n".join(["| | | |", "| --- | --- | --- |", *lines])


def accuracies() -> str:
    """Models of texts, set by set."""
    rows = result("accuracy")["rows"]
    models = ("counting", "best", "grid", "lr-tuned", "fasttext")

    def cell(key: str, model: str) -> str:
        row = one(rows, set=key, model=model)
        return f"{row['accuracy']:.3f} / {row['log_loss']:.3f}"

    lines = [f"| {name} | {' | '.join(cell(key, model) for model in models)} |" for key, name in SETS.items()]
    means = (f"**{text_mean(model, 'accuracy'):.3f} / {text_mean(model):.3f}**" for model in models)
    lines.append(f"| **mean** | {' | '.join(means)} |")
    head = '`Classifier()` | `effort="best"` | Naive Bayes, tuned | logistic regression, tuned | fastText'
    return markdown_table(f"| accuracy / log loss | {head} |", lines)


def speeds() -> str:
    """The plain model beside scikit-learn: every row of the benchmark that is not a part of the one above it."""
    renamed = {
        "fit, ready to predict: lang17": "fit, ready to predict: lang17, 17 languages",
        "one short document, p50: IMDB": "predict one short text: IMDB",
        "one short document, p50: 20 Newsgroups": "predict one short text: 20 Newsgroups",
        "import banbury, over bare Python": "import, over bare Python",
        "fit, two threads against one: IMDB": "fit on two threads: IMDB (the peer: banbury on one)",
    }
    lines = []
    for row in result("speed")["rows"]:
        name = renamed.get(row["what"], row["what"]).replace("default words", "the words of an `Analyzer()`")
        if name.startswith("load 1,000,000 words"):
            name = "load a model of a million words (the peer: a pickle)"
        if name.startswith("cold process"):
            name = "cold process: start, import, learn two texts, predict one"
        if not name.startswith(" ") and row["theirs"]:
            lines.append(_race(name, row))
    return markdown_table("| | scikit-learn | banbury | ratio |", lines)


def automatic_speeds() -> str:
    """The automatic model beside scikit-learn."""
    names = {"counting": "`Classifier()`", "best": '`effort="best"`'}
    lines = []
    for row in result("accuracy_speed")["rows"]:
        what, _, model = row["what"].rpartition(", ")
        lines.append(_race(f"{what}, {names[model]}", row))
    return markdown_table("| | scikit-learn | banbury | ratio |", lines)


def views() -> str:
    """What is left of documents: means over the sets."""
    rows = result("moving_views")["rows"]

    def cell(view: str, model: str) -> str:
        chosen = [row for row in rows if row["view"] == view and row["model"] == model]
        return _quality(*(fmean(row[key] for row in chosen) for key in ("accuracy", "log_loss", "ece")))

    models = {
        "counting": "`Classifier()`",
        "best": '`effort="best"`',
        "mnb": "MultinomialNB",
        "lr-tuned": "logistic regression, tuned",
    }
    lines = [f"| {name} | {' | '.join(cell(view, model) for model in models)} |" for view, name in VIEWS.items()]
    return markdown_table(f"| view | {' | '.join(models.values())} |", lines)


def copies() -> str:
    """What the report says and what is true, where rows are repeated."""
    rows = result("moving_copies")["rows"]
    sets = ("rt_polarity", "imdb", "sms_spam")

    def cell(view: str, name: str) -> str:
        row = one(rows, view=view, set=name)
        return f"{row['report'] * 100:.1f} → {row['accuracy'] * 100:.1f}"

    lines = [f"| {shown} | {' | '.join(cell(view, name) for name in sets)} |" for view, shown in COPIES.items()]
    return markdown_table("| accuracy in %, report → test | RT-polarity | IMDB | SMS spam |", lines)


def sizing() -> str:
    """What a cluster shuffles and needs, predicted and measured, for growing data."""
    shown = {
        "shuffled_bytes": "shuffled",
        "collected_bytes": "to the driver",
        "counting_memory": "memory, counting",
        "merging_memory": "memory, merging",
        "driver_memory": "memory, driver",
    }
    rows = result("sizing")["rows"]

    def cell(row: dict[str, Any], name: str) -> str:
        return f"{row['predicted'][name] / 1e6:.1f} / {row['measured'][name] / 1e6:.1f}"

    lines = [f"| {title} | {' | '.join(cell(row, name) for row in rows)} |" for name, title in shown.items()]
    head = " | ".join(f"×{row['times']}" for row in rows)
    return markdown_table(f"| MB, predicted / measured | {head} |", lines)


def new_labels() -> str:
    """A label that comes later, after so many of its documents."""
    rows = result("moving_new_label")["rows"]

    def cell(name: str, model: str, view: str) -> str:
        found = [row for row in rows if (row["set"], row["model"], row["view"]) == (name, model, view)]
        return f"{found[0]['old'] * 100:.1f} / {found[0]['recall'] * 100:.0f}" if found else ""

    lines = []
    for name, label in NEW_LABELS.items():
        before = one(rows, set=name, model="learned", view="0")["old"]
        cells = [cell(name, "learned", view) for view in ("1", "10", "30", "100", "300")]
        cells += [cell(name, "fresh", view) for view in ("30", "100", "300")]
        lines.append(f"| {SETS[name]} + {label} | {before * 100:.1f} | {' | '.join(cells)} |")
    return markdown_table("| | before | 1 | 10 | 30 | 100 | 300 | fresh: 30 | 100 | 300 |", lines)


def grown_classes() -> str:
    """A class of which nine tenths are learned, and in brackets a fresh fit, for each set."""
    rows = [row for row in result("moving_new_label")["rows"] if row["view"] == "a class that grew tenfold"]
    return ", ".join(
        f"{SETS[name]} {one(rows, set=name, model='learned')['accuracy'] * 100:.1f} "
        f"({one(rows, set=name, model='fresh')['accuracy'] * 100:.1f})"
        for name in dict.fromkeys(row["set"] for row in rows)
    )


def tables() -> str:
    """Models of tables, set by set: those that every model was measured on."""
    rows = result("accuracy_tables")["rows"]
    names = dict.fromkeys(row["set"] for row in rows)
    sets = [name for name in names if {row["model"] for row in rows if row["set"] == name} >= set(TABLE_MODELS)]
    lines = [f"| {name} | {' | '.join(measured_table(name, model) for model in TABLE_MODELS)} |" for name in sets]
    means = []
    for model in TABLE_MODELS:
        chosen = [row for row in rows if row["set"] in sets and row["model"] == model]
        means.append(_quality(*(fmean(row[key] for row in chosen) for key in ("accuracy", "log_loss", "ece"))))
    lines.append(f"| **mean of {len(sets)}** | {' | '.join(means)} |")
    head = "banbury | banbury, best | GaussianNB | CategoricalNB | logistic regression | gradient boosting"
    return markdown_table(f"| set | {head} |", lines)


def table_rows() -> str:
    """One row and a million rows of a table predicted, beside gradient boosting."""
    lines = [
        f"| {row['set']} | {row['one']['banbury'] * 1e6:.0f} µs | {row['one']['ratio']:.0f}× "
        f"| {row['million']['banbury']:.2f} s | {row['million']['ratio']:.1f}× |"
        for row in result("table_rows")
    ]
    return markdown_table("| set | one row | faster | a million rows | faster |", lines)


def labels() -> str:
    """Several labels a document."""
    names = ("micro_f1", "macro_f1", "log_loss", "subset_accuracy")
    lines = [
        f"| {row['set']} | {row['model']} | {' | '.join(f'{row[name]:.4f}' for name in names)} | {row['fit']:.2f} s |"
        for row in result("labels")
    ]
    return markdown_table("| set | model | micro F1 | macro F1 | log loss | subset accuracy | fit |", lines, left=2)


def hierarchy() -> str:
    """Labels in a hierarchy beside the flat model."""
    names = ("flat_log_loss", "log_loss", "flat_accuracy", "accuracy", "flat_top_accuracy", "top_accuracy")
    lines = [
        f"| {row['documents_a_class']} | {' | '.join(f'{row[name]:.4f}' for name in names)} "
        f"| {row['better']} of {row['draws']} |"
        for row in result("labels_hierarchy")["newsgroups"]
    ]
    head = "log loss, flat | hierarchy | accuracy, flat | hierarchy | top, flat | hierarchy | better"
    return markdown_table(f"| documents a class | {head} |", lines)


def streams() -> str:
    """Errors of streams that change, with the chosen half-life and with none."""
    rows = result("labels_streams")
    lines = []
    for name in dict.fromkeys(row["stream"] for row in rows):
        chosen, none = (one(rows, stream=name, half_life=half_life) for half_life in ("auto", None))
        cells = [
            f"{row[key] * 100:.2f} %"
            for key in ("error_before", "error_soon_after", "error_after")
            for row in (none, chosen)
        ]
        lines.append(f"| {name} | {chosen['chosen']} | {' | '.join(cells)} |")
    head = "before, none | chosen | soon after, none | chosen | after, none | chosen"
    return markdown_table(f"| stream | half-life chosen | {head} |", lines)


def many_classes() -> str:
    """Thousands of classes."""
    lines = [
        f"| {row['classes']:,} | {row['documents']:,} | {row['text_megabytes']:.1f} MB | {row['fit']:.2f} s "
        f"| {row['predict_2000']:.2f} s | {row['evaluate_2000']:.2f} s | {row['fit_megabytes']:,} MB "
        f"| {row['all_megabytes']:,} MB | {row['accuracy']:.4f} | {row['among_10']:.4f} |"
        for row in result("labels_many")
    ]
    head = "classes | documents | texts | fit | predict | evaluate | memory, fit | all | accuracy | among 10"
    return markdown_table(f"| {head} |", lines, left=0)


def applications() -> str:
    """Every application: measured, the peer, what is asked. Parts of a mean are left out."""

    def shown(figure: float | None) -> str:
        if figure is None:
            return ""
        return f"{figure:,.0f}" if isinstance(figure, int) or figure > 100 else f"{figure:.4f}"

    lines = [
        f"| {row['application']} | {row['set']} | {shown(row['measured'])} | {shown(row['peer'])} | "
        + (f"{row['relation']} {row['asked']:.4g} |" if row["asked"] is not None else " |")
        for several in result("applications")["figures"].values()
        for row in several
        if ", saved of " not in row["set"]
    ]
    return markdown_table("| application | what | measured | scikit-learn | asked |", lines, left=2)


def saved_labels() -> str:
    """Labels that are saved by asking for those that teach most."""
    lines = []
    for name in ("20 Newsgroups", "RT-polarity"):
        for way in ("gain", "uncertainty"):
            values = [
                application(f"{name}, 3 draws, by {way}, saved{end}") * 100
                for end in (" of 500", " of 1000", " of 2000", ", mean")
            ]
            cells = [f"{value:.0f} %".replace("-", "−") for value in values]
            if way == "gain":
                cells[-1] = f"**{cells[-1]}**"
            lines.append(f"| {name if way == 'gain' else ''} | {way} | {' | '.join(cells)} |".replace("|  |", "| |"))
    return markdown_table("| | by | N = 500 | 1000 | 2000 | mean |", lines, left=2)


def attacks() -> str:
    """Ham kept and spam caught under attack, by model."""
    attacks = {
        "clean": "as it is",
        "dictionary learned": "dictionary learned",
        "words of ham learned": "words of ham learned",
        "20 good words": "20 good words added",
        "100 good words": "100 good words added",
    }
    models = ("automatic", "textbook", "MultinomialNB")
    means = result("poisoning")["means"]
    lines = [
        f"| {name} | {' | '.join(_kept(means[f'{model}: {key}']) for model in models)} |"
        for key, name in attacks.items()
    ]
    head = "banbury, automatic | banbury, textbook | scikit-learn's MultinomialNB"
    return markdown_table(f"| ham kept / spam caught, in % | {head} |", lines)


def vetted_attacks() -> str:
    """The same where documents are vetted, and what is refused."""
    lines = []
    for key, row in result("poisoning")["means"].items():
        model, vetted, attack = key.partition(", vetted: ")
        if vetted:
            attacked = f"{row['attack refused'] * 100:.1f}" if "attack refused" in row else ""
            name = f"{model}, {attack.replace('clean', 'no attack')}"
            lines.append(f"| {name} | {_kept(row)} | {attacked} | {row['honest refused'] * 100:.1f} |")
    return markdown_table("| vetted | ham kept / spam caught | attack refused | honest mail refused |", lines)


def live() -> str:
    """Learning one document and predicting another: medians of CPU time in µs."""
    rows = result("live")["rows"]
    turns = {row["what"]: row for row in rows["turns"]}
    shares = {row["what"].partition(",")[0]: row["share"] for row in rows["threads"]}
    lines = []
    for prefix, start, end, after in (
        ("", "", "", ", `Classifier()`"),
        ("river, ", "river (a part of ", ")", ", 1,000 documents"),
        ("scikit-learn, ", "scikit-learn, ", "", ""),
    ):
        for key in ("imdb", "20newsgroups"):
            short, long = (turns[f"{start}{key}{end}, {size}"] for size in ("short texts", "texts of 2,000 characters"))
            share = "" if prefix else f"{shares[key] * 100:.0f} %"
            cells = (short["learn_cpu_p50"], short["predict_cpu_p50"], long["predict_cpu_p50"])
            lines.append(f"| {prefix}{SETS[key]}{after} | {' | '.join(f'{cell:,.0f}' for cell in cells)} | {share} |")
    head = "`learn` | `predict`, short | `predict`, 2,000 characters | throughput beside learning"
    return markdown_table(f"| learn, then predict | {head} |", [line.replace("|  |", "| |") for line in lines])


def serving() -> str:
    """Requests that one processor answers."""
    lines = []
    for row in result("serve")["measured"]["rows"]:
        by_cpu = f"{row['per_cpu_second']:,.0f}" if row["per_cpu_second"] else ""
        waits = f"{row['p50_ms']:.1f} ms, {row['p99_ms']:.1f} ms"
        lines.append(f"| {row['what']} | {row['per_second']:,.0f} | {by_cpu} | {waits} |")
    return markdown_table(
        "| one processor, 64 connections | requests a second | a CPU second | p50, p99 at 70 % |", lines
    )


def engines() -> str:
    """Spark beside MLlib, beside doing nothing, beside fastText; Dask and Ray beside Spark."""
    rows = [row for group in result("engines")["groups"].values() for row in group]
    return markdown_table("| | peer | banbury | ratio |", [_race(row["what"], row) for row in rows if row["theirs"]])


def places() -> str:
    """How long users wait, and for what."""
    rows = [row for group in result("places")["groups"].values() for row in group]
    return markdown_table(
        "| | |", [f"| {row['what'].strip()} | {quantity(row['ours'], row['unit'])} |" for row in rows]
    )


def threads() -> str:
    """What more threads gain, by the processor time of the thread that calls."""
    rows = result("threads")["rows"]
    lines = []
    for what in dict.fromkeys(row["what"] for row in rows):
        first, *others = (row["path"] for row in rows if row["what"] == what)
        lines.append(f"| {what} | {' | '.join(ratio(first / path) for path in others)} | {quantity(first, 's')} |")
    return markdown_table("| gain over one thread | 2 | 4 | 8 | 16 | one thread |", lines)


TABLES: dict[str, Callable[[], str]] = {
    make.__name__: make
    for make in (
        readme, accuracies, speeds, automatic_speeds, views, copies, new_labels, tables, table_rows, labels, hierarchy,
        streams, many_classes, applications, saved_labels, attacks, vetted_attacks, live, serving, sizing, engines,
        places, threads,
    )
}  # fmt: skip
VALUES: dict[str, Callable[..., Any]] = {
    get.__name__: get
    for get in (
        application, text_mean, text_sets_lost, measured_table, table_accuracy, growth, speed, command, hierarchy_gain,
        many_in_hierarchy, moving, views_won, small_won, reports_above, grown_classes, unshared, shared_cost, ratio,
        quantity,
    )
}  # fmt: skip


def rewritten(text: str) -> str:
    """A document with the figures of the recorded results in their places."""
    text = BLOCK.sub(lambda place: f"{place[1]}{place[2]}\n{TABLES[place[1]]()}\n\n", text)
    return VALUE.sub(lambda place: f"<!--= {place[1]} -->{_value(place[1])}<!--end-->", text)


def documents() -> list[Path]:
    """Every document that may have recorded figures."""
    return [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _value(expression: str) -> str:
    """What an f-string makes of an expression."""
    return str(eval(f'f"""{{{expression}}}"""', dict(VALUES)))


def _race(name: str, row: dict[str, Any]) -> str:
    """A row of two quantities and their ratio."""
    theirs, ours = (quantity(row[side], row["unit"]) for side in ("theirs", "ours"))
    return f"| {name} | {theirs} | {ours} | {ratio(row['ratio'])} |"


def _kept(row: dict[str, float]) -> str:
    """Ham kept and spam caught, in %."""
    return f"{row['ham kept'] * 100:.1f} / {row['spam caught'] * 100:.1f}"


def _quality(accuracy: float, log_loss: float, ece: float) -> str:
    """Accuracy in %, log loss, calibration error in %."""
    return f"{accuracy * 100:.1f} / {log_loss:.3f} / {ece * 100:.1f}"


def main() -> None:
    """Rewrite the documents, and name those that changed."""
    for path in documents():
        text = path.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: figures changed", file=sys.stderr)


if __name__ == "__main__":
    main()
