"""What leave-one-out chooses for documents with several labels: curves, shifts, thresholds; and its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.errors import InputError
from banbury.labels.counts import LabelCounts
from banbury.labels.curves import fit_label_curves
from banbury.labels.evaluation import LabelEvaluation, LabelPredictions, evaluate_labels
from banbury.labels.odds import probabilities_of
from banbury.labels.thresholds import F1Thresholds, Threshold, f1_thresholds, thresholds_by_label
from banbury.labels.trust import LabelTrust
from banbury.lazy import numpy as np
from banbury.text.documents import as_groups, as_weights
from banbury.text.settings import Settings, analyzers_for

if TYPE_CHECKING:
    from banbury.labels.sets import LabelSet
    from banbury.text.analyzer import Analyzer


class LabelChoice(NamedTuple):
    """What leave-one-out has chosen, and how well it does."""

    counts: LabelCounts
    """Those given, or fewer: without the last block of features, where that did not help."""
    trust: LabelTrust
    f1: F1Thresholds
    report: LabelEvaluation


def fit_labels(
    texts: Any,
    sets: Sequence[LabelSet],
    weights: Any,
    threshold: Threshold,
    *,
    analyzer: Analyzer | str | None,
    groups: Any = None,
    threads: int | None,
) -> LabelChoice:
    """Count documents, and choose by leave-one-out. Texts are held by the kernel, or a list."""
    widest, narrower = analyzers_for(analyzer, *_kernel.measure(texts), Settings())
    counts = LabelCounts(widest).add(texts, sets, weights=weights, threads=threads)
    return choose_labels(counts, texts, sets, weights, threshold, groups=groups, narrower=narrower, threads=threads)


def choose_labels(
    counts: LabelCounts,
    texts: Any,
    sets: Sequence[LabelSet],
    weights: Any,
    threshold: Threshold,
    *,
    groups: Any = None,
    narrower: Analyzer | None = None,
    threads: int | None,
) -> LabelChoice:
    """Choose by leave-one-out; the texts are among those that were counted."""
    labels = counts.labels
    if not sets:
        raise InputError("no documents to learn from")
    if not labels:
        raise InputError("no document has a label: there is nothing to learn")
    trust, analyzer, left_out = fit_label_curves(
        counts,
        texts,
        sets,
        None if weights is None else as_weights(weights, len(sets)),
        groups=None if groups is None else as_groups(groups, len(sets)),
        narrower=narrower,
        threads=threads,
    )
    if analyzer != counts.analyzer:
        counts = counts.narrowed(analyzer)
    chances = probabilities_of(left_out.log_odds)
    f1 = f1_thresholds(labels, left_out.truth, chances, left_out.weights)
    decided = chances >= np.array(thresholds_by_label(threshold, labels, f1))
    predictions = LabelPredictions(
        list(labels), left_out.truth, left_out.log_odds, decided, left_out.weights, left_out.rows, _text_of(texts)
    )
    note = f"each document predicted by a model that has not seen it; chosen: {left_out.chosen}"
    if len(left_out.tried) > 1:
        note += "; tried: " + ", ".join(f"{name} (log loss {loss:.4f})" for name, loss in left_out.tried)
    if (n_used := int(left_out.weights.sum())) < counts.n_documents:
        note += f"; a fixed sample of {n_used} of {counts.n_documents} documents was looked at"
    return LabelChoice(counts, trust, f1, evaluate_labels(predictions, note=note))


def _text_of(texts: Any) -> Any:
    """A function from the row of a document to its text."""
    if isinstance(texts, list):
        return texts.__getitem__
    return lambda row: _kernel.text_at(texts, row) or ""
