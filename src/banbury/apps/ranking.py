"""Ranker: documents ranked by query likelihood.

That is Naive Bayes with a class for each document: what is learned are counts, and they are an inverted index. The
score of a document is Σ log P(w|d) / P(w) over the words of the query, in nats: above 0, it explains the query better
than all documents together do. `relevance.py` has the formulas.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury import _kernel, storage
from banbury.apps.relevance import SCORERS, Reading, as_smoothing
from banbury.errors import MALFORMED, FileFormatError, InputError
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.index import Index
from banbury.text.tokens import as_document

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

ENGLISH = Analyzer(stemmer="english", stop_words="english")

# Relevance feedback with what the literature uses; nothing here was fitted to judgements.
BEST_DOCUMENTS = 10
NEW_WORDS = 20
OLD_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """What one word of the query, or of its feedback, adds to the score of a document."""

    word: str
    score: float
    count: int
    """Occurrences in the document."""
    weight: float
    """Occurrences in the query; a fraction for words added by feedback."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found."""

    index: int
    score: float
    _query: _Query = field(repr=False, compare=False)

    @property
    def matches(self) -> list[Match]:
        """Word by word, the largest share first; they sum to the score."""
        return self._query.matches(self.index)

    def __str__(self) -> str:
        matches = self.matches
        width = max(len(match.word) for match in matches)
        longest = max(abs(match.score) for match in matches) or 1
        lines = [f"document {self.index}: {self.score:+.3f}"]
        for match in matches:
            bar = ("+" if match.score > 0 else "-") * round(24 * abs(match.score) / longest)
            lines.append(f"  {match.word:{width}} {match.score:+8.3f}  {match.count:3} ×  {bar}".rstrip())
        return "\n".join(lines)


class Ranker:
    """Finds documents by a query, and says why.

    Parameters
    ----------
    documents
        The documents, which get the numbers 0, 1, 2 …
    analyzer
        What the words of a text are; None: English words by their stems, without stop words.
    scorer
        `"pitman-yor"`, `"dirichlet"`, `"jelinek-mercer"` or `"bm25"`.
    smoothing
        `"auto"`: chosen by leave-one-out likelihood, for BM25 its usual numbers. Or the numbers themselves: the mass,
        the share, (mass, discount), for BM25 (k, b).
    feedback
        The words of how many of the best documents are added to the query (Lavrenko and Croft's relevance model); 0 for
        none. None: 10, and none for BM25.

    The scorer, its smoothing and the feedback can be changed at any time: only counts are learned.

    >>> ranker = Ranker(["the cat sat on the mat", "dogs and cats", "a dog's life"], feedback=0)
    >>> [hit.index for hit in ranker.search("which cats?")]
    [1, 0]
    >>> ranker.add(["a cat, a cat"])
    [3]
    >>> hit = ranker.search("cat", top=1)[0]
    >>> hit.index, hit.matches[0].count
    (3, 2)
    """

    def __init__(
        self,
        documents: Any = (),
        *,
        analyzer: Analyzer | None = None,
        scorer: str = "pitman-yor",
        smoothing: Any = "auto",
        feedback: int | None = None,
    ) -> None:
        self.scorer = scorer
        self.smoothing = smoothing
        self.feedback = feedback
        self._settings()
        self.counts = Counts(ENGLISH if analyzer is None else analyzer)
        self._next = 0
        self._latest: tuple[Any, Reading] | None = None
        self.add(documents)

    def __len__(self) -> int:
        return len(self.counts.classes)

    def __repr__(self) -> str:
        return f"<Ranker of {len(self)} documents, {self.scorer}>"

    def add(self, documents: Any) -> list[int]:
        """Index more documents; returns their numbers. Many at once are faster than one by one."""
        held = _kernel.hold(list(documents) if isinstance(documents, tuple) else documents)
        n_documents, _ = _kernel.measure(held)
        numbers = list(range(self._next, self._next + n_documents))
        self.counts.add(held, numbers)
        self._next += n_documents
        return numbers

    def remove(self, numbers: int | list[int]) -> Ranker:
        """Remove documents; the others keep their numbers. An unknown number is an error, and nothing changes."""
        numbers = [numbers] if isinstance(numbers, int) else list(numbers)
        known = set(self.counts.classes)
        if missing := [number for number in numbers if number not in known]:
            raise InputError(f"there is no document {missing[0]!r}; this ranker has {len(self)} of them")
        self.counts.drop(numbers)
        return self

    def search(self, query: Any, *, top: int | None = 10, above: float | None = None) -> list[Hit]:
        """The best documents that have a word of the query or of its feedback, the best first; equal ones in order.

        A query is a text, or tokens. `top` is how many at most, None for all; with `above` only those that score more.
        """
        query = as_document(query, "the query")
        if top is not None and (not isinstance(top, int) or top < 0):
            raise InputError(f"top is {top!r}; it must be a number, 0 or more, or None for all")
        reading = self._reading()
        times = Counter(token.text for token in self.counts.analyzer.features(query))
        words = {reading.index.numbers[word]: float(n) for word, n in times.items() if word in reading.index.numbers}
        first = _Query(reading, words)
        if self._n_feedback():
            first = first.fed_back(self._n_feedback())
        return first.hits(top, above)

    @property
    def chosen(self) -> tuple[float, ...]:
        """The parameters of the smoothing: those given, or those chosen by leave-one-out."""
        return self._reading().smoothing

    def save(self, path: str | PathLike[str]) -> None:
        """Write the counts and the settings to a file; the documents themselves are not kept."""
        settings, arrays = self.counts.parts()
        smoothing, _ = self._settings()
        ranker = {
            "scorer": self.scorer,
            "smoothing": "auto" if smoothing is None else list(smoothing),
            "feedback": self.feedback,
        }
        storage.write(path, {"kind": "ranker", "ranker": ranker, "next": self._next, **settings}, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Ranker:
        """The ranker in a file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Ranker(["the cat", "the dog"]).save(folder + "/pets.banbury")
        ...     Ranker.load(folder + "/pets.banbury").search("dogs")[0].index
        1
        """
        file = storage.read(path)
        try:
            if file.settings["kind"] != "ranker":
                raise FileFormatError(f"it holds a {file.settings['kind']}, not a ranker")
            counts = Counts.from_parts(file.settings, file.arrays)
            ranker = cls(analyzer=counts.analyzer, **file.settings["ranker"])
            ranker.counts, ranker._next = counts, int(file.settings["next"])
            numbers = counts.classes
            if numbers and (type(numbers[0]) is not int or not 0 <= numbers[0] <= numbers[-1] < ranker._next):
                raise FileFormatError("its documents have impossible numbers")
        except MALFORMED as error:
            raise FileFormatError(f"{path}: not a ranker of this version of banbury: {error}") from error
        return ranker

    def _settings(self) -> tuple[tuple[float, ...] | None, int]:
        """The smoothing, None for one that is to be chosen, and how many documents give feedback."""
        if not isinstance(self.scorer, str) or self.scorer not in SCORERS:
            raise InputError(f"scorer is {self.scorer!r}; it can be {', '.join(map(repr, SCORERS))}")
        feedback = self.feedback
        if feedback is not None and (not isinstance(feedback, int) or feedback < 0):
            raise InputError(f"feedback is {feedback!r}; it must be a number of documents, 0 for none")
        return as_smoothing(self.scorer, self.smoothing), self._n_feedback()

    def _n_feedback(self) -> int:
        usual = 0 if self.scorer == "bm25" else BEST_DOCUMENTS
        return usual if self.feedback is None else self.feedback

    def _reading(self) -> Reading:
        """The index and the weights of all words, made anew when documents or settings have changed."""
        smoothing, _ = self._settings()
        kernel = self.counts.kernel
        key = (kernel, kernel.version, self.scorer, smoothing)
        if self._latest is None or self._latest[0] != key:
            same = self._latest is not None and self._latest[0][:2] == key[:2]
            index = self._latest[1].index if self._latest is not None and same else Index.of(self.counts)
            self._latest = (key, Reading.of(index, self.scorer, smoothing))
        return self._latest[1]


class _Query:
    """A query on a reading: its words by number, and how much each counts."""

    def __init__(self, reading: Reading, words: dict[int, float]) -> None:
        self.reading, self.words = reading, words
        index = reading.index
        pairs = [slice(index.starts[word], index.starts[word + 1]) for word in words]
        self.gains: NDArray[Any] = np.zeros(len(index.documents))
        if pairs:
            weights = np.repeat(list(words.values()), [here.stop - here.start for here in pairs])
            gains = np.concatenate([reading.gains[here] for here in pairs]) * weights
            places = np.concatenate([index.places[here] for here in pairs])
            self.gains = np.bincount(places, gains, minlength=len(index.documents))
        self.scores = self.gains + sum(words.values()) * reading.start

    def best(self, top: int | None, above: float | None) -> NDArray[Any]:
        """The places of the best documents that have a word of the query, in order."""
        places = np.flatnonzero(self.gains > 0)
        scores = self.scores[places]
        if above is not None:
            places = places[scores > above]
            scores = self.scores[places]
        if top is not None and 0 < top < len(places):
            least = np.partition(scores, len(scores) - top)[len(scores) - top]
            places = places[scores >= least]
            scores = self.scores[places]
        return places[np.argsort(-scores, kind="stable")][:top]

    def hits(self, top: int | None, above: float | None) -> list[Hit]:
        best = self.best(top, above)
        numbers, scores = self.reading.index.documents[best].tolist(), self.scores[best].tolist()
        return [Hit(number, score, self) for number, score in zip(numbers, scores, strict=True)]

    def fed_back(self, n_documents: int) -> _Query:
        """Relevance feedback: this query with words of its best documents, weighted by how likely each asked it."""
        best = self.best(n_documents, None)
        if not len(best):
            return self
        reading = self.reading
        parts = [slice(reading.limits[place], reading.limits[place + 1]) for place in best.tolist()]
        chances = np.exp(self.scores[best] - self.scores[best[0]])
        words = np.concatenate([reading.words[here] for here in parts])
        shares = np.concatenate([reading.shares[here] for here in parts])
        shares *= np.repeat(chances, [here.stop - here.start for here in parts])
        order = words.argsort(kind="stable")  # each part is sorted, so this only merges them
        words, shares = words[order], shares[order]
        is_first = np.ones(len(words), dtype=bool)
        is_first[1:] = words[1:] != words[:-1]
        firsts = np.flatnonzero(is_first)
        words, shares = words[firsts], np.add.reduceat(shares, firsts)
        likeliest = np.argsort(-shares, kind="stable")[:NEW_WORDS]
        total = sum(self.words.values())
        added = (1 - OLD_SHARE) * total * shares[likeliest] / shares[likeliest].sum()
        mixed = {word: OLD_SHARE * weight for word, weight in self.words.items()}
        for word, weight in zip(words[likeliest].tolist(), added.tolist(), strict=True):
            mixed[word] = mixed.get(word, 0.0) + weight
        return _Query(self.reading, mixed)

    def matches(self, number: int) -> list[Match]:
        reading, index = self.reading, self.reading.index
        place = int(np.searchsorted(index.documents, number))
        matches = []
        for word, weight in self.words.items():
            start, end = index.starts[word], index.starts[word + 1]
            pair = start + int(np.searchsorted(index.places[start:end], place))
            is_there = pair < end and index.places[pair] == place
            score = weight * float(reading.start[place] + (reading.gains[pair] if is_there else 0.0))
            count = int(index.times[pair]) if is_there else 0
            matches.append(Match(index.words[word], score, count, weight))
        return sorted(matches, key=lambda match: (-match.score, match.word))
