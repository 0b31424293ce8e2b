"""Error analysis: the surest mistakes, the words at fault, groups of confused classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import InputError, check_top
from banbury.lazy import numpy as np
from banbury.stats.intervals import least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from banbury.results.evaluation import Predictions
    from banbury.results.explanation import Explanation
    from banbury.text.documents import Label

    Explain = Callable[[int, Any, Any], Explanation]  # from a row, a label and the one that it is compared with

GROUP_SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class Mistake:
    """A document that was predicted wrong, and why."""

    index: int
    """Its row among the documents."""
    label: Label
    predicted: Label
    probability: float
    """The probability of the predicted class."""
    explanation: Explanation
    """Why the predicted class rather than the true one; or rather than the next best, if the model does not know the
    true one.
    """


class WordAtFault(NamedTuple):
    """A word that speaks for the wrong class in documents that were predicted wrong."""

    word: str
    nats: float
    """The evidence for the wrong class rather than the true one, in all these documents together."""
    documents: int
    """The number of these documents in which it speaks for the wrong class."""


@dataclass(frozen=True)
class Confused:
    """Classes that are taken for each other more often than for others."""

    classes: list[Any]
    mistakes: int
    """Documents of one of them that were taken for another of them."""
    share: float
    """The group's share of all mistakes."""


def surest(predictions: Predictions, explain: Explain, top: int) -> list[Mistake]:
    """The mistakes whose predicted class had the highest probability, the surest first."""
    check_top(top, 0)
    if predictions.log_probabilities is None:
        raise InputError("without probabilities nobody knows which mistakes are the surest")
    wrong = np.flatnonzero(~predictions.is_right)
    order = wrong[np.argsort(-predictions.confidence[wrong], kind="stable")][:top]
    return [
        Mistake(
            index=predictions.rows[place],
            label=predictions.truth[place],
            predicted=predictions.predicted[place],
            probability=float(predictions.confidence[place]),
            explanation=explain(predictions.rows[place], predictions.predicted[place], _known(predictions, place)),
        )
        for place in order.tolist()
    ]


def words_at_fault(predictions: Predictions, explain: Explain, top: int) -> list[WordAtFault]:
    """The words with most evidence for the wrong class, summed over all documents that were predicted wrong."""
    check_top(top, 0)
    nats: dict[str, float] = {}
    documents: dict[str, int] = {}
    for place in np.flatnonzero(~predictions.is_right).tolist():
        explanation = explain(predictions.rows[place], predictions.predicted[place], _known(predictions, place))
        document: dict[str, float] = {}
        for evidence in explanation.evidence:
            if evidence.kind != "absent":
                name = evidence.name
                document[name] = document.get(name, 0.0) + evidence.weight
        for word, weight in document.items():
            if weight > 0:
                nats[word] = nats.get(word, 0.0) + weight
                documents[word] = documents.get(word, 0) + 1
    ordered = sorted(nats, key=lambda word: (-nats[word], word))[:top]
    return [WordAtFault(word, nats[word], documents[word]) for word in ordered]


def _known(predictions: Predictions, place: int) -> Any:
    """The true label where the model knows it, else None."""
    label = predictions.truth[place]
    return label if label in predictions.classes else None


def confused_groups(classes: Sequence[Any], confusion: Any) -> list[Confused]:
    """Groups of classes that are taken for each other, the one with most mistakes first.

    Classes are joined step by step, those first that have the most mistakes between them compared with chance: the
    mistakes of each class spread over the others by their size. It ends where the rest could be chance.

    >>> groups = confused_groups(
    ...     ["car", "bike", "cat", "dog"], [[9, 18, 0, 0], [21, 9, 0, 1], [0, 0, 9, 25], [1, 0, 21, 9]]
    ... )
    >>> [(group.classes, group.mistakes) for group in groups]
    [(['cat', 'dog'], 46), (['car', 'bike'], 39)]
    """
    wrong = np.array(confusion, dtype=float)
    np.fill_diagonal(wrong, 0)
    total = wrong.sum()
    if not total:
        return []
    sizes = np.array(confusion, dtype=float).sum(axis=1)
    others = np.tile(sizes, (len(classes), 1))
    np.fill_diagonal(others, 0)
    expected = wrong.sum(axis=1, keepdims=True) * others / np.maximum(others.sum(axis=1, keepdims=True), 1)
    mistakes, chance = wrong + wrong.T, expected + expected.T
    groups = [[number] for number in range(len(classes))]
    for left, right in _joined(mistakes, chance, total):
        groups[left] += groups[right]
        groups[right] = []
    kept = [
        Confused([classes[n] for n in sorted(group)], int(inside), float(inside / total))
        for group in groups
        if len(group) > 1
        for inside in [wrong[np.ix_(group, group)].sum()]
    ]
    return sorted(kept, key=lambda group: -group.mistakes)


def _joined(mistakes: NDArray[Any], chance: NDArray[Any], total: float) -> Iterator[tuple[int, int]]:
    """Which groups to join, one pair after the other; the second goes into the first."""
    mistakes, chance = mistakes.copy(), chance.copy()
    n = len(mistakes)
    error = GROUP_SIGNIFICANCE / max(n * (n - 1) / 2, 1)

    def above(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Lower bound of mistakes over chance for pairs of groups; 0 where there are not more than by chance."""
        many = (mistakes[left, right] > chance[left, right]) & (chance[left, right] > 0)
        times = np.zeros(len(left))
        times[many] = least(mistakes[left, right][many], total, error) * total / chance[left, right][many]
        return times

    ratio = np.zeros((n, n))
    ratio[np.triu_indices(n, 1)] = above(*np.triu_indices(n, 1))
    while True:
        left, right = map(int, np.unravel_index(int(ratio.argmax()), ratio.shape))
        if ratio[left, right] <= 1:
            return
        yield left, right
        for table in (mistakes, chance):
            table[left] += table[right]
            table[:, left] += table[:, right]
            table[left, left] = 0
            table[right] = table[:, right] = 0
        others = np.array([number for number in range(n) if number != left])
        low, high = np.minimum(others, left), np.maximum(others, left)
        ratio[right] = ratio[:, right] = 0
        ratio[low, high] = above(low, high)
