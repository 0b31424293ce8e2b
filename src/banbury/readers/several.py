"""SeveralReader: rows of files with several labels each, or none.

Labels are a list of JSON; a cell of text with a separator between them; or the words that begin with `__label__` in
front of a line, as fastText has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.errors import FileFormatError, Option, OptionError
from banbury.readers.batch import Batch, joined
from banbury.readers.formats import FASTTEXT_PREFIX
from banbury.readers.reader import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.readers.guessing import Layout

LABEL_COLUMNS = ("labels", "label", "tags", "categories")  # names of a column that is taken for the labels


class SeveralReader:
    """The rows of one or more files, whose batches have a list of labels for each row.

    >>> import io
    >>> batch = read_several(io.BytesIO(b'{"text": "so happy", "labels": ["joy", "short"]}\\n')).whole()
    >>> list(batch.texts), batch.labels
    (['so happy'], [['joy', 'short']])
    """

    def __init__(self, sources: tuple[Any, ...], label: str | None, separator: str | None, how: dict[str, Any]) -> None:
        self.reader = read(*sources, label=False, **how)
        self._separator = separator
        self.layout: Layout = self.reader.layout
        self.name = self.reader.name
        self._label = None if self.layout.format == "fasttext" else self._column(label)

    @property
    def can_be_read_again(self) -> bool:
        """Whether iterating once more starts from the beginning."""
        return self.reader.can_be_read_again

    @property
    def skipped(self) -> int:
        """How many bad rows were left out."""
        return self.reader.skipped

    def _column(self, label: str | None) -> str:
        columns = list(self.layout.columns)
        if label is None:
            label = next((name for name in LABEL_COLUMNS if name in columns and name != self.layout.text), None)
        # JSON Lines may have columns that their first rows have not.
        if label is None or (label not in columns and self.layout.format not in ("jsonl", "json")):
            known = ", ".join(map(repr, columns))
            raise OptionError(
                f"{self.name}: which column has the labels? Say ", Option("label"), f"; there are {known}"
            )
        return label

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.reader:
            if self.layout.format == "fasttext":
                yield batch.replace(labels=labels_of_lines(batch))
            else:
                yield batch.replace(labels=self._of_cells(batch))

    def whole(self) -> Batch:
        """All rows in one batch."""
        return joined(list(self), has_labels=True)

    def _of_cells(self, batch: Batch) -> list[Any]:
        label = str(self._label)
        is_text = self.layout.format in ("csv", "tsv")
        labels: list[Any] = []
        for row, values in enumerate(batch.rows()):
            value = values.get(label, "" if is_text else None)
            if value is None:
                where = batch.place(row) if batch.files else f"{self.name}, line {batch.lines[row]}"
                raise FileFormatError(
                    f"{where}: it has no {label!r}; an empty list says that it has none of the labels"
                )
            labels.append(self._cut(value))
        return labels

    def _cut(self, value: Any) -> list[Any]:
        """The labels of one cell."""
        if isinstance(value, list | tuple):
            return list(value)
        if not isinstance(value, str):
            return [value]
        parts = [value] if self._separator is None else value.split(self._separator)
        return [part.strip() for part in parts if part.strip()]


def labels_of_lines(batch: Batch) -> list[list[str]]:
    """The labels in front of each line of fastText's format."""
    assert batch.kernel is not None
    labels: list[list[str]] = []
    for line in batch.kernel.raw().decode("utf-8", "replace").split("\n")[: len(batch)]:
        words = line.split()
        n_labels = next((at for at, word in enumerate(words) if not word.startswith(FASTTEXT_PREFIX)), len(words))
        labels.append([word.removeprefix(FASTTEXT_PREFIX) for word in words[:n_labels] if word != FASTTEXT_PREFIX])
    return labels


def read_several(*sources: Any, label: str | None = None, separator: str | None = None, **how: Any) -> SeveralReader:
    """The rows of files with several labels each, to be read in batches; `how` as for `banbury.read`.

    `label` names the column of the labels, by default `labels`, `label`, `tags` or `categories`. A cell that is a list
    has its labels; one of text is one label, or with `separator` several; an empty one has none.

    >>> import io
    >>> reader = read_several(io.BytesIO(b"text,tags\\nso happy,joy|short\\nso so,\\n"), separator="|")
    >>> reader.whole().labels
    [['joy', 'short'], []]
    """
    return SeveralReader(sources, label, separator, how)
