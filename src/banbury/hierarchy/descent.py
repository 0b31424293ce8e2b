"""Descent: how far down the tree a prediction goes.

One step down, from a node to the most probable one below it, is right with the probability p of that node. Where a
step too far costs w times what a step too few costs, it is worth taking while p > w / (1 + w): while it is sure enough.
`sure` of ½ has the least expected distance between prediction and truth, among all nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.hierarchy.tree import Node, Tree


def check_sure(sure: object) -> None:
    """That `sure` is a probability, or None."""
    is_number = isinstance(sure, int | float) and not isinstance(sure, bool)
    if sure is not None and not (is_number and 0 <= sure <= 1):  # type: ignore[operator]
        raise InputError(f"sure is {sure!r}; it must be a probability, from 0 to 1, or None")


def node_probabilities(tree: Tree, chances: NDArray[np.float64]) -> dict[Node, NDArray[np.float64]]:
    """The probability of each node for each document: the sum of those of its labels, whose order is the tree's."""
    return {node: np.minimum(chances[:, leaves].sum(axis=1), 1.0) for node, leaves in tree.leaves_of.items()}


def descend(tree: Tree, chances: NDArray[np.float64], sure: float) -> list[Node | None]:
    """The deepest node of each document that is at least so probable, None where none is.

    From each node the way leads to the most probable one below it, the first of equal ones.

    >>> from banbury.hierarchy.tree import Tree
    >>> tree = Tree.of(["sport/football", "sport/golf", "weather"])
    >>> descend(tree, np.array([[0.5, 0.4, 0.1], [0.3, 0.2, 0.5], [0.4, 0.3, 0.3]]), 0.7)
    ['sport', None, 'sport']
    """
    by_node = node_probabilities(tree, chances)
    reached: list[Node | None] = [None] * len(chances)
    waiting: list[tuple[Node | None, NDArray[np.intp]]] = [(None, np.arange(len(chances)))]
    while waiting:
        above, rows = waiting.pop()
        below = tree.children.get(above, [])
        if not below or not len(rows):
            continue
        table = np.column_stack([by_node[node][rows] for node in below])
        best = table.argmax(axis=1)
        is_sure = table[np.arange(len(rows)), best] >= sure
        for place, node in enumerate(below):
            onward = rows[is_sure & (best == place)]
            for row in onward.tolist():
                reached[row] = node
            waiting.append((node, onward))
    return reached


def nearest_labels(tree: Tree, chances: NDArray[np.float64]) -> NDArray[np.intp]:
    """The number of the label with the least expected distance from the true one, for each document.

    The distance of two labels is depth + depth − 2 · shared nodes. So the expected one is a label's depth less twice
    the sum of the probabilities of the nodes on its path, up to a number that all labels of a document share.
    """
    by_node = node_probabilities(tree, chances)
    costs = [len(path) - 2 * sum(by_node[node] for node in path) for path in tree.paths.values()]
    nearest: NDArray[np.intp] = np.column_stack(costs).argmin(axis=1)
    return nearest


def nodes_as_array(nodes: list[Any]) -> NDArray[Any]:
    """Nodes as predictions come: an array of the labels' type, or of objects where some are None."""
    return np.array(nodes, dtype=object if any(node is None for node in nodes) else None)
