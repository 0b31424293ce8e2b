"""Pairs of words that come together: where independence fails, and how much evidence is counted twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.stats.intervals import false_discoveries
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import class_numbers, n_threads
from banbury.text.likelihoods import scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_WORDS = 1500  # pairs of so many are looked at: about a million
MOST_DOCUMENTS = 30_000  # a sample that depends on their texts alone
FEWEST = 5  # documents with a word
RATE = 0.01  # of false discoveries
STEP = 1.1  # documents are put together whose lengths differ by less than this factor
AT_ONCE = 2048  # documents
LONGEST = 4000  # pairs whose evidence is looked at more closely


class DependentPair(NamedTuple):
    """Two words that come together more often than if they knew nothing of each other, in documents of one class."""

    first: str
    second: str
    documents: int
    """That have both."""
    expected: float
    """How many would have both if the words were independent within classes, given how long the documents are."""
    nats: float
    """Evidence that Naive Bayes counts twice, summed over these documents."""
    p_value: float
    """At most: the probability that independent words come together so often."""

    @property
    def ratio(self) -> float:
        """How many times as often as expected."""
        return self.documents / self.expected


def dependent_pairs(
    texts: Any,
    labels: Sequence[Any],
    *,
    analyzer: Analyzer | None = None,
    top: int | None = None,
    threads: int | None = None,
) -> list[DependentPair]:
    """Pairs of words that break independence, those first with most evidence counted twice.

    The 1,500 words with most evidence for any class are compared with each other. Within a class, a document of length
    L has a word with probability 1 − exp(−θ L), where θ is such that as many documents have it as do. If both words of
    a pair have that probability independently, the number of documents with both is a sum of independent draws; by
    Chernoff's bound it is at least O, where E are expected, with a probability of at most exp(−(O log(O/E) − O + E)).
    At most one per cent of the pairs that come back are there by chance (Benjamini and Yekutieli), whatever the
    words have to do with each other.

    Of two words that speak for the same class, what is counted twice is the sum of their evidence less that of
    their coming together, and never more than the weaker one says.

    >>> texts = ["sunny hot day", "sea day", "swim day", "rain night", "snow night", "wind night"]
    >>> texts = [f"{text} {i}" for i in range(50) for text in texts]
    >>> found = dependent_pairs(texts, (["summer"] * 3 + ["winter"] * 3) * 50)
    >>> [(pair.first, pair.second, pair.documents) for pair in found]
    [('hot', 'sunny', 50)]
    """
    import numpy as np

    words = words_only(analyzer or Analyzer())
    if words is None:
        return []
    labels = list(labels)
    counts = Counts(words).add(texts, labels, threads=threads)
    names, evidence = _candidates(counts)
    if len(names) < 2:
        return []
    numbers = class_numbers(labels, counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, numbers, None, MOST_DOCUMENTS, n_threads(threads))
    incidence = documents.words(names)
    lengths, ends, columns = map(np.asarray, (incidence.lengths, incidence.ends, incidence.words))
    rows = np.searchsorted(ends, np.arange(len(columns)), side="right")
    own = np.array(documents.classes)
    together = _together(rows, columns, len(ends), len(names))
    expected = _expected(rows, columns, own, lengths, len(names), len(counts.classes))
    first, second = np.triu_indices(len(names), 1)
    seen, chance = together[first, second].astype(float), expected[first, second]
    above = np.flatnonzero(seen > np.maximum(chance, 1e-9))
    seen, chance, first_, second_ = seen[above], np.maximum(chance[above], 1e-9), first[above], second[above]
    log_p = -(seen * np.log(seen / chance) - seen + chance)
    p_values = np.exp(np.maximum(log_p, -700))
    believed = np.flatnonzero(p_values <= false_discoveries(p_values, len(first), RATE))
    strongest = np.minimum(evidence[first_[believed]], evidence[second_[believed]]) * seen[believed]
    believed = believed[np.argsort(-strongest, kind="stable")[:LONGEST]]
    twice = _counted_twice(rows, columns, own, len(counts.classes), first_[believed], second_[believed], len(names))
    found = [
        DependentPair(
            names[first_[at]], names[second_[at]], int(seen[at]), float(chance[at]), nats, float(p_values[at])
        )
        for at, nats in zip(believed.tolist(), twice, strict=True)
    ]
    found.sort(key=lambda pair: (-pair.nats, pair.p_value, pair.first, pair.second))
    return found if top is None else found[:top]


def words_only(analyzer: Analyzer) -> Analyzer | None:
    """The same analyzer for single words; None where it has none."""
    if analyzer.words is None or analyzer.ngrams[0] > 1:
        return None
    return replace(analyzer, ngrams=(1, 1), characters=None)


def presence_weights(inside: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """log P(present | class) / P(present | another class), from numbers of documents by word and class."""
    import numpy as np

    whole, total = inside.sum(axis=-1, keepdims=True), sizes.sum()
    weights: NDArray[Any] = np.log((inside + 0.5) / (sizes + 1)) - np.log((whole - inside + 0.5) / (total - sizes + 1))
    return weights


def _candidates(counts: Counts) -> tuple[list[str], NDArray[Any]]:
    """The words with most evidence, in the order of their names, and the strongest evidence that each has."""
    import numpy as np

    words = scorer(counts.kernel, "multinomial", 1.0, "shared").table(None, FEWEST)
    names, table = words.names, np.asarray(words.documents).astype(float)
    weights = np.abs(presence_weights(table, np.array(counts.documents, dtype=float)))
    sums = (table * weights).sum(axis=1)
    order = sorted(range(len(names)), key=lambda at: (-sums[at], names[at]))[:MOST_WORDS]
    order.sort(key=lambda at: names[at])
    return [names[at] for at in order], weights.max(axis=1)[order]


def _together(rows: NDArray[Any], columns: NDArray[Any], n_documents: int, n_words: int) -> NDArray[Any]:
    """In how many documents two words come together. Whole numbers below 2²⁴: floats of 32 bits are exact."""
    import numpy as np

    sums = np.zeros((n_words, n_words), dtype=np.float32)
    edges = np.searchsorted(rows, np.arange(0, n_documents + AT_ONCE, AT_ONCE))
    for at, (start, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        some = np.zeros((AT_ONCE, n_words), dtype=np.float32)
        some[rows[start:end] - at * AT_ONCE, columns[start:end]] = 1
        sums += some.T @ some
    return sums


def _expected(
    rows: NDArray[Any],
    columns: NDArray[Any],
    own: NDArray[Any],
    lengths: NDArray[Any],
    n_words: int,
    n_classes: int,
) -> NDArray[Any]:
    """In how many documents two words would come together if they were independent."""
    import numpy as np

    present = np.bincount(own[rows] * n_words + columns, minlength=n_classes * n_words).reshape(n_classes, n_words)
    steps = np.floor(np.log(np.maximum(lengths, 1)) / np.log(STEP)).astype(int)
    sums = np.zeros((n_words, n_words))
    for number in range(n_classes):
        inside = np.flatnonzero((own == number) & (lengths > 0))
        if not len(inside):
            continue
        n = np.bincount(steps[inside]).astype(float)
        mean = np.bincount(steps[inside], lengths[inside]) / np.maximum(n, 1)
        n, mean = n[n > 0], mean[n > 0]
        chances = -np.expm1(-mean[:, None] * _rates(n, mean, present[number].astype(float)))
        sums += chances.T @ (n[:, None] * chances)
    return sums


def _rates(n: NDArray[Any], lengths: NDArray[Any], present: NDArray[Any]) -> NDArray[Any]:
    """θ of each word, so that Σ n (1 − exp(−θ L)) documents have it: by Newton's method from below, which is safe."""
    import numpy as np

    # One that all documents have would need an infinite rate.
    goal = np.minimum(present, n.sum() - 1e-3)
    rates: NDArray[Any] = goal / (n * lengths).sum()
    for _ in range(40):
        left = np.exp(-lengths[:, None] * rates)
        short = goal - (n.sum() - n @ left)
        step = short / np.maximum((n * lengths) @ left, 1e-300)
        rates = rates + step
        if float(np.abs(short).max()) < 1e-9 * float(n.sum()):
            break
    return rates


def _counted_twice(
    rows: NDArray[Any],
    columns: NDArray[Any],
    own: NDArray[Any],
    n_classes: int,
    first: NDArray[Any],
    second: NDArray[Any],
    n_words: int,
) -> list[float]:
    """For each pair the evidence counted twice, summed over the documents that have both words."""
    import numpy as np

    sizes = np.bincount(own, minlength=n_classes).astype(float)
    present = np.bincount(columns * n_classes + own[rows], minlength=n_words * n_classes).reshape(n_words, n_classes)
    weights = presence_weights(present.astype(float), sizes)
    order = np.argsort(columns, kind="stable")
    ends = np.cumsum(np.bincount(columns, minlength=n_words))
    lists = np.split(rows[order], ends[:-1])
    found = []
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        both = np.intersect1d(lists[one], lists[other], assume_unique=True)
        inside = np.bincount(own[both], minlength=n_classes).astype(float)
        joint = presence_weights(inside, sizes)
        ours, theirs = weights[one], weights[other]
        side = np.sign(ours)
        most = np.where(ours * theirs > 0, np.minimum(np.abs(ours), np.abs(theirs)), 0.0)
        found.append(float((inside * np.clip(side * (ours + theirs - joint), 0, most)).sum()))
    return found
