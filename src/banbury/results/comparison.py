"""Two models on the same documents: which is better, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.results.evaluation import Evaluation, Predictions
from banbury.results.metrics import losses
from banbury.stats.intervals import Interval, at_most, mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLIPS = 9999
AT_ONCE = 2**22  # signs in memory at a time
LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """What two evaluations of the same documents say of each other.

    The p-values say how likely so large a difference, to either side, would be between two equally good models.
    """

    n_documents: int
    accuracies: tuple[float, float]
    only_first: int
    """Documents that the first has right and the second wrong."""
    only_second: int
    accuracy_p_value: float
    """By McNemar's exact test, which looks at these documents only."""
    log_losses: tuple[float, float] | None = None
    log_loss_gain: Interval | None = None
    """How much lower the second's log loss is, with a confidence of 95 %: below 0 where it is higher."""
    log_loss_p_value: float | None = None
    """By a permutation test: the two losses of each document change places at random, with a fixed seed."""

    @property
    def better(self) -> str | None:
        """`"first"` or `"second"` where one is better, at the level of 5 %, and in nothing worse; else None."""
        found = {self.more_accurate, self.more_probable} - {None}
        return found.pop() if len(found) == 1 else None

    @property
    def more_accurate(self) -> str | None:
        """Which one is, at the level of 5 %."""
        return _which(self.accuracies[1] > self.accuracies[0], self.accuracy_p_value)

    @property
    def more_probable(self) -> str | None:
        """Which one gave the truth more probability, at the level of 5 %."""
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
    one, other = _predictions(first), _predictions(second)
    _check_same(one, other)
    weights = one.weights
    n = float(weights.sum())
    only_first = round(float(weights[one.is_right & ~other.is_right].sum()))
    only_second = round(float(weights[other.is_right & ~one.is_right].sum()))
    p_value = min(2 * at_most(min(only_first, only_second), only_first + only_second, 0.5), 1.0)
    both = Comparison(
        n_documents=round(n),
        accuracies=(first.accuracy, second.accuracy),
        only_first=only_first,
        only_second=only_second,
        accuracy_p_value=p_value if only_first + only_second else 1.0,
    )
    found = _losses(one), _losses(other)
    if found[0] is None or found[1] is None:
        return both
    gains = found[0] - found[1]
    return Comparison(
        **{name: getattr(both, name) for name in list(both.__dataclass_fields__)[:5]},
        log_losses=(float((weights * found[0]).sum()) / n, float((weights * found[1]).sum()) / n),
        log_loss_gain=mean_interval(gains, weights),
        log_loss_p_value=_flipped(weights * gains),
    )


def _predictions(evaluation: Evaluation) -> Predictions:
    if evaluation.predictions is None:
        raise InputError("an evaluation from a file has no single documents to compare: evaluate(texts, labels) again")
    return evaluation.predictions


def _check_same(one: Predictions, other: Predictions) -> None:
    if len(one.truth) != len(other.truth):
        raise InputError(f"one evaluation has {len(one.truth)} documents, the other {len(other.truth)}")
    for at, (true, same, row, again) in enumerate(zip(one.truth, other.truth, one.rows, other.rows, strict=True)):
        if true != same or row != again:
            raise InputError(
                f"document {at} has label {true!r} in one evaluation and {same!r} in the other: "
                "both have to be of the same documents in the same order"
            )


def _losses(predictions: Predictions) -> NDArray[Any] | None:
    """−log P(true class) of each document; a label that the model does not know is as impossible as can be."""
    import numpy as np

    logs = predictions.log_probabilities
    if logs is None:
        return None
    numbers = {label: number for number, label in enumerate(predictions.classes)}
    own = np.array([numbers.get(label, len(numbers)) for label in predictions.truth])
    return losses(own, np.column_stack([logs, np.full(len(logs), -np.inf)]))


def _flipped(gains: NDArray[Any]) -> float:
    """How often a sum so far from 0 comes from random signs; the signs as they are count too."""
    import numpy as np

    found = abs(float(gains.sum()))
    random = np.random.default_rng(0)
    as_extreme, left = 1, FLIPS
    while left:
        some = min(left, max(AT_ONCE // max(len(gains), 1), 1))
        signs = np.unpackbits(random.integers(0, 256, (some, -(-len(gains) // 8)), np.uint8), axis=1)
        sums = 2 * (signs[:, : len(gains)] @ gains) - gains.sum()
        # Rounding must not make equal sums different.
        as_extreme += int((np.abs(sums) >= found * (1 - 1e-9) - 1e-12).sum())
        left -= some
    return as_extreme / (FLIPS + 1)


def _which(is_second: bool, p_value: float) -> str | None:
    return ("second" if is_second else "first") if p_value < LEVEL else None


def _verdict(which: str | None) -> str:
    return f"the {which} is better" if which else "no difference that could not be chance"
