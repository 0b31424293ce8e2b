"""Leave-one-out results: the settings that were tried, and the predictions of the chosen one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.stats.softmax import log_softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


NOTEWORTHY = 0.01  # of the accuracy


@dataclass(frozen=True)
class Tried:
    """One way to read the counts, and how well it did by leave-one-out."""

    name: str
    log_loss: float
    accuracy: float


@dataclass(frozen=True)
class ByLength:
    """How well texts of some lengths are predicted: documents, and parts of them."""

    least: int
    most: int | None
    """Known words, each counted once; None for any number."""
    texts: int
    accuracy: float
    log_loss: float

    @property
    def name(self) -> str:
        """The range of words."""
        if self.most is None:
            return f"{self.least} and more"
        return str(self.least) if self.most == self.least else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Seen:
    """Leave-one-out predictions under the chosen settings."""

    tried: list[Tried]
    chosen: str
    note: str
    rows: list[int]
    """The row of each document among those given."""
    class_ids: NDArray[Any]
    """The column of each document's class among the log probabilities."""
    weights: NDArray[Any]
    log_probabilities: NDArray[Any]
    """Leave-one-out log probabilities, by document and class."""
    by_length: list[ByLength] = field(default_factory=list)
    """How well texts of different lengths are predicted."""
    columns: NDArray[Any] | None = None
    """The class ids of the columns; None where they are all. Of very many classes only those that documents list."""

    def by_column(self, values: Sequence[Any]) -> list[Any]:
        """What is given for each class, for each column."""
        return list(values) if self.columns is None else [values[column] for column in self.columns.tolist()]


def with_prior(seen: Seen, asked: list[float], had: list[float]) -> Seen:
    """Leave-one-out predictions moved to another prior by Bayes' rule; both priors are logarithms, by class.

    A prior that makes a class impossible changes nothing here.
    """
    if asked == had or not all(map(isfinite, [*asked, *had])):
        return seen
    asked, had = seen.by_column(asked), seen.by_column(had)
    return replace(seen, log_probabilities=log_softmax(seen.log_probabilities + np.array(asked) - np.array(had)))


def with_each_once(seen: Seen) -> Seen:
    """Leave-one-out predictions with a note on the accuracy where each document counts once, if that is another one.

    Figures count a document as often as it was learned. Weights that stand for costs, not for documents, make them
    speak of documents that will never come.
    """
    if len(seen.class_ids) == 0 or not seen.weights.sum() > 0:
        return seen
    once = np.ones(len(seen.weights))
    (_, weighted), (_, accuracy) = (
        figures(seen.log_probabilities, seen.class_ids, weights) for weights in (seen.weights, once)
    )
    if abs(weighted - accuracy) < NOTEWORTHY:
        return seen
    note = f"weights and copies count here; with each document counted once the accuracy is {accuracy:.4f}"
    return replace(seen, note="; ".join(part for part in (seen.note, note) if part))


def figures(logs: NDArray[Any], class_ids: NDArray[Any], weights: NDArray[Any]) -> tuple[float, float]:
    """Log loss and accuracy of logarithms of probabilities, by document and class."""
    total = float(weights.sum())
    right = logs.argmax(axis=1) == class_ids
    log_loss = -float((weights * logs[np.arange(len(class_ids)), class_ids]).sum()) / total
    return log_loss, float((weights * right).sum()) / total
