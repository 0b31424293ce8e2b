"""Left-out evidence: what the words of documents say to the model that has not seen them, nor any copy of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.text.curves import of_all_classes
from banbury.text.documents import as_weights, class_numbers, n_threads
from banbury.text.leave_one_out import EVERY_ONE, plain_left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from banbury.text.calibration import Calibration
    from banbury.text.documents import Column, Texts
    from banbury.text.model import TextModel
    from banbury.text.settings import Settings


@dataclass(frozen=True)
class LeftOutEvidence:
    """Leave-one-out log-likelihoods of documents by a plain likelihood."""

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
        """The evidence of the first `n` documents."""
        return LeftOutEvidence(self.logs[:n], self.absent[:n], self.lengths[:n])

    def is_finite(self, start: NDArray[np.float64]) -> bool:
        """Whether all log-likelihoods and the log prior are finite."""
        return bool(np.isfinite(self.logs).all() and np.isfinite(start).all())

    def growth(self) -> NDArray[np.float64]:
        """Growth of each document, n / (n + 16) for n words: the factor of the shifts."""
        share: NDArray[np.float64] = (self.lengths / (self.lengths + 16.0))[:, None]
        return share

    def evidence(self) -> NDArray[np.float64]:
        """Log-likelihoods around their mean, by document; absent words count by the growth, so an empty text has 0."""
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


def evidence_without(
    model: TextModel,
    texts: Texts,
    labels: list[Any],
    settings: Settings,
    *,
    start: NDArray[np.float64] | None = None,
    weights: Column = None,
    groups: Sequence[str] | None = None,
    threads: int | None,
) -> NDArray[np.float64]:
    """Scores of each text and class by the model without that text and its copies, beginning at `start`.

    By default they start at 0, so that those of an empty text are 0.
    """
    state = model.state()
    classes, kernel, _, class_sizes, choice = state
    class_ids = class_numbers(labels, classes)
    weights = None if weights is None else as_weights(weights, len(labels))
    how = (weights, EVERY_ONE, n_threads(threads))
    documents = _kernel.Documents(kernel, texts, class_ids, *how, groups=groups)
    places = np.asarray(documents.places)
    reading = model.reading(settings, state=state)
    growth = np.zeros(len(classes)) if reading.growth is None else np.array(reading.growth)
    start = np.zeros(len(classes)) if start is None else start
    if reading.is_automatic:
        trust = model.trust_of(choice)
        left_out = documents.scores([trust.curves], trust.caps, n_threads(threads))
        scores = of_all_classes(np.asarray(left_out.scores), len(classes))
        scores = scores * (trust.factors(classes, class_sizes) or 1.0)
        lengths = np.asarray(left_out.lengths)[:, None]
        scores = scores + start + lengths / (lengths + 16.0) * growth
    else:
        evidence = LeftOutEvidence.of(plain_left_out(documents, *settings.plain_form(choice.smoothing), threads))
        scores = evidence.scores(choice.calibration if reading.growth is not None else None, start, classes)
    without: NDArray[np.float64] = scores[places]
    return without
