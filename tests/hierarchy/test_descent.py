"""Descent: how far predictions go, against trying every node."""

from typing import Any

import numpy as np
import pytest

import hierarchy_reference as reference
from banbury.errors import InputError
from banbury.hierarchy.descent import check_sure, descend, nearest_labels, node_probabilities, nodes_as_array
from banbury.hierarchy.tree import Tree

LABELS = ["a/x/1", "a/x/2", "a/y", "b", "c/z/3/4"]
TREE = Tree.of(LABELS)


def some_chances(n: int = 200) -> np.ndarray:
    return np.random.default_rng(1).dirichlet([0.5] * len(LABELS), n)


def test_a_node_has_the_probability_of_its_labels() -> None:
    chances = np.array([[0.1, 0.2, 0.3, 0.25, 0.15]])
    found = {node: round(float(values[0]), 9) for node, values in node_probabilities(TREE, chances).items()}
    assert found["a"] == 0.6
    assert found["a/x"] == 0.3
    assert found["c"] == found["c/z/3/4"] == 0.15


def test_a_half_has_the_least_expected_distance_of_all_nodes() -> None:
    by_label = reference.paths(LABELS)
    everywhere = [(), *TREE.path_of.values()]
    for row, node in zip(some_chances(), descend(TREE, some_chances(), 0.5), strict=True):
        chances = dict(zip(LABELS, row.tolist(), strict=True))
        reached = () if node is None else TREE.path_of[node]
        least = min(reference.expected_distance(path, chances, by_label) for path in everywhere)
        assert reference.expected_distance(reached, chances, by_label) == pytest.approx(least)


def test_the_nearest_label_has_the_least_expected_distance_of_all_labels() -> None:
    by_label = reference.paths(LABELS)
    for row, place in zip(some_chances(), nearest_labels(TREE, some_chances()).tolist(), strict=True):
        chances = dict(zip(LABELS, row.tolist(), strict=True))
        costs = [reference.expected_distance(by_label[label], chances, by_label) for label in LABELS]
        assert costs[place] == pytest.approx(min(costs))


def test_what_is_not_sure_enough_stops_above() -> None:
    chances = np.array([[0.5, 0.3, 0.1, 0.1, 0.0]])
    assert [descend(TREE, chances, sure)[0] for sure in (0.0, 0.5, 0.6, 0.85, 0.95)] == [
        "a/x/1", "a/x/1", "a/x", "a", None,
    ]  # fmt: skip
    assert descend(TREE, np.empty((0, 5)), 0.5) == []
    assert nodes_as_array(["a", None]).tolist() == ["a", None]
    assert nodes_as_array(["a", "b"]).dtype.kind == "U"


@pytest.mark.parametrize("sure", [-0.1, 1.1, "much", True])
def test_what_is_no_probability_is_refused(sure: Any) -> None:
    with pytest.raises(InputError, match="sure is"):
        check_sure(sure)
