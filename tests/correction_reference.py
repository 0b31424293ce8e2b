"""The correction's objective, plainly: matrices and NumPy. What the kernel's regression is compared with."""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from trust_reference import Document

Array = NDArray[np.float64]


class Presences:
    """The features that more than one group of documents has, and the matrix of documents."""

    def __init__(self, documents: Sequence[Document], groups: Sequence[int]) -> None:
        n_groups: list[Counter[Hashable]] = [Counter() for _ in documents[0]]
        for group in sorted(set(groups)):
            members = [one for one, of in zip(documents, groups, strict=True) if of == group]
            for block, counter in enumerate(n_groups):
                counter.update({feature for one in members for feature in one[block]})
        columns = [
            (block, feature) for block, counter in enumerate(n_groups) for feature in counter if counter[feature] > 1
        ]
        self.columns = {column: number for number, column in enumerate(columns)}
        lengths = np.array([len(self.known(one)) for one in documents], float)
        self.typical, self.cap = max(np.median(lengths), 1.0), max(np.quantile(lengths, 0.99), 1.0)
        squares = np.mean([(m**0.5 / (m + self.typical)) ** 2 * m for m in lengths])
        self.factor = squares**-0.5 if squares > 0 else 1.0

    def known(self, one: Document) -> list[int]:
        """The columns of a document."""
        pairs = ((block, feature) for block, features in enumerate(one) for feature in features)
        return [self.columns[pair] for pair in pairs if pair in self.columns]

    def scale(self, m: int) -> float:
        """What the weights of a document with m columns are multiplied with."""
        within = min(m, self.cap)
        return float(self.factor * within**0.5 / (within + self.typical) * min(1, self.cap / m if m else 1))

    def matrix(self, documents: Sequence[Document]) -> Array:
        """By document and column, the scale where the document has it."""
        found = np.zeros((len(documents), len(self.columns)))
        for row, one in enumerate(documents):
            columns = self.known(one)
            found[row, columns] = self.scale(len(columns))
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
    """Loss and penalty of weights, and the gradient."""
    n_scored = offsets.shape[1]
    coefficients = flat.reshape(-1, n_scored)
    logs = log_probabilities(all_scores(offsets + matrix @ coefficients))
    rows = np.arange(len(own))
    excess = np.exp(logs)
    excess[rows, own] -= 1
    scored = excess[:, -n_scored:] * weights[:, None]
    value = -float(weights @ logs[rows, own]) + penalty / 2 * float((flat**2).sum())
    return value, (matrix.T @ scored).ravel() + penalty * flat
