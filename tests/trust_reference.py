"""The automatic model's formulas, plainly: dictionaries, lists and `math`. What the kernel's are compared with.

A document is a list of blocks, each with its distinct features in the order of their first occurrence; a pair is a
tuple of two words. Nothing is subtracted: to leave a document out, the others are counted.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Z_KNOTS = [0, 0.5, 1, 2, 4, 8, 16]
D_KNOTS = [math.log2(n) for n in (1, 2, 4, 8, 32, 128, 1024)]

Block = list[Hashable]
Document = list[Block]


def document(words: Sequence[str], *, pairs: bool = True) -> Document:
    """Its words, and its pairs of words."""
    found: Document = [list(dict.fromkeys(words))]
    if pairs:
        found.append(list(dict.fromkeys(pairwise(words))))
    return found


@dataclass(frozen=True)
class Table:
    """Documents of each class with each feature, of one block."""

    classes: list[str]
    with_feature: dict[str, Counter[Hashable]]

    def size(self, label: str) -> float:
        return sum(self.with_feature[label].values())

    def documents(self, feature: Hashable) -> int:
        return sum(self.with_feature[label][feature] for label in self.classes)

    def frequencies(self, feature: Hashable, label: str) -> tuple[float, float, float, float, float]:
        """Logarithms inside, outside and overall, then the smoothed counts inside and outside."""
        inside = self.with_feature[label][feature]
        outside = self.documents(feature) - inside
        whole = sum(self.size(other) for other in self.classes)
        size, rest = max(self.size(label), 1e-3), max(whole - self.size(label), 1e-3)
        share = size / (size + rest)
        a, r = inside + share, outside + (1 - share)
        overall = math.log((inside + outside + 1) / (size + rest))
        return math.log(a / size), math.log(r / rest), overall, a, r

    def odds(self, feature: Hashable, label: str) -> float:
        f1, f0, *_ = self.frequencies(feature, label)
        return f1 - f0


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


def basis(tables: list[Table], one: Document, label: str) -> list[float]:
    """What each number of the curves is multiplied by in the score of a document for a class."""
    two = len(tables[0].classes) == 2
    values = []
    for table, block in zip(tables, one, strict=True):
        known = [feature for feature in block if table.documents(feature)]
        for power in [0.5] if two else [0.5, 1.0]:
            curves = [[0.0] * 7 for _ in range((2 if two else 3) + (table is not tables[0]))]
            for feature in known:
                inside, outside, overall, a, r = table.frequencies(feature, label)
                odds = inside - outside
                z = hat(abs(odds) / math.sqrt(1 / a + 1 / r), Z_KNOTS)
                d = hat(math.log2(table.documents(feature)), D_KNOTS)
                terms = [(odds, z), (odds, d)] if two else [(odds, z), (inside - overall, d), (overall - outside, d)]
                if table is not tables[0]:
                    assert isinstance(feature, tuple)
                    terms.append((sum(tables[0].odds(word, label) for word in feature), d))
                for curve, (value, weights) in zip(curves, terms, strict=True):
                    for at in range(7):
                        curve[at] += value * weights[at] * len(known) ** -power
            values += [number for curve in curves for number in curve]
    return values


def leave_one_out(documents: Sequence[Document], labels: Sequence[str]) -> list[list[list[float]]]:
    """The basis of each document for each class, from counts of all others; every class stays."""
    classes = sorted(set(labels))
    found = []
    for i, one in enumerate(documents):
        tables = count([*documents[:i], *documents[i + 1 :]], [*labels[:i], *labels[i + 1 :]], classes)
        found.append([basis(tables, one, label) for label in classes])
    return found
