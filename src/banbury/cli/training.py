"""`banbury train`: labelled files in, a model and its report out."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from banbury import _kernel
from banbury.cli import options as reading
from banbury.cli.checks import check, fail_over, fail_under
from banbury.cli.console import note, show, show_json, with_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.classifier import Classifier
    from banbury.readers import Batch, Reader

STRONGEST = 10
KEPT = 64 << 20  # bytes of text


@click.command(
    epilog="""\b
Examples:
  banbury train sms.jsonl -o spam.banbury
  banbury train reviews.csv.gz --text review --label stars -o stars.banbury --fail-under accuracy=0.8
  banbury train aclImdb/train -o mood.banbury --plain"""
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "-o", "--output", "model", required=True, type=click.Path(dir_okay=False), help="The model file to write."
)
@click.option("--effort", type=click.Choice(["counting", "best"]), default="counting", help="best: slower, and better.")
@click.option("--plain", is_flag=True, help="Only count words: the textbook's model, and the quickest.")
@click.option("--analyzer", metavar="PRESET", help="What the features are: words, tweets, characters, python.")
@click.option("--ngrams", metavar="LOW,HIGH", help="Runs of so many words, such as 1,2.")
@click.option("--likelihood", type=click.Choice(["multinomial", "bernoulli", "complement"]), default="multinomial")
@click.option("--smoothing", metavar="NUMBER", help="Added to every count; chosen by leave-one-out by default.")
@click.option("--prior", metavar="empirical|uniform|LABEL=SHARE,…", default="empirical", help="Of the classes.")
@click.option("--table", is_flag=True, help="Learn from all columns but the label, each as what it is.")
@click.option("--columns", metavar="NAME[=KIND],…", help="… or from these: text, categorical, number, poisson, …")
@click.option("--weight", metavar="COLUMN", help="How often each row counts.")
@reading.reads_files()
@reading.as_json
@fail_under
@fail_over
@reading.threads
def train(files: tuple[str, ...], model: str, is_json: bool, **given: Any) -> int:
    """Learn from labelled rows, and write a model.

    Everything is chosen by exact leave-one-out, whose report is printed: each row predicted by the model without it.
    """
    reading.need_input(files)
    if given["table"] or given["columns"]:
        return _train_table(files, model, is_json, given)
    reader = reading.reader_of(files, given, weight=given["weight"], threads=given["threads"]).needs_labels()
    note(f"{reader.name}: {reader.layout}")
    classifier = _classifier(given)
    batches = _Batches(reader)
    classifier.fit_batches(batches)
    if given["prior"] not in ("empirical", "uniform"):
        classifier.prior = reading.shares(given["prior"], classifier.counts_.classes)
    classifier.save(model)
    return _report(classifier, reader, batches.kept, model, is_json, given)


def _train_table(files: tuple[str, ...], path: str, is_json: bool, given: dict[str, Any]) -> int:
    """A model of all rows, which are read whole."""
    from banbury.cli.tables import classes_of, kinds, to_learn
    from banbury.readers import joined

    reader = reading.reader_of(files, given, text=False, weight=given["weight"]).needs_labels()
    note(f"{reader.name}: {reader.layout}")
    columns = kinds(given["columns"])
    batch = joined(list(with_progress(reader, "reading")), has_labels=True)
    classifier = _classifier(given)
    classifier.columns = columns
    classifier.fit(to_learn(batch, reader.layout, columns), batch.labels, batch.weights)
    if given["prior"] not in ("empirical", "uniform"):
        classifier.prior = reading.shares(given["prior"], classes_of(classifier))
    classifier.save(path)
    report = classifier._report
    found = {name: type(kind).__name__ for name, kind in classifier.columns_.items()}
    if is_json:
        figures = {} if report is None else {"leave-one-out": report.to_dict(), "chosen": report.chosen}
        show_json({"model": path, "rows": len(batch), "skipped": reader.skipped, "columns": found} | figures)
    else:
        if report is not None:
            show(report)
        note(f"\n{len(batch)} rows, {len(found)} columns: {path}")
        note("Next: banbury evaluate, with rows that it has not seen")
    return check(report, given)


class _Batches:
    """The batches of a reader with a bar; they are kept for a second look, as long as they are few."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.can_be_read_again = reader.can_be_read_again
        self.kept: list[Batch] | None = []

    def __iter__(self) -> Iterator[Batch]:
        self.kept, size = [], 0
        for batch in with_progress(self._reader, "training"):
            size += _kernel.size(batch.texts)
            if self.kept is not None:
                self.kept.append(batch)
            if size > KEPT:
                self.kept = None
            yield batch


def _classifier(given: dict[str, Any]) -> Classifier:
    from dataclasses import replace

    from banbury.classifier import Classifier
    from banbury.errors import InputError
    from banbury.text import Analyzer

    prior = given["prior"] if given["prior"] in ("empirical", "uniform") else "empirical"
    analyzer: Any = given["analyzer"]
    if given["ngrams"] is not None:
        try:
            low, high = map(int, given["ngrams"].split(","))
        except ValueError:
            raise click.BadParameter(
                f"{given['ngrams']!r} is not LOW,HIGH, such as 1,2", param_hint="--ngrams"
            ) from None
        analyzer = replace(Analyzer() if analyzer is None else Analyzer.preset(analyzer), ngrams=(low, high))
    smoothing: Any = given["smoothing"]
    if smoothing is not None and smoothing not in ("auto", "document"):
        try:
            smoothing = None if smoothing == "none" else float(smoothing)
        except ValueError:
            raise InputError(f"smoothing is {smoothing!r}; it can be a number, 'auto', 'document' or 'none'") from None
    elif smoothing is None:
        smoothing = 1.0 if given["plain"] else "auto"
    options = {"analyzer": analyzer, "likelihood": given["likelihood"], "smoothing": smoothing, "prior": prior}
    calibration = None if given["plain"] else "auto"
    return Classifier(**options, calibration=calibration, effort=given["effort"], threads=given["threads"])


def _report(
    classifier: Classifier, reader: Reader, kept: list[Batch] | None, model: str, is_json: bool, given: dict[str, Any]
) -> int:
    report = classifier._report
    counts = classifier.counts_
    documents = dict(zip(map(str, counts.classes), counts.documents, strict=True))
    words = {} if given["plain"] else _strongest(classifier)
    faults = {} if given["plain"] else _faults(classifier, kept)
    if is_json:
        found = (
            {} if report is None else {"leave-one-out": report.to_dict(), "chosen": report.chosen, "note": report.note}
        )
        show_json(
            {"model": model, "documents": documents, "features": counts.n_features, "skipped": reader.skipped}
            | found
            | {"strongest words": words}
            | faults
        )
    else:
        if report is not None:
            show(report)
        lines = [f"strongest for {label}: {', '.join(strongest)}" for label, strongest in words.items()]
        lines += _faults_lines(faults)
        if lines:
            show("\n" + "\n".join(lines))
        shown = ", ".join(f"{label} {n}" for label, n in list(documents.items())[:20])
        note(f"\n{sum(counts.documents)} documents ({shown}), {counts.n_features} features: {model}")
        import shlex

        note(f'Next: banbury predict {shlex.quote(model)} "a text"')
    return check(report, given)


def _faults(classifier: Classifier, kept: list[Batch] | None) -> dict[str, Any]:
    """What may be wrong with the rows: words that give a class away, and where they are at hand, duplicates."""
    from banbury.dependence import words_only
    from banbury.duplicates import duplicates
    from banbury.leaks import leaks

    counts = classifier.counts_
    words = words_only(counts.analyzer)
    found: dict[str, Any] = {}
    if words is not None:
        known = counts if words == counts.analyzer else counts.narrowed(words)
        found["words that give a class away"] = [leak._asdict() for leak in leaks(known)]
    if kept is not None:
        texts = [text for batch in kept for text in batch.texts]
        repeated = duplicates(texts, [label for batch in kept for label in batch.labels or []])
        found["duplicates"] = {
            "repeats": repeated.n_repeats,
            "near": repeated.n_near,
            "with different labels": repeated.conflicting,
        }
    return found


def _faults_lines(faults: dict[str, Any]) -> list[str]:
    lines = []
    if giving_away := faults.get("words that give a class away"):
        shown = ", ".join(f"{one['word']} ({one['label']})" for one in giving_away[:STRONGEST])
        lines.append(f"words that give a class away: {len(giving_away)}, such as {shown}")
    if repeated := faults.get("duplicates"):
        conflicts = len(repeated["with different labels"])
        lines.append(
            f"duplicates: {repeated['repeats']} rows repeat an earlier one, {repeated['near']} more nearly do"
            + (f"; {conflicts} groups of them have different labels" if conflicts else "")
        )
    return lines


def _strongest(classifier: Classifier) -> dict[str, list[str]]:
    """For each label the words that speak for it most; not where there are very many."""
    counts = classifier.counts_
    if len(counts.classes) > 20 or len(counts.classes) * counts.n_features > 2**24:
        return {}
    least = 1 if sum(counts.documents) < 100 else 3
    found: dict[str, list[str]] = {}
    for label in counts.classes:
        table = classifier.words(label, sort="for", min_count=least)
        words = (word for word, length in zip(table.words, table.lengths, strict=True) if length)  # no characters
        found[str(label)] = list(islice(words, STRONGEST))
    return found
