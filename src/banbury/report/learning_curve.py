"""Learning curve: accuracy by number of training documents."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from banbury.display import matplotlib as pictures
from banbury.display.html import element, piece
from banbury.display.svg import Line, line_chart
from banbury.display.text_table import Grid
from banbury.errors import InputError
from banbury.text.documents import as_labels, as_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

SIZES = 8  # points of a curve
TEST_SHARE = 0.25  # the share of the documents that nothing is learned from


@dataclass(frozen=True)
class LearningCurve:
    """Accuracy and log loss after growing numbers of training documents, always on the same test documents."""

    sizes: list[int]
    accuracies: list[float]
    low: list[float]
    high: list[float]
    """95 % confidence interval of the accuracy."""
    log_losses: list[float]
    n_tested: int

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each size: ready for a data frame."""
        names = ("documents", "accuracy", "low", "high", "log_loss")
        columns = (self.sizes, self.accuracies, self.low, self.high, self.log_losses)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def __str__(self) -> str:
        return str(self._grid())

    def _grid(self) -> Grid:
        rows = [
            [
                f"{row['documents']}",
                f"{row['accuracy']:.4f}",
                f"{row['low']:.4f} … {row['high']:.4f}",
                f"{row['log_loss']:.4f}",
            ]
            for row in self.rows()
        ]
        return Grid(["documents", "accuracy", "95% interval", "log loss"], rows, f"tested on {self.n_tested} others")

    def _repr_html_(self) -> str:
        line = Line("accuracy", list(zip(self.sizes, self.accuracies, strict=True)), self.low, self.high)
        title = "How accuracy grows with the number of documents"
        chart = line_chart([line], title=title, x_title="documents", y_title="accuracy")
        return piece(element("p", title), chart, self._grid().markup())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve with matplotlib, and return the axes."""
        return pictures.curves(
            {"accuracy": (self.sizes, self.accuracies)},
            bands={"accuracy": (self.low, self.high)},
            x_title="documents",
            y_title="accuracy",
            logarithmic=True,
            percent=True,
            ax=ax,
        )


def learning_curve(
    model: Any,
    texts: Any,
    labels: Any,
    *,
    sizes: Sequence[int] | None = None,
    test: tuple[Any, Any] | None = None,
    seed: int = 0,
) -> LearningCurve:
    """Learning curve of models with the parameters of `model` on these documents.

    They are tested on the documents of `test`, or on a quarter of these, of each class, which they do not learn from.
    Each size has the documents of the one before. `model` itself stays as it is.

    >>> from banbury import Classifier
    >>> from banbury.datasets import demo
    >>> curve = learning_curve(Classifier.textbook(), *demo(), sizes=[20, 450])
    >>> curve.accuracies[0] < curve.accuracies[1]
    True
    """
    texts, labels = list(as_texts(texts)), as_labels(labels)
    if len(texts) != len(labels):
        raise InputError(f"{len(texts)} documents but {len(labels)} labels")
    order, held_out = _ordered(labels, seed, 0.0 if test is not None else TEST_SHARE)
    n_classes = len(set(labels))
    if n_classes < 2:
        raise InputError(f"a learning curve needs two classes at least; these documents have {n_classes}")
    tested = test if test is not None else ([texts[row] for row in held_out], [labels[row] for row in held_out])
    if not len(tested[1]):
        raise InputError(
            "there is nothing to test on: each class has one document; name others with test=(texts, labels)"
        )
    wanted = _sizes(n_classes, len(order)) if sizes is None else sorted(set(sizes))
    for size in wanted:
        if not n_classes <= size <= len(order):
            raise InputError(f"sizes has {size}; with these documents it can be from {n_classes} to {len(order)}")
    reports = []
    for size in wanted:
        rows = order[:size]
        fresh = type(model)(**model.get_params(deep=False))
        fresh.fit([texts[row] for row in rows], [labels[row] for row in rows])
        reports.append(fresh.evaluate(*tested))
    intervals = [report.accuracy_interval for report in reports]
    return LearningCurve(
        wanted,
        [report.accuracy for report in reports],
        [interval.low for interval in intervals],
        [interval.high for interval in intervals],
        [report.log_loss for report in reports],
        len(tested[1]),
    )


def _ordered(labels: list[Any], seed: int, share: float) -> tuple[list[int], list[int]]:
    """The documents to learn from, one of each class first, and those to test on, so many of each class."""
    shuffled = list(range(len(labels)))
    Random(seed).shuffle(shuffled)
    by_class: dict[Any, list[int]] = defaultdict(list)
    for row in shuffled:
        by_class[labels[row]].append(row)
    held_out = {row for rows in by_class.values() for row in rows[1 : 1 + round(share * len(rows))]}
    first = [by_class[label][0] for label in sorted(by_class)]
    taken = held_out | set(first)
    rest = [row for row in shuffled if row not in taken]
    return first + rest, sorted(held_out)


def _sizes(least: int, most: int) -> list[int]:
    """Numbers that grow by the same factor, up to all."""
    start = min(max(least, most // 2**SIZES, 10), most)
    factors = [(most / start) ** (step / (SIZES - 1)) for step in range(SIZES)]
    return sorted({*(min(round(start * factor), most) for factor in factors), most})
