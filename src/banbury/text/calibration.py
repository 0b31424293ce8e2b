"""Scores to probabilities that can be believed, for the plain likelihoods.

Naive Bayes counts the same evidence several times, so its posterior is far too sure, and the more so the longer a text
is. What the words say is multiplied with a number that falls with their number, and each class has one that is added as
the text grows longer, both fitted on leave-one-out scores of documents and of parts of them. An empty text has the
prior. The automatic model needs neither: `curves.py` fits it on such scores in the first place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.intervals import chi_squared_tail
from banbury.stats.softmax import log_softmax
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import (
    MOST_SCORES,
    SHIFT_PRECISION,
    WINDOW_WEIGHT,
    alike_note,
    left_out_weights,
    plain_left_out,
    sample_note,
    together_note,
)
from banbury.text.likelihoods import log_prior

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MOST_WINDOWED_DOCUMENTS = 5_000  # and a window of each
SCALE, SCALE_SD = 0.8, 10.0  # what the scale usually is
SMALLEST_SCALE = 1e-3
HALVES = tuple(2.0**power for power in range(1, 10))
SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 3.0)


@dataclass(frozen=True)
class Calibration:
    """The numbers by which log-likelihoods are multiplied, and what each label's score then gets besides."""

    scale: float
    half: float
    """A text of so many words is multiplied with half the scale."""
    shifts: tuple[tuple[Any, float], ...]
    """What the score of each label gets in a long text; a label that came later gets 0."""
    typical: float
    """Words of a document of median length."""

    @property
    def length(self) -> tuple[float, float]:
        """Scale and half, as the kernel takes them."""
        return self.scale, self.half

    def growth(self, classes: list[Any]) -> list[float]:
        """What the score of each class gets as a text grows longer."""
        shifts = dict(self.shifts)
        return [shifts.get(label, 0.0) for label in classes]

    def scaled(self, factor: float) -> Calibration:
        """The same evidence, surer or less sure by a factor."""
        shifts = tuple((label, factor * shift) for label, shift in self.shifts)
        return Calibration(factor * self.scale, self.half, shifts, self.typical)

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        shifts = [list(shift) for shift in self.shifts]
        return {"scale": self.scale, "half": self.half, "shifts": shifts, "typical": self.typical}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Calibration:
        """The calibration that `settings` came from."""
        shifts = tuple((label, float(shift)) for label, shift in settings["shifts"])
        return cls(float(settings["scale"]), float(settings["half"]), shifts, float(settings["typical"]))


def calibrate(
    counts: Counts,
    texts: Any,
    class_ids: Any,
    weights: Any,
    *,
    likelihood: str,
    smoothings: Sequence[Any],
    vocabulary: str,
    prior: Any,
    is_calibrated: bool = True,
    groups: Sequence[str] | None = None,
    threads: int | None = None,
) -> tuple[Any, Calibration | None, Seen]:
    """The best of these smoothings by leave-one-out log loss, each calibrated, and what was seen.

    Without `is_calibrated` the posterior is taken as it is, so that what was seen is of the model that predicts. Where
    a score is not a number (without smoothing a word can be impossible) there is no calibration.
    """
    n_classes = len(counts.classes)
    most = max(min(MOST_WINDOWED_DOCUMENTS, MOST_SCORES // n_classes), 50)
    documents = _kernel.Documents(
        counts.kernel, texts, class_ids, weights, most, n_threads(threads), groups=groups, windows=True
    )
    row_classes, document_weights = np.array(documents.classes, np.intp), np.array(documents.weights, float)
    # The prior of all documents: without its only one, a class would be impossible.
    start = np.array(log_prior(counts.classes, counts.documents, prior, likelihood))
    row_weights, n_effective = left_out_weights(documents, counts.documents)
    rows = _Rows(row_classes, row_weights, start, n_effective, n_threads(threads))
    tried, fitted = [], []
    for smoothing in smoothings:
        left_out = plain_left_out(documents, likelihood, smoothing, vocabulary, threads)
        evidence = LeftOutEvidence.of(left_out)
        calibration = rows.fitted(evidence, counts.classes) if is_calibrated and evidence.is_finite(start) else None
        name = f"{likelihood}, smoothing {smoothing}"
        whole = evidence.first(len(row_classes))
        logs = possible_log_softmax(whole.scores(calibration, start, counts.classes))
        tried.append(
            Tried(name if calibration is None else f"{name}, calibrated", *figures(logs, row_classes, document_weights))
        )
        fitted.append((smoothing, calibration, logs))
    best = min(range(len(tried)), key=lambda at: tried[at].log_loss)
    smoothing, calibration, logs = fitted[best]
    notes = [
        sample_note(counts.documents, document_weights),
        together_note(documents, counts, groups is not None),
        alike_note(documents, logs),
    ]
    note = "; ".join(note for note in notes if note)
    seen = Seen(tried, tried[best].name, note, documents.rows, row_classes, document_weights, logs)
    return smoothing, calibration, seen


@dataclass(frozen=True)
class LeftOutEvidence:
    """What documents say by a plain likelihood that has not seen them."""

    logs: NDArray[np.float64]
    """By document and class, log P(text | class)."""
    absent: NDArray[np.float64]
    """The part of it that is said by the absence of all features; 0 but for Bernoulli."""
    lengths: NDArray[np.float64]
    """Of each document, known words."""

    @classmethod
    def of(cls, left_out: _kernel.LeftOut) -> LeftOutEvidence:
        """The evidence in what the kernel has found."""
        lengths = np.asarray(left_out.lengths).astype(float)
        return cls(np.asarray(left_out.scores), np.asarray(left_out.absent), lengths)

    def first(self, n: int) -> LeftOutEvidence:
        """That of the first documents."""
        return LeftOutEvidence(self.logs[:n], self.absent[:n], self.lengths[:n])

    def is_finite(self, start: NDArray[np.float64]) -> bool:
        """Whether nothing is impossible."""
        return bool(np.isfinite(self.logs).all() and np.isfinite(start).all())

    def growth(self) -> NDArray[np.float64]:
        """How much of what grows with the length of a text each has."""
        share: NDArray[np.float64] = (self.lengths / (self.lengths + 16.0))[:, None]
        return share

    def evidence(self) -> NDArray[np.float64]:
        """Of an empty text nothing; the absence of words says the more, the longer a text is."""
        evidence: NDArray[np.float64] = self.logs - (1 - self.growth()) * self.absent
        evidence -= evidence.mean(axis=1, keepdims=True)
        return evidence

    def scores(
        self, calibration: Calibration | None, start: NDArray[np.float64], classes: list[Any]
    ) -> NDArray[np.float64]:
        """The score of each text and class."""
        if calibration is None:
            return self.logs + start
        scale = (calibration.scale / (1 + self.lengths / calibration.half))[:, None]
        scores: NDArray[np.float64] = start + scale * self.evidence()
        scores += self.growth() * np.array(calibration.growth(classes))
        return scores


@dataclass(frozen=True)
class _Rows:
    """Documents and a window of each, to which calibrations are fitted."""

    class_ids: NDArray[np.intp]
    weights: NDArray[np.float64]
    start: NDArray[np.float64]
    n_effective: float
    threads: int

    def fitted(self, evidence: LeftOutEvidence, classes: list[Any]) -> Calibration:
        """The calibration with the least loss and penalty."""
        typical = float(np.median(evidence.lengths[: len(self.class_ids)])) if len(self.class_ids) else 1.0
        said, growth = evidence.evidence(), evidence.growth().ravel()
        class_ids = np.tile(self.class_ids, 2).astype(np.uint32)
        weights = np.concatenate([self.weights, WINDOW_WEIGHT * self.weights])
        offsets = np.tile(self.start, len(class_ids))
        # As for the trust curves: a few documents say less than as many independent ones would.
        n, n_documents = len(classes), max(self.n_effective, 1e-9)
        caution = 1 + 600 / n_documents + (60 * n / n_documents) ** 2
        tried: dict[float, tuple[float, float, list[float]]] = {}

        def loss(half: float) -> float:
            if half not in tried:
                features = said / (1 + evidence.lengths / half)[:, None]
                features = (features[:, 1] - features[:, 0]) / 2 if n == 2 else features
                flat = np.ascontiguousarray(features).ravel()
                regression = _kernel.Regression(flat, 1, class_ids, weights, n, offsets=offsets, scales=growth)
                prior = ([SCALE], [caution * SCALE_SD**-2], [0.0] * n, SHIFT_PRECISION)
                (scale,), shifts, value = regression.fit(*prior, self.threads)
                tried[half] = (value, scale, shifts)
            return tried[half][0]

        half = _least(loss)
        _, scale, shifts = tried[half]
        return Calibration(
            max(scale, SMALLEST_SCALE), half, tuple(zip(classes, shifts, strict=True)), max(typical, 1.0)
        )


def _least(loss: Any) -> float:
    """The best of the halves: from the middle downhill, since the loss has one valley."""
    here = len(HALVES) // 2
    while True:
        near = [place for place in (here, here - 1, here + 1) if 0 <= place < len(HALVES)]
        best = min(near, key=lambda place: loss(HALVES[place]))
        if best == here:
            return HALVES[here]
        here = best


def possible_log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of probabilities from scores; where no class is possible nothing is known, and all are alike."""
    return log_softmax(np.where(np.isneginf(scores).all(axis=1, keepdims=True), 0.0, scores))


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
