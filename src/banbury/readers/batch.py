"""Batch: some rows of a file, and the rows that could not be used."""

from __future__ import annotations

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, NamedTuple
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from banbury.readers.guessing import Layout


class BadRow(Record):
    """A row that could not be used."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


class Origin(NamedTuple):
    """A file, and how many rows of a batch come from it."""

    file: str
    n_rows: int
    has_lines: bool = True
    """Whether the rows are lines of the file, not the whole of it."""


class Batch(Record):
    """Some rows of a file."""

    texts: Any
    """One for each row: a list, or a column that the kernel reads where it lies; `list(batch.texts)` makes `str`.

    None where no text is wanted."""
    labels: list[Any] | None
    """None where they are not in the file, or not wanted."""
    lines: list[int]
    """The line where each row starts; in a folder, the number of its file."""
    sample_weight: list[Any] | None = None
    """How often each row counts; None where all count once."""
    kernel: _kernel.Rows | None = None
    """The rows as the kernel has them, where it has read them."""
    columns: Callable[[], list[dict[str, Any]]] = list
    files: tuple[Origin, ...] = ()
    """The files that the rows come from, one after the other."""

    def __repr__(self) -> str:
        values = {"texts": self.texts, "labels": self.labels, "lines": self.lines, "sample_weight": self.sample_weight}
        return f"Batch({', '.join(f'{name}={value!r}' for name, value in values.items())})"

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int) -> str:
        """Where a row stands, for people.

        >>> Batch(["so happy"], None, [7], files=(Origin("mood.txt", 1),)).place(0)
        'mood.txt, line 7'
        """
        before = 0
        for origin in self.files:
            before += origin.n_rows
            if row < before:
                return f"{origin.file}, line {self.lines[row]}" if origin.has_lines else origin.file
        return f"line {self.lines[row]}"

    def rows(self) -> list[dict[str, Any]]:
        """The rows with all their columns, as dictionaries."""
        return self.columns()


def joined(batches: list[Batch], *, has_labels: bool) -> Batch:
    """One batch of several."""
    if len(batches) == 1:
        return batches[0]
    texts: Any
    if batches and batches[0].texts is None:
        texts = None
    elif batches and all(batch.kernel is not None for batch in batches):
        texts = _kernel.join([batch.texts for batch in batches])
    else:
        texts = [text for batch in batches for text in batch.texts]
    has_weights = bool(batches) and batches[0].sample_weight is not None
    return Batch(
        texts,
        [label for batch in batches for label in batch.labels or []] if has_labels else None,
        [line for batch in batches for line in batch.lines],
        [weight for batch in batches for weight in batch.sample_weight or []] if has_weights else None,
        None,
        lambda: [row for batch in batches for row in batch.rows()],
        tuple(file for batch in batches for file in batch.files),
    )


def batch_of(rows: list[dict[str, Any]], lines: list[int], layout: Layout, weight: str | int | None = None) -> Batch:
    """A batch of rows that are dictionaries."""
    return Batch(
        None if layout.text is None else [row[layout.text] for row in rows],
        None if layout.label is None else [row[layout.label] for row in rows],
        lines,
        None if weight is None else [row.get(str(weight)) for row in rows],
        None,
        lambda: rows,
    )
