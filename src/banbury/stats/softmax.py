"""Softmax: scores to probabilities and to their logarithms, and differences of logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from banbury.annotations import TYPE_CHECKING, Any
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE = -1e9  # instead of log 0: it outweighs all else, and its sums and products with 0 are still numbers


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Log-softmax along the last axis: logarithms of probabilities whose log odds are the scores' differences.

    >>> np.exp(log_softmax(np.log([[3.0, 1.0]]))).round(2)
    array([[0.75, 0.25]])
    """
    logs: NDArray[Any] = scores - scores.max(axis=-1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=-1, keepdims=True))
    return logs


def possible_log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-softmax by row, also where no class is possible: then nothing is known, and all are equally likely."""
    return log_softmax(np.where(np.isneginf(scores).all(axis=1, keepdims=True), 0.0, scores))


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Softmax along the last axis: probabilities whose log odds are the scores' differences.

    >>> softmax(np.log([[3.0, 1.0]])).round(2)
    array([[0.75, 0.25]])
    """
    odds: NDArray[Any] = np.exp(scores - scores.max(axis=-1, keepdims=True))
    odds /= odds.sum(axis=-1, keepdims=True)
    return odds


def class_probabilities(scores: Sequence[float]) -> list[float]:
    """Softmax of the scores of one document, without NumPy.

    >>> class_probabilities([0.0, 0.0])
    [0.5, 0.5]
    """
    highest = max(scores)
    odds = [exp(score - highest) for score in scores]
    total = sum(odds)
    return [odd / total for odd in odds]


def log_difference(first: float, second: float) -> float:
    """First minus second, for logarithms of probabilities; −inf minus −inf is 0.

    >>> log_difference(-1.0, -3.0), log_difference(float("-inf"), float("-inf"))
    (2.0, 0.0)
    """
    return 0.0 if first == second else first - second


def log_differences(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """First minus second, for logarithms of probabilities; −inf minus −inf is 0.

    >>> log_differences(np.array([-1.0, -np.inf, -np.inf]), np.array([-3.0, -3.0, -np.inf])).tolist()
    [2.0, -inf, 0.0]
    """
    with np.errstate(invalid="ignore"):
        differences: NDArray[Any] = np.nan_to_num(first - second, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return differences
