"""Comparison of two models on the same documents, with McNemar's test and a permutation test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.evaluation import Evaluation, Predictions
from banbury.results.metrics import losses
from banbury.stats.intervals import Interval, at_most, mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLIPS = 9999
MOST_SIGNS = 2**22  # in memory at a time
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Comparison:
    """Two models compared on the same documents.

    The p-values are two-sided: the probability of a difference at least as large between two equally good models.
    """

    n_documents: int
    accuracies: tuple[float, float]
    only_first: int
    """Documents that the first has right and the second wrong."""
    only_second: int
    accuracy_p_value: float
    """By McNemar's exact test on the documents that one model alone has right."""
    log_losses: tuple[float, float] | None = None
    log_loss_gain: Interval | None = None
    """95 % confidence interval of the first's log loss minus the second's."""
    log_loss_p_value: float | None = None
    """By a permutation test with a fixed seed: the two losses of each document are swapped at random."""

    @property
    def better(self) -> str | None:
        """The better model, `"first"` or `"second"`, at the 5 % level; None if neither is, or each is in one figure."""
        better = {self.more_accurate, self.more_probable} - {None}
        return better.pop() if len(better) == 1 else None

    @property
    def more_accurate(self) -> str | None:
        """`"first"` or `"second"` where its accuracy is higher, at the level of 5 %; else None."""
        return _which(self.accuracies[1] > self.accuracies[0], self.accuracy_p_value)

    @property
    def more_probable(self) -> str | None:
        """`"first"` or `"second"` where its log loss is lower, at the level of 5 %; else None."""
        if self.log_losses is None or self.log_loss_p_value is None:
            return None
        return _which(self.log_losses[1] < self.log_losses[0], self.log_loss_p_value)

    def __str__(self) -> str:
        lines = [
            f"two models on the same {self.n_documents} documents",
            f"  accuracy  {self.accuracies[0]:.4f} and {self.accuracies[1]:.4f}: "
            f"{_verdict(self.more_accurate)} (p = {self.accuracy_p_value:.2g}; "
            f"{self.only_first} right by the first alone, {self.only_second} by the second alone)",
        ]
        if self.log_losses is not None and self.log_loss_gain is not None:
            lines.append(
                f"  log loss  {self.log_losses[0]:.4f} and {self.log_losses[1]:.4f}: "
                f"{_verdict(self.more_probable)} (p = {self.log_loss_p_value:.2g}; "
                f"lower by {self.log_loss_gain} with 95 % confidence)"
            )
        return "\n".join(lines)


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Two models compared by their predictions for the same documents.

    >>> from banbury import Classifier
    >>> from banbury.datasets import demo
    >>> texts, labels = demo()
    >>> textbook, automatic = Classifier.textbook(), Classifier()
    >>> reports = [
    ...     model.fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2]) for model in (textbook, automatic)
    ... ]
    >>> comparison = compare(*reports)
    >>> comparison.n_documents, 0 < comparison.accuracy_p_value <= 1
    (300, True)
    """
    both = _predictions(first), _predictions(second)
    _check_same(*both)
    weights = both[0].weights
    n = float(weights.sum())
    is_right = both[0].is_right, both[1].is_right
    only_first = round(float(weights[is_right[0] & ~is_right[1]].sum()))
    only_second = round(float(weights[is_right[1] & ~is_right[0]].sum()))
    comparison = Comparison(
        n_documents=round(n),
        accuracies=(first.accuracy, second.accuracy),
        only_first=only_first,
        only_second=only_second,
        accuracy_p_value=_mcnemar(only_first, only_second),
    )
    first_losses, second_losses = map(_losses, both)
    if first_losses is None or second_losses is None:
        return comparison
    gains = first_losses - second_losses
    return replace(
        comparison,
        log_losses=(float((weights * first_losses).sum()) / n, float((weights * second_losses).sum()) / n),
        log_loss_gain=mean_interval(gains, weights),
        log_loss_p_value=_permutation_p_value(weights * gains),
    )


def _mcnemar(only_first: int, only_second: int) -> float:
    """The p-value of McNemar's exact test, from the documents that one model alone has right."""
    n = only_first + only_second
    return min(2 * at_most(min(only_first, only_second), n, 0.5), 1.0) if n else 1.0


def _predictions(evaluation: Evaluation) -> Predictions:
    if evaluation.predictions is None:
        raise InputError("an evaluation from a file has no single documents to compare: evaluate(texts, labels) again")
    return evaluation.predictions


def _check_same(first: Predictions, second: Predictions) -> None:
    if len(first.truth) != len(second.truth):
        raise InputError(f"one evaluation has {len(first.truth)} documents, the other {len(second.truth)}")
    documents = zip(first.truth, second.truth, first.rows, second.rows, strict=True)
    for place, (label, other_label, row, other_row) in enumerate(documents):
        if label != other_label or row != other_row:
            raise InputError(
                f"document {place} has label {label!r} in one evaluation and {other_label!r} in the other: "
                "both have to be of the same documents in the same order"
            )


def _losses(predictions: Predictions) -> NDArray[Any] | None:
    """−log P(true class) of each document; a label that the model does not know counts as impossible."""
    logs = predictions.log_probabilities
    if logs is None:
        return None
    numbers = {label: number for number, label in enumerate(predictions.classes)}
    class_ids = np.array([numbers.get(label, len(numbers)) for label in predictions.truth])
    return losses(class_ids, np.column_stack([logs, np.full(len(logs), -np.inf)]))


def _permutation_p_value(gains: NDArray[Any]) -> float:
    """Permutation p-value: how often random signs give a sum as far from 0. The observed signs count as one draw."""
    seen = abs(float(gains.sum()))
    random = np.random.default_rng(0)
    as_extreme, left = 1, FLIPS
    while left:
        n_draws = min(left, max(MOST_SIGNS // max(len(gains), 1), 1))
        signs = np.unpackbits(random.integers(0, 256, (n_draws, -(-len(gains) // 8)), np.uint8), axis=1)
        sums = 2 * (signs[:, : len(gains)] @ gains) - gains.sum()
        # Rounding must not make equal sums different.
        as_extreme += int((np.abs(sums) >= seen * (1 - 1e-9) - 1e-12).sum())
        left -= n_draws
    return as_extreme / (FLIPS + 1)


def _which(is_second: bool, p_value: float) -> str | None:
    return ("second" if is_second else "first") if p_value < SIGNIFICANCE else None


def _verdict(which: str | None) -> str:
    return f"the {which} is better" if which else "no difference that could not be chance"
