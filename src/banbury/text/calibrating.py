"""Calibrating: the smoothing and the calibration of a plain likelihood, fitted by exact leave-one-out.

Scale and shifts of a calibration are fitted on leave-one-out scores of documents and of a window of each, any number of
its words, so that short texts come out calibrated too. An empty text has the prior.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.softmax import possible_log_softmax
from banbury.text.calibration import Calibration
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
from banbury.text.left_out_evidence import LeftOutEvidence
from banbury.text.likelihoods import log_prior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from banbury.text.documents import Buffer, Texts
    from banbury.text.likelihoods import Prior

MOST_WINDOWED_DOCUMENTS = 5_000  # and a window of each
SCALE, SCALE_SD = 0.8, 10.0  # what the scale usually is
SMALLEST_SCALE = 1e-3
HALVES = tuple(2.0**power for power in range(1, 10))
SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 3.0)


def calibrate(
    counts: Counts,
    texts: Texts,
    class_ids: Buffer,
    weights: Buffer | None,
    *,
    likelihood: str,
    smoothings: Sequence[Any],
    vocabulary: str,
    prior: Prior,
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
        alike_note(documents, logs.argmax(axis=1) == row_classes, threads),
    ]
    note = "; ".join(note for note in notes if note)
    seen = Seen(tried, tried[best].name, note, documents.rows, row_classes, document_weights, logs)
    return smoothing, calibration, seen


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


def _least(loss: Callable[[float], float]) -> float:
    """The best of the halves: from the middle downhill, since the loss has one valley."""
    here = len(HALVES) // 2
    while True:
        near = [place for place in (here, here - 1, here + 1) if 0 <= place < len(HALVES)]
        best = min(near, key=lambda place: loss(HALVES[place]))
        if best == here:
            return HALVES[here]
        here = best
