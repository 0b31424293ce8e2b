"""Doubtful labels: documents whose label is less probable than another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from banbury.text.documents import Label


@dataclass(frozen=True)
class Doubtful:
    """A document that may be mislabelled."""

    index: int
    """Its row among the documents."""
    text: str
    label: Label
    probability: float
    """P(label) by a model that has not seen the document."""


def label_log_probabilities(class_ids: NDArray[Any], log_probabilities: NDArray[Any]) -> NDArray[Any]:
    """log P(label) of each document; −inf for a label that is none of the classes.

    `class_ids` are the numbers of the labels, the number of classes for a label that is none of them.

    >>> label_log_probabilities(np.array([1, 2]), np.log([[0.9, 0.1], [0.2, 0.8]])).round(2).tolist()
    [-2.3, -inf]
    """
    n_documents = len(class_ids)
    padded = np.column_stack([log_probabilities, np.full(n_documents, -np.inf)])
    chosen: NDArray[Any] = padded[np.arange(n_documents), class_ids]
    return chosen


def doubtful_labels(
    class_ids: NDArray[Any],
    log_probabilities: NDArray[Any],
    *,
    label: Callable[[int], Any],
    text: Callable[[int], str],
    rows: Sequence[int] | None = None,
    most: int | None = None,
) -> list[Doubtful]:
    """Documents for which another label is more probable than their own, the least probable label first.

    `label` and `text` are functions from a place in the arrays to the document's label and text. `rows` has the row of
    each place, where the arrays hold a sample. `most` limits how many come back.

    >>> logs = np.log([[0.9, 0.1], [0.2, 0.8]])
    >>> found = doubtful_labels(np.array([0, 0]), logs, label=["no", "no"].__getitem__, text=["x", "y"].__getitem__)
    >>> [(one.index, round(one.probability, 2)) for one in found]
    [(1, 0.2)]
    """
    logs = label_log_probabilities(class_ids, log_probabilities)
    order = np.argsort(logs, kind="stable")
    in_doubt = order[log_probabilities.argmax(axis=1)[order] != class_ids[order]][:most]
    return [
        Doubtful(place if rows is None else rows[place], text(place), label(place), float(np.exp(logs[place])))
        for place in in_doubt.tolist()
    ]
