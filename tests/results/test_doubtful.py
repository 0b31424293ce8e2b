"""Doubtful labels, worked out by hand."""

import numpy as np
import pytest

from banbury.results.doubtful import doubtful_labels, label_log_probabilities

LOGS = np.log([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
CLASSES = ["ham", "spam"]


def found(labels: list[int], **options: object) -> list[tuple[int, str, str, float]]:
    doubtful = doubtful_labels(
        np.array(labels),
        LOGS,
        label=lambda place: [*CLASSES, "other"][labels[place]],
        text=lambda place: f"text {place}",
        **options,  # type: ignore[arg-type]
    )
    return [(one.index, str(one.label), one.text, round(one.probability, 6)) for one in doubtful]


def test_those_with_a_more_probable_label_come_back_the_worst_first() -> None:
    assert found([1, 0, 0, 0]) == [
        (0, "spam", "text 0", 0.1),
        (1, "ham", "text 1", 0.2),
        (3, "ham", "text 3", 0.3),
    ]


def test_the_most_doubtful_are_taken_and_rows_are_named() -> None:
    assert found([1, 0, 0, 0], most=2, rows=[70, 50, 30, 10]) == [
        (70, "spam", "text 0", 0.1),
        (50, "ham", "text 1", 0.2),
    ]


def test_a_label_below_the_limit_that_is_the_best_takes_no_place() -> None:
    logs = np.log([[0.4, 0.3, 0.3], [0.45, 0.5, 0.05]])
    doubtful = doubtful_labels(np.array([0, 0]), logs, label=str, text=str, most=1)
    assert [one.index for one in doubtful] == [1]


def test_a_label_that_is_no_class_has_no_probability() -> None:
    assert found([0, 1, 2, 1]) == [(2, "other", "text 2", 0.0)]
    assert label_log_probabilities(np.array([0, 2]), LOGS[:2]) == pytest.approx([np.log(0.9), -np.inf])
