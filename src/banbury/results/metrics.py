"""Metrics of predictions: arrays in, numbers out. `evaluation.py` puts them together.

`truth` are numbers of classes, `logs` the logarithms of probabilities by document and class, `weights` how often each
document counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.stats.intervals import CONFIDENCE, Interval, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 15
COVERAGE_LEVELS = 100  # of coverage
SMALLEST_LOG = -700.0  # the logarithm that a probability of 0 counts as: about the smallest that has one
BOOTSTRAP_DRAWS = 1000


@dataclass(frozen=True)
class Bin:
    """The documents whose best class had a probability from `low` to `high`."""

    low: float
    high: float
    documents: int
    probability: float
    """The mean predicted probability."""
    accuracy: float
    """The share of the predictions that is right."""

    @property
    def interval(self) -> Interval:
        """95 % confidence interval of the accuracy (Wilson)."""
        return wilson(self.accuracy * self.documents, self.documents)


@dataclass(frozen=True)
class Kept:
    """Coverage and accuracy if documents whose best class has a probability below `threshold` stay undecided."""

    threshold: float
    coverage: float
    """The share of the documents that is kept."""
    accuracy: float


def confusion_matrix(truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any], size: int) -> NDArray[Any]:
    """Confusion matrix: documents of class i that were predicted as class j.

    >>> import numpy as np
    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones(3), 2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return np.bincount(truth * size + predicted, weights, size * size).reshape(size, size)


def precision(confusion: NDArray[Any]) -> NDArray[Any]:
    """Precision per class; 0 where nothing was predicted."""
    return _share(confusion.diagonal(), confusion.sum(axis=0))


def recall(confusion: NDArray[Any]) -> NDArray[Any]:
    """Recall per class; 0 where there are no documents."""
    return _share(confusion.diagonal(), confusion.sum(axis=1))


def f1(confusion: NDArray[Any]) -> NDArray[Any]:
    """F1 per class: the harmonic mean of precision and recall; 0 where nothing is right."""
    return _share(2 * confusion.diagonal(), confusion.sum(axis=0) + confusion.sum(axis=1))


def macro(values: NDArray[Any], confusion: NDArray[Any]) -> float:
    """Macro average: the mean of a figure over the classes that are true or predicted somewhere.

    >>> import numpy as np
    >>> confusion = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])
    >>> round(macro(f1(confusion), confusion), 4)
    0.6667
    """
    occurs = confusion.sum(axis=0) + confusion.sum(axis=1) > 0
    return float(values[occurs].mean())


def matthews(confusion: NDArray[Any]) -> float:
    """Matthews correlation coefficient (Gorodkin's for several classes); 0 if truth or prediction is constant.

    >>> import numpy as np
    >>> matthews(np.array([[5, 0], [0, 5]])), matthews(np.array([[5, 0], [5, 0]]))
    (1.0, 0.0)
    """
    true, guessed = confusion.sum(axis=1, dtype=float), confusion.sum(axis=0, dtype=float)
    return float(_matthews(np.trace(confusion, dtype=float), true, guessed))


def _matthews(right: Any, true: NDArray[Any], guessed: NDArray[Any]) -> Any:
    n = true.sum(axis=-1)
    spread = (n * n - (true * true).sum(axis=-1)) * (n * n - (guessed * guessed).sum(axis=-1))
    covariance = right * n - (true * guessed).sum(axis=-1)
    return np.divide(covariance, np.sqrt(spread), out=np.zeros_like(covariance), where=spread > 0)


def drawn_again(confusion: NDArray[Any]) -> tuple[Interval, Interval]:
    """95 % bootstrap intervals of macro-F1 and of the Matthews correlation coefficient.

    A thousand samples of as many documents are drawn from this confusion matrix, with a fixed seed.
    """
    size = len(confusion)
    cells = np.flatnonzero(confusion)
    shares = confusion.ravel()[cells] / confusion.sum()
    draws = np.random.default_rng(0).multinomial(int(confusion.sum()), shares, BOOTSTRAP_DRAWS).astype(float)
    true, guessed = draws @ np.eye(size)[cells // size], draws @ np.eye(size)[cells % size]
    right = draws @ (np.eye(size)[cells // size] * (cells // size == cells % size)[:, None])
    either = true + guessed
    means = _share(2 * right, either).sum(axis=1) / (either > 0).sum(axis=1)
    ends = 100 * np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    low, high = np.percentile(means, ends)
    correlations = np.percentile(_matthews(right.sum(axis=1), true, guessed), ends)
    return Interval(float(low), float(high)), Interval(float(correlations[0]), float(correlations[1]))


def losses(truth: NDArray[Any], logs: NDArray[Any]) -> NDArray[Any]:
    """Log loss per document: −log P(true class), in nats; at most 700, for a class that was held impossible."""
    label_logs: NDArray[Any] = np.maximum(logs[np.arange(len(truth)), truth], SMALLEST_LOG)
    return -label_logs


def brier_losses(truth: NDArray[Any], logs: NDArray[Any]) -> NDArray[Any]:
    """Brier score per document: the squared error of its probabilities, for two classes that of one of them."""
    chances = np.exp(logs)
    squares: NDArray[Any] = np.square(chances).sum(axis=1) + 1 - 2 * chances[np.arange(len(truth)), truth]
    return squares / 2 if logs.shape[1] == 2 else squares


def roc_aucs(truth: NDArray[Any], logs: NDArray[Any], weights: NDArray[Any]) -> list[float | None]:
    """One-vs-rest ROC AUC per class; ties count half.

    None for a class that has no documents, or all of them.

    >>> import numpy as np
    >>> roc_aucs(np.array([0, 1, 1]), np.log([[0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]), np.ones(3))
    [0.5, 0.5]
    """
    odds, counted = log_odds(logs), truth[weights > 0]
    n_own = np.bincount(counted, minlength=logs.shape[1])
    # Of many classes few have a document here: there is nothing to sort for the others.
    has_pairs = (n_own > 0) & (n_own < len(counted))
    return [
        _roc_auc(odds[:, number], truth == number, weights) if has_pairs[number] else None
        for number in range(logs.shape[1])
    ]


def _roc_auc(scores: NDArray[Any], is_own: NDArray[Any], weights: NDArray[Any]) -> float:
    # What differs by less than rounding is equal.
    values, places = np.unique(scores.round(9), return_inverse=True)
    inside = np.bincount(places, weights * is_own, len(values))
    others = np.bincount(places, weights * ~is_own, len(values))
    below = np.cumsum(others) - others
    return float((inside * (below + others / 2)).sum() / (inside.sum() * others.sum()))


def log_odds(logs: NDArray[Any]) -> NDArray[Any]:
    """Log odds, log p / (1 − p), from log probabilities; precise also where p rounds to 1.

    >>> import numpy as np
    >>> log_odds(np.array([[-50.0, 0.0]]))
    array([[-50.,  50.]])
    """
    rows, best = np.arange(len(logs)), logs.argmax(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds: NDArray[Any] = logs - np.log1p(-np.exp(np.minimum(logs, 0.0)))
        others = logs.copy()
        others[rows, best] = -np.inf
        odds[rows, best] = logs[rows, best] - np.logaddexp.reduce(others, axis=1)
    return odds


def reliability(chances: NDArray[Any], right: NDArray[Any], weights: NDArray[Any]) -> list[Bin]:
    """Reliability: accuracy by predicted probability, in bins of equal width; empty bins are left out."""
    places = np.minimum((chances * BINS).astype(int), BINS - 1)
    n, sums, rights = (np.bincount(places, weights * what, BINS) for what in (1.0, chances, right))
    return [
        Bin(
            bin_ / BINS,
            (bin_ + 1) / BINS,
            int(n[bin_]),
            float(sums[bin_] / n[bin_]),
            float(rights[bin_] / n[bin_]),
        )
        for bin_ in np.flatnonzero(n).tolist()
    ]


def calibration_error(bins: list[Bin]) -> float:
    """Expected calibration error: the mean distance of accuracy from predicted probability over the bins.

    >>> round(calibration_error([Bin(0.8, 0.9, 30, 0.85, 0.9), Bin(0.9, 1.0, 10, 0.95, 0.95)]), 6)
    0.0375
    """
    n = sum(bin_.documents for bin_ in bins)
    return sum(bin_.documents * abs(bin_.accuracy - bin_.probability) for bin_ in bins) / n


def coverage(chances: NDArray[Any], right: NDArray[Any], weights: NDArray[Any]) -> list[Kept]:
    """Accuracy against coverage, from the surest hundredth of the documents to all; equally sure ones stay together."""
    values, places = np.unique(chances, return_inverse=True)
    n = np.cumsum(np.bincount(places, weights)[::-1])
    rights = np.cumsum(np.bincount(places, weights * right)[::-1])
    wanted = np.arange(1, COVERAGE_LEVELS + 1) / COVERAGE_LEVELS * n[-1]
    levels = np.unique(np.minimum(np.searchsorted(n, wanted - 1e-9), len(n) - 1))
    table = zip(values[::-1][levels].tolist(), (n / n[-1])[levels].tolist(), (rights / n)[levels].tolist(), strict=True)
    return [Kept(*row) for row in table]


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    shares: NDArray[Any] = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)
    return shares
