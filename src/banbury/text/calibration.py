"""Scores to probabilities that can be believed, for the plain likelihoods.

Naive Bayes counts the same evidence several times, so its posterior is far too sure. One number that all scores are
multiplied with, and one that is added for each class, fitted on leave-one-out scores, put most of that right. The
automatic model needs neither: `selection.py` fits its curves on such scores in the first place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.intervals import chi_squared_tail
from banbury.stats.softmax import log_softmax
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import MOST_DOCUMENTS, plain_scores, sample_note
from banbury.text.likelihoods import log_prior
from banbury.text.trust import BIAS_PRECISION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MOST_SCORES = 2_000_000  # documents times classes
SCALE, SCALE_SD = 0.5, 0.25  # what the scale usually is: a prior that only few documents leave as it is
SMALLEST_SCALE = 1e-3
SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 3.0)


@dataclass(frozen=True)
class Calibration:
    """What scores are multiplied with, and what each label's then gets besides; a label that came later gets 0."""

    scale: float
    shifts: tuple[tuple[Any, float], ...]

    def shift(self, classes: list[Any]) -> list[float]:
        """What the score of each class gets."""
        shifts = dict(self.shifts)
        return [shifts.get(label, 0.0) for label in classes]

    def scaled(self, factor: float) -> Calibration:
        """The same decisions, surer or less sure: every score times a factor."""
        return Calibration(factor * self.scale, tuple((label, factor * shift) for label, shift in self.shifts))

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {"scale": self.scale, "shifts": [list(shift) for shift in self.shifts]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Calibration:
        """What `settings` came from."""
        return cls(float(settings["scale"]), tuple((label, float(shift)) for label, shift in settings["shifts"]))


def calibrate(
    counts: Counts,
    texts: Any,
    numbers: Any,
    weights: Any,
    *,
    likelihood: str,
    smoothings: Sequence[Any],
    vocabulary: str,
    prior: Any,
    is_calibrated: bool = True,
    threads: int | None = None,
) -> tuple[Any, Calibration | None, Seen]:
    """The best of these smoothings by leave-one-out log loss, each calibrated, and what was seen.

    Without `is_calibrated` the posterior is taken as it is, so that what was seen is of the model that predicts. Where
    a score is not a number (without smoothing a word can be impossible) there is no calibration.
    """
    import numpy as np

    n_classes = len(counts.classes)
    most = max(min(MOST_DOCUMENTS, MOST_SCORES // n_classes), 50)
    documents = _kernel.Documents(counts.kernel, texts, numbers, weights, most, n_threads(threads))
    own, of = np.array(documents.classes, dtype=np.intp), np.array(documents.weights, dtype=float)
    # The prior of all documents: without its only one, a class would be impossible.
    prior_logs = np.array(log_prior(counts.classes, counts.documents, prior, likelihood))
    left = 1 - 1 / np.array(counts.documents, dtype=float)[own]  # as for the curves in selection.py
    tried, found = [], []
    for smoothing in smoothings:
        logs = plain_scores(documents, counts, likelihood, smoothing, vocabulary, None, threads) + prior_logs
        can_be = is_calibrated and bool(np.isfinite(logs).all())
        calibration = _fitted(logs, own, of * left, counts.classes, threads) if can_be else None
        logs = calibrated(logs, calibration, counts.classes)
        name = f"{likelihood}, smoothing {smoothing}"
        tried.append(Tried(name if calibration is None else f"{name}, calibrated", *figures(logs, own, of)))
        found.append((smoothing, calibration, logs))
    best = min(range(len(tried)), key=lambda at: tried[at].log_loss)
    smoothing, calibration, logs = found[best]
    seen = Seen(tried, tried[best].name, sample_note(counts.documents, of), documents.rows, own, of, logs)
    return smoothing, calibration, seen


def _fitted(
    scores: NDArray[Any], own: NDArray[Any], weights: NDArray[Any], classes: list[Any], threads: int | None
) -> Calibration:
    import numpy as np

    n = len(classes)
    features = (scores[:, 1] - scores[:, 0]) / 2 if n == 2 else scores - scores.mean(axis=1, keepdims=True)
    regression = _kernel.Regression(np.ascontiguousarray(features).ravel(), 1, own.astype(np.uint32), weights, n)
    scale, shifts = regression.fit([SCALE], [SCALE_SD**-2], [0.0] * n, BIAS_PRECISION, n_threads(threads))
    return Calibration(max(scale[0], SMALLEST_SCALE), tuple(zip(classes, shifts, strict=True)))


def calibrated(scores: NDArray[Any], calibration: Calibration | None, classes: list[Any]) -> NDArray[Any]:
    """The logarithms of probabilities from scores, calibrated; where no class is possible, all are as likely."""
    import numpy as np

    if calibration is not None:
        scores = scores * calibration.scale + np.array(calibration.shift(classes))
    # Where no class is possible nothing is known.
    scores = np.where(np.isneginf(scores).all(axis=1, keepdims=True), 0.0, scores)
    return log_softmax(scores)


@dataclass(frozen=True)
class PriorEstimate:
    """How frequent classes are where nobody knows the labels."""

    prior: dict[Any, float]
    p_value: float
    """How likely a prior so far from the model's would be found if it had not moved."""

    @property
    def moved(self) -> bool:
        """Whether the prior is another one than the model's, at the level of 1 %."""
        return self.p_value < 0.01


def estimate_prior(classes: list[Any], log_probabilities: NDArray[Any], had: NDArray[Any]) -> PriorEstimate:
    """The prior under which the documents are most likely, from their probabilities under the prior that they `had`.

    By expectation maximisation (Saerens, Latinne and Decaestecker, 2002): the mean of the probabilities is a better
    prior, which gives better probabilities. Twice the gain in log-likelihood is compared with the χ² distribution.

    >>> import numpy as np
    >>> logs = np.log(np.array([[0.9, 0.1]] * 30))
    >>> estimate = estimate_prior(["x", "y"], logs, np.array([0.5, 0.5]))
    >>> round(estimate.prior["x"], 3), estimate.moved
    (1.0, True)
    """
    import numpy as np

    chances = np.exp(log_probabilities)
    # A class without a prior cannot get one by Bayes' rule.
    likelihoods = np.divide(chances, had, out=np.zeros_like(chances), where=had > 0)
    prior = had.copy()
    for _ in range(1000):
        joint = likelihoods * prior
        better = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
        change = float(np.abs(better - prior).max())
        prior = better
        if change < 1e-9:
            break
    gain = 2 * float(np.log((likelihoods * prior).sum(axis=1)).sum())
    p_value = chi_squared_tail(max(gain, 0.0), int((had > 0).sum()) - 1)
    return PriorEstimate(dict(zip(classes, prior.tolist(), strict=True)), p_value)
