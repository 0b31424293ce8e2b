"""Figures of predictions as they are defined: lists and `math`, every document looked at anew."""

import math
from collections.abc import Sequence
from typing import Any

Labels = Sequence[str]
Table = Sequence[Sequence[float]]


def accuracy(truth: Labels, predicted: Labels) -> float:
    return sum(t == p for t, p in zip(truth, predicted, strict=True)) / len(truth)


def wilson(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The chances p whose distance from the share is z of their own standard errors: a quadratic equation."""
    share = successes / trials
    a, b, c = 1 + z * z / trials, -(2 * share + z * z / trials), share * share
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def precision(truth: Labels, predicted: Labels, label: str) -> float:
    found = [t for t, p in zip(truth, predicted, strict=True) if p == label]
    return sum(t == label for t in found) / len(found) if found else 0.0


def recall(truth: Labels, predicted: Labels, label: str) -> float:
    return precision(predicted, truth, label)


def f1(truth: Labels, predicted: Labels, label: str) -> float:
    p, r = precision(truth, predicted, label), recall(truth, predicted, label)
    return 2 * p * r / (p + r) if p + r else 0.0


def matthews(truth: Labels, predicted: Labels) -> float:
    """The covariance of the two, as vectors of zeros and ones, over the root of their variances."""
    labels, n = sorted({*truth, *predicted}), len(truth)

    def covariance(one: Labels, other: Labels) -> float:
        total = 0.0
        for label in labels:
            a, b = [x == label for x in one], [x == label for x in other]
            total += sum(x and y for x, y in zip(a, b, strict=True)) / n - sum(a) / n * sum(b) / n
        return total

    spread = covariance(truth, truth) * covariance(predicted, predicted)
    return covariance(truth, predicted) / math.sqrt(spread) if spread > 1e-15 else 0.0


def roc_auc(scores: Sequence[Any], is_own: Sequence[bool]) -> float | None:
    """Of all pairs of an own document and another one, the share in which its own has the higher score."""
    pairs = [(a > b) + (a == b) / 2 for a, x in zip(scores, is_own, strict=True) if x
             for b, y in zip(scores, is_own, strict=True) if not y]  # fmt: skip
    return sum(pairs) / len(pairs) if pairs else None


def rates(scores: Sequence[Any], is_own: Sequence[bool], threshold: Any) -> tuple[float, float, float]:
    """Recall, false positive rate and precision of all documents that score at least as much."""
    own = [score >= threshold for score, x in zip(scores, is_own, strict=True) if x]
    others = [score >= threshold for score, x in zip(scores, is_own, strict=True) if not x]
    return sum(own) / len(own), sum(others) / len(others), sum(own) / (sum(own) + sum(others))


def log_loss(truth: Labels, classes: Labels, chances: Table) -> float:
    return -sum(math.log(row[classes.index(t)]) for t, row in zip(truth, chances, strict=True)) / len(truth)


def brier(truth: Labels, classes: Labels, chances: Table) -> float:
    total = sum(
        (chance - (label == t)) ** 2
        for t, row in zip(truth, chances, strict=True)
        for label, chance in zip(classes, row, strict=True)
    )
    return total / len(truth) / (2 if len(classes) == 2 else 1)


def calibration_error(truth: Labels, predicted: Labels, chances: Table, bins: int = 15) -> float:
    error = 0.0
    for number in range(bins):
        inside = [
            (max(row), t == p)
            for t, p, row in zip(truth, predicted, chances, strict=True)
            if min(int(max(row) * bins), bins - 1) == number
        ]
        error += abs(sum(right - chance for chance, right in inside))
    return error / len(truth)


def kept(truth: Labels, predicted: Labels, chances: Table, threshold: float) -> tuple[float, float]:
    """Which share of the documents is sure enough, and which share of these is right."""
    right = [t == p for t, p, row in zip(truth, predicted, chances, strict=True) if max(row) >= threshold]
    return len(right) / len(truth), sum(right) / len(right)


def at_most(successes: int, trials: int, chance: float) -> float:
    return sum(math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(successes + 1))


def cheapest(chances: Sequence[float], costs: Table, unsure: float | None) -> int | None:
    """The decision with the least expected cost, None for none; the first of equal ones."""
    means = [sum(p * costs[true][to] for true, p in enumerate(chances)) for to in range(len(chances))]
    best = min(range(len(means)), key=lambda to: means[to])
    return None if unsure is not None and unsure < means[best] else best
