"""`banbury filter`: rows in, those of a label out, as they were."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import note, with_progress
from banbury.cli.tables import classes_of, columns_of, documents
from banbury.readers import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from banbury.classifier import Classifier
    from banbury.readers import Batch, Reader

# A cell that a spreadsheet might run: such rows are written anew.
SUSPECT = re.compile(rb'(?:^|[\n,;\t|"])[=+\-@\r]')


@click.command(
    epilog="""\b
Examples:
  banbury filter spam.banbury feed.jsonl.zst --keep ham -o clean.jsonl.zst
  banbury filter quality.banbury web.jsonl --keep good --above 0.8
  banbury filter quality.banbury web.jsonl --keep good --top 10% -o best.jsonl"""
)
@reading.model_file
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--keep", required=True, metavar="LABEL", help="Rows for which this label is predicted …")
@click.option("--above", type=click.FloatRange(0, 1), metavar="P", help="… or has at least this probability …")
@click.option("--top", metavar="N|N%", help="… or is one of so many of the highest.")
@click.option("--drop", is_flag=True, help="The other rows instead.")
@reading.prior
@reading.reads_files(labels=False)
@writing.to_format
@writing.to_file
@reading.threads
def filter(model: str, files: tuple[str, ...], keep: str, above: float | None, top: str | None, **given: Any) -> None:
    """Keep the rows of a label, as they are in the files.

    With --top files are read twice; standard input waits in a temporary file.
    """
    if above is not None and top is not None:
        raise click.UsageError("Say --above or --top, not both.")
    reading.need_input(files)
    classifier = reading.load(model)
    classifier.threads = given["threads"]
    classes = classes_of(classifier)
    scoring = _Scoring(
        classifier, classes.index(reading.label_of(keep, classes)), reading.shares(given["prior"], classes)
    )
    with ExitStack() as stack:
        if top is not None and (not files or "-" in files):
            files = tuple(_spooled(stack) if file == "-" else file for file in files or ("-",))
        reader = reading.reader_for(classifier, files, given, label=False)
        scoring.layout = reader.layout
        format = writing.format_of(given["to"], given["output"], reader.layout)
        chosen = scoring.rule(above) if top is None else _best(scoring, reader, _number(top))
        counter = [0, 0]
        writing.write(given["output"], format, _kept(reader, chosen, format, given["drop"], counter))
    note(f"{counter[0]} of {counter[1]} rows kept")


class _Scoring:
    """Which rows are wanted."""

    def __init__(self, classifier: Classifier, number: int, prior: Any) -> None:
        self._classifier = classifier
        self._number = number
        self._prior = prior
        self._columns = columns_of(classifier)
        self.layout = Layout("lines")

    def chances(self, batch: Batch) -> NDArray[Any]:
        """The probability of the label, for each row."""
        of = documents(batch, self.layout, self._columns)
        chances: NDArray[Any] = self._classifier.predict_proba(of, prior=self._prior)[:, self._number]
        return chances

    def rule(self, above: float | None) -> Any:
        """A function from a batch to a mask of its rows."""
        if above is not None:
            return lambda batch: self.chances(batch) >= above
        label = self._classifier.classes_[self._number]
        of = self._columns
        return lambda batch: self._classifier.predict(documents(batch, self.layout, of), prior=self._prior) == label


def _number(top: str) -> tuple[float, bool]:
    """A number, and whether it is a share."""
    try:
        number = float(top.removesuffix("%"))
    except ValueError:
        number = -1
    is_share = top.endswith("%")
    if number < 0 or (is_share and number > 100) or (not is_share and number != int(number)):
        raise click.BadParameter(f"{top!r} is neither a number nor a percentage", param_hint="--top")
    return (number / 100 if is_share else number), is_share


def _best(scoring: _Scoring, reader: Reader, top: tuple[float, bool]) -> Any:
    """A function from the batches, in their order, to the masks of the best rows; of equal ones the first."""
    import numpy as np

    chances = [scoring.chances(batch) for batch in with_progress(reader, "scoring")]
    every = np.concatenate(chances) if chances else np.zeros(0)
    wanted = int(top[0] * len(every) + 0.5) if top[1] else int(top[0])
    mask = np.zeros(len(every), bool)
    mask[np.argsort(-every, kind="stable")[:wanted]] = True
    at = 0

    def next_mask(batch: Batch) -> NDArray[Any]:
        nonlocal at
        at += len(batch)
        return mask[at - len(batch) : at]

    return next_mask


def _kept(
    reader: Reader, chosen: Any, format: str, drop: bool, counter: list[int]
) -> Iterator[list[dict[str, Any]] | bytes]:
    import numpy as np

    layout = reader.layout
    is_same = format == layout.format or (format == "plain" and layout.format in ("lines", "fasttext"))
    is_first = True
    for batch in with_progress(reader, "filtering"):
        mask = chosen(batch)
        rows = np.flatnonzero(~mask if drop else mask).astype(np.uint32)
        counter[0] += len(rows)
        counter[1] += len(batch)
        raw = batch.kernel.raw(rows) if is_same and batch.kernel is not None else None
        is_table = layout.format in ("csv", "tsv")
        if raw is not None and not (is_table and (layout.delimiter not in ",\t" or SUSPECT.search(raw))):
            if is_table and is_first:
                raw = writing.encoded([dict.fromkeys(layout.columns, "")], format, []).split(b"\n", 1)[0] + b"\n" + raw
            yield raw
        else:
            dictionaries = batch.rows()
            picked = [dictionaries[row] for row in rows.tolist()]
            if format == "plain" and layout.text is not None:
                picked = [{"text": row[layout.text]} for row in picked]
            elif is_table and is_same:
                yield writing.encoded(picked, format, [] if is_first else list(layout.columns))
                is_first = False
                continue
            yield picked
        is_first = False


def _spooled(stack: ExitStack) -> str:
    """Standard input in a file, for as long as it is needed."""
    import shutil
    import tempfile

    file = tempfile.NamedTemporaryFile(prefix="banbury-", delete=False)  # noqa: SIM115
    stack.callback(os.unlink, file.name)
    with file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return file.name
