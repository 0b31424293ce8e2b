"""What independence costs: the full joint model of a table beside the naive one, on data.

The full joint model has a probability for every combination of values; Naive Bayes has one for every value of every
column, and multiplies. Both are counted from the same rows, with the same smoothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log, prod
from typing import Any

from banbury.display.html import piece
from banbury.display.text_table import Grid
from banbury.errors import InputError
from banbury.stats.events import rows_of
from banbury.stats.probability import posterior

Row = tuple[Hashable, ...]


@dataclass(frozen=True)
class Independence:
    """The two models on the same rows. Log-likelihoods are per row, in nats, of the row and its label together."""

    n_rows: int
    n_parameters: tuple[int, int]
    """Free numbers of the full joint model and of the naive one."""
    log_likelihood: tuple[float, float]
    """Of the rows that were counted."""
    held_out_log_likelihood: tuple[float, float]
    """The same, each row by a model without it."""
    accuracy: tuple[float, float]
    """How often the label is right, each row by a model without it."""
    log_loss: tuple[float, float]
    """−log P(label | row), each row by a model without it."""
    dependence: float
    """Σ P(x, y) log P(x | y) / Π P(x_j | y), from the counts without smoothing.

    It is 0 where the columns are independent in each class.
    """

    def __str__(self) -> str:
        head = f"{self.n_rows} rows; the columns share {self.dependence:.4f} nats a row within the classes"
        return f"{head}\n{self._grid()}"

    def _repr_html_(self) -> str:
        return piece(self._grid().markup())

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each figure, with its value for both models."""
        names = {
            "parameters": self.n_parameters,
            "log-likelihood": self.log_likelihood,
            "log-likelihood, held out": self.held_out_log_likelihood,
            "accuracy, held out": self.accuracy,
            "log loss, held out": self.log_loss,
        }
        return [{"": name, "full joint": joint, "naive": naive} for name, (joint, naive) in names.items()]

    def _grid(self) -> Grid:
        rows = [
            [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row.values()] for row in self.rows()
        ]
        return Grid(["", "full joint", "naive"], rows)


def independence(
    table: Any, label: str, *, columns: Sequence[str] | None = None, smoothing: float = 1.0
) -> Independence:
    """The full joint model and the naive one, counted from the columns of a table: all but the label, or those given.

    `smoothing` is added to every count: of each combination of values that the columns could have, and of each value.

    >>> rows = [{"hot": day, "sunny": day, "go": "yes" if day else "no"} for day in (True, True, False, False)]
    >>> both = independence(rows, "go")
    >>> both.n_parameters
    (7, 5)
    """
    rows = rows_of(table)
    if not isinstance(smoothing, (int, float)) or not smoothing > 0:
        raise InputError(f"smoothing is {smoothing!r}; it must be a number above 0, since combinations may be unseen")
    data, labels = _checked(rows, label, columns)
    classes = sorted(set(labels), key=str)
    sizes = [len(set(values)) for values in zip(*data, strict=True)]
    counted = _Counted(data, labels, sizes, float(smoothing), len(classes))
    n = len(data)
    whole: list[tuple[float, float]] = []
    alone: list[tuple[float, float]] = []
    n_right, losses = [0, 0], [0.0, 0.0]
    for row, row_label in zip(data, labels, strict=True):
        whole.append(counted.logs(row, row_label, left_out=None))
        alone.append(counted.logs(row, row_label, left_out=(row, row_label)))
        by_class = [counted.logs(row, other, left_out=(row, row_label)) for other in classes]
        for model in (0, 1):
            scores = [logs[model] for logs in by_class]
            n_right[model] += classes[scores.index(max(scores))] == row_label
            losses[model] -= log(posterior(scores)[classes.index(row_label)])
    return Independence(
        n_rows=n,
        n_parameters=(
            len(classes) * prod(sizes) - 1,
            len(classes) - 1 + len(classes) * sum(size - 1 for size in sizes),
        ),
        log_likelihood=(sum(value for value, _ in whole) / n, sum(value for _, value in whole) / n),
        held_out_log_likelihood=(sum(value for value, _ in alone) / n, sum(value for _, value in alone) / n),
        accuracy=(n_right[0] / n, n_right[1] / n),
        log_loss=(losses[0] / n, losses[1] / n),
        dependence=counted.dependence(),
    )


class _Counted:
    """Rows counted by class: whole, and column by column."""

    def __init__(self, data: list[Row], labels: list[Any], sizes: list[int], smoothing: float, n_classes: int) -> None:
        self.n_rows, self.sizes, self.smoothing, self.n_classes = len(data), sizes, smoothing, n_classes
        self.of_class = Counter(labels)
        self.joint = Counter(zip(data, labels, strict=True))
        self.single = Counter(
            (place, value, label) for row, label in zip(data, labels, strict=True) for place, value in enumerate(row)
        )

    def logs(self, row: Row, label: Any, *, left_out: tuple[Row, Any] | None) -> tuple[float, float]:
        """log P(row, label) by the full joint model and by the naive one, where a row may be left out of the counts."""
        gone, gone_label = left_out if left_out is not None else (None, None)
        is_class = int(left_out is not None and gone_label == label)
        of_class = self.of_class[label] - is_class
        prior = log(
            (of_class + self.smoothing) / (self.n_rows - (left_out is not None) + self.smoothing * self.n_classes)
        )
        cells = prod(self.sizes)
        same = int(is_class and gone == row)
        joint = log((self.joint[row, label] - same + self.smoothing) / (of_class + self.smoothing * cells))
        naive = 0.0
        for place, value in enumerate(row):
            same = int(is_class and gone is not None and gone[place] == value)
            count = self.single[place, value, label] - same
            naive += log((count + self.smoothing) / (of_class + self.smoothing * self.sizes[place]))
        return prior + joint, prior + naive

    def dependence(self) -> float:
        """The information that the columns share within the classes, from the counts without smoothing."""
        total = 0.0
        for (row, label), count in self.joint.items():
            n = self.of_class[label]
            product = sum(log(self.single[place, value, label] / n) for place, value in enumerate(row))
            total += count / self.n_rows * (log(count / n) - product)
        return max(total, 0.0)


def _checked(rows: list[Any], label: str, columns: Sequence[str] | None) -> tuple[list[Row], list[Any]]:
    if not rows:
        raise InputError("the table has no rows to count")
    names = list(columns) if columns is not None else [name for name in rows[0] if name != label]
    if not names:
        raise InputError(f"the table has no columns beside the label {label!r}")
    data: list[Row] = []
    for number, row in enumerate(rows):
        if missing := [name for name in (label, *names) if name not in row]:
            raise InputError(f"row {number} has no column {missing[0]!r}; it has {', '.join(map(repr, row))}")
        values = tuple(row[name] for name in names)
        if unusable := [value for value in values if not isinstance(value, Hashable)]:
            raise InputError(f"row {number} has {unusable[0]!r}; values are categories: texts, numbers, True and False")
        data.append(values)
    return data, [row[label] for row in rows]
