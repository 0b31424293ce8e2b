"""What leave-one-out tried: its figures, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from banbury.results.trials import Seen, figures, with_each_once


def test_log_loss_and_accuracy_are_weighted_means() -> None:
    logs = np.log([[0.8, 0.2], [0.4, 0.6], [0.5, 0.5]])
    class_ids, weights = np.array([0, 0, 1]), np.array([1.0, 2.0, 1.0])
    log_loss, accuracy = figures(logs, class_ids, weights)
    assert log_loss == pytest.approx(-(np.log(0.8) + 2 * np.log(0.4) + np.log(0.5)) / 4)
    assert accuracy == 0.25  # the tie goes to the first class


def test_an_impossible_truth_is_an_infinite_loss() -> None:
    with np.errstate(divide="ignore"):
        logs = np.log([[1.0, 0.0]])
    assert figures(logs, np.array([1]), np.ones(1)) == (np.inf, 0.0)


def test_the_accuracy_of_each_document_once_is_said_where_weights_make_another_one() -> None:
    logs, class_ids = np.log([[0.8, 0.2], [0.4, 0.6], [0.3, 0.7]]), np.array([0, 0, 0])
    plain = Seen([], "chosen", "a note", [0, 1, 2], class_ids, np.ones(3), logs)
    seen = with_each_once(replace(plain, weights=np.array([8.0, 1.0, 1.0])))
    assert seen.note == "a note; weights and copies count here; with each document counted once the accuracy is 0.3333"
    for weights in (np.ones(3), np.full(3, 7.0), np.zeros(3)):
        same = replace(plain, weights=weights)
        assert with_each_once(same) is same
    none = Seen([], "", "", [], np.array([], int), np.array([]), np.zeros((0, 2)))
    assert with_each_once(none) is none
