"""Predictions of one label and its probability, as new columns of rows: what several groups of commands write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.declared import Choice, UsageError, option, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from banbury.cli.declared import Decorator

    Answers = Callable[[Any], Sequence[tuple[Any, float]]]
    """From texts to the label and the probability of each."""


def writes_answers() -> Decorator:
    """The options of commands that predict texts or files."""
    options: list[Decorator] = [
        option("--texts", "kind", flag_value="texts", help="The arguments are texts, whatever they look like."),
        option("--files", "kind", flag_value="files", help="The arguments are files."),
        option("--prefix", default="", metavar="TEXT", help="In front of the names of the new columns."),
        reading.reads_files(labels=False),
        option(
            "--to",
            type=Choice(writing.OUTPUT_FORMATS),
            metavar="NAME",
            help="jsonl, csv, tsv, parquet or plain; that of -o, or as read.",
        ),
        writing.to_file,
        reading.threads,
    ]
    return together(options)


def write_answers(inputs: tuple[str, ...], kind: str | None, given: dict[str, Any], answers: Answers) -> None:
    """Predict texts, or the rows of files, and write what was given with the answers."""
    texts, files = reading.texts_or_files(inputs, kind)
    if texts:
        format = writing.format_of(given["to"], given["output"], None)
        rows = _columns(answers(texts), format, given["prefix"])
        if format != "plain":
            rows = [{"text": text} | row for text, row in zip(texts, rows, strict=True)]
        writing.write(given["output"], format, [rows])
        return
    reading.need_input(files)
    reader = reading.reader_of(files, given, label=False)
    format = writing.format_of(given["to"], given["output"], reader.layout)
    new = [f"{given['prefix']}{name}" for name in ("predicted", "probability")]
    if taken := [name for name in new if name in reader.layout.columns]:
        raise UsageError(f"The rows have a column {taken[0]!r} already: say --prefix TEXT.")

    def answered() -> Iterator[list[dict[str, Any]]]:
        for batch in reader:
            columns = _columns(answers(batch.texts), format, given["prefix"])
            if format == "plain":
                yield [answer | {"text": text} for answer, text in zip(columns, batch.texts, strict=True)]
            else:
                yield [row | answer for row, answer in zip(batch.rows(), columns, strict=True)]

    writing.write(given["output"], format, answered())


def _columns(answers: Sequence[tuple[Any, float]], format: str, prefix: str) -> list[dict[str, Any]]:
    """The new columns of each row; a prediction of nothing is a dash where people read it."""
    if format == "plain":
        return [{"predicted": f"{'-' if label is None else label} {chance:.4f}"} for label, chance in answers]
    names = [f"{prefix}{name}" for name in ("predicted", "probability")]
    return [dict(zip(names, answer, strict=True)) for answer in answers]
