"""Pooling: weights of levels by Newton's method against small steps in plain Python."""

import numpy as np
import pytest

import hierarchy_reference as reference
from banbury.hierarchy.pooling import fit_weights, of_nodes, pooled
from banbury.hierarchy.tree import Tree

LABELS = ["a/1", "a/2", "b"]


def some_levels(n: int = 60, seed: int = 3) -> tuple[list[np.ndarray], np.ndarray]:
    """Log probabilities of two levels, of which the upper one is often right."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    top = 0.3 + 0.4 * random.random(n)
    top = np.where(truth < 2, top + 0.2, top - 0.2)
    leaves = random.dirichlet([2, 2, 2], n)
    leaves[np.arange(n), truth] += 0.4
    leaves /= leaves.sum(axis=1, keepdims=True)
    return [np.log(np.column_stack([top, top, 1 - top])), np.log(leaves)], truth


def test_probabilities_are_those_of_the_reference() -> None:
    levels, _ = some_levels()
    found = np.exp(pooled(levels, [0.4, 0.8]))
    by_label = Tree.of(LABELS).paths
    for row in range(5):
        top = {"a": float(np.exp(levels[0][row, 0])), "b": float(np.exp(levels[0][row, 2]))}
        last = dict(zip(LABELS, np.exp(levels[1][row]).tolist(), strict=True))
        expected = reference.pooled([top, last], [0.4, 0.8], by_label)
        assert found[row].tolist() == pytest.approx(list(expected.values()))


def test_no_other_weights_have_a_smaller_loss() -> None:
    levels, truth = some_levels()
    weights = fit_weights(levels, truth, np.ones(len(truth)))
    assert weights[0] > 0.1
    documents = [[level[row].tolist() for level in levels] for row in range(len(truth))]
    best = reference.loss(documents, truth.tolist(), weights)
    for step in (-1e-3, 1e-3):
        for place in (0, 1):
            moved = [weight + step * (place == other) for other, weight in enumerate(weights)]
            assert reference.loss(documents, truth.tolist(), moved) > best


def test_a_level_that_misleads_counts_nothing_and_weights_are_documents() -> None:
    levels, truth = some_levels()
    wrong = [np.log(1 - np.exp(levels[0])), levels[1]]
    assert fit_weights(wrong, truth, np.ones(len(truth)))[0] == 0.0
    twice = [np.concatenate([level, level]) for level in levels]
    expected = fit_weights(levels, truth, np.full(len(truth), 2.0))
    assert fit_weights(twice, np.tile(truth, 2), np.ones(2 * len(truth))) == pytest.approx(expected)


def test_labels_alone_count_as_they_are() -> None:
    levels, truth = some_levels()
    assert fit_weights(levels[1:], truth, np.ones(len(truth))) == [1.0]


def test_what_a_list_leaves_is_shared_by_all_other_nodes() -> None:
    logs = np.log(
        [[0.5, 0.3, 0.0], [0.2, 0.2, 0.6]], where=[[True, True, False], [True] * 3], out=np.full((2, 3), -np.inf)
    )
    shared = np.exp(of_nodes(logs, ["a", "b", "c"], ["b", "a", "c", "d"], 6))
    np.testing.assert_allclose(shared[0], [0.3, 0.5, 0.2 / 4, 0.2 / 4])
    np.testing.assert_array_equal(shared[1, :3], np.exp(logs[1, [1, 0, 2]]))
    assert 0 <= shared[1, 3] < 1e-15  # its list has everything
