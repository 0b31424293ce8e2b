"""Trust curves for labels that overlap, fitted by exact leave-one-out.

Every label is told from all documents outside it: a yes or no. One set of curves says for all labels how far evidence
is trusted; each label has a shift and a slope of its own. They are fitted on pairs of a document and a label, each
document as if it, its copies and its group had never been counted. Where there are many labels, a document is paired
with some of them: its own, those that it is most easily taken for, and some at random, which count for all that were
not drawn.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.labels.calibration import calibrated_labels
from banbury.labels.counts import LabelCounts
from banbury.labels.observed import Observed
from banbury.labels.odds import EVIDENCE
from banbury.labels.trust import LabelTrust
from banbury.lazy import numpy as np
from banbury.text.curves import (
    CAP_SHARE,
    CAUTION,
    CURVE_FOLDS,
    FEW_OF_A_CLASS,
    FEWEST_DOCUMENTS,
    MOST_FITTED_DOCUMENTS,
    SHARED_DOCUMENTS,
    SMALLEST_MULTIPLIER,
    WORTH,
    block_names,
    knot_precision,
    level_precision,
)
from banbury.text.leave_one_out import SHIFT_PRECISION
from banbury.text.trust import NO_CAP, universal_curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from banbury.labels.sets import LabelSet
    from banbury.text.analyzer import Analyzer

# With more labels than all of these together a document is paired with some of them.
OWN_PAIRED, BEST_PAIRED, RANDOM_PAIRED = 4, 4, 4
MOST_LABEL_SCORES = 10_000_000  # documents times labels of one array
MOST_PAIRED_DOCUMENTS = 2_500  # that curves are fitted on: each has a dozen labels, and a window
# A window of a document need not have to do with all its labels, so windows say less than of one label a document: by
# leave-one-out on joined documents of R8 and 20 Newsgroups. Shifts and slopes are fitted on whole documents alone.
LABELLED_WINDOW_WEIGHT = 0.1


class LabelledLeftOut(NamedTuple):
    """Leave-one-out predictions of documents, by curves, shifts and slopes that were not fitted to them."""

    rows: list[int]
    """The row of each document among those given."""
    truth: NDArray[np.bool_]
    """Whether each document has each label."""
    weights: NDArray[np.float64]
    log_odds: NDArray[np.float64]
    """By document and label."""
    tried: list[tuple[str, float]]
    """What was tried, with its log loss."""
    chosen: str


def fit_label_curves(
    counts: LabelCounts,
    texts: Any,
    sets: Sequence[LabelSet],
    weights: Any,
    *,
    groups: Sequence[str] | None = None,
    narrower: Analyzer | None = None,
    threads: int | None = None,
) -> tuple[LabelTrust, Analyzer, LabelledLeftOut]:
    """The trust curves for these counts, the analyzer that they are for, and what leave-one-out predicts.

    `texts` are documents that were counted with these label sets. With `narrower`, an analyzer that lacks the last
    block, that block is left out unless leave-one-out says that it helps.
    """
    given = (counts, texts, sets, weights)
    most = max(min(MOST_FITTED_DOCUMENTS, MOST_LABEL_SCORES // len(counts.labels)), FEWEST_DOCUMENTS)
    few = min(most, MOST_PAIRED_DOCUMENTS)
    curves = CurveFit(Observed(*given, most=few, groups=groups, windows=True, threads=threads))
    observed = Observed(*given, most=most, groups=groups, threads=threads)
    analyzer = counts.analyzer
    trust, log_odds = _calibrated(curves, observed, analyzer)
    tried = [(block_names(analyzer), _log_loss(observed, log_odds))]
    if narrower is not None:
        other, other_odds = _calibrated(curves, observed, narrower)
        tried.insert(0, (block_names(narrower), _log_loss(observed, other_odds)))
        if tried[1][1] > WORTH * tried[0][1]:
            trust, log_odds, analyzer = other, other_odds, narrower
    predicted = (observed.documents.rows, observed.truth, observed.weights, log_odds)
    return trust, analyzer, LabelledLeftOut(*predicted, tried, block_names(analyzer))


def _calibrated(fit: CurveFit, observed: Observed, analyzer: Analyzer) -> tuple[LabelTrust, NDArray[np.float64]]:
    """Curves, shifts and slopes; and the log-odds of each document by those that were not fitted to it."""
    prior = universal_curves(analyzer)[1]
    (curves, common), by_fold = fit.fitted(analyzer)
    whole = sum(map(len, universal_curves(observed.counts.analyzer)[0]))
    # Curves of fewer blocks as curves of all: the last ones weigh nothing.
    padded = [[*fold, *[0.0] * (whole - len(fold))] for fold, _ in by_fold]
    left_out = observed.documents.scores(padded, fit.caps.tolist(), observed.threads)
    share = _growth_share(np.asarray(left_out.lengths))
    evidence = EVIDENCE * np.asarray(left_out.scores)[:, 1:]
    starts = observed.start * (1 + (prior - 1) * share[:, None])
    usual = np.array([biases[1] - biases[0] for biases in (*(biases for _, biases in by_fold), common)])
    shifts, slopes = calibrated_labels(observed, starts, evidence, share, usual)
    n_blocks = len(universal_curves(analyzer)[0])
    trust = LabelTrust(
        tuple(curves),
        prior,
        tuple(fit.caps[:n_blocks].tolist()),
        tuple(fit.typical[:n_blocks].tolist()),
        tuple(zip(observed.counts.labels, shifts[CURVE_FOLDS].tolist(), slopes[CURVE_FOLDS].tolist(), strict=True)),
    )
    folds = observed.folds
    return trust, starts + slopes[folds] * evidence + share[:, None] * shifts[folds]


def _growth_share(lengths: NDArray[Any]) -> NDArray[np.float64]:
    """How much of the growth of log-odds documents of so many words have."""
    share: NDArray[np.float64] = lengths / (lengths + 16.0)
    return share


def _log_loss(observed: Observed, log_odds: NDArray[np.float64]) -> float:
    """The mean log loss of a label of a document."""
    signed = np.where(observed.truth, -log_odds, log_odds)
    return float(np.average(np.logaddexp(0, signed).mean(axis=1), weights=observed.weights))


class _Pairs(NamedTuple):
    """Some labels for each row (documents, then windows), and how much each pair counts."""

    places: NDArray[np.intp]
    """Places among the labels, by row."""
    weights: NDArray[np.float64]


class CurveFit:
    """Curves fitted to pairs of a label and a document, or a window of one."""

    def __init__(self, observed: Observed) -> None:
        self.observed = observed
        self.pairs = self._paired()
        classes = (self.pairs.places + 1).astype(np.uint32)  # class 0 has all documents
        self.basis = observed.documents.basis(observed.threads, classes.ravel())
        lengths = np.asarray(self.basis.lengths).astype(float)  # by row and block
        whole = lengths[: len(observed.weights)]
        self.caps = np.maximum(np.quantile(whole, CAP_SHARE, axis=0), 1)
        self.typical = np.maximum(np.median(whole, axis=0), 1)
        self.growth_share = _growth_share(lengths[:, 0])

    def _paired(self) -> _Pairs:
        """The labels that each row is paired with: an unbiased sample of all, with the likeliest certainly in it."""
        observed, n_rows = self.observed, 2 * len(self.observed.weights)
        n_labels = observed.n_labels
        width = min(n_labels, OWN_PAIRED + BEST_PAIRED + RANDOM_PAIRED)
        if width == n_labels:
            return _Pairs(np.tile(np.arange(width), (n_rows, 1)), np.ones((n_rows, width)))
        trust = LabelTrust.universal(observed.counts.analyzer)
        start = np.concatenate([[0.0], observed.start / EVIDENCE])  # class 0 has all documents, and is never listed
        wanted = (OWN_PAIRED, OWN_PAIRED + BEST_PAIRED, width)
        caps = [NO_CAP] * len(trust.caps)
        lists = observed.documents.listed(trust.curves, caps, start, 0 * start, wanted, observed.threads)
        return self.weighed(np.asarray(lists).astype(np.intp) - 1)

    def weighed(self, places: NDArray[np.intp]) -> _Pairs:
        """How much the labels of each row count: those of its own, then the likeliest others, then those by draw.

        What was drawn stands for all that could have been. What is left over of its own labels comes last: it fills the
        row up and counts nothing.
        """
        n_labels, width = self.observed.n_labels, places.shape[1]
        n_own = np.tile(self.observed.truth.sum(axis=1, keepdims=True), (2, 1))
        n_taken = np.minimum(n_own, OWN_PAIRED)
        n_likely = np.minimum(OWN_PAIRED + BEST_PAIRED - n_taken, n_labels - n_own)
        n_left = n_labels - n_own - n_likely
        n_drawn = np.minimum(width - n_taken - n_likely, n_left)
        column = np.arange(width)
        weights = np.where(column < n_taken, n_own / np.maximum(n_taken, 1), 1.0)
        is_drawn = (column >= n_taken + n_likely) & (column < n_taken + n_likely + n_drawn)
        weights = np.where(is_drawn, n_left / np.maximum(n_drawn, 1), weights)
        return _Pairs(places, np.where(column < n_taken + n_likely + n_drawn, weights, 0.0))

    def fitted(self, analyzer: Analyzer) -> tuple[tuple[list[float], list[float]], list[Any]]:
        """Curves with a shift that all labels share, of this analyzer's blocks; and those without each fold."""
        blocks, prior = universal_curves(analyzer)
        return self._fit_curves(self._regression(prior), blocks)

    def _regression(self, prior: float) -> _kernel.Regression:
        """The regression of yes and no on the basis values of pairs."""
        observed, places = self.observed, self.pairs.places
        truth, sureness = (
            np.take_along_axis(np.tile(by_label, (2, 1)), places, axis=1)
            for by_label in (observed.truth, observed.sureness)
        )
        row_weights = np.concatenate([observed.row_weights, LABELLED_WINDOW_WEIGHT * observed.row_weights])
        weights = row_weights[:, None] * self.pairs.weights * sureness
        starts = observed.start[places] * (1 + (prior - 1) * self.growth_share[:, None])
        offsets = np.stack([np.zeros_like(starts), starts], axis=2)
        return self.basis.regression(
            self.caps.tolist(),
            truth.astype(np.uint32).ravel(),
            np.ascontiguousarray(weights).ravel(),
            2,
            offsets.ravel(),
            np.repeat(self.growth_share, places.shape[1]),
            threads=self.observed.threads,
        )

    def _fit_curves(
        self, regression: _kernel.Regression, blocks: list[list[float]]
    ) -> tuple[tuple[list[float], list[float]], list[tuple[list[float], list[float]]]]:
        """Curves with a shift that all labels share; and those without each fold of the documents."""
        mean = [number for block in blocks for number in block]
        ends = list(accumulate(map(len, blocks)))
        ranges = [(end - len(block), end) for block, end in zip(blocks, ends, strict=True)]
        no_shift = [0.0, 0.0]
        n = len(blocks)
        level = self.observed.n_effective / (self.observed.n_effective + CAUTION)
        levels = regression.grouped(ranges, mean, self.observed.threads)
        multipliers, _, _ = levels.fit(
            [level] * n, level_precision(n), no_shift, SHIFT_PRECISION, self.observed.threads
        )
        multipliers = [max(multiplier, SMALLEST_MULTIPLIER) for multiplier in multipliers]
        scaled = [m * number for block, m in zip(blocks, multipliers, strict=True) for number in block]
        prior = (scaled, self._precision(regression, scaled, mean), no_shift, SHIFT_PRECISION)
        curves, shifts, _ = regression.fit(*prior, self.observed.threads)
        folds = np.repeat(np.tile(self.observed.folds, 2), self.pairs.places.shape[1]).astype(np.uint32)
        return (curves, shifts), regression.without(*prior, (curves, shifts), folds, CURVE_FOLDS, self.observed.threads)

    def _precision(self, regression: _kernel.Regression, curves: list[float], mean: list[float]) -> list[float]:
        """The penalty on the curves: the fewer documents there are in all, and of a label, the larger."""
        counts, n_documents = self.observed.counts, max(self.observed.n_effective, 1e-9)
        of_a_label = max(float(np.mean(counts.documents)) * n_documents / counts.n_documents, 1e-9)
        times = 1 + SHARED_DOCUMENTS / n_documents + (FEW_OF_A_CLASS / of_a_label) ** 2
        return knot_precision(regression, curves, mean, times, self.observed.threads)
