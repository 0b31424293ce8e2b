"""Shifts and slopes: the regression finds what made the labels, and its optimum."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from banbury.labels.calibration import SLOPE_PRECISION, calibrated_labels
from banbury.text.curves import CURVE_FOLDS
from banbury.text.leave_one_out import SHIFT_PRECISION


class Made:
    """Documents with one label, drawn from a shift of −1 and a slope of 2."""

    n_labels = 1

    def __init__(self, n: int = 4000) -> None:
        rng = np.random.default_rng(5)
        self.evidence = rng.normal(size=(n, 1))
        self.share = rng.uniform(0.5, 1, size=n)
        chance = 1 / (1 + np.exp(-(2 * self.evidence[:, 0] - self.share)))
        self.truth = (rng.random(n) < chance)[:, None]
        self.row_weights = rng.uniform(0.5, 2, size=n)
        self.sureness = np.ones((n, 1))
        self.folds = np.arange(n) % CURVE_FOLDS


def test_it_finds_the_minimum_of_the_penalised_loss_with_and_without_each_fold() -> None:
    made: Any = Made()
    starts, usual = np.zeros((4000, 1)), np.full(CURVE_FOLDS + 1, 0.3)
    shifts, slopes = calibrated_labels(made, starts, made.evidence, made.share, usual)
    assert shifts.shape == slopes.shape == (CURVE_FOLDS + 1, 1)
    assert abs(shifts[-1, 0] + 1) < 0.2
    assert abs(slopes[-1, 0] - 2) < 0.2
    for fold in (0, CURVE_FOLDS):
        kept = made.folds != fold

        def loss(fitted: Any, kept: Any = kept) -> float:
            odds = fitted[1] * made.evidence[kept, 0] + fitted[0] * made.share[kept]
            signed = np.where(made.truth[kept, 0], -odds, odds)
            penalty = SHIFT_PRECISION * (fitted[0] - 0.3) ** 2 + SLOPE_PRECISION * (fitted[1] - 1) ** 2
            return float((made.row_weights[kept] * np.logaddexp(0, signed)).sum() + penalty / 2)

        best = minimize(loss, [0.0, 1.0], tol=1e-12).x
        np.testing.assert_allclose([shifts[fold, 0], slopes[fold, 0]], best, atol=1e-4)
