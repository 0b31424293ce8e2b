"""Relevance formulas on an inverted index: smoothed query likelihoods, and BM25.

The words of a document are too few to know its probabilities, so they are smoothed with those of all documents:

    dirichlet        P(w|d) = (n + mass · P(w)) / (length + mass)                        P(w): its share of all words
    jelinek-mercer   P(w|d) = (1 − share) · n / length + share · P(w)
    pitman-yor       P(w|d) = (max(n − discount, 0) + (mass + discount · distinct) · P(w)) / (length + mass)
                     where P(w) is the word's share of all pairs of a document and a word that stands in it:
                     a word that came once comes again more easily, so repetitions say little of how common it is

What is free in them is chosen by leave-one-out likelihood: every word of every document predicted from the rest of it.
BM25 stands beside them, as a scorer that is no likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.errors import InputError
from banbury.text.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SCORERS = {"pitman-yor": 2, "dirichlet": 1, "jelinek-mercer": 1, "bm25": 2}  # and how many numbers their smoothing has
WANTED = {
    "pitman-yor": "a mass of more than 0 and a discount from 0 to 1",
    "dirichlet": "the mass, more than 0",
    "jelinek-mercer": "a share between 0 and 1",
    "bm25": "k, 0 or more, and b, from 0 to 1",
}
BM25 = (1.2, 0.75)  # k and b, as everybody has them
LARGEST_MASS = 1e6
# Of those that are chosen: the mass in documents of average length, and the discount. Words of titles are hardly ever
# repeated, so they are likeliest with all of their document smoothed away; then no document differs from another.
MOST_LENGTHS, LARGEST_DISCOUNT = 2.0, 0.5
# What the smoothing usually is, and how far from it: where few words are repeated, this is all there is to go by.
USUAL_LOG_MASS, USUAL_DISCOUNT, USUAL_SHARE = (4.0, 1.0), (0.5, 0.2), (0.6, 0.2)


def as_smoothing(scorer: str, smoothing: Any) -> tuple[float, ...] | None:
    """The numbers of a smoothing; None for one that is to be chosen.

    >>> as_smoothing("dirichlet", 500)
    (500.0,)
    """
    if isinstance(smoothing, str) and smoothing == "auto":
        return None
    given = smoothing if isinstance(smoothing, (tuple, list)) else [smoothing]
    try:
        numbers = tuple(float(number) for number in given)
        first, second = (*numbers, 0.0)[:2]
        limits = {"jelinek-mercer": 0 < first < 1, "bm25": 0 <= first < LARGEST_MASS and 0 <= second <= 1}
        fits = limits.get(scorer, 0 < first <= LARGEST_MASS and 0 <= second < 1)
    except (TypeError, ValueError):
        numbers, fits = (), False
    if len(numbers) != SCORERS[scorer] or not fits:
        raise InputError(f"smoothing is {smoothing!r}; for {scorer} it is 'auto' or {WANTED[scorer]}")
    return numbers


@dataclass(frozen=True)
class Reading:
    """The weight of every word for every document."""

    index: Index
    smoothing: tuple[float, ...]
    gains: NDArray[Any]
    """Of each pair of a word and a document."""
    start: NDArray[Any]
    """What a word that does not stand there adds to each document."""
    limits: list[int]
    """Where the words of each document start in what follows; one more, where the last end."""
    words: NDArray[Any]
    shares: NDArray[Any]
    """Of each word in its document."""

    @classmethod
    def of(cls, index: Index, scorer: str, smoothing: tuple[float, ...] | None) -> Reading:
        """An index as a scorer reads it; with `smoothing` None the best is chosen."""
        if smoothing is None:
            smoothing = BM25 if scorer == "bm25" else _chosen(index, scorer)
        gains, start = _bm25(index, *smoothing) if scorer == "bm25" else _likelihood(index, scorer, smoothing)
        limits, order = index.by_document()
        shares = index.times / index.lengths[index.places]
        return cls(index, smoothing, gains, start, limits, index.word_of[order], shares[order])


def _likelihood(index: Index, scorer: str, smoothing: tuple[float, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """log P(w|d) / P(w): what each occurrence of a word adds, and what a document has without the word."""
    places, background = index.places, index.background(scorer)[index.word_of]
    if scorer == "jelinek-mercer":
        share = smoothing[0]
        gains = np.log1p((1 - share) / share * index.times / (index.lengths[places] * background))
        return gains, np.full(len(index.documents), np.log(share))
    mass, discount = (*smoothing, 0.0)[:2]
    shared = mass + discount * index.distinct
    return np.log1p((index.times - discount) / (shared[places] * background)), np.log(shared / (index.lengths + mass))


def _bm25(index: Index, k: float, b: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Robertson's weights, with the logarithm that is never negative."""
    n = len(index.documents)
    having = np.diff(index.starts)
    rarity = np.log1p((n - having + 0.5) / (having + 0.5))
    relative = index.lengths / max(index.lengths.mean(), 1e-300) if n else index.lengths
    limit = k * (1 - b + b * relative)[index.places]
    return rarity[index.word_of] * index.times * (k + 1) / (index.times + limit), np.zeros(n)


def _chosen(index: Index, scorer: str) -> tuple[float, ...]:
    """The smoothing under which each word is likeliest, given the rest of its document (Zhai and Lafferty, 2002)."""
    # A word that stands once in a document is not in the rest of it, so P(w) is a constant factor there and only the
    # document matters; all others are looked at one by one. Sums, not products of vectors: the threads of a BLAS wait
    # for each other on a busy machine.
    is_repeated = index.times > 1
    once = np.bincount(index.places[~is_repeated], minlength=len(index.documents))
    times, places = index.times[is_repeated], index.places[is_repeated]
    background = index.background(scorer)[index.word_of[is_repeated]]
    rest = np.maximum(index.lengths - 1, 1)
    n_once = float(once.sum())

    def mixed(share: float) -> float:
        inside = np.log((1 - share) * (times - 1) / rest[places] + share * background)
        return float((times * inside).sum()) + n_once * float(np.log(share)) - _distance(share, USUAL_SHARE)

    distinct, alone = index.distinct, np.maximum(index.distinct - 1, 0)

    def drawn(log_mass: float, discount: float) -> float:
        mass = float(np.exp(log_mass))
        inside = np.log(times - 1 - discount + (mass + discount * distinct[places]) * background)
        outside = np.log(mass + discount * alone)
        total = np.log(np.maximum(index.lengths - 1, 0) + mass)
        distance = _distance(log_mass, USUAL_LOG_MASS) + _distance(discount, USUAL_DISCOUNT)
        return float((times * inside).sum() + (once * outside - index.lengths * total).sum()) - distance

    if scorer == "jelinek-mercer":
        return (_highest(mixed, 0.01, 0.99),)

    length = float(index.lengths[index.lengths > 0].mean()) if index.lengths.any() else 1.0
    largest = float(np.log(min(max(MOST_LENGTHS * length, 2.0), LARGEST_MASS)))

    def best_log_mass(discount: float) -> float:
        return _highest(lambda log_mass: drawn(log_mass, discount), 0.0, largest)

    if scorer == "dirichlet":
        return (float(np.exp(best_log_mass(0.0))),)
    discount = _highest(lambda discount: drawn(best_log_mass(discount), discount), 0.0, LARGEST_DISCOUNT)
    return float(np.exp(best_log_mass(discount))), discount


def _distance(value: float, usual: tuple[float, float]) -> float:
    """Prior penalty of a value: the exponent of a normal distribution."""
    mean, deviation = usual
    return ((value - mean) / deviation) ** 2 / 2


def _highest(function: Callable[[float], float], low: float, high: float) -> float:
    """The maximum of a unimodal function by golden-section search, to half a per cent of the range."""
    ratio = (5**0.5 - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    narrow = (high - low) / 200
    while high - low > narrow:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2
