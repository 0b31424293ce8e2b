"""Words of a text as people see them, between white space, and what the evidence that lies in them weighs together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.explanation import Evidence

LONGEST_WORD = 40  # columns of a word, where it is printed
WORD = re.compile(r"\S+")
EDGES = re.compile(r"^[^\w<>@#$€£]+|[^\w<>@#$€£]+$")


class Words:
    """The words of a text: what stands between white space; in scripts without spaces, each character of a long run."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bounds: list[tuple[int, int]] = []
        self._in_long: set[int] = set()
        """Where characters of very long words are."""
        for word in WORD.finditer(text):
            start, end = word.span()
            if end - start <= LONGEST_WORD or word[0].isascii():
                self.bounds.append((start, end))
            else:
                self.bounds += [(place, place + 1) for place in range(start, end)]
                self._in_long.update(range(start, end))
        edges = np.array(self.bounds, dtype=np.int64).reshape(-1, 2)
        numbers = np.arange(len(self.bounds) + 1)
        # Of each character the number of its word; of white space those of the words after and before it.
        self._next: list[int] = np.repeat(numbers, np.diff(edges[:, 1], prepend=0, append=len(text))).tolist()
        self._last: list[int] = (np.repeat(numbers, np.diff(edges[:, 0], prepend=0, append=len(text))) - 1).tolist()

    def covered(self, item: Evidence) -> tuple[int, int]:
        """The number of the first word that evidence lies in, and that of the last; the latter is lower where it lies
        in none.
        """
        end = min(item.end or 0, len(self.text))
        start = item.start or 0
        return (self._next[start], self._last[end - 1]) if start < end else (0, -1)

    def around(self, item: Evidence) -> tuple[int, int] | None:
        """The numbers of the words that a run of characters lies in; None where it lies in none, or where they are very
        long. Characters at the edge of a word have the space beside it with them.
        """
        first, last = self.covered(item)
        if last < first or self.bounds[first][0] in self._in_long:
            return None
        is_long = last > first and self.bounds[last][1] - self.bounds[first][0] > LONGEST_WORD
        return None if is_long else (first, last)

    def weights(self, evidence: Sequence[Evidence]) -> list[tuple[int, int, float]]:
        """The start and end of each word, and its weight: that of evidence is shared equally by the words it lies in.

        >>> from banbury.results.explanation import Evidence
        >>> Words("so happy").weights([Evidence("so happy", 1.0, 0, 8), Evidence("happy", 0.5, 3, 8)])
        [(0, 2, 0.5), (3, 8, 1.0)]
        """
        sums = [0.0] * len(self.bounds)
        for item in evidence:
            first, last = self.covered(item)
            if first == last:
                sums[first] += item.weight
                continue
            for number in range(first, last + 1):
                sums[number] += item.weight / (last - first + 1)
        return [(start, end, weight) for (start, end), weight in zip(self.bounds, sums, strict=True)]

    def sums(self, places: NDArray[Any], weights: NDArray[Any]) -> list[tuple[int, float]] | None:
        """`weights` of evidence from its places (start, end) alone: the number and the weight of each word that has
        some; None where evidence lies in no word.
        """
        if not len(places):
            return []
        first = np.array(self._next)[np.minimum(places[:, 0], len(self.text) - 1)]
        last = np.array(self._last)[np.minimum(places[:, 1], len(self.text)) - 1]
        n_covered = last - first + 1
        if (n_covered < 1).any() or (places[:, 0] >= places[:, 1]).any():
            return None
        before = np.cumsum(n_covered) - n_covered
        words = np.repeat(first - before, n_covered) + np.arange(n_covered.sum())
        sums = np.bincount(words, np.repeat(weights / n_covered, n_covered))
        known = np.flatnonzero(np.bincount(words))
        return list(zip(known.tolist(), sums[known].tolist(), strict=True))

    def name(self, number: int) -> str:
        """A word without the signs around it, where anything is left of it.

        >>> Words("so »happy«!").name(1)
        'happy'
        """
        start, end = self.bounds[number]
        word = self.text[start:end]
        return EDGES.sub("", word) or word
