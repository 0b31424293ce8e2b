"""The words that tell a class from the others, for a glance at what a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.diagnosis.dependence import presence_weights, words_only
from banbury.text.likelihoods import scorer

if TYPE_CHECKING:
    from banbury.text.counts import Counts

FEWEST = 2  # documents: a word of one alone says nothing


class Keyword(NamedTuple):
    """A word, how many documents of the class and of others have it, and how strongly its presence speaks, in nats."""

    word: str
    documents: int
    others: int
    weight: float


def keywords(counts: Counts, *, top: int = 12) -> dict[Any, list[Keyword]]:
    """For each class the words that speak for it most surely: by the likelihood ratio (G²) of their presences.

    Rare words may have larger weights; that of a frequent word is believed more.

    >>> from banbury import Counts
    >>> counts = Counts().add(["so happy"] * 9 + ["so sad"] * 9, ["yes"] * 9 + ["no"] * 9)
    >>> {label: [one.word for one in words] for label, words in keywords(counts).items()}
    {'no': ['sad'], 'yes': ['happy']}
    """
    if not counts.classes:
        return {}
    words = words_only(counts.analyzer)
    counts = counts if words is None else counts.narrowed(words)
    seen = scorer(counts.kernel, "multinomial", 1.0, "shared").table(None, FEWEST)
    names, table = seen.names, np.asarray(seen.documents).astype(float)
    sizes = np.array(counts.documents, dtype=float)
    weights = presence_weights(table, sizes)
    others = table.sum(axis=1, keepdims=True) - table
    sure = np.where(weights > 0, _likelihood_ratio(table, others, sizes, sizes.sum() - sizes), 0.0)
    found = {}
    for number, label in enumerate(counts.classes):
        # Enough that equal ones can be put in the order of their names.
        best = np.argsort(-sure[:, number], kind="stable")[: 4 * top]
        order = sorted(best[sure[best, number] > 0].tolist(), key=lambda at: (-sure[at, number], names[at]))[:top]
        found[label] = [
            Keyword(names[at], int(table[at, number]), int(others[at, number]), float(weights[at, number]))
            for at in order
        ]
    return found


def _likelihood_ratio(inside: Any, outside: Any, size: Any, others: Any) -> Any:
    """How much likelier so many presences of `size` and of `others` are by two probabilities than by one, in nats."""

    def log_likelihood(part: Any, whole: Any) -> Any:
        share = part / np.maximum(whole, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(part > 0, part * np.log(share), 0) + np.where(
                part < whole, (whole - part) * np.log1p(-share), 0
            )

    apart = log_likelihood(inside, size) + log_likelihood(outside, others)
    return apart - log_likelihood(inside + outside, size + others)
