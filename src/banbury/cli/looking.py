"""`banbury explain`, `words` and `inspect`: what a model knows, and why it decides."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.cli import completion
from banbury.cli import options as reading
from banbury.cli.blocks import Block, Blocks
from banbury.cli.console import put, show, show_json
from banbury.cli.declared import IntRange, argument, command, option
from banbury.cli.tables import classes_of, columns_of
from banbury.errors import InputError, NotAvailable
from banbury.readers.formats import format_by_name
from banbury.readers.typed import documents

if TYPE_CHECKING:
    from banbury.classifier import Classifier


@command(
    epilog="""\b
Examples:
  banbury explain spam.banbury "Free entry, text WIN now"
  banbury explain topics.banbury letter.txt --for politics --against economy"""
)
@reading.model_file
@argument("texts", nargs=-1, required=True, metavar="TEXT|FILE...")
@option("--row", type=IntRange(min=1), metavar="N", help="Of a file of rows: which one; the first.")
@option(
    "--for",
    "label",
    metavar="LABEL",
    shell_complete=completion.labels,
    help="Why this label; the predicted one by default.",
)
@option(
    "--against",
    metavar="LABEL",
    shell_complete=completion.labels,
    help="Rather than this one; the next best by default.",
)
@reading.as_json
def explain(
    model: str, texts: tuple[str, ...], row: int | None, label: str | None, against: str | None, is_json: bool
) -> None:
    """Which words decided, and by how much: their weights sum to the score.

    A file of rows (JSON Lines, CSV, mbox …) has --row N; any other is one text. '-' is standard input.
    """
    classifier = reading.load(model)
    classes = classes_of(classifier)
    explanations = [
        classifier.explain(
            _document(text, row, classifier),
            label=None if label is None else reading.label_of(label, classes),
            against=None if against is None else reading.label_of(against, classes),
        )
        for text in texts
    ]
    if is_json:
        plain = [explanation.to_dict() for explanation in explanations]
        show_json(plain[0] if len(plain) == 1 else plain)
        return
    for number, explanation in enumerate(explanations):
        if number:
            put("\n")
        show(explanation)


def _document(text: str, number: int | None, classifier: Classifier) -> Any:
    """A text of the command line, of standard input, of a file, or of a row of one; for a model of tables a row."""
    columns = columns_of(classifier)
    is_file = text == "-" or os.path.isfile(text)
    if columns is not None or (is_file and (number is not None or format_by_name(text) is not None)):
        return _row(text, number or 1, classifier)
    if not is_file:
        return text
    with nullcontext(sys.stdin.buffer) if text == "-" else open(text, "rb") as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = content[error.start]
        raise InputError(
            f"{text}: byte {error.start + 1} of it (0x{byte:02x}) is not UTF-8, so it is no text"
        ) from None


def _row(path: str, number: int, classifier: Classifier) -> Any:
    """A row of a file, by its number from 1 on: its text, or its columns."""
    columns = columns_of(classifier)
    reader = reading.reader_for(classifier, (path,), {}, label=False)
    before = 0
    for batch in reader:
        if number <= before + len(batch):
            table = documents(batch, reader.layout, columns)
            place = number - before - 1
            return list(table)[place] if columns is None else {name: values[place] for name, values in table.items()}
        before += len(batch)
    raise InputError(f"{path}: there is no row {number}; there are {before}")


@command(
    epilog="""\b
Examples:
  banbury words spam.banbury spam
  banbury words mood.banbury positive --top 50 --min-count 5 --csv > words.csv"""
)
@reading.model_file
@argument("label", required=False, shell_complete=completion.labels)
@option("--top", type=IntRange(min=1), default=20, show_default=True, metavar="N", help="How many.")
@option(
    "--against",
    metavar="LABEL",
    shell_complete=completion.labels,
    help="Rather than this one; than the others by default.",
)
@option("--sort", metavar="ORDER", help="for, against, strength (either way), count or word.")
@option("--min-count", type=IntRange(min=1), default=1, metavar="N", help="Only words seen so often.")
@option("--column", metavar="NAME", help="Of a model of tables: which of its columns of texts.")
@option("--csv", "is_csv", is_flag=True, help="The table as CSV.")
@reading.as_json
def words(
    model: str,
    label: str | None,
    against: str | None,
    top: int,
    sort: str | None,
    min_count: int,
    column: str | None,
    is_csv: bool,
    is_json: bool,
) -> None:
    """The words that speak for LABEL, with their counts and probabilities; without LABEL, the strongest of all."""
    classifier = reading.load(model)
    classes = classes_of(classifier)
    wanted, other = (None if name is None else reading.label_of(name, classes) for name in (label, against))
    columns = columns_of(classifier)
    if columns is not None and not any(type(kind).__name__ == "Text" for kind in columns.values()):
        raise InputError("this is a model of a table without columns of texts: it knows no words")
    table = classifier.words(wanted, against=other, top=top, sort=sort, min_count=min_count, column=column)
    if is_json:
        show_json(table.rows(level=0.95))
    elif is_csv:
        put(table.to_csv())
    else:
        show(table)


@command(
    epilog="""\b
Example:
  banbury inspect spam.banbury"""
)
@reading.model_file
@reading.as_json
def inspect(model: str, is_json: bool) -> None:
    """What is in a model file: what was counted, how it is read, and how well it did."""
    file = storage.read(model)
    kind = file.settings.get("kind")
    if kind != "classifier":
        about: dict[str, Any] = {"file": model, "bytes": os.path.getsize(model), "kind": kind}
        about |= {"arrays": {name: len(array) for name, array in file.arrays.items()}}
    else:
        about = _described(model, file.settings)
    if is_json:
        show_json(about)
        return
    single: list[tuple[str, ...]] = [
        (name, _short(value)) for name, value in about.items() if not isinstance(value, dict) and name != "file"
    ]
    blocks = [Block(model, single)]
    for name, value in about.items():
        if isinstance(value, dict):
            blocks.append(Block(name, [(str(key), _short(item)) for key, item in value.items()]))
    show(Blocks(blocks))


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _described(path: str, settings: dict[str, Any]) -> dict[str, Any]:
    classifier = reading.load(path)
    columns = columns_of(classifier)
    if columns is not None:
        return {
            "file": path,
            "bytes": os.path.getsize(path),
            "kind": "classifier of tables",
            "labels": classes_of(classifier),
            "columns": {name: type(kind).__name__ for name, kind in columns.items()},
            "reading": settings["model"],
        } | _leave_one_out(classifier)
    counts = classifier.counts_
    default = type(counts.analyzer)().settings()
    analyzer = counts.analyzer.settings()
    about: dict[str, Any] = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "classifier",
        "documents": {str(label): n for label, n in zip(counts.classes, counts.documents, strict=True)},
        "features": counts.n_features,
        "analyzer": {name: value for name, value in analyzer.items() if value != default.get(name)} or "the usual one",
        "reading": settings["model"],
    }
    return about | _leave_one_out(classifier)


def _leave_one_out(classifier: Classifier) -> dict[str, Any]:
    try:
        report = classifier.report_
    except NotAvailable:  # it was not fitted with leave-one-out
        return {}
    return {"leave-one-out": {"chosen": report.chosen} | {figure.name: figure.value for figure in report.figures()}}
