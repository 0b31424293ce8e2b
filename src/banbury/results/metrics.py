"""Figures of predictions: arrays in, numbers out. `evaluation.py` puts them together.

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
LEVELS = 100  # of coverage
IMPOSSIBLE = -700.0  # the logarithm that a probability of 0 counts as: about the smallest that has one
DRAWS = 1000


@dataclass(frozen=True)
class Bin:
    """The documents whose best class had a probability from `low` to `high`."""

    low: float
    high: float
    documents: int
    probability: float
    """Its mean: how often the predictions should be right."""
    accuracy: float
    """How often they are."""

    @property
    def interval(self) -> Interval:
        """Where the accuracy lies, with a confidence of 95 %."""
        return wilson(self.accuracy * self.documents, self.documents)


@dataclass(frozen=True)
class Kept:
    """What is kept when documents are left undecided whose best class has a probability below `threshold`."""

    threshold: float
    coverage: float
    """The share of the documents that is kept."""
    accuracy: float


def confusion_matrix(truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any], size: int) -> NDArray[Any]:
    """How many documents of class i were predicted to be of class j.

    >>> import numpy as np
    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones(3), 2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return np.bincount(truth * size + predicted, weights, size * size).reshape(size, size)


def precision(confusion: NDArray[Any]) -> NDArray[Any]:
    """Of what was predicted to be of each class, the share that is; 0 where nothing was."""
    return _share(confusion.diagonal(), confusion.sum(axis=0))


def recall(confusion: NDArray[Any]) -> NDArray[Any]:
    """Of the documents of each class, the share that was predicted to be; 0 where there are none."""
    return _share(confusion.diagonal(), confusion.sum(axis=1))


def f1(confusion: NDArray[Any]) -> NDArray[Any]:
    """The harmonic mean of precision and recall, of each class; 0 where nothing is right."""
    return _share(2 * confusion.diagonal(), confusion.sum(axis=0) + confusion.sum(axis=1))


def macro(values: NDArray[Any], confusion: NDArray[Any]) -> float:
    """The mean of a figure over the classes that are true or predicted somewhere.

    >>> import numpy as np
    >>> confusion = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])
    >>> round(macro(f1(confusion), confusion), 4)
    0.6667
    """
    occurs = confusion.sum(axis=0) + confusion.sum(axis=1) > 0
    return float(values[occurs].mean())


def matthews(confusion: NDArray[Any]) -> float:
    """The correlation of truth and prediction (Matthews; Gorodkin for more classes); 0 where one of them is constant.

    >>> import numpy as np
    >>> matthews(np.array([[5, 0], [0, 5]])), matthews(np.array([[5, 0], [5, 0]]))
    (1.0, 0.0)
    """
    true, guessed = confusion.sum(axis=1, dtype=float), confusion.sum(axis=0, dtype=float)
    return float(_matthews(np.trace(confusion, dtype=float), true, guessed))


def _matthews(right: Any, true: NDArray[Any], guessed: NDArray[Any]) -> Any:
    n = true.sum(axis=-1)
    spread = (n * n - (true * true).sum(axis=-1)) * (n * n - (guessed * guessed).sum(axis=-1))
    found = right * n - (true * guessed).sum(axis=-1)
    return np.divide(found, np.sqrt(spread), out=np.zeros_like(found), where=spread > 0)


def drawn_again(confusion: NDArray[Any]) -> tuple[Interval, Interval]:
    """Where macro-F1 and the correlation of Matthews lie, with a confidence of 95 %.

    As many documents are drawn a thousand times with the shares of this confusion (a bootstrap with a fixed seed).
    """
    size = len(confusion)
    cells = np.flatnonzero(confusion)
    shares = confusion.ravel()[cells] / confusion.sum()
    draws = np.random.default_rng(0).multinomial(int(confusion.sum()), shares, DRAWS).astype(float)
    true, guessed = draws @ np.eye(size)[cells // size], draws @ np.eye(size)[cells % size]
    right = draws @ (np.eye(size)[cells // size] * (cells // size == cells % size)[:, None])
    either = true + guessed
    means = _share(2 * right, either).sum(axis=1) / (either > 0).sum(axis=1)
    ends = 100 * np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    low, high = np.percentile(means, ends)
    correlations = np.percentile(_matthews(right.sum(axis=1), true, guessed), ends)
    return Interval(float(low), float(high)), Interval(float(correlations[0]), float(correlations[1]))


def losses(truth: NDArray[Any], logs: NDArray[Any]) -> NDArray[Any]:
    """Of each document −log P(its class), in nats; what was held impossible counts as 700."""
    own: NDArray[Any] = np.maximum(logs[np.arange(len(truth)), truth], IMPOSSIBLE)
    return -own


def brier_losses(truth: NDArray[Any], logs: NDArray[Any]) -> NDArray[Any]:
    """Of each document the squared distance of its probabilities from the truth; of two classes one is looked at."""
    chances = np.exp(logs)
    squares: NDArray[Any] = np.square(chances).sum(axis=1) + 1 - 2 * chances[np.arange(len(truth)), truth]
    return squares / 2 if logs.shape[1] == 2 else squares


def roc_aucs(truth: NDArray[Any], logs: NDArray[Any], weights: NDArray[Any]) -> list[float | None]:
    """Of each class, how often one of its documents has more of it than one of the others, ties counting half.

    That is the area under the curve of one class against the rest; None where there are no such pairs.

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
    own = np.bincount(places, weights * is_own, len(values))
    others = np.bincount(places, weights * ~is_own, len(values))
    below = np.cumsum(others) - others
    return float((own * (below + others / 2)).sum() / (own.sum() * others.sum()))


def log_odds(logs: NDArray[Any]) -> NDArray[Any]:
    """log p / (1 − p), from logarithms of probabilities, also where p is so close to 1 that it cannot be told from it.

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
    """How often predictions are right, by the probability they had, in bins of equal width; empty ones are left out."""
    places = np.minimum((chances * BINS).astype(int), BINS - 1)
    n, sums, rights = (np.bincount(places, weights * what, BINS) for what in (1.0, chances, right))
    return [
        Bin(at / BINS, (at + 1) / BINS, int(n[at]), float(sums[at] / n[at]), float(rights[at] / n[at]))
        for at in np.flatnonzero(n).tolist()
    ]


def calibration_error(bins: list[Bin]) -> float:
    """The mean distance of how often predictions are right from the probabilities they had, in 15 bins of equal width.

    >>> round(calibration_error([Bin(0.8, 0.9, 30, 0.85, 0.9), Bin(0.9, 1.0, 10, 0.95, 0.95)]), 6)
    0.0375
    """
    n = sum(one.documents for one in bins)
    return sum(one.documents * abs(one.accuracy - one.probability) for one in bins) / n


def coverage(chances: NDArray[Any], right: NDArray[Any], weights: NDArray[Any]) -> list[Kept]:
    """How accurate the surest documents are, from the surest hundredth to all; equally sure ones stay together."""
    values, places = np.unique(chances, return_inverse=True)
    n = np.cumsum(np.bincount(places, weights)[::-1])
    rights = np.cumsum(np.bincount(places, weights * right)[::-1])
    wanted = np.arange(1, LEVELS + 1) / LEVELS * n[-1]
    at = np.unique(np.minimum(np.searchsorted(n, wanted - 1e-9), len(n) - 1))
    table = zip(values[::-1][at].tolist(), (n / n[-1])[at].tolist(), (rights / n)[at].tolist(), strict=True)
    return [Kept(*row) for row in table]


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    shares: NDArray[Any] = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)
    return shares
