"""What leave-one-out tried: its figures, worked out by hand."""

import numpy as np
import pytest

from banbury.results.trials import figures


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
