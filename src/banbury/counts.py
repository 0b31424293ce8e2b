"""Counts: what was seen, how often, with which label. The learned state; everything else is computed from it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Set
from math import isnan
from threading import Lock
from typing import Any

from banbury import _kernel
from banbury.errors import CountError, FileFormatError, InputError, LabelError
from banbury.text import Analyzer

Label = str | int | bool
Texts = Any
Labels = Any

KINDS: dict[str, type] = {"str": str, "int": int, "bool": bool}


class Counts:
    """Documents and occurrences of every feature with every label.

    Adding, removing and merging are arithmetic on whole numbers: the order does not matter, and what is removed again
    was never there. New words and new labels can come at any time.

    >>> counts = Counts().add(["a rose is a rose"], ["true"])
    >>> counts.classes, counts.documents, counts.occurrences, counts.n_features
    (['true'], [1], [5], 3)
    >>> counts.remove(["a rose is a rose"], ["true"]).n_features
    0
    """

    def __init__(self, analyzer: Analyzer | None = None) -> None:
        self.analyzer = analyzer or Analyzer()
        self.classes: list[Any] = []
        self.kernel = _kernel.Counts(self.analyzer.compiled(), 0)
        self._changing = Lock()  # one change at a time; readers never wait

    @property
    def documents(self) -> list[int]:
        """How many documents each class has."""
        return self.kernel.documents

    @property
    def occurrences(self) -> list[int]:
        """How many features, repeated ones included, the documents of each class have."""
        return self.kernel.occurrences

    @property
    def n_features(self) -> int:
        """How many different features have been seen."""
        return self.kernel.n_features

    def add(self, texts: Texts, labels: Labels, *, weights: Any = None, threads: int | None = None) -> Counts:
        """Count these documents; one of weight 3 counts as three. Bad input changes nothing."""
        return self._absorb(self._count(texts, labels, weights, threads))

    def remove(self, texts: Texts, labels: Labels, *, weights: Any = None, threads: int | None = None) -> Counts:
        """Take these documents away again. One that was never added is a `CountError`, and nothing changes."""
        counted = self._count(texts, labels, weights, threads)
        with self._changing:
            if unknown := set(counted.classes).difference(self.classes):
                raise CountError(f"no document with label {min(unknown)!r} was ever added; nothing was changed")
            counted._renumber(self.classes)
            try:
                self.kernel.subtract(counted.kernel)
            except CountError as error:
                raise _with_label(error, self.classes) from None
            self._drop_empty_classes()
        return self

    def merge(self, other: Counts) -> Counts:
        """Add what another has counted with the same analyzer."""
        if other.analyzer != self.analyzer:
            raise InputError(
                f"these counts come from different analyzers, {self.analyzer} and {other.analyzer}, so their features "
                "are not the same; a model to be merged is fitted with the analyzer of the other: "
                "Classifier(analyzer=other.counts_.analyzer)"
            )
        return self._absorb(other.copy())

    def _absorb(self, other: Counts) -> Counts:
        """Add counts that nobody else holds."""
        with self._changing:
            check_kind(other.classes, self.classes)
            if not self.classes:
                self.classes, self.kernel = other.classes, other.kernel
                return self
            both = sorted({*self.classes, *other.classes})
            other._renumber(both)
            # New classes are made room for in a copy: an error, Ctrl-C or another thread never finds them half there.
            target = self if both == self.classes else self.copy()
            target._renumber(both)
            try:
                target.kernel.add(other.kernel)
            except CountError as error:
                raise _with_label(error, both) from None
            self.classes, self.kernel = target.classes, target.kernel
            return self

    def drop(self, labels: Labels) -> Counts:
        """Forget everything that was counted with these labels; one that was never added is a `CountError`.

        >>> Counts().add(["so happy", "so sad"], ["yes", "no"]).drop(["no"]).n_features
        2
        """
        gone = set(as_labels(labels))
        with self._changing:
            if unknown := gone.difference(self.classes):
                raise CountError(f"no document with label {min(unknown)!r} was ever added; nothing was changed")
            if gone:
                copy = self.copy()
                copy._renumber([label for label in self.classes if label not in gone])
                self.classes, self.kernel = copy.classes, copy.kernel
        return self

    def prune(self, *, min_documents: int) -> Counts:
        """Forget the features that fewer documents have; documents with such features cannot be removed any more."""
        if not isinstance(min_documents, int) or min_documents < 0:
            raise InputError(f"min_documents is {min_documents!r}; it must be a number, 0 or more")
        with self._changing:
            self.kernel = self.kernel.pruned(min_documents)
        return self

    def narrowed(self, analyzer: Analyzer) -> Counts:
        """These counts for an analyzer that has fewer kinds of features and is otherwise the same."""
        counts = Counts(analyzer)
        counts.classes, counts.kernel = list(self.classes), self.kernel.narrowed(analyzer.compiled())
        return counts

    def copy(self) -> Counts:
        """Counts that change on their own from now on."""
        copy = Counts(self.analyzer)
        classes, kernel = self.classes, self.kernel
        copy.classes, copy.kernel = list(classes), kernel.copy()
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return Counts.from_parts, self.parts()

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`; the same counts give the same."""
        classes, kernel = self.classes, self.kernel
        seeds, arrays = kernel.arrays()
        settings = {
            "analyzer": self.analyzer.settings(),
            "classes": classes,
            "labels": type(classes[0]).__name__ if classes else "str",
            "seeds": seeds,
        }
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Counts:
        """The counts that `parts` were taken from; arrays are read where they lie."""
        counts = cls(Analyzer.from_settings(settings["analyzer"]))
        kind, classes = KINDS[settings["labels"]], list(settings["classes"])
        if any(type(label) is not kind for label in classes) or sorted(set(classes)) != classes:
            raise FileFormatError("its labels are not of one kind, or not in order")
        counts.classes = classes
        views = {name: memoryview(view).cast("B") for name, view in arrays.items()}
        counts.kernel = _kernel.Counts.from_arrays(counts.analyzer.compiled(), settings["seeds"], views)
        if counts.kernel.n_classes != len(classes):
            raise FileFormatError(f"it has {len(classes)} labels, but counts of {counts.kernel.n_classes} classes")
        return counts

    def _count(self, texts: Texts, labels: Labels, weights: Any, threads: int | None) -> Counts:
        labels = as_labels(labels)
        counted = Counts(self.analyzer)
        counted.classes = sorted(set(labels))
        check_kind(counted.classes, self.classes)
        counted.kernel = self.kernel.count(
            texts,
            class_numbers(labels, counted.classes),
            None if weights is None else as_weights(weights, len(labels)),
            len(counted.classes),
            n_threads(threads),
        )
        if weights is not None:
            counted._drop_empty_classes()  # what counts zero times was never there
        return counted

    def _renumber(self, classes: list[Any]) -> None:
        """Make the classes these: some more, or fewer, where what goes goes with all it has."""
        if classes == self.classes:
            return
        numbers = {label: number for number, label in enumerate(classes)}
        self.kernel.renumber([numbers.get(label) for label in self.classes], len(classes))
        self.classes = list(classes)

    def _drop_empty_classes(self) -> None:
        left = [label for label, n in zip(self.classes, self.documents, strict=True) if n]
        if left != self.classes:
            copy = self.copy()
            copy._renumber(left)
            self.classes, self.kernel = copy.classes, copy.kernel


def _with_label(error: CountError, classes: list[Any]) -> CountError:
    label = classes[error.class_number]
    return CountError(f"{error} with label {label!r}; nothing was changed", error.class_number)


def n_threads(threads: int | None) -> int:
    """As many threads as asked for; 0, as many as there are processors for this process, where nothing is asked."""
    if threads is None:
        return 0
    if not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads is {threads!r}; it must be 1 or more")
    return threads


def as_list(values: Any, what: str, error: type[InputError] = InputError) -> list[Any]:
    """A column of any library as a list of Python objects."""
    if isinstance(values, (str, bytes, Set, Mapping)) or hasattr(values, "columns"):  # data frames, relations
        raise error(
            f"{what} is of type {type(values).__name__}; it must be a list or a column, in the documents' order"
        )
    for method in ("tolist", "to_pylist", "to_list"):  # NumPy and pandas; pyarrow; polars
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if not isinstance(values, Iterable):
        raise error(f"{what} is {values!r}; it must be a list with one for each document")
    return list(values)


def as_labels(labels: Labels) -> list[Any]:
    """Labels as Python objects of one kind: `str`, `int` or `bool`. Another one is an error that names its row."""
    values = labels if type(labels) is list else as_list(labels, "labels", LabelError)
    kinds = set(map(type, values))
    if kinds <= {str} or kinds == {int} or kinds == {bool}:
        return values
    values = [_plain(row, value) for row, value in enumerate(values)]
    for row, value in enumerate(values):
        if type(value) is not type(values[0]):
            raise LabelError(
                f"document {row} has label {value!r}, of type {type(value).__name__}, "
                f"but document 0 has {values[0]!r}, of type {type(values[0]).__name__}; use labels of one type"
            )
    return values


def _plain(row: int, label: Any) -> Label:
    """A label without NumPy's types around it."""
    if type(label).__module__ == "numpy":
        label = label.item()
    if label is None or (isinstance(label, float) and isnan(label)) or type(label).__name__ == "NAType":
        raise LabelError(f"document {row} has no label ({label}); every document needs one")
    for kind in (str, bool, int):
        if isinstance(label, kind):
            return kind(label)
    raise LabelError(
        f"document {row} has label {label!r}, of type {type(label).__name__}; a label is a str, an int or a bool"
    )


def check_many(texts: Any) -> None:
    """That these are several documents: of one `str`, each letter would be taken for a document."""
    if isinstance(texts, str):
        raise InputError("expected a list of documents, not one str: put it into a list")


def check_kind(new: list[Any], known: list[Any]) -> None:
    """That new labels are of the kind of those known, or a `LabelError`."""
    if new and known and type(new[0]) is not type(known[0]):
        raise LabelError(
            f"label {new[0]!r} is of type {type(new[0]).__name__}, but the labels known so far are of type "
            f"{type(known[0]).__name__}, such as {known[0]!r}"
        )


def class_numbers(labels: list[Any], classes: list[Any], *, weighted: bool = False) -> Any:
    """The number of each label among the classes, as a buffer for the kernel.

    Where documents are weighted, a label may have counted zero times: then its number does not matter.
    """
    numbers = {label: number for number, label in enumerate(classes)}
    if weighted:
        return _numbers(numbers.get(label, 0) for label in labels)
    try:
        return _numbers(map(numbers.__getitem__, labels))
    except KeyError:
        row = next(row for row, label in enumerate(labels) if label not in numbers)
        raise LabelError(f"document {row} has label {labels[row]!r}, which was never counted") from None


def as_weights(weights: Any, n: int) -> Any:
    """Weights as whole numbers, one for each document."""
    values = as_list(weights, "weights")
    if len(values) != n:
        raise InputError(f"{n} documents but {len(values)} weights")
    try:
        return _numbers(values)
    except (TypeError, OverflowError):
        return _numbers(_weight(row, value) for row, value in enumerate(values))


def _weight(row: int, weight: Any) -> int:
    try:
        whole = int(weight)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if whole != weight or not 0 <= whole < 2**32:
        raise InputError(f"document {row} has weight {weight!r}; a weight is a whole number from 0 to {2**32 - 1}")
    return whole


def _numbers(values: Iterable[int]) -> Any:
    """A buffer of 32-bit numbers. The kernel wants an aligned address even where there are none: an array has none."""
    return array("I", values) or memoryview(bytes(4)).cast("I")[:0]
