"""Exact leave-one-out: every training document scored by the model that has not seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.text.counts import Counts
from banbury.text.documents import as_labels, class_numbers, n_threads
from banbury.text.likelihoods import VOCABULARIES, log_prior, pseudo_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVERY_ONE = 2**62  # more documents than there are
MOST_DOCUMENTS = 10_000  # more make the curves hardly better
FEW_DOCUMENTS = 100


def leave_one_out(
    counts: Counts,
    texts: Any,
    labels: Any,
    *,
    likelihood: str = "multinomial",
    smoothing: Any = 1.0,
    vocabulary: str = "shared",
    prior: Any = "empirical",
    threads: int | None = None,
) -> NDArray[Any]:
    """log P(class) + log P(text | class), for each text and class, as if the text had never been counted.

    The texts are among those that `counts` has counted, with the same labels. The result equals, up to rounding, that
    of counting all others again: a word that only this document has leaves the vocabulary, a class may stay empty.

    >>> counts = Counts().add(["so happy", "so sad", "so happy"], ["yes", "no", "yes"])
    >>> leave_one_out(counts, ["so happy"], ["yes"]).argmax(axis=1)  # of ["no", "yes"]
    array([1])
    """
    import numpy as np

    numbers = class_numbers(as_labels(labels), counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, numbers, None, EVERY_ONE, n_threads(threads))
    scores = plain_scores(documents, counts, likelihood, smoothing, vocabulary, prior, threads)
    without: NDArray[Any] = scores[np.asarray(documents.places)]
    return without


def plain_scores(
    documents: _kernel.Documents,
    counts: Counts,
    likelihood: str,
    smoothing: Any,
    vocabulary: str,
    prior: Any,
    threads: int | None,
) -> NDArray[Any]:
    """The leave-one-out scores of documents, in their own order; with `prior` None the log-likelihoods alone."""
    import numpy as np

    assert vocabulary in VOCABULARIES
    present, absent = pseudo_counts(likelihood, smoothing)
    is_class = vocabulary == "class"
    logs = documents.log_likelihoods(likelihood, present, absent, is_class, n_threads(threads))
    scores: NDArray[Any] = np.asarray(logs)
    if prior is None or (likelihood == "complement" and len(counts.classes) > 1):
        return scores
    if prior != "empirical":
        scores = scores + np.array(log_prior(counts.classes, counts.documents, prior, likelihood))
        return scores
    own = np.array(documents.classes, dtype=np.intp)
    left = np.tile(np.array(counts.documents, dtype=float), (len(own), 1))
    left[np.arange(len(own)), own] -= 1
    with np.errstate(divide="ignore"):
        scores = scores + np.log(left) - np.log(max(sum(counts.documents) - 1, 1))
    return scores


def sample_note(documents: list[int], weights: NDArray[Any]) -> str:
    """What has to be known of the documents that were looked at, to believe figures about them."""
    n_documents, n_used = sum(documents), int(weights.sum())
    if n_documents < FEW_DOCUMENTS:
        return (
            f"{n_documents} documents are few: what is chosen stays close to what many other sets of documents gave, "
            "and these figures can be far off"
        )
    return f"a fixed sample of {n_used} of {n_documents} documents was looked at" if n_used < n_documents else ""
