"""`banbury filter`: keep the rows of a label, unchanged."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import completion
from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import note, with_progress
from banbury.cli.declared import BadParameter, FloatRange, UsageError, argument, command, option
from banbury.cli.tables import classes_of, columns_of
from banbury.lazy import numpy as np
from banbury.readers.typed import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from banbury.classifier import Classifier
    from banbury.readers import Batch, Layout, Reader

    Chosen = Callable[[Batch], NDArray[Any]]


@command(
    epilog="""\b
Examples:
  banbury filter spam.banbury feed.jsonl.zst --keep ham -o clean.jsonl.zst
  banbury filter quality.banbury web.jsonl --keep good --above 0.8
  banbury filter quality.banbury web.jsonl --keep good --top 10% -o best.jsonl""",
)
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@option(
    "--keep",
    required=True,
    metavar="LABEL",
    shell_complete=completion.labels,
    help="Rows for which this label is predicted …",
)
@option("--above", type=FloatRange(0, 1), metavar="P", help="… or has at least this probability …")
@option("--top", metavar="N|N%", help="… or is one of so many of the highest.")
@option("--drop", is_flag=True, help="The other rows instead.")
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
        raise UsageError("Say --above or --top, not both.")
    reading.need_input(files)
    classifier = reading.load(model)
    classifier.threads = given["threads"]
    classes = classes_of(classifier)
    class_id = classes.index(reading.label_of(keep, classes))
    prior = reading.shares(given["prior"], classes)
    with ExitStack() as stack:
        if top is not None and (not files or "-" in files):
            files = tuple(_spooled(stack) if file == "-" else file for file in files or ("-",))
        reader = reading.reader_for(classifier, files, given, label=False)
        scoring = _Scoring(classifier, class_id, prior, reader.layout)
        format = writing.format_of(given["to"], given["output"], reader.layout)
        chosen = scoring.rule(above) if top is None else _best(scoring, reader, _number(top))
        kept = _Filter(reader, chosen, format, drop=given["drop"])
        writing.write(given["output"], format, kept.batches())
    note(f"{kept.n_kept} of {kept.n_rows} rows kept")


class _Scoring:
    """What a model says of one label, for batches of rows."""

    def __init__(self, classifier: Classifier, class_id: int, prior: Any, layout: Layout) -> None:
        self._classifier, self._class_id, self._prior, self._layout = classifier, class_id, prior, layout
        self._columns = columns_of(classifier)

    def chances(self, batch: Batch) -> NDArray[Any]:
        """The probability of the label, for each row."""
        chances: NDArray[Any] = self._classifier.predict_proba(self._documents(batch), prior=self._prior)
        return chances[:, self._class_id]

    def rule(self, above: float | None) -> Chosen:
        """A function from a batch to a mask of its rows."""
        if above is not None:
            return lambda batch: self.chances(batch) >= above
        label = self._classifier.classes_[self._class_id]
        return lambda batch: self._classifier.predict(self._documents(batch), prior=self._prior) == label

    def _documents(self, batch: Batch) -> Any:
        return documents(batch, self._layout, self._columns)


def _number(top: str) -> tuple[float, bool]:
    """The number in `--top 100` or `--top 5%`, and whether it is a percentage."""
    try:
        number = float(top.removesuffix("%"))
    except ValueError:
        number = -1
    is_share = top.endswith("%")
    if number < 0 or (is_share and number > 100) or (not is_share and number != int(number)):
        raise BadParameter(f"{top!r} is neither a number nor a percentage", param_hint="--top")
    return (number / 100 if is_share else number), is_share


def _best(scoring: _Scoring, reader: Reader, top: tuple[float, bool]) -> Chosen:
    """A function from the batches, in their order, to the masks of the best rows; of equal ones the first."""
    chances = [scoring.chances(batch) for batch in with_progress(reader, "scoring")]
    every = np.concatenate(chances) if chances else np.zeros(0)
    wanted = int(top[0] * len(every) + 0.5) if top[1] else int(top[0])
    mask = np.zeros(len(every), bool)
    mask[np.argsort(-every, kind="stable")[:wanted]] = True
    end = 0

    def next_mask(batch: Batch) -> NDArray[Any]:
        nonlocal end
        end += len(batch)
        return mask[end - len(batch) : end]

    return next_mask


class _Filter:
    """The rows that are chosen, as they were in the files where that can be; counts them as they pass."""

    def __init__(self, reader: Reader, chosen: Chosen, format: str, *, drop: bool) -> None:
        self._reader, self._chosen, self._format, self._drop = reader, chosen, format, drop
        self.n_kept = self.n_rows = 0

    def batches(self) -> Iterator[list[dict[str, Any]] | bytes]:
        """The rows that are kept of each batch."""
        is_first = True
        for batch in with_progress(self._reader, "filtering"):
            mask = self._chosen(batch)
            rows = np.flatnonzero(~mask if self._drop else mask).astype(np.uint32)
            self.n_kept += len(rows)
            self.n_rows += len(batch)
            unchanged = self._unchanged(batch, rows, is_first)
            yield self._anew(batch, rows, is_first) if unchanged is None else unchanged
            is_first = False

    @property
    def _is_table(self) -> bool:
        return self._reader.layout.format in ("csv", "tsv")

    @property
    def _is_same_format(self) -> bool:
        format = self._reader.layout.format
        return self._format == format or (self._format == "plain" and format in ("lines", "fasttext"))

    def _unchanged(self, batch: Batch, rows: NDArray[Any], is_first: bool) -> bytes | None:
        """The bytes of the rows as they were read; None where they have to be written anew."""
        layout = self._reader.layout
        if not self._is_same_format or batch.kernel is None:
            return None
        raw = batch.kernel.raw(rows)
        if not self._is_table:
            return raw
        from banbury.display.spreadsheet import has_formulas  # only tables have them

        if layout.delimiter not in ",\t" or has_formulas(raw, layout.delimiter):
            return None
        return writing.header(layout.columns, self._format) + raw if is_first else raw

    def _anew(self, batch: Batch, rows: NDArray[Any], is_first: bool) -> list[dict[str, Any]] | bytes:
        layout = self._reader.layout
        dictionaries = batch.rows()
        picked = [dictionaries[row] for row in rows.tolist()]
        if self._format == "plain" and layout.text is not None:
            return [{"text": row[layout.text]} for row in picked]
        if self._is_table and self._is_same_format:
            head = writing.header(layout.columns, self._format) if is_first else b""
            return head + writing.RowEncoder(self._format, layout.columns).encode(picked)
        return picked


def _spooled(stack: ExitStack) -> str:
    """Standard input in a file, for as long as it is needed."""
    import shutil
    import tempfile

    file = tempfile.NamedTemporaryFile(prefix="banbury-", delete=False)  # noqa: SIM115
    stack.callback(os.unlink, file.name)
    with file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return file.name
