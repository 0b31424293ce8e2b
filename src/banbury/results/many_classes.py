"""ManyClassEvaluation: predictions among very many classes, judged without a table of classes × classes.

An `Evaluation` has a confusion matrix and keeps a probability for each document and class; with 100,000 classes neither
fits into memory. Here each document leaves a few numbers, and memory grows with the documents and the labels seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import Markup, isolated, piece
from banbury.display.html_tables import figures_table, table
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.evaluation import Figure
from banbury.results.metrics import calibration_error, reliability
from banbury.stats.softmax import log_softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOPS = (1, 5, 10)  # of how many labels it is said how often the true one is among them
MOST_PAIRS_SHOWN = 20
MOST_SCORES_AT_ONCE = 1_000_000  # documents times classes
# Of an evaluation: documents times classes that it keeps probabilities of, and rows of its confusion matrix. Either
# takes less than a gigabyte.
MOST_EVALUATED, MOST_CONFUSED = 100_000_000, 10_000


def is_too_many(n_documents: int, n_classes: int) -> bool:
    """Whether an `Evaluation` of so many documents and classes would take more memory than it is worth.

    >>> is_too_many(10_000, 1_000), is_too_many(10_000, 100_000), is_too_many(100, 100_000)
    (False, True, False)
    """
    return n_documents * n_classes > MOST_EVALUATED or min(n_classes, 2 * n_documents) > MOST_CONFUSED


class ConfusedPair(NamedTuple):
    """A label that is taken for another one."""

    label: Any
    predicted: Any
    documents: float


@dataclass(frozen=True)
class ManyClassEvaluation:
    """Predictions among very many classes.

    A label that the model does not know is a mistake; log loss, Brier score and ranks leave it out.
    """

    n_documents: int
    n_classes: int
    """That the model knows."""
    accuracy: float
    macro_f1: float
    """The mean F1 of the labels that are true or predicted somewhere."""
    log_loss: float
    brier: float
    calibration_error: float
    top_accuracies: dict[int, float]
    """How often the true label is among so many of the most probable ones."""
    mean_reciprocal_rank: float
    confused: list[ConfusedPair]
    """The labels that are taken for others most often."""
    unknown_labels: list[tuple[Any, int]]
    """Labels that the model does not know, and how many documents have them."""

    def figures(self) -> list[Figure]:
        """Every figure, by name."""
        named = {
            "accuracy": self.accuracy,
            "macro F1": self.macro_f1,
            "log loss": self.log_loss,
            "Brier score": self.brier,
            "calibration error": self.calibration_error,
            "mean reciprocal rank": self.mean_reciprocal_rank,
        }
        named |= {f"true label among {top}": share for top, share in self.top_accuracies.items()}
        return [Figure(name, value, None) for name, value in named.items()]

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self) | {"confused": [pair._asdict() for pair in self.confused]}

    def __str__(self) -> str:
        lines = [f"{self.n_documents} documents, {self.n_classes} classes"]
        if self.unknown_labels:
            n = sum(documents for _, documents in self.unknown_labels)
            lines.append(f"{n} documents have one of {len(self.unknown_labels)} labels that the model does not know")
        lines += [f"{name:22} {value:8.4f}" for name, value, _ in self.figures()]
        lines += ["", "taken for each other most often"] if self.confused else []
        lines += [
            f"{pair.documents:6g}  {shorten(str(pair.label), NAME_WIDTH)} as {shorten(str(pair.predicted), NAME_WIDTH)}"
            for pair in self.confused
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> list[Markup]:
        """What a notebook shows."""
        caption = f"{self.n_documents} documents, {self.n_classes} classes"
        rows = [(isolated(pair.label), isolated(pair.predicted), f"{pair.documents:g}") for pair in self.confused]
        head = ("label", "predicted", "documents")
        return [figures_table(self.figures(), caption, []), table(head, rows, "Taken for others most often", texts=2)]


@dataclass(frozen=True)
class _Judged:
    """What is left of the scores of some documents."""

    best: NDArray[np.intp]
    confidence: NDArray[np.float64]
    true_logs: NDArray[np.float64]
    """log P(true label); NaN where the model does not know it."""
    ranks: NDArray[np.float64]
    brier: NDArray[np.float64]


def evaluate_many(
    parts: Iterable[NDArray[np.float64]], classes: Sequence[Any], labels: list[Any], weights: NDArray[np.float64]
) -> ManyClassEvaluation:
    """The evaluation of scores, by document and class, which come some documents after others.

    >>> scores = np.log([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    >>> made = evaluate_many([scores[:1], scores[1:]], ["a", "b", "c"], ["b", "b"], np.ones(2))
    >>> made.accuracy, made.mean_reciprocal_rank, made.confused[0].predicted
    (0.5, 0.75, 'a')
    """
    if not labels:
        raise InputError("no documents to evaluate")
    if not weights.sum() > 0:
        raise InputError("no document counts: all weights are 0")
    places = {label: place for place, label in enumerate(classes)}
    true_places = np.array([places.get(label, -1) for label in labels])
    judged: list[_Judged] = []
    n_judged = 0
    for scores in parts:
        judged.append(_judge(scores, true_places[n_judged : n_judged + len(scores)]))
        n_judged += len(scores)
    whole = _Judged(*(np.concatenate([getattr(part, name) for part in judged]) for name in _Judged.__annotations__))
    predicted = [classes[place] for place in whole.best.tolist()]
    is_right = whole.best == true_places
    is_known = true_places >= 0
    known_weights = weights[is_known]
    bins = reliability(whole.confidence, is_right, weights)
    pairs: dict[tuple[Any, Any], float] = {}
    for label, guess, weight in zip(labels, predicted, weights.tolist(), strict=True):
        if label != guess:
            pairs[label, guess] = pairs.get((label, guess), 0.0) + weight
    order = sorted(pairs.items(), key=lambda item: (-item[1], str(item[0])))[:MOST_PAIRS_SHOWN]
    unknown = Counter(label for label in labels if label not in places)
    return ManyClassEvaluation(
        n_documents=len(labels),
        n_classes=len(classes),
        accuracy=_mean(is_right, weights),
        macro_f1=_macro_f1(labels, predicted, weights),
        log_loss=_mean(-whole.true_logs[is_known], known_weights),
        brier=_mean(whole.brier[is_known], known_weights),
        calibration_error=calibration_error(bins),
        top_accuracies={top: _mean(is_known & (whole.ranks <= top), weights) for top in TOPS},
        mean_reciprocal_rank=_mean(np.where(is_known, 1 / whole.ranks, 0.0), weights),
        confused=[ConfusedPair(label, guess, n) for (label, guess), n in order],
        unknown_labels=sorted(unknown.items()),
    )


def _judge(scores: NDArray[np.float64], true_places: NDArray[np.intp]) -> _Judged:
    logs, rows = log_softmax(scores), np.arange(len(scores))
    best, is_known = scores.argmax(axis=1), true_places >= 0
    true_logs = np.where(is_known, logs[rows, true_places], np.nan)
    # A label that scores like others is ranked as low as the last of them.
    ranks = (scores >= scores[rows, true_places][:, None]).sum(axis=1).astype(float)
    chances = np.exp(logs)
    brier = (chances**2).sum(axis=1) - 2 * np.exp(true_logs) + 1
    return _Judged(best, chances[rows, best], true_logs, ranks, brier)


def _macro_f1(truths: list[Any], guesses: list[Any], weights: NDArray[np.float64]) -> float:
    right: dict[Any, float] = {}
    both: dict[Any, float] = {}
    for true, guess, weight in zip(truths, guesses, weights.tolist(), strict=True):
        for label in (true, guess):
            both[label] = both.get(label, 0.0) + weight
        if true == guess:
            right[true] = right.get(true, 0.0) + weight
    scores = [2 * right.get(label, 0.0) / total for label, total in both.items() if total]
    return sum(scores) / len(scores) if scores else 0.0


def _mean(values: Any, weights: NDArray[np.float64]) -> float:
    total = float(weights.sum())
    return float((weights * np.asarray(values, float)).sum()) / total if total else 0.0
