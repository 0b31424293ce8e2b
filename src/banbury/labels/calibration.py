"""The shift and the slope of each label: what makes its probabilities right, by leave-one-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from banbury.labels.odds import probabilities_of
from banbury.lazy import numpy as np
from banbury.text.curves import CURVE_FOLDS
from banbury.text.leave_one_out import SHIFT_PRECISION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.labels.observed import Observed

SLOPE_PRECISION = 4.0  # of a slope's distance from 1
MOST_NEWTON_STEPS = 30  # of Newton's method: it needs about six
LARGEST_NEWTON_STEPS = (1.0, 0.5)  # of shifts and slopes


def calibrated_labels(
    observed: Observed,
    starts: NDArray[np.float64],
    evidence: NDArray[np.float64],
    share: NDArray[np.float64],
    usual: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The shift and the slope of each label that fit best, without each fold of the documents; last, by all of them.

    The log-odds of a label are start + slope · evidence + share · shift. Each label has a logistic regression on two
    numbers, with penalties on their distances from the `usual` shift, that of all labels, and from a slope of 1. It is
    Newton's method, for all labels at once.
    """
    n_labels = observed.n_labels
    weights = observed.row_weights[:, None] * observed.sureness
    shifts, slopes = np.repeat(usual[:, None], n_labels, axis=1), np.ones((CURVE_FOLDS + 1, n_labels))
    for fold in range(CURVE_FOLDS + 1):
        kept = np.flatnonzero(observed.folds != fold)
        rows = observed.truth[kept], starts[kept], evidence[kept], share[kept, None], weights[kept]
        _fit_labels(*rows, float(usual[fold]), shifts[fold], slopes[fold])
    return shifts, slopes


def _fit_labels(
    truth: NDArray[np.bool_],
    starts: NDArray[np.float64],
    evidence: NDArray[np.float64],
    share: NDArray[np.float64],
    weights: NDArray[np.float64],
    usual: float,
    shift: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None:
    """Improve shifts and slopes, in place, until nothing changes any more."""
    for _ in range(MOST_NEWTON_STEPS):
        chance = probabilities_of(starts + slope * evidence + share * shift)
        error, spread = weights * (truth - chance), weights * chance * (1 - chance)
        pull_shift = (share * error).sum(axis=0) - SHIFT_PRECISION * (shift - usual)
        pull_slope = (evidence * error).sum(axis=0) - SLOPE_PRECISION * (slope - 1)
        # The Hessian of each label: [[a, b], [b, c]].
        a = (share**2 * spread).sum(axis=0) + SHIFT_PRECISION
        b = (share * evidence * spread).sum(axis=0)
        c = (evidence**2 * spread).sum(axis=0) + SLOPE_PRECISION
        whole = a * c - b * b
        most_shift, most_slope = LARGEST_NEWTON_STEPS
        to_shift = np.clip((c * pull_shift - b * pull_slope) / whole, -most_shift, most_shift)
        to_slope = np.clip((a * pull_slope - b * pull_shift) / whole, -most_slope, most_slope)
        shift += to_shift
        slope += to_slope
        if max(np.abs(to_shift).max(), np.abs(to_slope).max()) < 1e-10:
            return
