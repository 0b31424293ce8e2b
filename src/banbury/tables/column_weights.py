"""How much each column of a table counts, fitted on leave-one-out evidence.

Naive Bayes adds the evidence of columns as if none repeated another. Votes of one party, pixels side by side, a word in
subject and body do, and the posterior is far too sure. So every column gets one weight, fitted by penalised softmax
regression on evidence that each row had no part in; the probabilities then come out calibrated. No weight is negative:
what speaks for a class never counts against it. The prior of the weights, the same for every table, is what keeps a
few rows from saying too much: without other knowledge, D columns count as √D independent ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury import _kernel
from banbury.stats.softmax import log_softmax
from banbury.text.trust import centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_WEIGHED_ROWS = 10_000  # more make the weights hardly better
MOST_WEIGHED_NUMBERS = 24_000_000  # rows times classes times weights
FEWEST_WEIGHED_ROWS = 50
WIDEST = 64  # weights that are fitted at once: the cost goes with the square
SWEEPS = 3  # over such groups of weights; each starts from what the others have left

# In units of 1/√(number of weights). Chosen once, on four public tables at sizes from 10 to 4,000 rows.
MEAN_WEIGHT_SD = 0.25  # of the mean of all weights, around 1
WEIGHT_SD = 1.5  # of each weight, around that mean
BIAS_PRECISION = 1.0  # of what each class starts with besides its prior
FIXED = 1e9  # a precision that lets nothing move


@dataclass(frozen=True)
class Fitted:
    """The weights, what each class starts with besides its prior, and what both give."""

    weights: list[float]
    shifts: list[float]
    log_probabilities: NDArray[Any]
    """By row and class, from leave-one-out evidence."""
    level_log_probabilities: NDArray[Any]
    """The same with the one weight for all that comes closest."""
    plain_log_probabilities: NDArray[Any]
    """And with every weight 1, by Naive Bayes as it is."""


def universal_weight(n_weights: int) -> float:
    """How much each of so many columns counts where nothing is known of them: together as much as √n of them."""
    return 1 / sqrt(max(n_weights, 1))


def most_rows(n_classes: int, n_weights: int) -> int:
    """How many rows the weights are fitted on, where there are more."""
    return min(MOST_WEIGHED_ROWS, max(MOST_WEIGHED_NUMBERS // (n_classes * max(n_weights, 1)), FEWEST_WEIGHED_ROWS))


def fit_weights(
    evidence: NDArray[Any],
    class_ids: NDArray[Any],
    row_weights: NDArray[Any],
    documents: list[int],
    *,
    threads: int,
) -> Fitted:
    """Weights for evidence, which is by row, class and column; the sum over the classes is 0.

    `own` are the rows' classes, `documents` how many rows each class has.
    """
    documents_of = np.array(documents, dtype=float)
    # What the others say of a row is worth the less, the larger a part of its class it is: as for the trust curves.
    regress = _Regress(class_ids, row_weights * (1 - 1 / documents_of[class_ids]), documents, threads)
    n_weights = evidence.shape[2]
    ranges = [(start, min(start + WIDEST, n_weights)) for start in range(0, n_weights, WIDEST)]
    unit = universal_weight(n_weights)
    total = evidence.sum(axis=2, dtype=float)

    (multiplier,), bias = regress.fit((total * unit)[:, :, None], [1.0], [MEAN_WEIGHT_SD**-2])
    level = max(multiplier, 0.05) * unit
    level_logs = regress.log_probabilities(total * level, bias)
    weights = np.full(n_weights, level)
    scores = total * level
    for _ in range(SWEEPS if len(ranges) > 1 else n_weights > 1):
        for start, end in ranges:
            part = evidence[:, :, start:end].astype(float)
            rest = scores - part @ weights[start:end]
            weights[start:end], bias = regress.fit_upwards(part, rest, level, WEIGHT_SD * unit)
            scores = rest + part @ weights[start:end]
    shifts = [one - other for one, other in zip(bias, regress.bias, strict=True)]
    return Fitted(
        weights.tolist(),
        shifts,
        regress.log_probabilities(scores, bias),
        level_logs,
        regress.log_probabilities(total, regress.bias),
    )


class _Regress:
    """Softmax regression on the same rows with different features."""

    def __init__(self, class_ids: NDArray[Any], weights: NDArray[Any], documents: list[int], threads: int) -> None:
        self.class_ids, self.weights, self.threads = class_ids.astype(np.uint32), weights, threads
        self.bias = centred_log_prior(documents)

    def fit(
        self, features: NDArray[Any], mean: Sequence[float], precision: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """Coefficients of features [row, class, coefficient], and biases."""
        n, n_classes = len(mean), len(self.bias)
        if n_classes == 2:
            features = (features[:, 1] - features[:, 0]) / 2
        flat = np.ascontiguousarray(features).ravel()
        regression = _kernel.Regression(flat, n, self.class_ids, self.weights, n_classes)
        penalty = np.diag(precision).ravel().tolist()
        coefficients, biases, _ = regression.fit(list(mean), penalty, self.bias, BIAS_PRECISION, self.threads)
        return coefficients, biases

    def fit_upwards(
        self, part: NDArray[Any], rest: NDArray[Any], mean: float, sd: float
    ) -> tuple[list[float], list[float]]:
        """Weights of 0 or more for a part of the evidence, beside scores that the rest gives."""
        n = part.shape[2]
        features = np.concatenate([part, rest[:, :, None]], axis=2)
        means = np.array([mean] * n + [1.0])
        precisions = np.array([sd**-2] * n + [FIXED])
        while True:
            weights, bias = self.fit(features, means.tolist(), precisions.tolist())
            negative = (np.array(weights) < 0) & (means > 0)
            if not negative.any():
                return [max(weight, 0.0) for weight in weights[:n]], bias
            means[negative], precisions[negative] = 0.0, FIXED

    def log_probabilities(self, scores: NDArray[Any], bias: Sequence[float]) -> NDArray[Any]:
        """Log probabilities of scores, by row and class."""
        return log_softmax(scores + np.array(bias))
