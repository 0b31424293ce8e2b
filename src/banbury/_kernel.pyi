"""The Rust kernel's contract.

Texts are a list of `str`, any other sequence of them, or a string column of any library that speaks Arrow's PyCapsule
interface; documents that are already tokens are `banbury.text.tokens.Tokens`, or become it. A lone surrogate reads as
U+FFFD. 0 threads are as many as there are processors. Classes are numbers from 0 on. Numbers come back as an `Array`,
which `memoryview` and `numpy.asarray` read without a copy. The interpreter is free while the work runs.
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
class Array:
    """Numbers of one type and shape: 8-bit, 32-bit or 64-bit integers, 32-bit or 64-bit floats.

    They are read by the buffer protocol, `memoryview(array)` or `numpy.asarray(array)`, and cannot be changed.
    """

    def __len__(self) -> int:
        """The length of the first dimension."""
    @property
    def shape(self) -> tuple[int, ...]: ...
    def tolist(self) -> list[Any]:
        """The numbers as a list, of lists where there is more than one dimension."""
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class CellEvidence:
    """Counts of cells, read as what each term says of the classes; by class how many rows there are, by column κ and γ.

    Terms are numbered: every column, then the pairs of the layout, then its triples.
    """

    def __init__(
        self, layout: CellLayout, counts: Buffer, rows: Sequence[float], smoothing: Sequence[tuple[float, float]]
    ) -> None: ...
    def column_losses(self, rows: CellRows, weights: Buffer) -> list[float]:
        """By column: Σ weight · nats that a row's class costs if only this column is known."""
    def evidence(self, terms: Sequence[int], rows: CellRows) -> Array:
        """By row, term and class."""
    def sums(
        self,
        terms: Sequence[int],
        rows: CellRows,
        threads: int,
        *,
        term_weights: Buffer | None = None,
        probabilities: Buffer | None = None,
        row_weights: Buffer | None = None,
    ) -> tuple[Array, list[float]]:
        """By row, class and column the evidence of all terms that a column is in; and what each gains.

        Gains are judged by probabilities by row and class, and by row weights; without these they are 0.
        """
    def gains(
        self, terms: Sequence[int], rows: CellRows, probabilities: Buffer, row_weights: Buffer, threads: int
    ) -> list[float]:
        """What each term gains, as `sums` has it, without the sums."""
    def ridge(
        self,
        terms: Sequence[int],
        rows: CellRows,
        row_weights: Buffer,
        offsets: Buffer,
        penalties: Sequence[float],
        steps: int,
        threads: int,
    ) -> list[Array]:
        """For each penalty weights of the terms' cells at coarse levels, by feature and class, beside these offsets."""

@final
class CellLayout:
    """Columns by their numbers of categories, 0 for a column of numbers; and the pairs and triples that are counted."""

    def __init__(
        self, sizes: Sequence[int], pairs: Sequence[Sequence[int]], triples: Sequence[Sequence[int]]
    ) -> None: ...
    @property
    def n_cells(self) -> int:
        """Of all terms, each at its finest level."""
    def firsts(self) -> list[int]:
        """The first cell of each term."""
    def count(self, rows: CellRows, weights: Buffer | None, n_classes: int, threads: int) -> Array:
        """By cell and class; weights are 64-bit integers."""

@final
class CellReading:
    """Evidence with a weight for each term; and a correction, if any, of some terms' cells."""

    def __init__(
        self, evidence: CellEvidence, weights: Sequence[float], corrected: Sequence[int], correction: Buffer | None
    ) -> None: ...
    def scores(self, rows: CellRows, threads: int) -> Array:
        """By row and class."""
    def terms(self, rows: CellRows) -> list[tuple[int, list[float]]]:
        """What each term that counts adds to the scores of one row, by class."""

@final
class CellRows:
    """Codes of rows, one byte each, one column after the other; 255 says nothing.

    `class_ids` are the rows' classes. `patterns` say which row of `gone`, so many of each class, is left out with each:
    rows of the same pattern stand side by side. Without them nothing is left out. Rows that leave besides and are no
    copies are in `groups`: all of them, those of a group side by side, with their weights, and by pattern where its
    group begins and ends, both 32-bit; each leaves the cells that it is in.
    """

    def __init__(
        self,
        codes: Buffer,
        n_rows: int,
        n_classes: int,
        class_ids: Buffer | None = None,
        patterns: Buffer | None = None,
        gone: Buffer | None = None,
        groups: tuple[CellRows, Buffer, Buffer] | None = None,
    ) -> None: ...

@final
class Counts:
    """Documents and occurrences of each feature in each class.

    Where classes are `overlapping`, a document may be in several, and class 0 has all documents.
    """

    def __init__(self, analyzer: Analyzer, n_classes: int, *, overlapping: bool = False) -> None: ...
    @staticmethod
    def from_arrays(analyzer: Analyzer, arrays: Mapping[str, Buffer], *, overlapping: bool = False) -> Counts:
        """The counts that `arrays` are of; each is a contiguous buffer of bytes.

        Arrays that contradict each other are a `FileFormatError`.
        """
    def count(self, texts: Texts, classes: Buffer, weights: Buffer | None, n_classes: int, threads: int) -> Counts:
        """New counts of these documents alone; classes and weights are buffers of 32-bit unsigned integers."""
    def spread(self, sets: Sequence[Sequence[int]], n_classes: int) -> Counts:
        """New counts of overlapping classes: what was counted in class s, in each class of sets[s], of which the first
        is 0 and each other one higher than the one before.
        """
    def add(self, other: Counts) -> None: ...
    def subtract(self, other: Counts) -> None:
        """All of it, or nothing and a `CountError`."""
    def renumber(self, to: Sequence[int | None], n_classes: int) -> None:
        """Class c becomes class to[c]; None for one that goes, with all it has. Nobody else has these counts."""
    def with_documents(self, documents: Sequence[int], other: Counts) -> Counts:
        """A copy with so many documents of each class, and of each feature those of counts of the same features."""
    def pruned(self, min_documents: int) -> Counts:
        """A copy without the features of fewer documents."""
    def halved(self, times: int) -> Counts:
        """A copy in which each count is halved so many times, and rounded; a half is rounded up."""
    def narrowed(self, analyzer: Analyzer) -> Counts:
        """A copy with the blocks of an analyzer that has fewer of them and is otherwise the same."""
    def shards(self, n: int) -> list[Counts]:
        """So many counts that add up to these: the name of a feature alone says which of them has it.

        The first has the documents, too.
        """
    def copy(self) -> Counts:
        """Counts that change on their own from now on; both have the same memory until one of them does."""
    def arrays(self) -> dict[str, bytes]:
        """What `from_arrays` takes. The same counts give the same, in whatever order they were learned."""
    def postings(self) -> Postings:
        """Every feature that is counted, and the classes that have it."""
    @property
    def version(self) -> int:
        """Goes up with every change."""
    def moment(self) -> tuple[int, list[int]]:
        """The version, and the documents of each class, of one moment."""
    @property
    def n_classes(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def vocabulary(self) -> list[int]:
        """How many different features each class has."""
    @property
    def documents(self) -> list[int]:
        """Of each class."""
    @property
    def occurrences(self) -> list[int]:
        """Of all features, in each class."""

@final
class Counting:
    """Documents that are counted batch by batch, without counts of each batch."""

    def __init__(self, analyzer: Analyzer) -> None: ...
    def add(self, texts: Texts, classes: Buffer, weights: Buffer | None, n_classes: int, threads: int) -> None:
        """Count these too, as `Counts.count` takes them; there may be more classes than before. An error is the end."""
    def finish(self, threads: int) -> Counts:
        """The counts of all documents."""

@final
class Postings:
    """Features and the classes that have them: features by block and name, classes in rising order."""

    @property
    def names(self) -> list[str]: ...
    @property
    def ends(self) -> Array:
        """Where the classes of each feature end; 64-bit integers."""
    @property
    def classes(self) -> Array:
        """The classes of the first feature, then of the second, and so on; 32-bit integers."""
    @property
    def occurrences(self) -> Array:
        """How often each of these classes has the feature; 32-bit integers."""

class Scorer:
    """Scores documents by counts, as they are at the time of the call. Where another `version` is expected, that is a
    `ChangedError`; changes after the call has begun have no part in it.
    """

    def scores(
        self,
        texts: Texts,
        start: Sequence[float],
        threads: int,
        growth: Sequence[float] | None = None,
        version: int | None = None,
    ) -> Array:
        """Floats, by document and class: start + growth + Σ weights, up to a number that the classes share."""
    def best(
        self,
        texts: Texts,
        start: Sequence[float],
        threads: int,
        growth: Sequence[float] | None = None,
        version: int | None = None,
    ) -> Array:
        """32-bit integers: each document's class with the highest score, the first of equal ones."""
    def best_one(
        self, text: str, start: Sequence[float], growth: Sequence[float] | None = None, version: int | None = None
    ) -> int:
        """The class of one document with the highest score, the first of equal ones."""
    def labeller(
        self,
        version: int,
        classes: Sequence[Any],
        start: Sequence[float],
        growth: Sequence[float] | None,
        made_from: tuple[Any, ...],
    ) -> Labeller | None:
        """What labels single texts by this version of the counts; None where they have another, or other classes.

        `made_from` has what `Labeller.is_from` compares.
        """
    def terms(
        self, text: str, start: Sequence[float], growth: Sequence[float] | None = None, version: int | None = None
    ) -> tuple[list[float], list[list[float] | None]]:
        """The scores before the first feature, and what each feature adds to them, in the analyzer's order.

        None for a feature that is not known, an empty list for one that counts only once and was named before.
        """
    def listed_terms(
        self, text: str, start: Sequence[float], growth: Sequence[float] | None = None, version: int | None = None
    ) -> tuple[tuple[list[float], list[list[float] | None]], list[tuple[str, int, int]], int]:
        """`terms` of a long text, with each feature once and the sum of what it adds wherever it stands.

        Then the features, each with its first place; those that are not known, up to 1,000. Then how many of these
        are words or runs of words, which come first.
        """
    def pair_terms(
        self,
        text: str,
        pair: tuple[int, int],
        start: Sequence[float],
        growth: Sequence[float] | None = None,
        version: int | None = None,
    ) -> tuple[list[float], Array, Array]:
        """The scores before the first feature; what each known feature says for one class against another, and its
        place in the text, start and end.
        """

@final
class PlainScorer(Scorer):
    """Scores documents by a plain likelihood.

    With `length`, a scale and a half, the log-likelihood of a document with n known features is multiplied with
    scale / (1 + n / half); that features are absent counts n / (n + 16), and so does what scores get as they grow.
    """

    def __init__(
        self,
        counts: Counts,
        likelihood: str,
        smoothing: float,
        absent_smoothing: float,
        class_vocabulary: bool,
        length: tuple[float, float] | None = None,
    ) -> None: ...
    def log_likelihoods(self, texts: Texts) -> Array:
        """Floats, by document and class."""
    def log_orders(self, texts: Texts) -> Array:
        """Floats: for each document log N! / Π f!, the multinomial coefficient of its known features."""
    def table(self, names: Sequence[str] | None = None, min_documents: int = 1) -> FeatureTable:
        """The features with these names, or all of at least so many documents."""
    def lengths(self, names: Sequence[str] | None = None, min_documents: int = 1) -> Array:
        """How many words each feature of the table has; 0 for characters, which may have the name of a word."""
    def weights(self, names: Sequence[str] | None = None, min_documents: int = 1, length: float = 0.0) -> Array:
        """What each feature adds to each class's score in a document of this length: floats, by feature and class."""

@final
class FeatureTable:
    """Features, and for each of them and each class what was counted."""

    @property
    def names(self) -> list[str]: ...
    @property
    def documents(self) -> Array:
        """Documents that have the feature: 32-bit integers, by feature and class."""
    @property
    def occurrences(self) -> Array:
        """How often the feature was seen: 32-bit integers, by feature and class."""
    @property
    def log_probabilities(self) -> Array:
        """Floats, by feature and class."""

@final
class Held:
    """Columns of texts that can be read more than once."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> str: ...

@final
class Documents:
    """Documents that were counted, looked up again: what leave-one-out works on.

    At most `most` of them are taken; which, and their order, depends on their texts alone. Equal texts of one class are
    one document of their joint weight. Copies, and those with the same name of a group, belong together: they are taken
    together, and scores are as if none of them had been counted. With `windows` there is a part of each document, some
    of its words that follow each other, besides. Of overlapping counts, `classes` are numbers of `sets` of classes, as
    `Counts.spread` takes them.
    """

    def __init__(
        self,
        counts: Counts,
        texts: Texts,
        classes: Buffer,
        weights: Buffer | None,
        most: int,
        threads: int,
        *,
        groups: Sequence[str] | None = None,
        windows: bool = False,
        sets: Sequence[Sequence[int]] | None = None,
    ) -> None: ...
    @property
    def rows(self) -> list[int]:
        """Where each document was among those given: the first of equal ones."""
    @property
    def places(self) -> Array:
        """For each text that was given which of the documents it is, 32-bit; 2³² − 1 for one that was not taken."""
    @property
    def classes(self) -> list[int]: ...
    @property
    def weights(self) -> list[int]: ...
    @property
    def groups(self) -> Array:
        """The number of each document's group, rising; 32-bit integers."""
    def taken(self) -> Array:
        """The weight of what leaves each class with each document: floats, by document and class."""
    def taken_from_own(self) -> Array:
        """The weight of what leaves the class, or set of labels, of each document with it: floats."""
    def alike(self, n: int, threads: int = 1) -> list[bool]:
        """Whether each of the first `n` shares half of its rare pairs of words with one of another group."""
    def whole_groups(self, n: int) -> int:
        """How many documents the first `n` are with the rest of the last one's group."""
    def words(self, names: Sequence[str]) -> Incidence:
        """Which of these words each document has, once each; none, where words are not counted."""
    def held_out(self, n: int) -> tuple[Counts, Documents]:
        """Counts without the first `n` documents (whole groups), and the other documents as these counts know them."""
    def log_likelihoods(
        self, likelihood: str, smoothing: float, absent_smoothing: float, class_vocabulary: bool, threads: int
    ) -> LeftOut:
        """Log-likelihoods of documents, and then of their windows, without a prior."""
    def basis(self, threads: int, lists: Buffer | None = None) -> Basis:
        """What trust curves are fitted on; with `lists`, 32-bit, of as many classes for each row."""
    def scores(
        self, curves: Sequence[Sequence[float]], caps: Sequence[float], threads: int, most: int = ...
    ) -> LeftOut:
        """Scores of the first `most` documents, and then of their windows, by trust curves, without a start.

        With two classes they are those of the second, and the first has the negatives.

        Of several sets of curves, each group has the one whose turn it is by its number.
        """
    def listed(
        self,
        curves: Sequence[float],
        caps: Sequence[float],
        start: Buffer,
        growth: Buffer,
        wanted: tuple[int, int, int],
        threads: int,
    ) -> Array:
        """Some classes of each document, and then of each window: 32-bit integers, by row.

        `wanted` says how many: its own at the most; these and the likeliest others by trust curves, with nothing taken
        out; and all, the rest at random. `start` and `growth` are where scores start, by class.
        """

@final
class LeftOut:
    """What documents say, as if their groups had never been counted."""

    @property
    def scores(self) -> Array:
        """Floats, by document and class."""
    @property
    def absent(self) -> Array | None:
        """The part of it that the absence of all features says; None for trust curves."""
    @property
    def lengths(self) -> Array:
        """How many known features each has: 32-bit integers. For trust curves, those of the first block, each once."""

@final
class Basis:
    """What trust curves are multiplied by, for each document and then for each window."""

    @property
    def lengths(self) -> Array:
        """How many features of each row others have too: 32-bit integers, by row and block."""
    def features(self, caps: Sequence[float]) -> Array:
        """Floats, by row, class (with two classes only the second) and number of the curves."""
    def scores(
        self, curves: Sequence[Sequence[float]], caps: Sequence[float], turns: Buffer, threads: int = 1
    ) -> Array:
        """Floats, by row and class, without a start; `turns`, 32-bit, says which of the curves read each row."""
    def regression(
        self,
        caps: Sequence[float],
        class_ids: Buffer,
        weights: Buffer,
        n_classes: int,
        offsets: Buffer,
        scales: Buffer,
        lists: Buffer | None = None,
        threads: int = 1,
    ) -> Regression:
        """The regression of the rows on these features; `lists` may name some of all classes for each row."""

@final
class Incidence:
    """Which of some words documents have."""

    @property
    def lengths(self) -> Array:
        """How many words of each document are known, repeated ones included; 32-bit integers."""
    @property
    def ends(self) -> Array:
        """Where the words of each document end; 64-bit integers."""
    @property
    def words(self) -> Array:
        """The words of the first document, then of the second, and so on, as numbers among the names; 32-bit."""

@final
class Regression:
    """Penalised softmax regression: one vector of coefficients for all classes, and a bias for each.

    Features are 64-bit floats by row, class and feature; with two classes of the second only, the first has their
    negatives. `class_ids` are the classes of the rows. Offsets, by row and class, are added to scores; a row's scale
    says how much the biases count in it. Fewer coefficients than features are those of the first features.
    """

    def __init__(
        self,
        features: Buffer,
        n_features: int,
        class_ids: Buffer,
        weights: Buffer,
        n_classes: int,
        *,
        offsets: Buffer | None = None,
        scales: Buffer | None = None,
    ) -> None: ...
    def grouped(self, ranges: Sequence[tuple[int, int]], coefficients: Sequence[float], threads: int = 1) -> Regression:
        """The same documents; each range of features is one, their sum weighted by the coefficients."""
    def size(self, coefficients: Sequence[float], threads: int = 1) -> float:
        """The root of the mean square of the scores, without biases."""
    def log_probabilities(
        self, fits: Sequence[tuple[Sequence[float], Sequence[float]]], turns: Buffer, threads: int
    ) -> Array:
        """Floats, by row and class that it knows; `turns`, 32-bit, say which of the fits reads each row."""
    def fit(
        self,
        mean: Sequence[float],
        precision: Sequence[float],
        bias: Sequence[float],
        bias_precision: float,
        threads: int,
    ) -> tuple[list[float], list[float], float]:
        """Coefficients, biases, and their loss and penalty.

        `mean` and `bias` are where the penalties are 0, `precision` goes by pairs.
        """
    def without(
        self,
        mean: Sequence[float],
        precision: Sequence[float],
        bias: Sequence[float],
        bias_precision: float,
        fitted: tuple[Sequence[float], Sequence[float]],
        folds: Buffer,
        n_folds: int,
        threads: int,
    ) -> list[tuple[list[float], list[float]]]:
        """What would have been fitted without the rows of each fold, by one Newton step; `folds` are 32-bit."""

@final
class TrustScorer(Scorer):
    """Scores documents by trust curves; with two classes the score of the first is 0.

    `caps` are the features of the longest documents, by block; `factors`, with more than two classes, multiply the
    evidence of each. What scores get as they grow counts n / (n + 16) in a document with n known words.
    """

    def __init__(
        self,
        counts: Counts,
        curves: Sequence[float],
        caps: Sequence[float],
        correction: Correction | None = None,
        factors: Sequence[float] = ...,
    ) -> None: ...
    def weights(
        self, names: Sequence[str] | None = None, min_documents: int = 1, lengths: Sequence[float] = ...
    ) -> Array:
        """What each feature of the plain scorer's table adds to each class's score, in a document with so many
        features of each block: floats.
        """

@final
class Labeller:
    """Finds the label of one text after the other, by one version of the counts. A scorer makes it."""

    def is_from(
        self,
        learned: Any,
        choice: Any,
        likelihood: Any,
        smoothing: Any,
        vocabulary: Any,
        prior: Any,
        calibration: Any,
    ) -> bool:
        """Whether it was made from these, the same objects: what was learned and chosen, and the settings."""
    def label(
        self,
        text: str,
        learned: Any,
        choice: Any,
        likelihood: Any,
        smoothing: Any,
        vocabulary: Any,
        prior: Any,
        calibration: Any,
    ) -> Any | None:
        """The label of a text; None where the counts have changed since, where `is_from` is false, for a long text."""
    def number(self, text: str) -> int | None:
        """The number of its class; None where the counts have changed since, and for a long one."""
    def scores(self, text: str) -> tuple[list[Any], list[float]] | None:
        """The classes and the score of each; None where the counts have changed since, and for a long one."""

@final
class Reader:
    """Turns the bytes of a file into rows. What its columns are called, or where they stand, depends on the format.

    `uses` says for each column whether it is the "text", the "label" or another "value"; a row without text or label
    is a bad row. Only \n ends a row, but for CSV. `names` are those of the columns of "jsonl", `places` those of "csv",
    where a row has `n_cells`; "fasttext" has a text and a label, "lines" a text.
    """

    def __init__(
        self,
        format: str,
        uses: Sequence[str],
        *,
        names: Sequence[str],
        places: Sequence[int],
        n_cells: int,
        delimiter: int,
        quotes: bool,
        line: int,
        longest: int,
    ) -> None: ...
    def feed(self, data: Buffer, is_last: bool, threads: int) -> Rows:
        """The rows that these bytes complete; with `is_last` also the one at the end of the file."""

@final
class Rows:
    """Some rows of a file, and the bytes that they were read from."""

    def __len__(self) -> int: ...
    def texts(self, column: int) -> Held:
        """A column of texts, which stays where it is."""
    def values(self, column: int) -> list[Any]:
        """A column as Python objects."""
    @property
    def lines(self) -> list[int]:
        """The line that each row starts in."""
    @property
    def bad(self) -> list[tuple[int, str]]:
        """The line and the reason of each row that could not be used."""
    def raw(self, rows: Buffer | None = None) -> bytes:
        """All rows, or those with these 32-bit numbers, as they stand in the file, each with \n at its end."""

@final
class Sample:
    """The documents that `Documents` would take at most, of more than fit into memory."""

    def __init__(self, most: int) -> None: ...
    def add(
        self, texts: Texts, classes: Buffer, weights: Buffer | None, threads: int, rows: Buffer | None = None
    ) -> None:
        """Documents, and where they were, as 64-bit integers; without `rows` they follow on those given so far."""
    def documents(self) -> tuple[list[str], list[int], list[int], list[int]]:
        """Their texts, classes, weights, and where each was first among all that were given."""

@final
class ZstdDecoder:
    """Expands all frames of a zstd file, piece by piece."""

    def __init__(self) -> None: ...
    def decompress(self, data: Buffer, most: int) -> bytes:
        """At most so many bytes; what is left over waits for the next call."""
    @property
    def is_complete(self) -> bool:
        """Whether the last frame has come to its end."""

@final
class ZstdEncoder:
    """Makes a zstd frame, piece by piece."""

    def __init__(self) -> None: ...
    def compress(self, data: Buffer) -> bytes: ...
    def finish(self) -> bytes:
        """The end of the frame."""

def forked() -> None:
    """To be called in a process that has just been forked."""

def join(parts: Sequence[Texts]) -> Held:
    """All texts of several columns, one after the other."""

@final
class Correction:
    """Weights by feature, for each class (with two classes one, of the second less the first), on top of others.

    Features are known by 64-bit hashes of their names, in rising order; weights are 32-bit floats, by feature and
    class. Arrays that do not fit each other are a `FileFormatError`; they are read where they lie. `scale` is a factor,
    the features with weights of a typical document, and those of the longest: with m of them the sum of weights is
    multiplied with factor · √m / (m + typical).
    """

    def __init__(self, hashes: Buffer, weights: Buffer, n_scored: int, scale: tuple[float, float, float]) -> None: ...
    @property
    def scale(self) -> tuple[float, float, float]: ...
    def arrays(self) -> tuple[bytes, bytes]:
        """Hashes and weights."""
    def arranged(self, sums: Sequence[Sequence[tuple[int, float]]]) -> Correction:
        """The same weights for other classes: each has a sum of columns, each so many times."""

@final
class Ridge:
    """Softmax regression of labels on the presences of features, with a penalty on the squares of its weights.

    To the score of each document and class (with two classes the second's log-odds) an offset is added; offsets and
    weights of documents are 64-bit floats. It starts without weights.
    """

    def __init__(self, documents: Documents, weights: Buffer, offsets: Buffer) -> None: ...
    def fit(self, penalty: float, steps: int, threads: int) -> float:
        """Go on by at most so many steps of L-BFGS; returns loss and penalty where it has come to."""
    def scores(self, documents: Documents, threads: int) -> Array:
        """Floats, by document and class: what is added to the scores of other documents, of the same counts."""
    def correction(self, documents: Documents, threads: int) -> Correction:
        """The weights; `documents` are those that it was made from."""

def looked_at(labels: list[Any]) -> tuple[list[Any], Array] | None:
    """The different ones of some labels, in the order in which they come, and the number of each label among these.

    None where the labels are not all of type `str`, or all `int`, or all `bool`.
    """

def renumbered(numbers: Buffer, table: list[int]) -> Array:
    """Other numbers for numbers: `table[0]` for each 0, and so on."""

def numbers(labels: list[Any], known: dict[Any, int]) -> Array | None:
    """The numbers of labels by a dictionary; None where it lacks one."""

def hold(texts: Texts) -> Any:
    """The same texts in a form that can be read more than once."""

def measure(texts: Texts) -> tuple[int, int]:
    """How many texts there are, and how many characters they have all together."""

def signatures(analyzer: Analyzer, texts: Texts, threads: int) -> Array:
    """128 integers of 32 bits for each text: two texts have as many in common as their runs of three words overlap."""

def n_line_ends(data: Buffer) -> int:
    """How many \\n there are among these bytes, or how many \\r where these are more."""

def size(texts: Texts) -> int:
    """How many bytes the texts have all together, as UTF-8."""

def text_at(texts: Texts, row: int) -> str | None:
    """One of the texts; None where there are fewer."""

__version__: str

def checksum(buffer: Buffer) -> int:
    """The CRC-32 of a contiguous buffer of bytes, as zlib computes it."""

def keep_memory() -> None:
    """Keep memory that is given back for what needs some next: for a process that is there for one piece of work."""

def instructions() -> str:
    """What the processor's instructions in use are called: "AVX-512", "AVX2" or "plain"."""

def stemmers() -> list[str]:
    """The languages that can be stemmed."""

def stop_words(name: str) -> list[str] | None:
    """The stop words of a language; None where there is no list."""

def cell_codes(numbers: Buffer, edges: Buffer, codes: Buffer) -> bytes:
    """By number the code of the interval that it is in, 255 for NaN: one code more than edges, which rise."""

def weigh(
    evidence: Buffer,
    class_ids: Buffer,
    row_weights: Buffer,
    start: Sequence[float],
    mean: Sequence[float],
    sd: Sequence[float],
    bias: Sequence[float],
    bias_precision: float,
    steps: int,
    threads: int,
) -> list[float]:
    """Weights of 0 or more, then biases: softmax regression on 32-bit evidence by row, class and weight."""
