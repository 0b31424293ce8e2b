"""Which documents to label next: the most uncertain, or those that teach the most.

A label teaches something of every word of its document. The variance of a word's weight goes with 1 / (k + 1), where k
labelled documents have the word; one more lowers it by 1 / (k + 1)(k + 2), and that is worth as much as there are
other documents with the word:

    gain(document) = (1 − margin) · Σ_w others with w / (k_w + 1)(k_w + 2) / (its different words) ^ share

margin is the distance of its two most probable labels: where one is certain, its label is no news. The words of a
document share in one label. Where the model is surer of long documents than of short ones, as of topics and authors,
all their words bear it, and the share is ½. Elsewhere, as in opinions and questions, the label hangs on a few of them,
and it is 1. Where the model counts characters, these take the place of words.

The best document is taken, its words are known better from then on, and the next best follows: documents that are
chosen together complement each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.stats.softmax import possible_log_softmax
from banbury.text.counts import Counts
from banbury.text.documents import as_texts, check_many, n_threads
from banbury.text.index import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.documents import Texts
    from banbury.text.model import TextModel
    from banbury.text.settings import Settings

BY = ("gain", "uncertainty")
LEAST_SHARE = 0.5  # from a correlation of 0.1 on
NEGLIGIBLE = 1e-9


def next_to_label(
    model: TextModel,
    settings: Settings,
    texts: Texts,
    *,
    top: int,
    by: str,
    threads: int | None,
) -> list[int]:
    """The numbers of the texts to label next, the best first."""
    if by not in BY:
        raise InputError(f"by is {by!r}; it can be {' or '.join(map(repr, BY))}")
    if not isinstance(top, int) or top < 0:
        raise InputError(f"top is {top!r}; it must be a number, 0 or more")
    check_many(texts)
    rows = as_texts(texts)
    if not rows or not top:
        return []
    if by == "uncertainty":
        if len(model.classes) < 2:
            raise InputError(f"the model knows {len(model.classes)} classes; uncertainty needs two: choose by gain")
        closest: list[int] = np.argsort(-_closeness(model, settings, rows, threads), kind="stable")[:top].tolist()
        return closest
    analyzer = replace(model.counts.analyzer, ngrams=(1, 1))
    if analyzer.characters is not None:
        analyzer = replace(analyzer, words=None)
    index = Index.of(Counts(analyzer).add(rows, list(range(len(rows))), threads=threads))
    sizes = np.maximum(index.distinct, 1)
    closeness, share = np.ones(len(rows)), LEAST_SHARE
    if len(model.classes) > 1:
        closeness = _closeness(model, settings, rows, threads)
        share = length_share(closeness, sizes)
    return _most_gain(index, _labelled(model, index.words), closeness, sizes**share, top)


def _closeness(model: TextModel, settings: Settings, texts: list[str], threads: int | None) -> NDArray[Any]:
    """1 where the two most probable labels are equally probable, 0 where one is certain."""
    reading = model.reading(settings)
    logs = possible_log_softmax(reading.scores(texts, n_threads(threads)))
    chances = np.sort(np.exp(logs), axis=1)
    closeness: NDArray[Any] = 1 - (chances[:, -1] - chances[:, -2])
    return closeness


def length_share(closeness: NDArray[Any], sizes: NDArray[Any]) -> float:
    """The exponent of a document's length in its gain: ½ where long ones are surer than short ones, 1 where not."""
    lengths, margins = (values - values.mean() for values in (np.log(sizes), 1 - closeness))
    scale = float(np.sqrt((lengths**2).sum() * (margins**2).sum()))
    correlation = float((lengths * margins).sum()) / scale if scale > NEGLIGIBLE else 0.0
    return 1 - min(max(5 * correlation, 0.0), 1 - LEAST_SHARE)


def _labelled(model: TextModel, words: list[str]) -> NDArray[Any]:
    """In how many labelled documents each word stands."""
    if not model.classes:
        return np.zeros(len(words))
    table = model.counts.features(words)
    known = dict(zip(table.names, np.asarray(table.documents).sum(axis=1).tolist(), strict=True))
    return np.array([known.get(word, 0) for word in words], dtype=float)


def _most_gain(index: Index, labelled: NDArray[Any], closeness: NDArray[Any], sizes: NDArray[Any], n: int) -> list[int]:
    """The best documents one by one, each with what is still to be learned after those before it."""
    starts = np.array(index.starts)
    having = np.diff(starts)
    worth = having - 1.0  # of a document's word: in how many others it stands
    factor = closeness / sizes
    gains = np.bincount(index.places, (worth / ((labelled + 1) * (labelled + 2)))[index.word_of], len(factor))
    is_left = np.ones(len(factor), dtype=bool)
    word_starts, order = index.by_document()
    chosen: list[int] = []
    for _ in range(min(n, len(factor))):
        scores = gains * factor
        # Where there is nothing left to learn of the words, at least the uncertain ones come first.
        best = int(np.where(is_left, scores if scores[is_left].max() > NEGLIGIBLE else closeness, -1.0).argmax())
        is_left[best] = False
        chosen.append(best)
        words = index.word_of[order[word_starts[best] : word_starts[best + 1]]]
        if not len(words):
            continue
        # k goes up by one for each word: 1 / (k + 1)(k + 2) becomes 1 / (k + 2)(k + 3).
        k = labelled[words]
        less = -2 * worth[words] / ((k + 1) * (k + 2) * (k + 3))
        labelled[words] += 1
        places = np.concatenate([index.places[starts[word] : starts[word + 1]] for word in words])
        gains += np.bincount(places, np.repeat(less, having[words]), len(factor))
    return chosen
