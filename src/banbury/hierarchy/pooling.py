"""Pooling of levels: how much the classifier of each level counts in the probability of a label.

    P(label) ∝ Π levels  P(node of the label at this level by the classifier of the level) ^ weight

A label of few documents says little about its words; the node above it has those of all labels below it. What the
words of a document say for that node counts for each of these labels, by as much as leave-one-out finds best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.stats.softmax import log_softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Penalty on each weight's distance from that of the labels alone, 1 for their own level and 0 for those above: as much
# as some ten documents say.
WEIGHT_PRECISION = 10.0
MOST_POOLING_STEPS = 50  # of Newton's method: it needs about five
MOST_POOLED_NUMBERS = 20_000_000  # documents times labels times levels


def of_nodes(
    logs: NDArray[np.float64], classes: Sequence[Any], nodes: Sequence[Any], n_classes: int
) -> NDArray[np.float64]:
    """Log probabilities by document and node, from those by document and class.

    Of many classes leave-one-out lists a few for each document: the others have -inf, or no column at all. They share
    what the list leaves of the probability.

    >>> np.exp(of_nodes(np.log([[0.5, 0.3]]), ["a", "b"], ["b", "c"], n_classes=4)).round(3).tolist()
    [[0.3, 0.1]]
    """
    is_listed = np.isfinite(logs)
    left = np.maximum(1 - np.exp(logs).sum(axis=1), np.finfo(float).tiny)
    others = np.log(left / np.maximum(n_classes - is_listed.sum(axis=1), 1))
    columns = {node: column for column, node in enumerate(classes)}
    whole = np.column_stack([np.where(is_listed, logs, others[:, None]), others])
    return whole[:, [columns.get(node, -1) for node in nodes]]


def pooled(levels: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Log probabilities by document and label, from those that each level gives to the labels' nodes.

    >>> both = [np.log([[0.75, 0.75, 0.25]]), np.log([[0.4, 0.2, 0.4]])]
    >>> np.exp(pooled(both, [1.0, 1.0])).round(3).tolist()  # 0.3, 0.15, 0.1
    [[0.545, 0.273, 0.182]]
    """
    scores = sum(weight * logs for weight, logs in zip(weights, levels, strict=True) if weight)
    return log_softmax(scores + np.zeros_like(levels[-1]))


def fit_weights(
    levels: Sequence[NDArray[np.float64]], truth: NDArray[np.intp], row_weights: NDArray[np.float64]
) -> list[float]:
    """The weight of each level, the labels' own last, that makes the true labels most probable; none is negative.

    `levels` are leave-one-out log probabilities of the labels' nodes, by document and label. The log-likelihood is
    concave in the weights; Newton's method finds the maximum, and a weight below 0 is set to 0 and the others found
    again.
    """
    usual = np.zeros(len(levels))
    usual[-1] = 1.0
    is_used = np.ones(len(levels), dtype=bool)
    weights = usual.copy()
    while is_used[:-1].any():
        used = np.flatnonzero(is_used)
        features = np.stack([levels[place] for place in used.tolist()], axis=-1)
        weights = np.zeros(len(levels))
        weights[used] = _newton(features, truth, row_weights, usual[used])
        if (weights[:-1] >= 0).all():
            break
        is_used[:-1] &= weights[:-1] > 0
        weights = usual.copy()
    weights[-1] = max(weights[-1], 0.0)
    fitted: list[float] = weights.tolist()
    return fitted


def _newton(
    features: NDArray[np.float64],
    truth: NDArray[np.intp],
    row_weights: NDArray[np.float64],
    usual: NDArray[np.float64],
) -> NDArray[np.float64]:
    rows = np.arange(len(truth))
    true_features = features[rows, truth]

    def objective(weights: NDArray[np.float64]) -> float:
        logs = log_softmax(features @ weights)
        penalty = WEIGHT_PRECISION / 2 * float(((weights - usual) ** 2).sum())
        return penalty - float((row_weights * logs[rows, truth]).sum())

    weights, value = usual, objective(usual)
    for _ in range(MOST_POOLING_STEPS):
        chances = np.exp(log_softmax(features @ weights))
        means = np.einsum("rl,rlk->rk", chances, features)
        slope = row_weights @ (true_features - means) - WEIGHT_PRECISION * (weights - usual)
        second = np.einsum("rl,rlj,rlk,r->jk", chances, features, features, row_weights, optimize=True)
        curvature = second - np.einsum("rj,rk,r->jk", means, means, row_weights)
        step = np.linalg.solve(curvature + WEIGHT_PRECISION * np.eye(len(usual)), slope)
        while objective(weights + step) > value and np.abs(step).max() > 1e-9:
            step = step / 2
        weights = weights + step
        value = objective(weights)
        if np.abs(step).max() < 1e-9:
            break
    return weights
