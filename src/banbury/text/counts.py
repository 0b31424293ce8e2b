"""Counts: what was seen, how often, with which label. The learned state; everything else is computed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.changes import CHANGING
from banbury.errors import CountError, FileFormatError, InputError
from banbury.text.analyzer import Analyzer
from banbury.text.documents import (
    LABEL_TYPES,
    Labels,
    Texts,
    as_labels,
    as_weights,
    check_collected,
    check_kind,
    class_numbers,
    n_threads,
    with_distinct,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from banbury.text.documents import Column

FEW_CLASSES = 1000


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
        self.learned: tuple[list[Any], _kernel.Counts] = ([], _kernel.Counts(self.analyzer.compiled(), 0))
        """The labels and what was counted with each, of one moment: other labels have other counts."""

    @classmethod
    def of_kernel(cls, analyzer: Analyzer, classes: list[Any], kernel: _kernel.Counts) -> Counts:
        """Counts of these classes, as the kernel has them."""
        counts = cls.__new__(cls)
        counts.analyzer, counts.learned = analyzer, (classes, kernel)
        return counts

    @classmethod
    def of_batches(
        cls, analyzer: Analyzer, batches: Iterable[tuple[Texts, list[Any], Column]], *, threads: int | None = None
    ) -> Counts:
        """The counts of all batches, the same as of their documents added one by one.

        A batch has the texts, their labels as a list, and the weights of documents or None.

        >>> batches = [(["so happy"], ["yes"], None), (["so sad"], ["no"], None)]
        >>> Counts.of_batches(Analyzer(), batches).classes
        ['no', 'yes']
        """
        numbers: dict[Any, int] = {}  # of classes, in the order in which they come
        counting, n, is_weighted = _kernel.Counting(analyzer.compiled()), n_threads(threads), False

        def counted(step: Callable[..., Any], *given: Any) -> Any:
            try:
                return step(*given)
            except CountError as error:
                raise _with_label(error, list(numbers)) from None

        for texts, labels, weights in batches:
            for label in sorted(_kernel.distinct(labels).difference(numbers)):
                numbers[label] = len(numbers)
            is_weighted = is_weighted or weights is not None
            counted(counting.add, texts, class_numbers(labels, list(numbers)), weights, len(numbers), n)
        counts = cls.of_kernel(analyzer, list(numbers), counted(counting.finish, n))
        counts._renumber(sorted(numbers))
        if is_weighted:
            counts._drop_empty_classes()  # what counts zero times was never there
        return counts

    @property
    def classes(self) -> list[Any]:
        """The labels, sorted."""
        return self.learned[0]

    @property
    def kernel(self) -> _kernel.Counts:
        """What was counted, by class number."""
        return self.learned[1]

    @property
    def documents(self) -> list[int]:
        """The number of documents of each class."""
        return self.kernel.documents

    @property
    def occurrences(self) -> list[int]:
        """The number of features in the documents of each class, repeated ones included."""
        return self.kernel.occurrences

    @property
    def n_features(self) -> int:
        """The number of distinct features that have been seen."""
        return self.kernel.n_features

    def features(self, names: Sequence[str] | None = None, *, min_documents: int = 1) -> _kernel.FeatureTable:
        """The counts of features, by feature and class: of those with these names, or of all in so many documents.

        >>> table = Counts().add(["so so happy", "so sad"], ["yes", "no"]).features(["so", "happy", "never seen"])
        >>> table.names, table.documents.tolist(), table.occurrences.tolist()
        (['so', 'happy'], [[1, 1], [0, 1]], [[1, 2], [0, 1]])
        """
        plain = _kernel.PlainScorer(self.kernel, "multinomial", 1.0, 1.0, False)  # every likelihood has the same counts
        return plain.table(names, min_documents)

    def add(self, texts: Texts, labels: Labels, *, weights: Column = None, threads: int | None = None) -> Counts:
        """Count these documents; one of weight 3 counts as three. Bad input changes nothing."""
        return self.absorb(self._count(texts, labels, weights, threads))

    def remove(self, texts: Texts, labels: Labels, *, weights: Column = None, threads: int | None = None) -> Counts:
        """Take these documents away again. One that was never added is a `CountError`, and nothing changes."""
        counted = self._count(texts, labels, weights, threads)
        with CHANGING:
            if counted.classes is not self.classes:
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
        return self.absorb(other.copy())

    def absorb(self, other: Counts) -> Counts:
        """Add counts that nobody else has, and that nobody needs any more."""
        with CHANGING:
            target: Counts = self
            if other.classes is not self.classes:
                check_kind(other.classes, self.classes)
                if not self.classes:
                    self.learned = other.learned
                    return self
                both = sorted({*self.classes, *other.classes})
                other._renumber(both)
                if both != self.classes:
                    # New classes get their room in a copy: an error, Ctrl-C or another thread never finds it half made.
                    target = self.copy()
                    target._renumber(both)
            try:
                target.kernel.add(other.kernel)
            except CountError as error:
                raise _with_label(error, target.classes) from None
            self.learned = target.learned
            return self

    def drop(self, labels: Labels) -> Counts:
        """Forget everything that was counted with these labels; one that was never added is a `CountError`.

        >>> Counts().add(["so happy", "so sad"], ["yes", "no"]).drop(["no"]).n_features
        2
        """
        gone = set(as_labels(labels))
        with CHANGING:
            if unknown := gone.difference(self.classes):
                raise CountError(f"no document with label {min(unknown)!r} was ever added; nothing was changed")
            if gone:
                copy = self.copy()
                copy._renumber([label for label in self.classes if label not in gone])
                self.learned = copy.learned
        return self

    def prune(self, *, min_documents: int) -> Counts:
        """Forget the features that fewer documents have; documents with such features cannot be removed any more."""
        if not isinstance(min_documents, int) or min_documents < 0:
            raise InputError(f"min_documents is {min_documents!r}; it must be a number, 0 or more")
        with CHANGING:
            classes, kernel = self.learned
            self.learned = classes, kernel.pruned(min_documents)
        return self

    def halved(self, times: int) -> Counts:
        """These counts, each halved so many times and rounded, a half up; what is in no document any more is gone.

        >>> Counts().add(["a b", "a"], ["x", "x"]).halved(1).documents, Counts().add(["a"], ["x"]).halved(2).classes
        ([1], [])
        """
        classes, kernel = self.learned
        counts = Counts.of_kernel(self.analyzer, list(classes), kernel.halved(times))
        counts._drop_empty_classes()
        return counts

    def narrowed(self, analyzer: Analyzer) -> Counts:
        """These counts for an analyzer that has fewer kinds of features and is otherwise the same."""
        classes, kernel = self.learned
        return Counts.of_kernel(analyzer, list(classes), kernel.narrowed(analyzer.compiled()))

    def copy(self) -> Counts:
        """Counts that change on their own from now on."""
        classes, kernel = self.learned
        return Counts.of_kernel(self.analyzer, list(classes), kernel.copy())

    def __reduce__(self) -> tuple[Any, ...]:
        return Counts.from_parts, self.parts()

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`; the same counts give the same."""
        classes, kernel = self.learned
        settings = {
            "analyzer": self.analyzer.settings(),
            "classes": classes,
            "labels": type(classes[0]).__name__ if classes else "str",
        }
        return settings, kernel.arrays()

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Counts:
        """The counts that `parts` were taken from; arrays are read where they lie."""
        analyzer = Analyzer.from_settings(settings["analyzer"])
        kind, classes = LABEL_TYPES[settings["labels"]], list(settings["classes"])
        if any(type(label) is not kind for label in classes) or sorted(set(classes)) != classes:
            raise FileFormatError("its labels are not of one kind, or not in order")
        views = {name: memoryview(view).cast("B") for name, view in arrays.items()}
        kernel = _kernel.Counts.from_arrays(analyzer.compiled(), views)
        if kernel.n_classes != len(classes):
            raise FileFormatError(f"it has {len(classes)} labels, but counts of {kernel.n_classes} classes")
        return cls.of_kernel(analyzer, classes, kernel)

    def _count(self, texts: Texts, labels: Labels, weights: Column, threads: int | None) -> Counts:
        check_collected(texts)
        labels, different = with_distinct(labels)
        known, kernel = self.learned
        # Numbered as here where that takes no room to speak of: then they can be added as they are.
        if weights is None and len(known) <= FEW_CLASSES and different.issubset(known):
            classes = known
        else:
            classes = sorted(different)
            check_kind(classes, known)
        counted = Counts.of_kernel(
            self.analyzer,
            classes,
            kernel.count(
                texts,
                class_numbers(labels, classes),
                None if weights is None else as_weights(weights, len(labels)),
                len(classes),
                n_threads(threads),
            ),
        )
        if weights is not None:
            counted._drop_empty_classes()  # what counts zero times was never there
        return counted

    def _renumber(self, classes: list[Any]) -> None:
        """Set the class list; dropped classes lose their counts."""
        if classes == self.classes:
            self.learned = classes, self.kernel  # the same list: that they are equal is seen sooner
            return
        numbers = {label: number for number, label in enumerate(classes)}
        self.kernel.renumber([numbers.get(label) for label in self.classes], len(classes))
        self.learned = list(classes), self.kernel

    def _drop_empty_classes(self) -> None:
        left = [label for label, n in zip(self.classes, self.documents, strict=True) if n]
        if left != self.classes:
            copy = self.copy()
            copy._renumber(left)
            self.learned = copy.learned


def _with_label(error: CountError, classes: list[Any]) -> CountError:
    label = classes[error.class_number]
    return CountError(f"{error} with label {label!r}; nothing was changed", error.class_number)
