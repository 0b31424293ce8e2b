"""New texts, drawn from the plain likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.terms import class_id_of
from banbury.text.likelihoods import log_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury import _kernel
    from banbury.text.counts import Counts
    from banbury.text.documents import Label
    from banbury.text.likelihoods import Prior

LONGEST_DRAWN = 1_000_000  # words of a drawn text: the counts of a file may claim any length


def draw_class_ids(
    rng: np.random.Generator, n: int, label: Label | None, classes: list[Any], documents: list[int], prior: Prior
) -> NDArray[Any]:
    """The classes of `n` new documents: all `label`, or drawn from the prior where that is None."""
    if not isinstance(n, int) or n < 0:
        raise InputError(f"n is {n!r}; it must be a number, 0 or more")
    if label is not None:
        return np.full(n, class_id_of(label, classes))
    chances = np.exp(log_prior(classes, documents, prior))
    return rng.choice(len(classes), size=n, p=chances / chances.sum())


def draw_texts(
    rng: np.random.Generator, class_ids: NDArray[Any], counts: Counts, plain: _kernel.PlainScorer, likelihood: str
) -> list[str]:
    """Texts of these classes; their words have no order.

    Bernoulli draws each word or not; multinomial draws as many words as documents of the class have on average.
    """
    table = plain.table()
    words = table.names
    order = sorted(range(len(words)), key=words.__getitem__)  # whatever order they were learned in
    chances = np.exp(np.asarray(table.log_probabilities)[order])
    sorted_words = np.array([words[place] for place in order], dtype=object)
    documents, occurrences = (np.array(by_class, dtype=float) for by_class in (counts.documents, counts.occurrences))
    texts = []
    for class_id in class_ids.tolist():
        if likelihood == "bernoulli":
            drawn = sorted_words[rng.random(len(words)) < chances[:, class_id]]
        else:
            mean = min(occurrences[class_id] / max(documents[class_id], 1), LONGEST_DRAWN)
            length = min(rng.poisson(mean), LONGEST_DRAWN) if len(words) else 0
            shares = chances[:, class_id]
            drawn = rng.choice(sorted_words, size=length, p=shares / shares.sum()) if length else sorted_words[:0]
        texts.append(" ".join(drawn.tolist()))
    return texts
