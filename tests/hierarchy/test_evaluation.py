"""Evaluation in a hierarchy, worked out by hand."""

import numpy as np
import pytest

from banbury.errors import InputError
from banbury.hierarchy.evaluation import HierarchyEvaluation, Judged, evaluate_hierarchy
from banbury.hierarchy.tree import Tree

TREE = Tree.of(["a/1", "a/2", "b"])
PATHS = Tree.of(["a/1", "a/2", "a/9", "b"]).paths
LOGS = np.log([[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.6, 0.2, 0.2]])


def judged(predicted: list[str | None], truth: list[str]) -> Judged:
    return Judged.of(TREE, LOGS[: len(truth)], predicted, [PATHS[label] for label in truth], 2)


def test_figures_by_hand() -> None:
    # Right; stopped at a, where a/2 is true; b for a/1.
    report = evaluate_hierarchy(TREE, judged(["a/1", "a", "b"], ["a/1", "a/2", "a/1"]), np.ones(3))
    assert report.accuracy == pytest.approx(1 / 3)
    assert report.mean_distance == pytest.approx((0 + 1 + 3) / 3)
    assert report.precision == pytest.approx(3 / 4)  # a, a/1; a; of a, a/1; a; b
    assert report.recall == pytest.approx(3 / 6)
    assert report.log_loss == pytest.approx(-(np.log(0.5) + np.log(0.25) + np.log(0.6)) / 3)
    first, second = report.levels
    assert (first.nodes, second.nodes) == (2, 3)
    assert first.accuracy == pytest.approx(2 / 3)
    assert first.log_loss == pytest.approx(-(np.log(0.8) + np.log(0.5) + np.log(0.8)) / 3)
    assert first.macro_f1 == pytest.approx((2 * 2 / 5 + 0) / 2)
    assert second.macro_f1 == pytest.approx((2 * 1 / 3 + 0 + 0) / 3)
    assert [row.reached for row in report.levels] == pytest.approx([1, 2 / 3])


def test_a_label_that_the_model_does_not_know_can_be_right_above() -> None:
    report = evaluate_hierarchy(TREE, judged(["a/1", "b"], ["a/9", "b"]), np.array([1.0, 3.0]))
    assert report.unknown_labels == [("a/9", 1)]
    assert report.levels[0].accuracy == 1.0
    assert report.accuracy == report.levels[1].accuracy == 0.75
    assert report.log_loss == pytest.approx(-np.log(0.5))


def test_parts_joined_are_the_whole_and_a_report_is_kept() -> None:
    truth, predicted = ["a/1", "a/2", "b"], ["a/1", "a", None]
    whole = judged(list(predicted), truth)
    report = evaluate_hierarchy(TREE, whole, np.ones(3), "as it is")
    assert HierarchyEvaluation.from_settings(report.to_dict()) == report
    head = Judged.of(TREE, LOGS[:1], ["a/1"], [PATHS["a/1"]], 2)
    tail = Judged.of(TREE, LOGS[1:], ["a", None], [PATHS["a/2"], PATHS["b"]], 2)
    assert evaluate_hierarchy(TREE, head + tail, np.ones(3), "as it is") == report
    assert "level  nodes" in str(report)
    assert "By level" in report._repr_html_()
    with pytest.raises(ValueError, match="what no report says"):
        HierarchyEvaluation.from_settings({**report.to_dict(), "accuracy": float("nan")})


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(InputError, match="no documents"):
        evaluate_hierarchy(TREE, judged([], []), np.ones(0))
    with pytest.raises(InputError, match="all weights are 0"):
        evaluate_hierarchy(TREE, judged(["b"], ["b"]), np.zeros(1))
