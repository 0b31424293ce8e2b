"""Index: which documents hold a word, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.text.counts import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Index:
    """Inverted index: which documents have a word, and how often; documents and words by their numbers."""

    documents: NDArray[Any]
    words: list[str]
    numbers: dict[str, int]
    starts: list[int]
    """Where the documents of each word start; one more, where the last end."""
    places: NDArray[Any]
    times: NDArray[Any]
    word_of: NDArray[Any]
    """Of each pair of a word and a document, the word."""
    lengths: NDArray[Any]
    distinct: NDArray[Any]

    @classmethod
    def of(cls, counts: Counts) -> Index:
        """The index of counts with a class for each document."""
        postings = counts.kernel.postings()
        words = postings.names
        limits = np.concatenate([[0], np.asarray(postings.ends)]).astype(np.intp)
        places = np.asarray(postings.classes).astype(np.intp)
        times = np.asarray(postings.occurrences).astype(float)
        n = len(counts.classes)
        return cls(
            np.array(counts.classes, dtype=np.intp),
            words,
            {word: number for number, word in enumerate(words)},
            limits.tolist(),
            places,
            times,
            np.repeat(np.arange(len(words)), np.diff(limits)),
            np.bincount(places, times, minlength=n),
            np.bincount(places, minlength=n).astype(float),
        )

    def background(self, scorer: str) -> NDArray[Any]:
        """P(w) of each word."""
        each = None if scorer == "pitman-yor" else self.times
        shares: NDArray[Any] = np.bincount(self.word_of, each, minlength=len(self.words))
        return shares / max(float(shares.sum()), 1.0)

    def by_document(self) -> tuple[list[int], NDArray[Any]]:
        """Where the words of each document start, and the order that puts all pairs by document."""
        order = np.argsort(self.places, kind="stable")
        return [0, *np.cumsum(self.distinct).astype(int).tolist()], order
