"""Counts: what was seen, how often, with which label. The learned state; everything else is computed from it."""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping
from math import isnan
from typing import Any

from banbury import _kernel
from banbury.errors import CountError, InputError, LabelError
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
        if unknown := [label for label in counted.classes if label not in self.classes]:
            raise CountError(f"no document with label {unknown[0]!r} was ever added; nothing was changed")
        counted._renumber(self.classes)
        try:
            self.kernel.subtract(counted.kernel)
        except CountError as error:
            raise self._explained(error) from None
        self._renumber([label for label, n in zip(self.classes, self.documents, strict=True) if n])
        return self

    def merge(self, other: Counts) -> Counts:
        """Add what another has counted with the same analyzer."""
        if other.analyzer != self.analyzer:
            raise InputError("these counts come from different analyzers, so their features are not the same")
        _check_kind(other.classes, self.classes)
        return self._absorb(other.copy())

    def _absorb(self, other: Counts) -> Counts:
        """Add counts that nobody else holds."""
        if not self.classes:
            self.classes, self.kernel = other.classes, other.kernel
            return self
        before, both = self.classes, sorted({*self.classes, *other.classes})
        other._renumber(both)
        self._renumber(both)
        try:
            self.kernel.add(other.kernel)
        except CountError as error:
            explained = self._explained(error)
            self._renumber(before)
            raise explained from None
        return self

    def prune(self, *, min_documents: int) -> Counts:
        """Forget the features that fewer documents have."""
        self.kernel = self.kernel.pruned(min_documents)
        return self

    def copy(self) -> Counts:
        """Counts that change on their own from now on."""
        copy = Counts(self.analyzer)
        copy.classes, copy.kernel = list(self.classes), self.kernel.copy()
        return copy

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`; the same counts give the same."""
        seeds, arrays = self.kernel.arrays()
        kind = type(self.classes[0]).__name__ if self.classes else "str"
        settings = {
            "analyzer": self.analyzer.settings(),
            "classes": self.classes,
            "labels": kind,
            "seeds": seeds,
        }
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Counts:
        """The counts that `parts` were taken from; arrays are read where they lie."""
        counts = cls(Analyzer.from_settings(settings["analyzer"]))
        kind = KINDS[settings["labels"]]
        counts.classes = [kind(label) for label in settings["classes"]]
        views = {name: memoryview(view).cast("B") for name, view in arrays.items()}
        counts.kernel = _kernel.Counts.from_arrays(counts.analyzer.compiled(), settings["seeds"], views)
        return counts

    def _count(self, texts: Texts, labels: Labels, weights: Any, threads: int | None) -> Counts:
        labels = as_labels(labels)
        counted = Counts(self.analyzer)
        counted.classes = sorted(set(labels))
        _check_kind(counted.classes, self.classes)
        numbers = {label: number for number, label in enumerate(counted.classes)}
        counted.kernel = self.kernel.count(
            texts,
            array("I", map(numbers.__getitem__, labels)),
            None if weights is None else as_weights(weights, len(labels)),
            len(counted.classes),
            n_threads(threads),
        )
        return counted

    def _renumber(self, classes: list[Any]) -> None:
        """Make the classes these: some more, or fewer where those that go have nothing left."""
        if classes == self.classes:
            return
        numbers = {label: number for number, label in enumerate(classes)}
        self.kernel.renumber([numbers.get(label) for label in self.classes], len(classes))
        self.classes = list(classes)

    def _explained(self, error: CountError) -> CountError:
        label = self.classes[error.class_number]
        return CountError(f"{error} with label {label!r}; nothing was changed", error.class_number)


def n_threads(threads: int | None) -> int:
    """As many threads as asked for; as there are processors for this process where nothing is asked."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads is {threads!r}; it must be 1 or more")
    return threads


def as_list(values: Any) -> list[Any]:
    """A column of any library as a list of Python objects."""
    for method in ("tolist", "to_pylist", "to_list"):  # NumPy and pandas; pyarrow; polars
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def as_labels(labels: Labels) -> list[Any]:
    """Labels as Python objects of one kind: `str`, `int` or `bool`. Another one is an error that names its row."""
    if isinstance(labels, str):
        raise LabelError(f"labels is one str, {labels!r}; it must be a list with a label for each document")
    values = labels if type(labels) is list else as_list(labels)
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
    if hasattr(label, "item") and not isinstance(label, str):
        label = label.item()
    if label is None or (isinstance(label, float) and isnan(label)):
        raise LabelError(f"document {row} has no label ({label}); every document needs one")
    for kind in (str, bool, int):
        if isinstance(label, kind):
            return kind(label)
    raise LabelError(
        f"document {row} has label {label!r}, of type {type(label).__name__}; a label is a str, an int or a bool"
    )


def _check_kind(new: list[Any], known: list[Any]) -> None:
    if new and known and type(new[0]) is not type(known[0]):
        raise LabelError(
            f"label {new[0]!r} is of type {type(new[0]).__name__}, but the labels known so far are of type "
            f"{type(known[0]).__name__}, such as {known[0]!r}"
        )


def as_weights(weights: Any, n: int) -> array[int]:
    """Weights as whole numbers, one for each document."""
    values = as_list(weights)
    if len(values) != n:
        raise InputError(f"{n} documents but {len(values)} weights")
    try:
        return array("I", values)
    except (TypeError, OverflowError):
        return array("I", [_weight(row, value) for row, value in enumerate(values)])


def _weight(row: int, weight: Any) -> int:
    try:
        whole = int(weight)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if whole != weight or not 0 <= whole < 2**32:
        raise InputError(f"document {row} has weight {weight!r}; a weight is a whole number from 0 to {2**32 - 1}")
    return whole

