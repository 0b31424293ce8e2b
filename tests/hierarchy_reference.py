"""Labels in a hierarchy, plainly: paths, distances, pooled probabilities, and decisions by trying every node.

What `banbury.hierarchy` is compared with.
"""

import math
from collections.abc import Mapping, Sequence

Path = tuple[str, ...]


def paths(labels: Sequence[str], separator: str = "/") -> dict[str, Path]:
    """The nodes above each label, and the label itself."""
    made = {}
    for label in labels:
        parts = label.split(separator)
        made[label] = tuple(separator.join(parts[: n + 1]) for n in range(len(parts)))
    return made


def distance(one: Path, other: Path) -> int:
    """Nodes that are on one of the two paths and not on the other."""
    return len(set(one) ^ set(other))


def pooled(
    levels: Sequence[Mapping[str, float]], weights: Sequence[float], by_label: Mapping[str, Path]
) -> dict[str, float]:
    """P(label) ∝ Π P(node of the label at the level) ^ weight, of one document; `levels` are from the top down."""
    products = {}
    for label, path in by_label.items():
        product = 1.0
        for depth, (chances, weight) in enumerate(zip(levels, weights, strict=True)):
            node = label if depth == len(levels) - 1 else path[min(depth, len(path) - 1)]
            product *= chances[node] ** weight
        products[label] = product
    whole = sum(products.values())
    return {label: product / whole for label, product in products.items()}


def loss(documents: Sequence[Sequence[Sequence[float]]], truth: Sequence[int], weights: Sequence[float]) -> float:
    """−Σ log P(true label), with the penalty on weights; documents have log probabilities by level and label."""
    total = 0.0
    for levels, true in zip(documents, truth, strict=True):
        scores = [
            sum(w * logs[label] for w, logs in zip(weights, levels, strict=True)) for label in range(len(levels[0]))
        ]
        total -= scores[true] - math.log(sum(map(math.exp, scores)))
    usual = [0.0] * (len(weights) - 1) + [1.0]
    return total + 5 * sum((w - u) ** 2 for w, u in zip(weights, usual, strict=True))


def expected_distance(node: Path, chances: Mapping[str, float], by_label: Mapping[str, Path]) -> float:
    """Σ P(label) · distance."""
    return sum(chance * distance(node, by_label[label]) for label, chance in chances.items())
