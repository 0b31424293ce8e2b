"""Exact leave-one-out: every training document scored by the model that has not seen it, nor any copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.text.counts import Counts
from banbury.text.documents import as_groups, as_labels, class_numbers, n_threads
from banbury.text.likelihoods import VOCABULARIES, log_prior, pseudo_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from banbury.text.documents import Column, Labels, Texts
    from banbury.text.likelihoods import Prior, Smoothing

EVERY_ONE = 2**62  # more documents than there are
MOST_DOCUMENTS = 10_000  # that are looked at: more choose hardly better
FEW_DOCUMENTS = 100
MOST_COMPARED = 1_000  # documents that are compared with all others that are looked at
WORTH_SAYING = 0.01  # of these
MOST_SCORES = 2_000_000  # documents times classes of one array; some twenty such arrays are in memory
WINDOW_WEIGHT = 0.5  # of a window of a document, beside the document itself
SHIFT_PRECISION = 1.0  # of a class's own shift, around 0
HEAVIEST = 10.0  # times the median weight of its class a document counts where something is fitted


def leave_one_out(
    counts: Counts,
    texts: Texts,
    labels: Labels,
    *,
    likelihood: str = "multinomial",
    smoothing: Smoothing = 1.0,
    vocabulary: str = "shared",
    prior: Prior = "empirical",
    groups: Column = None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """log P(class) + log P(text | class), for each text and class, as if the text had never been counted.

    The texts are among those that `counts` has counted, with the same labels. Equal texts are left out together,
    whatever their labels, and so are those of the same one of `groups`. The result equals, up to rounding, that of
    counting all others again: a word that nobody else has leaves the vocabulary, a class may stay empty.

    >>> counts = Counts().add(["so happy", "so sad", "so happy"], ["yes", "no", "yes"])
    >>> leave_one_out(counts, ["so happy"], ["yes"]).argmax(axis=1)  # of ["no", "yes"]
    array([1])
    """
    class_ids = class_numbers(as_labels(labels), counts.classes)
    names = None if groups is None else as_groups(groups, len(class_ids))
    documents = _kernel.Documents(counts.kernel, texts, class_ids, None, EVERY_ONE, n_threads(threads), groups=names)
    scores = plain_scores(documents, counts, likelihood, smoothing, vocabulary, prior, threads)
    without: NDArray[np.float64] = scores[np.asarray(documents.places)]
    return without


def plain_left_out(
    documents: _kernel.Documents, likelihood: str, smoothing: Smoothing, vocabulary: str, threads: int | None
) -> _kernel.LeftOut:
    """The leave-one-out log-likelihoods of documents, in their own order, then of their windows."""
    assert vocabulary in VOCABULARIES
    present, absent = pseudo_counts(likelihood, smoothing)
    return documents.log_likelihoods(likelihood, present, absent, vocabulary == "class", n_threads(threads))


def plain_scores(
    documents: _kernel.Documents,
    counts: Counts,
    likelihood: str,
    smoothing: Smoothing,
    vocabulary: str,
    prior: Prior,
    threads: int | None,
) -> NDArray[np.float64]:
    """The leave-one-out scores of documents without windows; with `prior` None the log-likelihoods alone."""
    scores: NDArray[np.float64] = np.asarray(
        plain_left_out(documents, likelihood, smoothing, vocabulary, threads).scores
    )
    if prior is None or (likelihood == "complement" and len(counts.classes) > 1):
        return scores
    if prior != "empirical":
        scores = scores + np.array(log_prior(counts.classes, counts.documents, prior, likelihood))
        return scores
    left = np.maximum(np.array(counts.documents, float) - np.asarray(documents.taken()), 0)
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = scores + np.log(left) - np.log(np.maximum(left.sum(axis=1, keepdims=True), 1))
    return logs


def left_out_weights(documents: _kernel.Documents, n_documents: Sequence[int]) -> tuple[NDArray[np.float64], float]:
    """Weights of documents for fits to leave-one-out scores, and the effective number of documents.

    A group of copies, or of documents that belong together, is one observation, whatever its weight. And what the
    others say of a document is worth the less, the larger a part of its class leaves with it: of a whole class they can
    say nothing right. A text of a thousand copies says no more than a few of what the others can tell: without a bound
    it alone would decide, and all others would count for nothing.
    """
    class_ids, weights = np.array(documents.classes, np.intp), np.array(documents.weights, float)
    bounded = np.minimum(weights, HEAVIEST * _typical_weights(class_ids, weights))
    by_group = np.bincount(np.asarray(documents.groups), bounded)
    share = by_group.sum() / (by_group**2).sum() if len(class_ids) else 1.0
    gone = np.asarray(documents.taken_from_own())
    left = 1 - gone / np.maximum(np.array(n_documents, float)[class_ids], 1)
    n_bounded = sum(n_documents) * (bounded.sum() / weights.sum() if len(class_ids) else 1.0)
    return bounded * share * np.maximum(left, 0), float(share * n_bounded)


def _typical_weights(class_ids: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each document the median weight of those of its class: a class may weigh more than others."""
    typical = np.ones(len(weights))
    for class_id in np.unique(class_ids):
        is_of_class = class_ids == class_id
        typical[is_of_class] = np.median(weights[is_of_class])
    return typical


def together_note(documents: _kernel.Documents, counts: Counts, is_grouped: bool) -> str:
    """What was left out together, and what that says of figures."""
    groups, weights = np.asarray(documents.groups), np.array(documents.weights)
    n_groups, n_documents = len(np.unique(groups)), int(weights.sum())
    if is_grouped:
        class_ids = np.array(documents.classes, np.intp)
        is_whole = np.asarray(documents.taken_from_own()) >= np.array(counts.documents)[class_ids]
        note = f"documents of one group were left out together: {n_groups} groups of {n_documents} documents"
        whole = sorted({counts.classes[number] for number in class_ids[is_whole]}, key=str)
        if whole:
            names = ", ".join(map(repr, whole[:3]))
            note += f"; all of {names} leave with one group, so nothing is known of them without it"
        return note
    if n_documents == n_groups:
        return ""
    share = f"{n_documents - n_groups} of {n_documents}"
    return f"{share} documents repeat others, as copies or by a weight: these were left out together"


def alike_note(documents: _kernel.Documents, is_right: NDArray[np.bool_], threads: int | None = 1) -> str:
    """How many documents share much of their text with another, and how accurate the model is on the rest.

    These are no copies, so they are not left out together; but what is said of the one was learned from the other.
    `is_right` says of each document whether it is predicted right.
    """
    is_alike = np.array(documents.alike(min(MOST_COMPARED, len(is_right)), n_threads(threads)), bool)
    if not is_alike.sum() >= max(WORTH_SAYING * len(is_alike), 1):
        return ""
    n = len(is_alike)
    is_right, weights = is_right[:n], np.array(documents.weights[:n], float)
    note = f"{is_alike.sum()} of {n} documents share half of their rarer word pairs with another one"
    if is_alike.all():
        return note
    rest = float(np.average(is_right[~is_alike], weights=weights[~is_alike]))
    return f"{note}; on the others the accuracy is {rest:.4f} (groups=… leaves out together what belongs together)"


def sample_note(documents: Sequence[int], weights: NDArray[Any]) -> str:
    """What has to be known of the documents that were looked at, to believe figures about them."""
    n_documents, n_used = sum(documents), int(weights.sum())
    if n_documents < FEW_DOCUMENTS:
        return (
            f"{n_documents} documents are few: what is chosen stays close to what many other sets of documents gave, "
            "and these figures can be far off"
        )
    return f"a fixed sample of {n_used} of {n_documents} documents was looked at" if n_used < n_documents else ""
