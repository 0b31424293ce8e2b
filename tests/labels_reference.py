"""Several labels a document, plainly: each label is a model of two classes, the documents that have it and all others.

What `banbury.labels` is compared with. Nothing is subtracted: what is outside a label, or left out, is counted again.
"""

import math
from collections.abc import Sequence

import trust_reference as twin

LabelSet = tuple[str, ...]


def tables(documents: Sequence[twin.Document], sets: Sequence[LabelSet], label: str) -> list[twin.Table]:
    """The counts inside a label and outside it."""
    sides = ["inside" if label in labels else "outside" for labels in sets]
    return twin.count(documents, sides, ["inside", "outside"])


def basis(
    documents: Sequence[twin.Document], sets: Sequence[LabelSet], label: str, one: twin.Document, caps: Sequence[float]
) -> list[float]:
    """What each number of the curves is multiplied by in the evidence of a document for a label."""
    return twin.basis(tables(documents, sets, label), one, "inside", caps, two=False)


def start(sets: Sequence[LabelSet], label: str) -> float:
    """The log-odds of a label in an empty document."""
    inside = sum(label in labels for labels in sets)
    return math.log((inside + 2) / (len(sets) - inside + 2))


def log_odds(
    documents: Sequence[twin.Document],
    sets: Sequence[LabelSet],
    label: str,
    one: twin.Document,
    *,
    curves: Sequence[float],
    caps: Sequence[float],
    prior: float,
    shift: float,
    slope: float,
) -> float:
    """The log-odds of a label in a document."""
    said = sum(value * curve for value, curve in zip(basis(documents, sets, label, one, caps), curves, strict=True))
    first = start(sets, label)
    share = twin.growth(twin.lengths(tables(documents, sets, label), one)[0])
    return first + share * ((prior - 1) * first + shift) + slope * 2 * said


def f1(truth: Sequence[bool], decided: Sequence[bool]) -> float:
    """2 · right / (true + decided)."""
    both = sum(truth) + sum(decided)
    return 2 * sum(a and b for a, b in zip(truth, decided, strict=True)) / both if both else 0.0


def ranking(truth: Sequence[bool], scores: Sequence[float]) -> tuple[float, float, float]:
    """Ranking loss, ranking average precision and coverage of one document, by the definitions."""
    n = len(truth)
    own = [at for at in range(n) if truth[at]]
    ranks = {at: sum(scores[other] >= scores[at] for other in range(n)) for at in own}
    coverage = max(ranks.values(), default=0)
    if not own or len(own) == n:
        return 0.0, 1.0, float(coverage)
    precision = sum(sum(scores[other] >= scores[at] for other in own) / ranks[at] for at in own) / len(own)
    wrong = sum(scores[other] >= scores[at] for at in own for other in range(n) if not truth[other])
    return wrong / (len(own) * (n - len(own))), precision, float(coverage)
