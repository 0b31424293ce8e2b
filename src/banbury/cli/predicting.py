"""`banbury predict`: rows in, the same rows with a label and its probability out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import with_progress
from banbury.cli.tables import classes_of, columns_of, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.classifier import Classifier
    from banbury.readers import Batch, Reader


@click.command(
    epilog="""\b
Examples:
  banbury predict spam.banbury "Free entry, text WIN now"
  banbury predict spam.banbury new.csv -o new.labelled.csv
  zcat feed.jsonl.gz | banbury predict spam.banbury - --all --prior spam=0.02"""
)
@reading.model_file
@click.argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@click.option("--texts", "kind", flag_value="texts", help="The arguments are texts, whatever they look like.")
@click.option("--files", "kind", flag_value="files", help="The arguments are files.")
@click.option("--all", "every", is_flag=True, help="The probability of every class.")
@reading.prior
@click.option("--prefix", default="", metavar="TEXT", help="In front of the names of the new columns.")
@reading.reads_files(labels=False)
@writing.to_format
@writing.to_file
@reading.threads
def predict(model: str, inputs: tuple[str, ...], kind: str | None, **given: Any) -> None:
    """The label of each row, and its probability, beside the columns that the rows have.

    INPUTS are texts, or files; without any, standard input is read. What exists is a file.
    """
    texts, files = reading.texts_or_files(inputs, kind)
    if not texts:
        reading.need_input(files)
    classifier = reading.load(model)
    classifier.threads = given["threads"]
    prior = reading.shares(given["prior"], classes_of(classifier))
    if texts and columns_of(classifier) is not None:
        raise click.UsageError("This is a model of tables: give files with rows.")
    if texts:
        format = writing.format_of(given["to"], given["output"], None)
        if format == "plain":  # without arrays: importing NumPy would take longer than all else
            rows = [_answer(classifier.probabilities(text, prior=prior), given, format) for text in texts]
        else:
            answers = _answers(classifier, texts, prior, format, given)
            rows = [{"text": text} | answer for text, answer in zip(texts, answers, strict=True)]
        writing.write(given["output"], format, [rows])
        return
    reader = reading.reader_for(classifier, files, given, label=False)
    format = writing.format_of(given["to"], given["output"], reader.layout)
    _check_names(reader, given)
    writing.write(given["output"], format, _predicted(classifier, reader, prior, format, given))


def _answers(
    classifier: Classifier, documents: Any, prior: Any, format: str, given: dict[str, Any]
) -> list[dict[str, Any]]:
    chances = classifier.predict_proba(documents, prior=prior).tolist()
    classes = classifier.classes_.tolist()
    return [_answer(dict(zip(classes, row, strict=True)), given, format) for row in chances]


def _answer(chances: dict[Any, float], given: dict[str, Any], format: str) -> dict[str, Any]:
    """The new columns of one row: the most likely label, the first of equal ones."""
    best = max(chances, key=lambda label: chances[label])
    columns = {"predicted": best, "probability": chances[best]}
    if given["every"]:
        columns |= {f"p({label})": chance for label, chance in chances.items()}
    if format == "plain":  # for people; the other formats have every digit
        columns = {name: f"{value:.4f}" if isinstance(value, float) else value for name, value in columns.items()}
    return {f"{given['prefix']}{name}": value for name, value in columns.items()}


def _check_names(reader: Reader, given: dict[str, Any]) -> None:
    new = [f"{given['prefix']}{name}" for name in ("predicted", "probability")]
    if taken := [name for name in new if name in reader.layout.columns]:
        raise click.UsageError(f"The rows have a column {taken[0]!r} already: say --prefix TEXT.")


def _predicted(
    classifier: Classifier, reader: Reader, prior: Any, format: str, given: dict[str, Any]
) -> Iterator[list[dict[str, Any]] | bytes]:
    columns = columns_of(classifier)
    for batch in with_progress(reader, "predicting"):
        answers = _answers(classifier, documents(batch, reader.layout, columns), prior, format, given)
        if format == "jsonl" and reader.layout.format == "jsonl":
            yield _spliced(batch, answers)
        elif format == "plain" and columns is None:
            yield [answer | {"text": text} for answer, text in zip(answers, batch.texts, strict=True)]
        else:
            yield [row | answer for row, answer in zip(batch.rows(), answers, strict=True)]


def _spliced(batch: Batch, answers: list[dict[str, Any]]) -> bytes:
    """Each line as it was, with more in front of its last brace: nothing is read and written that nobody looks at."""
    assert batch.kernel is not None
    lines = batch.kernel.raw().split(b"\n")
    parts: list[bytes] = []
    for line, answer in zip(lines, answers, strict=False):
        head = line.rstrip()[:-1].rstrip()
        comma = b", " if head != b"{" else b""
        parts += (head, comma, json.dumps(answer, ensure_ascii=False)[1:].encode("utf-8", "replace"), b"\n")
    return b"".join(parts)
