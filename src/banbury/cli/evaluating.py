"""`banbury evaluate` and `report`: how good a model is on files that it has not seen."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import datetime
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

from banbury.cli import options as reading
from banbury.cli.checks import check, fail_over, fail_under
from banbury.cli.console import at_work, clean, note, put, show, show_json, show_table, with_progress
from banbury.cli.decisions import costs, costs_of
from banbury.cli.declared import IntRange, argument, command, option
from banbury.cli.tables import classes_of, columns_of
from banbury.errors import InputError, NotAvailable
from banbury.readers.batch import joined
from banbury.readers.typed import documents
from banbury.results.many_classes import ManyClassEvaluation, is_too_many
from banbury.text.documents import as_texts

LONGEST_MISTAKE = 300  # characters of a text
MOST_WORDS = 6  # at fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from banbury.classifier import Classifier
    from banbury.diagnosis.diagnosis import Diagnosis
    from banbury.readers import Batch
    from banbury.report.report import Report
    from banbury.results.decisions import DecisionCost
    from banbury.results.mistakes import Mistake


@command(
    epilog="""\b
Examples:
  banbury evaluate spam.banbury test.jsonl
  banbury evaluate spam.banbury test.jsonl --mistakes 5
  banbury evaluate spam.banbury test.csv --json --fail-under accuracy=0.98 --fail-over log-loss=0.1"""
)
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@option("--mistakes", type=IntRange(min=0), default=0, metavar="N", help="Explain the N surest mistakes.")
@costs
@option("--diagnose", is_flag=True, help="Duplicates, leaks, doubtful labels, how these rows differ.")
@reading.reads_files()
@reading.as_json
@fail_under
@fail_over
@reading.threads
def evaluate(model: str, files: tuple[str, ...], mistakes: int, is_json: bool, **given: Any) -> int:
    """How well a model predicts labelled rows: figures with their intervals, class by class."""
    report, diagnosis, batch = _evaluated(model, files, given)
    if isinstance(report, ManyClassEvaluation):
        if is_json:
            show_json(report.to_dict())
        else:
            show_table(str(report))
        return check(report, given)
    cost = _cost(report, given)
    if is_json:
        more = {} if diagnosis is None else {"diagnosis": diagnosis.to_dict()}
        more |= {} if cost is None else {"cost": asdict(cost)}
        show_json(report.to_dict() | more)
    else:
        show_table(str(report))
        if cost is not None:
            put(f"\n{clean(str(cost))}\n")
        if diagnosis is not None:
            put("\n")
            show(diagnosis)
        for mistake in report.mistakes(mistakes) if mistakes else []:
            put(f"\n{clean(_worded(mistake, batch))}\n")
    return check(report, given)


@command(
    epilog="""\b
Example:
  banbury report spam.banbury test.jsonl -o report.html""",
)
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", required=True, type=reading.new_file, help="The page of HTML to write.")
@option("--title", default="Report on a model", metavar="TEXT", help="Of the page.")
@option("--mistakes", type=IntRange(min=0), default=10, metavar="N", help="How many to explain.")
@reading.reads_files()
@reading.threads
def report(model: str, files: tuple[str, ...], output: str, title: str, mistakes: int, **given: Any) -> None:
    """An evaluation as one page of HTML that needs nothing else: figures, pictures, mistakes and their reasons."""
    from banbury.report.page import Source

    evaluated, _, batch = _evaluated(model, files, given)
    if isinstance(evaluated, ManyClassEvaluation):
        raise InputError(
            f"a page of {evaluated.n_classes} classes would be too large; banbury evaluate has the figures"
        )
    evaluated.save(output, title=title, mistakes=mistakes, source=Source(_dated(files), _place_in(batch)))
    note(f"{output} is written")


def _place_in(batch: Batch) -> Callable[[int], str]:
    """Where a row stands: its file and line; of one file, whose name the page has, the line alone."""
    is_one = len(batch.files) == 1 and batch.files[0].has_lines
    return (lambda row: f"line {batch.lines[row]}") if is_one else batch.place


def _dated(files: tuple[str, ...]) -> str:
    """The names of the files, each with the time of its last change."""

    def dated(file: str) -> str:
        if file == "-" or not os.path.exists(file):
            return "standard input" if file == "-" else file
        return f"{file} ({datetime.fromtimestamp(os.path.getmtime(file)):%Y-%m-%d %H:%M})"

    return ", ".join(map(dated, files or ("-",)))


def _cost(report: Report, given: dict[str, Any]) -> DecisionCost | None:
    rule = costs_of(given, report.predictions.classes)
    if rule is None:
        return None
    from banbury.results.decisions import decision_cost

    return decision_cost(report, rule)


def _worded(mistake: Mistake, batch: Batch) -> str:
    """A mistake: where it stands, what it says, and which words were at fault."""
    lines = [
        f"{batch.place(mistake.index)}: {mistake.label}, taken for {mistake.predicted} ({mistake.probability:.4f})",
        fill(" ".join(str(mistake.explanation.text).split())[:LONGEST_MISTAKE], **_margins()),
    ]
    at_fault = sorted((part for part in mistake.explanation.evidence if part.weight > 0), key=lambda part: -part.weight)
    words = ", ".join(f"{part.name} {part.weight:+.2f}" for part in at_fault[:MOST_WORDS])
    return "\n".join([*lines, fill(f"at fault: {words or 'no word: the prior'}", **_margins())])


def _margins() -> dict[str, Any]:
    return {"width": min(get_terminal_size().columns, 100), "initial_indent": "  ", "subsequent_indent": "  "}


def _warn_of_learned(model: Classifier, texts: Any, labels: list[Any]) -> None:
    """Warn where rows were in the training data: their figures are no test."""
    from banbury.diagnosis.diagnosis import n_learned

    try:
        counts = model.counts_
    except NotAvailable:  # of a table, or given
        return
    n = n_learned(counts, texts, labels, threads=model.threads)
    if n:
        note(f"{n:,} of these {len(labels):,} rows were learned: this is no test. Evaluate rows that it has not seen.")


def _evaluated(
    path: str, files: tuple[str, ...], given: dict[str, Any]
) -> tuple[Report | ManyClassEvaluation, Diagnosis | None, Batch]:
    reading.need_input(files)
    model = reading.load(path)
    model.threads = given["threads"]
    reader = reading.reader_for(model, files, given).needs_labels()
    note(f"{reader.name}: {reader.layout}")
    batch = joined(list(with_progress(reader, "reading")), has_labels=True)
    if not len(batch):
        raise InputError(f"{reader.name}: no documents to evaluate")
    labels = reading.of_kind(batch.labels or [], classes_of(model))
    rows = documents(batch, reader.layout, columns_of(model))
    with at_work(reader, "evaluating"):
        diagnosis = model.diagnose(rows, labels) if given.get("diagnose") else None
        is_many = is_too_many(len(labels), len(classes_of(model)))
        report = model.evaluate_many(rows, labels) if is_many else model.evaluate(rows, labels)
        if columns_of(model) is None:
            _warn_of_learned(model, as_texts(rows), labels)
    return report, diagnosis, batch
