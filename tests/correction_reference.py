"""The correction's objective, plainly: matrices and NumPy. What the kernel's regression is compared with."""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from trust_reference import Document

Array = NDArray[np.float64]


class Presences:
    """The features that more than one document has, and the matrix of documents."""

    def __init__(self, documents: Sequence[Document], weights: Sequence[int]) -> None:
        self.n_documents: list[Counter[Hashable]] = [Counter() for _ in documents[0]]
        for one, weight in zip(documents, weights, strict=True):
            for counter, block in zip(self.n_documents, one, strict=True):
                counter.update(dict.fromkeys(block, weight))
        columns = [
            (block, feature)
            for block, counter in enumerate(self.n_documents)
            for feature in counter
            if counter[feature] > 1
        ]
        self.columns = {column: number for number, column in enumerate(columns)}

    def matrix(self, documents: Sequence[Document], *, counted: bool) -> Array:
        """One over the root of how many features a document has that others know, where it has one with a column.

        What is known of a document that was counted is what others have too.
        """
        found = np.zeros((len(documents), len(self.columns)))
        for row, one in enumerate(documents):
            for block, features in enumerate(one):
                known = [feature for feature in features if self.n_documents[block][feature] > counted]
                for feature in known:
                    if (block, feature) in self.columns:
                        found[row, self.columns[block, feature]] = len(known) ** -0.5
        return found


def log_probabilities(scores: Array) -> Array:
    logs: Array = scores - scores.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def all_scores(scores: Array) -> Array:
    """With two classes there is one score, of the second; the first has 0."""
    return np.insert(scores, 0, 0.0, axis=1) if scores.shape[1] == 1 else scores


def loss(
    flat: Array, matrix: Array, own: NDArray[np.intp], weights: Array, offsets: Array, penalty: float
) -> tuple[float, Array]:
    """Loss and penalty of weights and biases (the last row), and the gradient."""
    with_bias = np.c_[matrix, np.ones(len(matrix))]
    coefficients = flat.reshape(with_bias.shape[1], -1)
    logs = log_probabilities(all_scores(offsets + with_bias @ coefficients))
    rows = np.arange(len(own))
    excess = np.exp(logs)
    excess[rows, own] -= 1
    scored = excess[:, -coefficients.shape[1] :] * weights[:, None]
    value = -float(weights @ logs[rows, own]) + penalty / 2 * float((flat**2).sum())
    return value, (with_bias.T @ scored).ravel() + penalty * flat
