"""Keywords: the words that tell each class from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.diagnosis.dependence import presence_weights, words_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.counts import Counts

FEWEST_DOCUMENTS_OF_WORD = 2  # documents: a word of one alone says nothing


class Keyword(NamedTuple):
    """A word, how many documents of the class and of others have it, and how strongly its presence speaks, in nats."""

    word: str
    documents: int
    others: int
    weight: float


def keywords(counts: Counts, *, top: int = 10) -> dict[Any, list[Keyword]]:
    """Keywords of each class, by the likelihood ratio (G²) of their presences.

    G² prefers frequent words, whose weights are better known, to rare ones with larger weights.

    >>> from banbury import Counts
    >>> counts = Counts().add(["so happy"] * 9 + ["so sad"] * 9, ["yes"] * 9 + ["no"] * 9)
    >>> {label: [one.word for one in words] for label, words in keywords(counts).items()}
    {'no': ['sad'], 'yes': ['happy']}
    """
    if not counts.classes:
        return {}
    words = words_only(counts.analyzer)
    counts = counts if words is None else counts.narrowed(words)
    seen = counts.features(min_documents=FEWEST_DOCUMENTS_OF_WORD)
    names, table = seen.names, np.asarray(seen.documents).astype(float)
    sizes = np.array(counts.documents, dtype=float)
    weights = presence_weights(table, sizes)
    others = table.sum(axis=1, keepdims=True) - table
    sure = np.where(weights > 0, _likelihood_ratio(table, others, sizes, sizes.sum() - sizes), 0.0)
    by_label = {}
    for class_id, label in enumerate(counts.classes):
        # Enough that equal ones can be put in the order of their names.
        best = np.argsort(-sure[:, class_id], kind="stable")[: 4 * top]
        order = sorted(best[sure[best, class_id] > 0].tolist(), key=lambda row: (-sure[row, class_id], names[row]))[
            :top
        ]
        by_label[label] = [
            Keyword(names[row], int(table[row, class_id]), int(others[row, class_id]), float(weights[row, class_id]))
            for row in order
        ]
    return by_label


def _likelihood_ratio(
    inside: NDArray[Any], outside: NDArray[Any], size: NDArray[Any], others: NDArray[Any]
) -> NDArray[Any]:
    """Log-likelihood ratio of two probabilities of presence against one for both, in nats."""

    def log_likelihood(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
        share = part / np.maximum(whole, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(part > 0, part * np.log(share), 0) + np.where(
                part < whole, (whole - part) * np.log1p(-share), 0
            )

    apart = log_likelihood(inside, size) + log_likelihood(outside, others)
    ratio: NDArray[Any] = apart - log_likelihood(inside + outside, size + others)
    return ratio
