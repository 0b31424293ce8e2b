"""Decisions from probabilities: by the cost of mistakes, or with a guaranteed error rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.stats.intervals import at_most, fewest_trials, most

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.evaluation import Evaluation

UNSURE = None  # what is decided where nothing is
NATS_ROUNDING = 1e-9  # nats: sums of the same weights in another order differ by less
THRESHOLDS = 96
STARTS = 8
"""Sequences of tests; the allowed error is divided equally among them."""


@dataclass(frozen=True)
class Costs:
    """Decides for the label with the least expected cost, if the probabilities are right.

    >>> costs = Costs.of(["ham", "spam"], {("ham", "spam"): 10, ("spam", "ham"): 1}, unsure=0.2)
    >>> print(costs)
    ham where P(spam) is up to 0.2000
    unsure between
    spam where P(spam) is at least 0.9800
    >>> costs.decide([[0.01, 0.99], [0.5, 0.5], [0.9, 0.1]])
    ['spam', None, 'ham']
    """

    classes: list[Any]
    table: list[list[float]]
    """`table[i][j]`: what it costs to decide for class j where class i is the true one."""
    unsure: float | None = None
    """What it costs to decide nothing; None where something has to be decided."""

    @classmethod
    def of(cls, classes: Sequence[Any], costs: Any = None, *, unsure: float | None = None) -> Costs:
        """The costs of `(true, decided)` pairs of labels, or a whole table in the order of the classes.

        A mistake that is not named costs 1, a right decision 0.
        """
        classes = list(classes)
        n = len(classes)
        table = [[float(true != decided) for decided in range(n)] for true in range(n)]
        if costs is None:
            costs = {}
        if isinstance(costs, Mapping):
            for pair, cost in costs.items():
                if not isinstance(pair, tuple) or len(pair) != 2:
                    raise InputError(f"costs has the key {pair!r}; each key is a pair of labels: (true, decided)")
                for label in pair:
                    if label not in classes:
                        raise InputError(f"costs names {label!r}; the classes are {', '.join(map(repr, classes))}")
                table[classes.index(pair[0])][classes.index(pair[1])] = _cost(cost, pair)
        else:
            rows = [list(row) for row in costs]
            if len(rows) != n or any(len(row) != n for row in rows):
                raise InputError(f"costs must have {n} rows of {n} numbers: one row for each true class")
            table = [
                [_cost(cost, (classes[true], classes[decided])) for decided, cost in enumerate(row)]
                for true, row in enumerate(rows)
            ]
        return cls(classes, table, None if unsure is None else _cost(unsure, "unsure"))

    def expected(self, probabilities: Any) -> NDArray[Any]:
        """Expected cost of each decision, by document and class; the cost of staying unsure comes last, where that is
        allowed.
        """
        costs = _checked(probabilities, len(self.classes)) @ np.array(self.table)
        return costs if self.unsure is None else np.column_stack([costs, np.full(len(costs), self.unsure)])

    def decide(self, probabilities: Any) -> list[Any]:
        """The label with the least expected cost for each document, the first of equal ones; None where staying unsure
        costs less.
        """
        labels = [*self.classes, UNSURE]
        return [labels[class_id] for class_id in self.expected(probabilities).argmin(axis=1).tolist()]

    def total(self, truth: Sequence[Any], decided: Sequence[Any]) -> float:
        """The total cost of decisions."""
        if len(truth) != len(decided):
            raise InputError(f"{len(truth)} labels but {len(decided)} decisions")
        numbers = {label: number for number, label in enumerate(self.classes)}
        sum_ = 0.0
        for row, (true, label) in enumerate(zip(truth, decided, strict=True)):
            if label is UNSURE and self.unsure is not None:
                sum_ += self.unsure
            elif true in numbers and label in numbers:
                sum_ += self.table[numbers[true]][numbers[label]]
            else:
                raise InputError(f"document {row} is {true!r} and was decided to be {label!r}: that has no cost here")
        return sum_

    def ranges(self) -> list[tuple[Any, float, float]]:
        """For two classes, the ranges of P(second class) that lead to each decision, in order."""
        if len(self.classes) != 2:
            raise InputError(f"there are ranges for two classes, not for {len(self.classes)}")
        # A decision's expected cost is a line over the probability; where two of them cross it may change.
        (right, wrong), (missed, hit) = self.table
        lines = [(right, missed - right), (wrong, hit - wrong)]
        if self.unsure is not None:
            lines.append((self.unsure, 0.0))
        crossings = {(b - d) / (c - a) for b, a in lines for d, c in lines if a != c and 0 < (b - d) / (c - a) < 1}
        ends = [0.0, *sorted(crossings), 1.0]
        parts: list[tuple[Any, float, float]] = []
        for low, high in pairwise(ends):
            middle = (low + high) / 2
            label = self.decide([[1 - middle, middle]])[0]
            if parts and parts[-1][0] == label:
                parts[-1] = (label, parts[-1][1], high)
            else:
                parts.append((label, low, high))
        return parts

    def __str__(self) -> str:
        if len(self.classes) != 2:
            rows = [
                f"{true!s} taken for {decided!s}: {cost:g}"
                for true, row in zip(self.classes, self.table, strict=True)
                for decided, cost in zip(self.classes, row, strict=True)
                if cost
            ]
            return "\n".join([*rows, *([] if self.unsure is None else [f"unsure: {self.unsure:g}"])])
        lines = []
        for label, low, high in self.ranges():
            name = "unsure" if label is UNSURE else str(label)
            where = f"where P({self.classes[1]}) is "
            if low == 0 and high == 1:
                lines.append(f"{name} always")
            elif low == 0:
                lines.append(f"{name} {where}up to {high:.4f}")
            elif high == 1:
                lines.append(f"{name} {where}at least {low:.4f}")
            else:
                lines.append(f"{name} between")
        return "\n".join(lines)


def _cost(cost: Any, what: object) -> float:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number) or number < 0:
        raise InputError(f"the cost of {what!r} is {cost!r}; a cost is a number, 0 or more")
    return number


def _checked(probabilities: Any, n_classes: int) -> NDArray[Any]:
    chances: NDArray[Any] = np.asarray(probabilities, dtype=float)
    if chances.ndim != 2 or chances.shape[1] != n_classes:
        raise InputError(f"the probabilities have shape {chances.shape}; they need one column for each of {n_classes}")
    return chances


@dataclass(frozen=True)
class Margin:
    """Decides for the most probable class where it leads the next one by more than so many nats.

    With 0 nats only ties are undecided: documents of which nothing speaks for one class more than for another.

    >>> rule = Margin.of(["negative", "positive"], 0.5)
    >>> rule.decide([[0.5, 0.5], [0.4, 0.6], [0.2, 0.8]])
    [None, None, 'positive']
    """

    classes: list[Any]
    nats: float

    @classmethod
    def of(cls, classes: Sequence[Any], nats: float) -> Margin:
        """The rule of these classes; a margin is a number of nats, 0 or more."""
        if isinstance(nats, bool) or not isinstance(nats, (int, float)) or not (isfinite(nats) and nats >= 0):
            raise InputError(f"margin is {nats!r}; it must be a number of nats, 0 or more")
        return cls(list(classes), float(nats))

    def decide(self, probabilities: Any) -> list[Any]:
        """The most probable label of each document; None where its lead is too small."""
        with np.errstate(divide="ignore"):
            return self.decide_scores(np.log(_checked(probabilities, len(self.classes))))

    def decide_scores(self, scores: NDArray[Any]) -> list[Any]:
        """The most probable label of each document, by its scores; None where its lead is too small."""
        best = [self.classes[class_id] for class_id in scores.argmax(axis=1).tolist()]
        if len(self.classes) < 2:
            return best
        ordered = np.sort(scores, axis=1)
        # Two impossible classes are as likely as each other.
        with np.errstate(invalid="ignore"):
            lead = np.where(ordered[:, -1] == ordered[:, -2], 0.0, ordered[:, -1] - ordered[:, -2])
        is_clear = (lead > self.nats + NATS_ROUNDING).tolist()
        return [label if clear else UNSURE for label, clear in zip(best, is_clear, strict=True)]


@dataclass(frozen=True)
class Promise:
    """Decides where the best class is probable enough to keep a guaranteed error rate.

    With the given confidence, at most the share `error` of the decided documents is wrong, for documents drawn like
    those that it was made from. That holds for any number of documents, any distribution, and uncalibrated
    probabilities. The documents must not have been used to train or to choose the model; leave-one-out comes close to
    that.
    """

    classes: list[Any]
    threshold: float | None
    """Documents are decided from this probability of the best class on; None if no error rate can be guaranteed."""
    error: float
    confidence: float
    n_documents: int
    """How many it was made from, how many of them are kept, and how many of those are wrong:"""
    n_kept: int
    n_wrong: int

    @property
    def coverage(self) -> float:
        """The share of the documents that is decided."""
        return self.n_kept / self.n_documents if self.n_documents else 0.0

    @property
    def bound(self) -> float:
        """Upper confidence bound of the share of mistakes, from these documents alone."""
        return float(most(self.n_wrong, self.n_kept, 1 - self.confidence))

    def decide(self, probabilities: Any) -> list[Any]:
        """The most probable label of each document, None where it is not probable enough."""
        chances = _checked(probabilities, len(self.classes))
        best = chances.argmax(axis=1).tolist()
        if self.threshold is None:
            return [UNSURE] * len(best)
        sure = (chances.max(axis=1) >= self.threshold).tolist()
        return [self.classes[class_id] if is_sure else UNSURE for class_id, is_sure in zip(best, sure, strict=True)]

    def __str__(self) -> str:
        asked = f"at most {self.error:.2%} wrong of what is decided, with {self.confidence:.0%} confidence"
        if self.threshold is None:
            return f"nothing can be promised: {self.n_documents} documents do not show how to have {asked}"
        where = f"decided from a probability of {self.threshold:.4f} on" if self.threshold else "everything is decided"
        return (
            f"{where}: {asked}\n"
            f"{self.n_kept} of {self.n_documents} documents ({self.coverage:.1%}) are decided so, {self.n_wrong} wrong"
        )


Rule = Costs | Margin | Promise


@dataclass(frozen=True)
class DecisionCost:
    """What decisions cost by costs of mistakes, for each document: by these costs, and by other ways to decide."""

    per_document: float
    n_unsure: int
    most_likely: float
    """If the most probable label were taken, whatever mistakes cost."""
    always: tuple[Any, float]
    """The label that costs least if it is taken for all documents, and what that costs."""

    def __str__(self) -> str:
        unsure = f"  ({self.n_unsure} undecided)" if self.n_unsure else ""
        rows = [
            ("decided by these costs", f"{self.per_document:.4f}{unsure}"),
            ("the most likely label", f"{self.most_likely:.4f}"),
            (f"always {self.always[0]}", f"{self.always[1]:.4f}"),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(["cost per document", *(f"  {name:{width}}  {cost}" for name, cost in rows)])


def decision_cost(evaluation: Evaluation, costs: Costs) -> DecisionCost:
    """What decisions on evaluated documents cost; documents with labels that the model does not know are left out.

    >>> from banbury.results.evaluation import evaluate
    >>> logs = np.log([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> evaluation = evaluate(["ham", "ham", "spam"], log_probabilities=logs, classes=["ham", "spam"])
    >>> decision_cost(evaluation, Costs.of(["ham", "spam"], {("ham", "spam"): 9}, unsure=0.5)).per_document
    0.3333333333333333
    """
    predictions = evaluation.predictions
    if predictions is None or predictions.log_probabilities is None:
        raise InputError("costs need the probabilities of single documents: evaluate(texts, labels) has them")
    known = [row for row, label in enumerate(predictions.truth) if label in costs.classes]
    if not known:
        raise InputError(f"no document has a label that costs are known of: {', '.join(map(repr, costs.classes))}")
    truth, weights = [predictions.truth[row] for row in known], predictions.weights[known]

    def mean(decided: Sequence[Any]) -> float:
        each = [costs.total([true], [label]) for true, label in zip(truth, decided, strict=True)]
        return float(np.average(each, weights=weights))

    decided = costs.decide(np.exp(predictions.log_probabilities[known]))
    always = min(((label, mean([label] * len(truth))) for label in costs.classes), key=lambda one: one[1])
    n_unsure = int(weights[[label is UNSURE for label in decided]].sum())
    return DecisionCost(mean(decided), n_unsure, mean([predictions.predicted[row] for row in known]), always)


def promise(evaluation: Evaluation, *, error: float, confidence: float = 0.95) -> Promise:
    """The lowest threshold with a proven error rate: at most the share `error` of the decided documents is wrong.

    Thresholds are fixed beforehand and tested from high to low by the exact binomial test, each only after the one
    before has passed ("learn then test": Angelopoulos et al., 2021). Eight such sequences start at different
    thresholds, each with an eighth of the allowed error, since at high thresholds there may be too few documents to
    pass a test.

    >>> from banbury import Classifier
    >>> from banbury.datasets import demo
    >>> model = Classifier().fit(*demo())
    >>> made = promise(model.report_, error=0.1)
    >>> made.n_wrong / made.n_kept < 0.1 < made.coverage
    True
    """
    for name, value in (("error", error), ("confidence", confidence)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or isnan(value) or not 0 < value < 1:
            raise InputError(f"{name} is {value!r}; it must be between 0 and 1")
    predictions = evaluation.predictions
    if predictions is None or predictions.log_probabilities is None:
        raise InputError(
            "a promise needs the probabilities of single documents, which files do not keep: "
            "evaluate(texts, labels) has them"
        )
    thresholds = _thresholds(len(predictions.classes))
    # Equal documents of leave-one-out are one that counts several times: to be seen once is all that can be relied on.
    sure, wrong = predictions.confidence, ~predictions.is_right
    places = np.searchsorted(-np.array(thresholds), -sure)
    kept = np.cumsum(np.bincount(places, minlength=len(thresholds) + 1))[:-1]
    bad = np.cumsum(np.bincount(places, wrong, len(thresholds) + 1))[:-1].astype(int)
    lowest = last_proven(kept.tolist(), bad.tolist(), error, (1 - confidence) / STARTS)
    return Promise(
        classes=predictions.classes,
        threshold=None if lowest is None else thresholds[lowest],
        error=error,
        confidence=confidence,
        n_documents=len(sure),
        n_kept=0 if lowest is None else int(kept[lowest]),
        n_wrong=0 if lowest is None else int(bad[lowest]),
    )


def decision_rule(classes: list[Any], rule: Rule | None, *, costs: Any = None, unsure: float | None = None) -> Rule:
    """The rule that was given, or one of these costs; a rule for other classes is an error."""
    if rule is None:
        return Costs.of(classes, costs, unsure=unsure)
    if costs is not None or unsure is not None:
        raise InputError("give a rule, or costs and unsure, not both")
    if rule.classes != classes:
        raise InputError(f"the rule is for the classes {rule.classes}; this model has {classes}")
    return rule


def _thresholds(n_classes: int) -> list[float]:
    """Thresholds from high to low, in equal steps of the log odds, fixed before documents are seen; the last keeps
    everything.
    """
    low = -np.log(max(n_classes - 1, 1)) if n_classes > 2 else 0.0
    odds = np.linspace(9.0, low, THRESHOLDS)
    thresholds: list[float] = (1 / (1 + np.exp(-odds))).tolist()
    return [*thresholds[:-1], 0.0]


def last_proven(kept: list[int], bad: list[int], error: float, allowed: float) -> int | None:
    """The last of some thresholds, from high to low, that passes a test of its error rate; None where none does.

    `kept` are the documents at or above each threshold, `bad` those of them that are wrong. Each sequence of tests ends
    at the first that fails, and may be wrong with the probability `allowed`.
    """
    needed = fewest_trials(error, allowed)
    lowest = None
    for start in range(0, len(kept), -(-len(kept) // STARTS)):
        for place in range(start, len(kept)):
            if kept[place] < needed or at_most(bad[place], kept[place], error) > allowed:
                break
            lowest = place if lowest is None else max(lowest, place)
    return lowest
