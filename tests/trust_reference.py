"""The automatic model's formulas, plainly: dictionaries, lists and `math`. What the kernel's are compared with.

A document is a list of blocks, each with its distinct features in the order of their first occurrence; a pair is a
tuple of two words. Nothing is subtracted: to leave documents out, the others are counted.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Z_KNOTS = [0, 0.5, 1, 2, 4, 8, 16]
D_KNOTS = [math.log2(n) for n in (1, 2, 4, 8, 32, 128, 1024)]
REPEATS = [4, 128]

Block = list[Hashable]
Document = list[Block]


def document(words: Sequence[str], *, pairs: bool = True) -> Document:
    """Its words, and its pairs of words."""
    found: Document = [list(dict.fromkeys(words))]
    if pairs:
        found.append(list(dict.fromkeys(pairwise(words))))
    return found


def windows(words: Sequence[str]) -> list[Document]:
    """All parts of a text, each some words that follow each other; of an empty one the empty one."""
    n = len(words)
    parts = [words[start:end] for start in range(n) for end in range(start + 1, n + 1)]
    return [document(part) for part in parts or [[]]]


@dataclass(frozen=True)
class Evidence:
    """What a feature says for a class: inside, outside, together, and how sure that is."""

    inside: float
    outside: float
    odds: float
    z: float


@dataclass(frozen=True)
class Table:
    """Documents of each class with each feature, of one block."""

    classes: list[str]
    with_feature: dict[str, Counter[Hashable]]

    def size(self, label: str) -> float:
        return sum(self.with_feature[label].values())

    def documents(self, feature: Hashable) -> int:
        return sum(self.with_feature[label][feature] for label in self.classes)

    def evidence(self, feature: Hashable, label: str) -> Evidence:
        df, a = self.documents(feature), self.with_feature[label][feature]
        whole = max(sum(self.size(other) for other in self.classes), 1)
        q = min(max(self.size(label) / whole, 1e-9), 1 - 1e-9)
        k1, k0 = 0.7 * math.sqrt(q), 0.7 * math.sqrt(1 - q)
        e1 = math.log((a + k1) / (df * q + k1))
        e0 = -math.log((df - a + k0) / (df * (1 - q) + k0))
        odds = e1 + e0
        return Evidence(e1, e0, odds, abs(odds) / math.sqrt(1 / (a + k1) + 1 / (df - a + k0)))


def count(documents: Sequence[Document], labels: Sequence[str], classes: list[str]) -> list[Table]:
    n_blocks = len(documents[0]) if documents else 2
    tables = [Table(classes, {label: Counter() for label in classes}) for _ in range(n_blocks)]
    for one, label in zip(documents, labels, strict=True):
        for table, block in zip(tables, one, strict=True):
            table.with_feature[label].update(block)
    return tables


def hat(value: float, knots: list[float]) -> list[float]:
    """The value as weights of its two neighbouring knots."""
    value = min(max(value, knots[0]), knots[-1])
    weights = [0.0] * len(knots)
    for at in range(len(knots) - 1):
        if knots[at] <= value <= knots[at + 1]:
            share = (value - knots[at]) / (knots[at + 1] - knots[at])
            weights[at], weights[at + 1] = 1 - share, share
            break
    return weights


def scale(m: float, cap: float, repeats: float) -> float:
    """What the sum of m features of a document is multiplied with."""
    within = min(m, cap)
    return (1 / (1 + within / repeats)) * min(1, cap / m if m else 1)


def growth(m: float) -> float:
    """How much of what a class gets in a long document one with m words has."""
    return m / (m + 16)


def lengths(tables: list[Table], one: Document) -> list[int]:
    """How many features of each block are known."""
    return [sum(table.documents(feature) > 0 for feature in block) for table, block in zip(tables, one, strict=True)]


def basis(tables: list[Table], one: Document, label: str, caps: Sequence[float], *, two: bool) -> list[float]:
    """What each number of the curves is multiplied by in the score of a document for a class.

    With `two` the curves inside and outside are one: two classes need no more.
    """
    values = []
    for table, block, cap in zip(tables, one, caps, strict=True):
        known = [feature for feature in block if table.documents(feature)]
        for repeats in REPEATS:
            curves = [[0.0] * 7 for _ in range((2 if two else 3) + (table is not tables[0]))]
            for feature in known:
                said = table.evidence(feature, label)
                z = hat(said.z, Z_KNOTS)
                d = hat(math.log2(table.documents(feature)), D_KNOTS)
                terms = [(said.odds, z), *([(said.odds, d)] if two else [(said.inside, d), (said.outside, d)])]
                if table is not tables[0]:
                    assert isinstance(feature, tuple)
                    terms.append((sum(tables[0].evidence(word, label).odds for word in feature), d))
                for curve, (value, weights) in zip(curves, terms, strict=True):
                    for at in range(7):
                        curve[at] += value * weights[at] * scale(len(known), cap, repeats)
            values += [number for curve in curves for number in curve]
    return values


def without(documents: Sequence[Document], labels: Sequence[str], is_left_out: Callable[[int], bool]) -> list[Table]:
    """The counts of those documents that are not left out; every class stays."""
    rest = [at for at in range(len(documents)) if not is_left_out(at)]
    return count([documents[at] for at in rest], [labels[at] for at in rest], sorted(set(labels)))


def row_weights(rows: Sequence[tuple[str, str, int]]) -> list[float]:
    """How much each distinct document counts in a fit: its group, its label, its weight; all of them are given."""
    bounded: list[float] = []
    for _, label, own in rows:
        alike = sorted(other for _, known, other in rows if known == label)
        middle = (alike[(len(alike) - 1) // 2] + alike[len(alike) // 2]) / 2
        bounded.append(min(own, 10 * middle))
    by_group = dict.fromkeys((group for group, _, _ in rows), 0.0)
    for (group, _, _), weight in zip(rows, bounded, strict=True):
        by_group[group] += weight
    times = sum(by_group.values()) / sum(weight**2 for weight in by_group.values())
    found = []
    for (group, label, _), weight in zip(rows, bounded, strict=True):
        gone = sum(other for known, at, other in rows if known == group and at == label)
        whole = sum(other for _, at, other in rows if at == label)
        found.append(weight * times * (1 - gone / whole))
    return found


def faded(shift: float, then: float, now: float) -> float:
    """The shift of a label whose share of the documents has moved since it was fitted."""
    return shift * min(then / now, now / then)


def factor(n: int, slope: float, *, few: float) -> float:
    """What the evidence of a new label with n documents is multiplied with."""
    return n / (n + few) * min(math.exp(slope), 1 + n / 30)


def asked_for(shift: float, slope: float, words: int, missed: float, said: float) -> tuple[float, float]:
    """Shift and slope of a new label after one more document of so many words.

    The others gave its label the probability 1 - missed; its words said so many nats for the label.
    """
    shift += growth(words) * missed - shift / 30
    slope += 0.1 * missed * min(max(said, -3), 3) - slope / 30
    return shift, min(max(slope, math.log(1 / 2)), math.log(3))
