"""Tree: the hierarchy of labels, each with its path from the top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from banbury.errors import InputError, LabelError

Node = Any
"""A label, or what stands above labels: of the labels' own type."""


@dataclass(frozen=True)
class Tree:
    """The paths of labels: the nodes from the top down to the label itself.

    >>> tree = Tree.of(["sport/golf", "sport/football/news", "weather"])
    >>> tree.paths["sport/football/news"]
    ('sport', 'sport/football', 'sport/football/news')
    >>> tree.depth, tree.at("weather", 2), tree.at("sport/football/news", 2)
    (3, 'weather', 'sport/football')
    """

    paths: dict[Any, tuple[Node, ...]]

    @classmethod
    def of(cls, labels: Iterable[Any], separator: str = "/", parents: Mapping[Any, Any] | None = None) -> Tree:
        """The tree of these labels: by their names, or by a mapping from each label and node to what is above it."""
        if not isinstance(separator, str) or not separator:
            raise InputError(f"separator is {separator!r}; it must be a text, such as '/' or '.'")
        leaves = sorted(set(labels))
        if parents is not None:
            _check_parents(parents)
        if parents is None:
            paths = {label: _path_by_name(label, separator) for label in leaves}
        else:
            paths = {label: _path_by_parents(label, parents) for label in leaves}
        for label, path in paths.items():
            for node in path[:-1]:
                if node in paths:
                    raise LabelError(
                        f"label {node!r} is a leaf and the parent of {label!r}; documents have leaves as labels: "
                        f"give those of {node!r} one of their own{_own_leaf(node, separator, parents)}"
                    )
        return cls(paths)

    @cached_property
    def depth(self) -> int:
        """How many levels there are."""
        return max(map(len, self.paths.values()), default=0)

    def at(self, label: Any, level: int) -> Node:
        """The node of a label at a level, counted from 1 at the top; a label that ends above it is its own node."""
        path = self.paths[label]
        return path[min(level, len(path)) - 1]

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes, from the top down and sorted at each level; labels are among them."""
        by_level = {node: level for path in self.paths.values() for level, node in enumerate(path)}
        return sorted(by_level, key=lambda node: (by_level[node], node))

    @cached_property
    def leaves_of(self) -> dict[Node, list[int]]:
        """The numbers, among the sorted labels, of those below each node."""
        below: dict[Node, list[int]] = {node: [] for node in self.nodes}
        for number, path in enumerate(self.paths.values()):
            for node in path:
                below[node].append(number)
        return below

    @cached_property
    def children(self) -> dict[Node | None, list[Node]]:
        """The nodes directly below each node, sorted; those of the top are below None."""
        below: dict[Node | None, set[Node]] = {}
        for path in self.paths.values():
            for above, node in zip((None, *path), path, strict=False):
                below.setdefault(above, set()).add(node)
        return {above: sorted(nodes) for above, nodes in below.items()}

    @cached_property
    def path_of(self) -> dict[Node, tuple[Node, ...]]:
        """The path of every node, down to itself."""
        return {node: path[: level + 1] for path in self.paths.values() for level, node in enumerate(path)}


def steps_between(one: tuple[Node, ...], other: tuple[Node, ...]) -> int:
    """The distance of two paths: the steps up from the end of one and down to the end of the other.

    >>> steps_between(("sport", "golf"), ("sport", "football")), steps_between(("sport", "golf"), ())
    (2, 2)
    """
    shared = shared_nodes(one, other)
    return len(one) + len(other) - 2 * shared


def shared_nodes(one: tuple[Node, ...], other: tuple[Node, ...]) -> int:
    """How many nodes two paths have in common."""
    return sum(a == b for a, b in zip(one, other, strict=False))


def _path_by_name(label: Any, separator: str) -> tuple[str, ...]:
    if not isinstance(label, str):
        raise LabelError(
            f"label {label!r} is of type {type(label).__name__}; labels of a hierarchy are texts, such as "
            f"'sport{separator}football', or parents= says what is above each"
        )
    parts = label.split(separator)
    if not all(parts):
        raise LabelError(f"label {label!r} has an empty part between its separators {separator!r}")
    return tuple(separator.join(parts[:end]) for end in range(1, len(parts) + 1))


def _check_parents(parents: object) -> None:
    """That these are a mapping without a cycle, also among nodes that no label has yet; else an `InputError`."""
    if not isinstance(parents, Mapping):
        raise InputError(
            f"parents is of type {type(parents).__name__}; it is a dictionary from each label and node to what is "
            "above it, such as {'golf': 'sport'}"
        )
    ends: set[Any] = {None}  # nodes whose way up comes to an end
    for node in parents:
        path: dict[Any, None] = {}
        while node not in ends:
            if node in path:
                cycle = [*list(path)[list(path).index(node) :], node]
                raise InputError(f"parents has a cycle: {' → '.join(map(repr, cycle))}")
            path[node], above = None, parents.get(node)
            if above is not None and not isinstance(above, str | int | float):
                raise LabelError(f"{above!r}, the parent of {node!r}, is of type {type(above).__name__}; it is a label")
            node = above
        ends.update(path)


def _path_by_parents(label: Any, parents: Mapping[Any, Any]) -> tuple[Node, ...]:
    path, node = [label], parents.get(label)
    while node is not None:
        if type(node) is not type(label):
            raise LabelError(
                f"{node!r}, the parent of {path[-1]!r}, is of type {type(node).__name__}; nodes and labels are of one "
                "type"
            )
        path.append(node)
        node = parents.get(node)
    return tuple(reversed(path))


def _own_leaf(node: Any, separator: str, parents: Mapping[Any, Any] | None) -> str:
    return f", such as '{node}{separator}other'" if parents is None else ""
