"""Log-odds of labels: where those of an empty document start, what evidence counts, and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.text.trust import ADDED_DOCUMENTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Curves are those of the automatic model, in which a class has the evidence for it and the others that against it.
# Of two classes, inside and outside a label, each has as much: their log-odds are twice that.
EVIDENCE = 2.0


def log_odds_of_shares(documents: Sequence[float], n_documents: float) -> list[float]:
    """The log-odds of each label's share of all documents, two documents added inside and outside.

    >>> [round(value, 3) for value in log_odds_of_shares([4, 1], 7)]
    [0.182, -0.981]
    """
    return [log((n + ADDED_DOCUMENTS) / (n_documents - n + ADDED_DOCUMENTS)) for n in documents]


def probabilities_of(log_odds: NDArray[Any]) -> NDArray[Any]:
    """The probabilities that these log-odds, in nats, stand for.

    >>> probabilities_of(np.array([0.0, np.inf])).tolist()
    [0.5, 1.0]
    """
    chances: NDArray[Any] = 1 / (1 + np.exp(-np.maximum(log_odds, -700.0)))
    return chances
