"""The Rust kernel's contract.

Texts are a list of `str`, any other sequence of them, or a string column of any library that speaks Arrow's PyCapsule
interface. A lone surrogate reads as U+FFFD. 0 threads are as many as there are processors. Classes are numbers from 0
on. Numbers come back as bytes: a view of them (`memoryview(...).cast`, `numpy.frombuffer`) copies nothing. The
interpreter is free while the work runs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, final

Buffer = Any
Texts = Any

@final
class Analyzer:
    """Settings made ready for use; `banbury.text.Analyzer` says what they mean."""

    def __init__(
        self,
        *,
        words: str | None,
        lowercase: bool,
        urls: str,
        handles: str,
        emails: str,
        tags: str,
        punctuation: str,
        emoticons: bool,
        negation: bool,
        stop_words: Sequence[str],
        stemmer: str | None,
        min_length: int,
        ngrams: tuple[int, int],
        characters: tuple[int, int] | None,
        keywords: Sequence[str] | None,
    ) -> None: ...
    def tokens(self, text: str) -> list[tuple[str, int, int]]:
        """Each word with its place in the text, in code points."""
    def features(self, text: str) -> list[tuple[str, int, int]]:
        """Each feature that is counted, with its place: words, runs of words, characters."""

@final
class Counts:
    """Documents and occurrences of each feature in each class."""

    def __init__(self, analyzer: Analyzer, n_classes: int) -> None: ...
    @staticmethod
    def from_arrays(analyzer: Analyzer, seeds: Sequence[int], arrays: Mapping[str, Buffer]) -> Counts:
        """Counts that read their arrays where they lie; each is a contiguous buffer of bytes."""
    def count(self, texts: Texts, classes: Buffer, weights: Buffer | None, n_classes: int, threads: int) -> Counts:
        """New counts of these documents alone; classes and weights are buffers of 32-bit unsigned integers."""
    def add(self, other: Counts) -> None: ...
    def subtract(self, other: Counts) -> None:
        """All of it, or nothing and a `CountError`."""
    def renumber(self, to: Sequence[int | None], n_classes: int) -> None:
        """Class c becomes class to[c]; None for one that has nothing left."""
    def pruned(self, min_documents: int) -> Counts:
        """A copy without the features of fewer documents."""
    def narrowed(self, analyzer: Analyzer) -> Counts:
        """A copy with the blocks of an analyzer that has fewer of them and is otherwise the same."""
    def copy(self) -> Counts: ...
    def arrays(self) -> tuple[list[int], dict[str, bytes]]:
        """What `from_arrays` takes. The same counts give the same, in whatever order they were learned."""
    @property
    def version(self) -> int:
        """Goes up with every change."""
    @property
    def n_classes(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def documents(self) -> list[int]:
        """Of each class."""
    @property
    def occurrences(self) -> list[int]:
        """Of all features, in each class."""

@final
class Scorer:
    """Scores documents by counts, as they are at the time of the call."""

    def __init__(
        self, counts: Counts, likelihood: str, smoothing: float, absent_smoothing: float, class_vocabulary: bool
    ) -> None: ...
    def scores(self, texts: Texts, log_prior: Sequence[float], threads: int) -> bytes:
        """64-bit floats, by document and class: log prior + Σ weights, up to a number that the classes share."""
    def best(self, texts: Texts, log_prior: Sequence[float], threads: int) -> bytes:
        """32-bit unsigned integers: each document's class with the highest score, the first of equal ones."""
    def best_one(self, text: str, log_prior: Sequence[float]) -> int:
        """The same for one document."""
    def log_likelihoods(self, texts: Texts) -> bytes:
        """64-bit floats, by document and class."""
    def log_orders(self, texts: Texts) -> bytes:
        """64-bit floats: for each document log N! / Π f!, the multinomial coefficient of its known features."""
    def terms(self, text: str) -> list[list[float] | None]:
        """What each feature adds to each class's score, in the analyzer's order.

        None for a feature that is not known, an empty list for one that counts only once and was named before.
        """
    def table(
        self, names: Sequence[str] | None = None, min_documents: int = 1
    ) -> tuple[list[str], bytes, bytes, bytes, bytes]:
        """Names, how many words each has (8-bit; 0: characters), and by feature and class: documents, occurrences
        (32-bit), log-probabilities (64-bit floats). A word and characters may have the same name.
        """
    def weights(self, names: Sequence[str] | None = None, min_documents: int = 1) -> bytes:
        """What each feature of the table adds to each class's score: 64-bit floats."""

@final
class Held:
    """Columns of texts that can be read more than once."""

@final
class Documents:
    """Documents that were counted, looked up again: what leave-one-out works on.

    At most `most` of them are taken; which, and their order, depends on their texts alone. Equal texts of one class are
    one document of their joint weight. All scores are as if a document had never been counted, once.
    """

    def __init__(
        self, counts: Counts, texts: Texts, classes: Buffer, weights: Buffer | None, most: int, threads: int
    ) -> None: ...
    @property
    def rows(self) -> list[int]:
        """Where each document was among those given: the first of equal ones."""
    @property
    def places(self) -> bytes:
        """For each text that was given which of the documents it is; 2³² − 1 for one that was not taken."""
    @property
    def classes(self) -> list[int]: ...
    @property
    def weights(self) -> list[int]: ...
    def log_likelihoods(
        self, likelihood: str, smoothing: float, absent_smoothing: float, class_vocabulary: bool, threads: int
    ) -> bytes:
        """64-bit floats, by document and class, without a prior."""
    def basis(self, threads: int) -> bytes:
        """64-bit floats, by document, class (with two classes only the second) and number of the trust curves."""
    def scores(self, curves: Sequence[float], threads: int) -> bytes:
        """64-bit floats, by document and class (with two classes only the second): the basis times the curves."""

@final
class Regression:
    """Penalised softmax regression: one vector of coefficients for all classes, and a bias for each.

    Features are 64-bit floats by document, class and feature; with two classes of the second only, the first has their
    negatives. `own` are the documents' classes. Fewer coefficients than features are those of the first features.
    """

    def __init__(self, features: Buffer, n_features: int, own: Buffer, weights: Buffer, n_classes: int) -> None: ...
    def grouped(self, ranges: Sequence[tuple[int, int]], coefficients: Sequence[float]) -> Regression:
        """The same documents; each range of features is one, their sum weighted by the coefficients."""
    def size(self, coefficients: Sequence[float]) -> float:
        """The root of the mean square of the scores, without biases."""
    def log_probabilities(self, coefficients: Sequence[float], bias: Sequence[float], threads: int) -> bytes:
        """64-bit floats, by document and class."""
    def fit(
        self,
        mean: Sequence[float],
        precision: Sequence[float],
        bias: Sequence[float],
        bias_precision: float,
        threads: int,
    ) -> tuple[list[float], list[float]]:
        """Coefficients and biases; `mean` and `bias` are where the penalties are 0, `precision` goes by pairs."""

@final
class TrustScorer:
    """Scores documents by counts, as they are at the time of the call, and trust curves."""

    def __init__(self, counts: Counts, curves: Sequence[float]) -> None: ...
    def scores(self, texts: Texts, start: Sequence[float], threads: int) -> bytes:
        """64-bit floats, by document and class: start + Σ weights; with two classes the first has 0."""
    def best(self, texts: Texts, start: Sequence[float], threads: int) -> bytes:
        """32-bit unsigned integers: each document's class with the highest score, the first of equal ones."""
    def best_one(self, text: str, start: Sequence[float]) -> int:
        """The same for one document."""
    def terms(self, text: str) -> list[list[float] | None]:
        """What each feature adds to each class's score, in the analyzer's order.

        None for a feature that is not known, an empty list for one that was named before: presences count once.
        """
    def weights(self, names: Sequence[str] | None = None, min_documents: int = 1) -> bytes:
        """What each feature of the plain scorer's table adds to each class's score where it stands alone: 64-bit
        floats.
        """

def hold(texts: Texts) -> Any:
    """The same texts in a form that can be read more than once."""

def measure(texts: Texts) -> tuple[int, int]:
    """How many texts there are, and how many characters they have all together."""

def text_at(texts: Texts, row: int) -> str | None:
    """One of the texts; None where there are fewer."""

def checksum(buffer: Buffer) -> int:
    """The CRC-32 of a contiguous buffer of bytes, as zlib computes it."""

def stemmers() -> list[str]:
    """The languages that can be stemmed."""

def stop_words(name: str) -> list[str] | None:
    """The stop words of a language; None where there is no list."""
