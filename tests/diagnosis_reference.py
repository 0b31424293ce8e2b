"""What is wrong with documents, as it is defined: sets, loops and `math`."""

import math
from collections import Counter
from collections.abc import Sequence

Documents = Sequence[Sequence[str]]


def overlap(one: Sequence[str], other: Sequence[str], n: int = 3) -> float:
    """The share of the runs of n words of either that both have."""
    a, b = ({tuple(words[i : i + n]) for i in range(max(len(words) - n + 1, 1))} for words in (one, other))
    return len(a & b) / len(a | b)


def near(documents: Documents, similarity: float) -> list[list[int]]:
    """Groups of documents that are linked by overlaps, each compared with each."""
    groups: list[set[int]] = []
    for at, words in enumerate(documents):
        linked = [g for g in groups if any(words and overlap(words, documents[to]) >= similarity for to in g)]
        groups = [g for g in groups if g not in linked] + [{at}.union(*linked)]
    return sorted(sorted(group) for group in groups if len(group) > 1)


def together(documents: Documents, one: str, other: str) -> int:
    return sum(one in words and other in words for words in documents)


def expected(documents: Documents, labels: Sequence[str], one: str, other: str) -> float:
    """How many documents would have both words, each with probability 1 − exp(−θ L) and on its own."""
    total = 0.0
    for label in set(labels):
        inside = [words for words, own in zip(documents, labels, strict=True) if own == label]

        def rate(word: str, inside: Documents = inside) -> float:
            present = sum(word in words for words in inside)
            low, high = 0.0, 100.0
            for _ in range(200):
                middle = (low + high) / 2
                enough = sum(1 - math.exp(-middle * len(words)) for words in inside) >= present
                low, high = (low, middle) if enough else (middle, high)
            return low

        a, b = rate(one), rate(other)
        total += sum((1 - math.exp(-a * len(words))) * (1 - math.exp(-b * len(words))) for words in inside)
    return total


def presence_weight(inside: int, size: int, outside: int, others: int) -> float:
    return math.log((inside + 0.5) / (size + 1)) - math.log((outside + 0.5) / (others + 1))


def counted_twice(documents: Documents, labels: Sequence[str], one: str, other: str) -> float:
    """Over documents with both words: the evidence of each less that of both, but no more than the weaker has."""
    sets = [set(words) for words in documents]
    total = 0.0
    for label in set(labels):
        size, others = labels.count(label), len(labels) - labels.count(label)

        def weight(words: set[str], label: str = label, size: int = size, others: int = others) -> tuple[float, int]:
            has = Counter(own == label for own, found in zip(labels, sets, strict=True) if words <= found)
            return presence_weight(has[True], size, has[False], others), has[True]

        (a, _), (b, _), (both, n) = weight({one}), weight({other}), weight({one, other})
        if a * b > 0:
            sign = 1 if a > 0 else -1
            total += n * min(max(sign * (a + b - both), 0), abs(a), abs(b))
    return total
