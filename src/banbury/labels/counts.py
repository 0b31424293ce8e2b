"""LabelCounts: what was seen, how often, with which labels, where a document may have several of them or none.

A document counts once in each of its labels, and once in all documents together. What is outside a label is all less
inside, so one set of counts tells every label from the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from banbury import _kernel
from banbury.changes import CHANGING
from banbury.errors import CountError, FileFormatError, InputError
from banbury.labels.sets import LabelSet
from banbury.text.analyzer import Analyzer
from banbury.text.documents import (
    LABEL_TYPES,
    Texts,
    as_weights,
    check_collected,
    check_kind,
    class_numbers,
    n_threads,
)

ALL_DOCUMENTS = 0  # the kernel's class of all documents; those of the labels follow


class LabelCounts:
    """Documents and occurrences of every feature, with every label and in all.

    >>> counts = LabelCounts().add(["a rose is a rose", "a thorn"], [("flower", "poem"), ()])
    >>> counts.labels, counts.documents, counts.n_documents
    (['flower', 'poem'], [1, 1], 2)
    """

    def __init__(self, analyzer: Analyzer | None = None) -> None:
        self.analyzer = analyzer or Analyzer()
        kernel = _kernel.Counts(self.analyzer.compiled(), 1, overlapping=True)
        self._learned: tuple[list[Any], _kernel.Counts] = ([], kernel)

    @classmethod
    def _of(cls, analyzer: Analyzer, labels: list[Any], kernel: _kernel.Counts) -> LabelCounts:
        counts = cls.__new__(cls)
        counts.analyzer, counts._learned = analyzer, (labels, kernel)
        return counts

    @property
    def learned(self) -> tuple[list[Any], _kernel.Counts]:
        """The labels and what was counted, of one moment: other labels have other counts."""
        return self._learned

    @property
    def labels(self) -> list[Any]:
        """The labels, sorted."""
        return self._learned[0]

    @property
    def kernel(self) -> _kernel.Counts:
        """What was counted: class 0 has all documents, then each label its own."""
        return self._learned[1]

    @property
    def documents(self) -> list[int]:
        """The number of documents of each label."""
        return self.kernel.documents[1:]

    @property
    def n_documents(self) -> int:
        """The number of all documents."""
        return self.kernel.documents[ALL_DOCUMENTS]

    @property
    def n_features(self) -> int:
        """The number of distinct features that have been seen."""
        return self.kernel.n_features

    def add(
        self, texts: Texts, sets: Sequence[LabelSet], *, weights: Any = None, threads: int | None = None
    ) -> LabelCounts:
        """Count these documents; one of weight 3 counts as three. Bad input changes nothing."""
        return self.absorb(self._count(texts, sets, weights, threads))

    def remove(
        self, texts: Texts, sets: Sequence[LabelSet], *, weights: Any = None, threads: int | None = None
    ) -> LabelCounts:
        """Take these documents away again. One that was never added is a `CountError`, and nothing changes."""
        counted = self._count(texts, sets, weights, threads)
        with CHANGING:
            if unknown := set(counted.labels).difference(self.labels):
                raise CountError(f"no document with label {min(unknown)!r} was ever added; nothing was changed")
            counted._renumber(self.labels)
            try:
                self.kernel.subtract(counted.kernel)
            except CountError as error:
                raise _with_label(error, self.labels) from None
            self._drop_empty_labels()
        return self

    def merge(self, other: LabelCounts) -> LabelCounts:
        """Add what another has counted with the same analyzer."""
        if other.analyzer != self.analyzer:
            raise InputError(
                f"these counts come from different analyzers, {self.analyzer} and {other.analyzer}, so their features "
                "are not the same; a model to be merged is fitted with the analyzer of the other: "
                "MultiLabelClassifier(analyzer=other.counts_.analyzer)"
            )
        return self.absorb(other.copy())

    def absorb(self, other: LabelCounts) -> LabelCounts:
        """Add counts that nobody else has, and that nobody needs any more."""
        with CHANGING:
            check_kind(other.labels, self.labels)
            target: LabelCounts = self
            both = sorted({*self.labels, *other.labels})
            other._renumber(both)
            if both != self.labels:
                # New labels get their room in a copy: an error, Ctrl-C or another thread never finds it half made.
                target = self.copy()
                target._renumber(both)
            try:
                target.kernel.add(other.kernel)
            except CountError as error:
                raise _with_label(error, target.labels) from None
            self._learned = target.learned
            return self

    def narrowed(self, analyzer: Analyzer) -> LabelCounts:
        """These counts for an analyzer that has fewer kinds of features and is otherwise the same."""
        labels, kernel = self._learned
        return LabelCounts._of(analyzer, list(labels), kernel.narrowed(analyzer.compiled()))

    def copy(self) -> LabelCounts:
        """Counts that change on their own from now on."""
        labels, kernel = self._learned
        return LabelCounts._of(self.analyzer, list(labels), kernel.copy())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`; the same counts give the same."""
        labels, kernel = self._learned
        settings = {
            "analyzer": self.analyzer.settings(),
            "label_names": labels,
            "label_kind": type(labels[0]).__name__ if labels else "str",
        }
        return settings, kernel.arrays()

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> LabelCounts:
        """The counts that `parts` were taken from; arrays are read where they lie."""
        analyzer = Analyzer.from_settings(settings["analyzer"])
        kind, labels = LABEL_TYPES[settings["label_kind"]], list(settings["label_names"])
        if any(type(label) is not kind for label in labels) or sorted(set(labels)) != labels:
            raise FileFormatError("its labels are not of one kind, or not in order")
        views = {name: memoryview(view).cast("B") for name, view in arrays.items()}
        kernel = _kernel.Counts.from_arrays(analyzer.compiled(), views, overlapping=True)
        if kernel.n_classes != len(labels) + 1:
            raise FileFormatError(f"it has {len(labels)} labels, but counts of {kernel.n_classes - 1}")
        return cls._of(analyzer, labels, kernel)

    def _count(self, texts: Texts, sets: Sequence[LabelSet], weights: Any, threads: int | None) -> LabelCounts:
        check_collected(texts)
        labels = sorted({label for labels in sets for label in labels})
        check_kind(labels, self.labels)
        different, numbers = numbered_sets(sets, labels)
        by_set = self.kernel.count(
            texts,
            class_numbers(list(sets), list(different)),
            None if weights is None else as_weights(weights, len(sets)),
            len(different),
            n_threads(threads),
        )
        counted = LabelCounts._of(self.analyzer, labels, by_set.spread(numbers, len(labels) + 1))
        if weights is not None:
            counted._drop_empty_labels()  # what counts zero times was never there
        return counted

    def _renumber(self, labels: list[Any]) -> None:
        """Set the labels; dropped ones lose their counts."""
        if labels != self.labels:
            numbers = {label: number for number, label in enumerate(labels, 1)}
            self.kernel.renumber([ALL_DOCUMENTS, *(numbers.get(label) for label in self.labels)], len(labels) + 1)
        self._learned = list(labels), self.kernel

    def _drop_empty_labels(self) -> None:
        left = [label for label, n in zip(self.labels, self.documents, strict=True) if n]
        if left != self.labels:
            copy = self.copy()
            copy._renumber(left)
            self._learned = copy.learned


def numbered_sets(sets: Sequence[LabelSet], labels: list[Any]) -> tuple[list[LabelSet], list[list[int]]]:
    """The different label sets, in order, and the kernel's classes of each: that of all documents, then its labels.

    >>> numbered_sets([("b",), (), ("a", "b"), ("b",)], ["a", "b"])
    ([(), ('a', 'b'), ('b',)], [[0], [0, 1, 2], [0, 2]])
    """
    places = {label: place for place, label in enumerate(labels, 1)}
    different = sorted(set(sets))
    return different, [[ALL_DOCUMENTS, *(places[label] for label in labels_of_set)] for labels_of_set in different]


def _with_label(error: CountError, labels: list[Any]) -> CountError:
    where = "" if error.class_number == ALL_DOCUMENTS else f" with label {labels[error.class_number - 1]!r}"
    return CountError(f"{error}{where}; nothing was changed", error.class_number)
