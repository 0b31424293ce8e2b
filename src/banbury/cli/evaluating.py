"""`banbury evaluate` and `report`: how good a model is on files that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from banbury.cli import options as reading
from banbury.cli.checks import check, fail_over, fail_under
from banbury.cli.console import note, show, show_json, with_progress
from banbury.errors import InputError

if TYPE_CHECKING:
    from banbury.report import Report


@click.command(
    epilog="""\b
Examples:
  banbury evaluate spam.banbury test.jsonl
  banbury evaluate spam.banbury test.jsonl --mistakes 5
  banbury evaluate spam.banbury test.csv --json --fail-under accuracy=0.98 --fail-over log-loss=0.1"""
)
@reading.model_file
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--mistakes", type=click.IntRange(min=0), default=0, metavar="N", help="Explain the N surest mistakes.")
@reading.reads_files()
@reading.as_json
@fail_under
@fail_over
@reading.threads
def evaluate(model: str, files: tuple[str, ...], mistakes: int, is_json: bool, **given: Any) -> int:
    """How well a model predicts labelled rows: figures with their intervals, class by class."""
    found = _evaluated(model, files, given)
    if is_json:
        show_json(found.to_dict())
    else:
        show(found)
        for mistake in found.mistakes(mistakes) if mistakes else []:
            click.echo()
            show(mistake)
    return check(found, given)


def _evaluated(path: str, files: tuple[str, ...], given: dict[str, Any]) -> Report:
    from banbury.readers import joined

    reading.need_input(files)
    model = reading.load(path)
    model.threads = given["threads"]
    reader = reading.reader_of(files, given).needs_labels()
    note(f"{reader.name}: {reader.layout}")
    batch = joined(list(with_progress(reader, "reading")), has_labels=True)
    if not len(batch):
        raise InputError(f"{reader.name}: no documents to evaluate")
    return model.evaluate(batch.texts, reading.of_kind(batch.labels or [], model.counts_.classes))
