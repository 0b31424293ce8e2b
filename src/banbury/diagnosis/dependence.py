"""Dependent pairs of words: where the independence assumption fails, and how much evidence is counted twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury import _kernel
from banbury.stats.intervals import false_discoveries
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import Texts, class_numbers, n_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_CANDIDATES = 1500  # pairs of so many are looked at: about a million
SAMPLE_SIZE = 30_000  # a sample that depends on their texts alone
FEWEST_WITH_WORD = 5  # documents with a word
FALSE_DISCOVERY_RATE = 0.01  # of false discoveries
STEP = 1.1  # documents are put together whose lengths differ by less than this factor
BLOCK_ROWS = 2048  # documents
MOST_WEIGHED = 4000  # whose evidence is looked at more closely
BLOCK_PAIRS = 64  # pairs


class DependentPair(NamedTuple):
    """Two words that occur together more often than independence within classes allows."""

    first: str
    second: str
    documents: int
    """Documents that have both words."""
    expected: float
    """The number expected under independence within classes, given the documents' lengths."""
    nats: float
    """Evidence that Naive Bayes counts twice, summed over these documents."""
    p_value: float
    """Upper bound of the p-value."""

    @property
    def ratio(self) -> float:
        """Observed over expected."""
        return self.documents / self.expected


def dependent_pairs(
    texts: Texts,
    labels: Sequence[Any],
    *,
    analyzer: Analyzer | None = None,
    top: int | None = None,
    threads: int | None = None,
) -> list[DependentPair]:
    """Pairs of words that break independence; those with most evidence counted twice come first.

    The 1,500 words with most evidence for any class are compared with each other. Within a class, a document of length
    L has a word with probability 1 − exp(−θ L), where θ is fitted to the number of documents that have the word. If
    both words of a pair have that probability independently, the number of documents with both is a sum of independent
    draws; by Chernoff's bound it is at least O, where E are expected, with a probability of at most exp(−(O log(O/E) −
    O + E)). The false discovery rate of the result is at most one per cent (Benjamini and Yekutieli).

    The evidence counted twice is the sum of the two words' weights minus the weight of their joint presence, at most
    the weaker of the two weights.

    >>> texts = ["sunny hot day", "sea day", "swim day", "rain night", "snow night", "wind night"]
    >>> texts = [f"{text} {i}" for i in range(50) for text in texts]
    >>> found = dependent_pairs(texts, (["summer"] * 3 + ["winter"] * 3) * 50)
    >>> [(pair.first, pair.second, pair.documents) for pair in found]
    [('hot', 'sunny', 50)]
    """
    words = words_only(analyzer or Analyzer())
    if words is None:
        return []
    labels = list(labels)
    counts = Counts(words).add(texts, labels, threads=threads)
    names, evidence = _candidates(counts)
    if len(names) < 2:
        return []
    numbers = class_numbers(labels, counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, numbers, None, SAMPLE_SIZE, n_threads(threads))
    incidence = _Incidence.of(documents, names, len(counts.classes))
    pairs = _beyond_chance(_together(incidence), _expected(incidence))
    weakest = np.minimum(evidence[pairs.first], evidence[pairs.second])
    pairs = pairs.taken(np.argsort(-weakest * pairs.seen, kind="stable")[:MOST_WEIGHED])
    twice = _counted_twice(incidence, pairs)
    rows = zip(*(values.tolist() for values in pairs), twice, strict=True)
    dependent = [
        DependentPair(names[first], names[second], int(seen), expected, nats, p_value)
        for first, second, seen, expected, p_value, nats in rows
    ]
    dependent.sort(key=lambda pair: (-pair.nats, pair.p_value, pair.first, pair.second))
    return dependent if top is None else dependent[:top]


def words_only(analyzer: Analyzer) -> Analyzer | None:
    """The analyzer restricted to single words; None if it finds none."""
    if analyzer.words is None or analyzer.ngrams[0] > 1:
        return None
    return replace(analyzer, ngrams=(1, 1), characters=None)


def presence_weights(inside: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """log P(present | class) / P(present | another class), from numbers of documents by word and class."""
    whole, total = inside.sum(axis=-1, keepdims=True), sizes.sum()
    weights: NDArray[Any] = np.log((inside + 0.5) / (sizes + 1)) - np.log((whole - inside + 0.5) / (total - sizes + 1))
    return weights


def _candidates(counts: Counts) -> tuple[list[str], NDArray[Any]]:
    """The words with most evidence, in the order of their names, and the strongest evidence that each has."""
    words = counts.features(min_documents=FEWEST_WITH_WORD)
    names, table = words.names, np.asarray(words.documents).astype(float)
    weights = np.abs(presence_weights(table, np.array(counts.documents, dtype=float)))
    sums = (table * weights).sum(axis=1)
    order = sorted(range(len(names)), key=lambda place: (-sums[place], names[place]))[:MOST_CANDIDATES]
    order.sort(key=lambda place: names[place])
    return [names[place] for place in order], weights.max(axis=1)[order]


@dataclass(frozen=True)
class _Incidence:
    """Which of the candidate words each document has: a row and a word for each pair of both."""

    rows: NDArray[Any]
    words: NDArray[Any]
    class_ids: NDArray[Any]
    """Of each document."""
    lengths: NDArray[Any]
    """Of each document: how many of its words are known, repeated ones included."""
    n_words: int
    n_classes: int

    @classmethod
    def of(cls, documents: _kernel.Documents, names: list[str], n_classes: int) -> _Incidence:
        incidence = documents.words(names)
        ends, words = np.asarray(incidence.ends), np.asarray(incidence.words)
        rows = np.searchsorted(ends, np.arange(len(words)), side="right")
        return cls(rows, words, np.array(documents.classes), np.asarray(incidence.lengths), len(names), n_classes)

    def documents_with(self) -> NDArray[Any]:
        """How many documents have each word, by class and word."""
        cells = self.class_ids[self.rows] * self.n_words + self.words
        return np.bincount(cells, minlength=self.n_classes * self.n_words).reshape(self.n_classes, self.n_words)


class _Pairs(NamedTuple):
    """Pairs of words, as arrays: their numbers, and how many documents have both."""

    first: NDArray[Any]
    second: NDArray[Any]
    seen: NDArray[Any]
    expected: NDArray[Any]
    p_values: NDArray[Any]

    def taken(self, places: NDArray[Any]) -> _Pairs:
        return _Pairs(*(values[places] for values in self))


def _beyond_chance(together: NDArray[Any], expected: NDArray[Any]) -> _Pairs:
    """The pairs that come together so often that at most a share `FALSE_DISCOVERY_RATE` of them does so by chance."""
    first, second = np.triu_indices(len(together), 1)
    seen, chance = together[first, second].astype(float), np.maximum(expected[first, second], 1e-9)
    above = np.flatnonzero(seen > chance)
    seen, chance = seen[above], chance[above]
    log_p = -(seen * np.log(seen / chance) - seen + chance)
    p_values = np.exp(np.maximum(log_p, -700))
    believed = np.flatnonzero(p_values <= false_discoveries(p_values, len(first), FALSE_DISCOVERY_RATE))
    return _Pairs(first[above], second[above], seen, chance, p_values).taken(believed)


def _together(incidence: _Incidence) -> NDArray[Any]:
    """In how many documents two words come together. Whole numbers below 2²⁴: floats of 32 bits are exact."""
    rows, words, n_words = incidence.rows, incidence.words, incidence.n_words
    sums = np.zeros((n_words, n_words), dtype=np.float32)
    edges = np.searchsorted(rows, np.arange(0, len(incidence.lengths) + BLOCK_ROWS, BLOCK_ROWS))
    for number, (start, end) in enumerate(pairwise(edges.tolist())):
        block = np.zeros((BLOCK_ROWS, n_words), dtype=np.float32)
        block[rows[start:end] - number * BLOCK_ROWS, words[start:end]] = 1
        sums += block.T @ block
    return sums


def _expected(incidence: _Incidence) -> NDArray[Any]:
    """In how many documents two words would come together if they were independent within classes."""
    lengths = incidence.lengths
    present = incidence.documents_with().astype(float)
    steps = np.floor(np.log(np.maximum(lengths, 1)) / np.log(STEP)).astype(int)
    sums = np.zeros((incidence.n_words, incidence.n_words))
    for class_id in range(incidence.n_classes):
        inside = np.flatnonzero((incidence.class_ids == class_id) & (lengths > 0))
        if not len(inside):
            continue
        n = np.bincount(steps[inside]).astype(float)
        mean = np.bincount(steps[inside], lengths[inside]) / np.maximum(n, 1)
        n, mean = n[n > 0], mean[n > 0]
        chances = -np.expm1(-mean[:, None] * _rates(n, mean, present[class_id]))
        # The root of n on both sides: a product with itself takes half the time.
        scaled = np.sqrt(n)[:, None] * chances
        sums += scaled.T @ scaled
    return sums


def _rates(n: NDArray[Any], lengths: NDArray[Any], present: NDArray[Any]) -> NDArray[Any]:
    """θ of each word, so that Σ n (1 − exp(−θ L)) documents have it, by Newton's method.

    It starts from below, where the function is concave, so no step goes too far.
    """
    # One that all documents have would need an infinite rate.
    goal = np.minimum(present, n.sum() - 1e-3)
    rates: NDArray[Any] = goal / (n * lengths).sum()
    moving = np.arange(len(rates))
    for _ in range(40):
        left = np.exp(-lengths[:, None] * rates[moving])
        short = goal[moving] - (n.sum() - n @ left)
        rates[moving] += short / np.maximum((n * lengths) @ left, 1e-300)
        # A word that needs many steps, since nearly all documents have it, does not keep the others waiting.
        moving = moving[np.abs(short) >= 1e-9 * n.sum()]
        if not len(moving):
            break
    return rates


def _counted_twice(incidence: _Incidence, pairs: _Pairs) -> list[float]:
    """Evidence counted twice by each pair, summed over the documents that have both words."""
    n_classes, class_ids = incidence.n_classes, incidence.class_ids
    sizes = np.bincount(class_ids, minlength=n_classes).astype(float)
    weights = presence_weights(incidence.documents_with().T.astype(float), sizes)
    # Documents in the order of their classes, so that those of a class stand side by side.
    order = np.argsort(class_ids, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    has = np.zeros((incidence.n_words, len(order)), dtype=bool)
    has[incidence.words, places[incidence.rows]] = True
    filled = np.flatnonzero(sizes)
    starts = (np.cumsum(sizes) - sizes).astype(int)[filled]
    sums: list[float] = []
    for start in range(0, len(pairs.first), BLOCK_PAIRS):
        first, second = (numbers[start : start + BLOCK_PAIRS] for numbers in (pairs.first, pairs.second))
        inside = np.zeros((len(first), n_classes))
        inside[:, filled] = np.add.reduceat(has[first] & has[second], starts, axis=1, dtype=np.int32)
        joint = presence_weights(inside, sizes)
        ours, theirs = weights[first], weights[second]
        most = np.where(ours * theirs > 0, np.minimum(np.abs(ours), np.abs(theirs)), 0.0)
        sums += (inside * np.clip(np.sign(ours) * (ours + theirs - joint), 0, most)).sum(axis=1).tolist()
    return sums
