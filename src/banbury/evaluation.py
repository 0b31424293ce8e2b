"""How good predictions are: labels in, a report out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Report:
    """Predictions against the truth."""

    classes: list[Any]
    """Every label that was true or predicted, in order."""
    confusion: list[list[int]]
    """`confusion[i][j]`: documents of class i for which class j was predicted."""

    @property
    def n_documents(self) -> int:
        """How many documents were looked at."""
        return sum(map(sum, self.confusion))

    @property
    def n_right(self) -> int:
        """How many of them were predicted right."""
        return sum(row[number] for number, row in enumerate(self.confusion))

    @property
    def accuracy(self) -> float:
        """The share that was predicted right."""
        return self.n_right / self.n_documents

    def __str__(self) -> str:
        names = [str(label) for label in self.classes]
        width = max(len(name) for name in [*names, "true"])
        columns = [max(len(name), 6) for name in names]
        head = "  ".join(name.rjust(column) for name, column in zip(names, columns, strict=True))
        lines = [f"accuracy {self.accuracy:.4f}  ({self.n_right} of {self.n_documents})", f"{'true':{width}}  {head}"]
        for name, row in zip(names, self.confusion, strict=True):
            cells = "  ".join(str(n).rjust(column) for n, column in zip(row, columns, strict=True))
            lines.append(f"{name:{width}}  {cells}")
        return "\n".join(lines)


def evaluate(truth: Sequence[Any], predicted: Sequence[Any]) -> Report:
    """The report on predictions.

    >>> report = evaluate(["ham", "ham", "spam"], ["ham", "spam", "spam"])
    >>> round(report.accuracy, 2), report.confusion
    (0.67, [[1, 1], [0, 1]])
    """
    if len(truth) != len(predicted):
        raise InputError(f"{len(truth)} labels but {len(predicted)} predictions")
    if not len(truth):
        raise InputError("no documents to evaluate")
    classes = sorted({*truth, *predicted})
    numbers = {label: number for number, label in enumerate(classes)}
    confusion = [[0] * len(classes) for _ in classes]
    for true, guess in zip(truth, predicted, strict=True):
        confusion[numbers[true]][numbers[guess]] += 1
    return Report(classes, confusion)
