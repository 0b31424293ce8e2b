"""What was learned of the columns of a table but for texts: values that are never changed, only replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.errors import CountError, InputError
from banbury.tables.columns import Group
from banbury.tables.frame import Table
from banbury.tables.kinds import power_sums
from banbury.tables.row_hash import row_hashes
from banbury.tables.terms import MOST_COUNTED_ROWS, Terms
from banbury.tables.values import column
from banbury.text.documents import as_groups, as_weights, check_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.documents import Column


WHOLE_SUMS = ("known", "counts", "ones", "rows", "zeros", "negatives", "events")  # of whole numbers, so exact


class Rows(NamedTuple):
    """Rows to learn, forget or choose by; none of weight 0."""

    table: Table
    labels: list[Any]
    weights: NDArray[Any] | None
    """Whole numbers."""
    places: NDArray[Any]
    """Where each was among those given."""
    groups: NDArray[Any] | None = None
    """The number of each row's group, where the caller has said what belongs together."""

    @classmethod
    def of(cls, table: Table, labels: list[Any], weights: Column, groups: Column = None) -> Rows:
        """Rows with their labels; those that count zero times were never there."""
        if len(labels) != table.n_rows:
            raise InputError(f"{table.n_rows} rows but {len(labels)} labels")
        rows = cls(table, labels, None, np.arange(len(labels)))
        if groups is not None:
            _, numbers = np.unique(np.array(as_groups(groups, len(labels)), dtype=object), return_inverse=True)
            rows = rows._replace(groups=numbers.ravel())
        if weights is None:
            return rows
        counted = np.array(as_weights(weights, len(labels)), dtype=np.int64)
        return rows._replace(weights=counted).take(np.flatnonzero(counted))

    def take(self, rows: NDArray[Any]) -> Rows:
        """The rows at these places."""
        weights, groups = (None if values is None else values[rows] for values in (self.weights, self.groups))
        return Rows(self.table.take(rows), [self.labels[row] for row in rows], weights, self.places[rows], groups)

    def texts(self, name: str) -> tuple[list[str], list[Any], Any, NDArray[Any]]:
        """The texts of a column that are not missing, with labels and weights, and which rows these are."""
        column = self.table.columns[name]
        texts, rows = column.as_texts(), np.flatnonzero(~column.missing)
        weights = None if self.weights is None else self.weights[rows].tolist()
        return [texts[row] or "" for row in rows], [self.labels[row] for row in rows], weights, rows

    def group_names(self, rows: NDArray[Any]) -> list[str] | None:
        """The groups of some rows as names, where rows have groups."""
        return None if self.groups is None else list(map(str, self.groups[rows].tolist()))

    def numbers(self, classes: list[Any]) -> NDArray[Any]:
        """The class of each row as a number."""
        class_ids = {label: class_id for class_id, label in enumerate(classes)}
        return np.array([class_ids[label] for label in self.labels], dtype=np.intp)

    def by_content(self) -> NDArray[Any]:
        """Places in an order that depends on what is in the rows alone: the same rows in any order, the same sample."""
        hashes = row_hashes([self.hashes(), column("label", self.labels).hashes()], len(self.labels))
        return np.argsort(hashes, kind="stable")

    def hashes(self) -> NDArray[Any]:
        """A 64-bit number for each row, which depends on its values alone."""
        return self.table.row_hashes

    @property
    def are_copies(self) -> bool:
        """Whether rows with the same values are copies: where most repeat others, these are few values combined."""
        return 2 * len(np.unique(self.hashes())) >= len(self.labels)

    def together(self) -> NDArray[Any]:
        """A number for each row, the same for rows that belong together: those of a group, or copies."""
        if self.groups is not None:
            return self.groups
        return np.unique(self.hashes(), return_inverse=True)[1] if self.are_copies else np.arange(len(self.labels))

    def copies(self, numbers: NDArray[Any], n_classes: int) -> NDArray[Any]:
        """Weight of the copies of each row, itself included, by row and class.

        Where most rows are repeated, each is alone with its whole weight.
        """
        weights = np.ones(len(numbers)) if self.weights is None else self.weights
        if not self.are_copies:
            return np.asarray(weights[:, None] * np.eye(n_classes)[numbers])
        return _class_weights(np.unique(self.hashes(), return_inverse=True)[1], numbers, weights, n_classes)

    def copies_elsewhere(self, numbers: NDArray[Any], n_classes: int) -> NDArray[Any]:
        """Weight of the copies of each row outside its own group, by row and class."""
        assert self.groups is not None
        if not self.are_copies:
            return np.zeros((len(numbers), n_classes))
        weights = np.ones(len(numbers)) if self.weights is None else self.weights
        both = np.column_stack([self.hashes(), self.groups.astype(np.uint64)])
        inside = np.unique(both, axis=0, return_inverse=True)[1].ravel()
        return np.asarray(self.copies(numbers, n_classes) - _class_weights(inside, numbers, weights, n_classes))


def _class_weights(keys: NDArray[Any], numbers: NDArray[Any], weights: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Weight of all rows with the same key, by row and class."""
    n_keys = int(keys.max(initial=-1)) + 1
    counts = np.bincount(keys * n_classes + numbers, weights, minlength=n_keys * n_classes)
    return np.asarray(counts.reshape(n_keys, n_classes)[keys])


class Learned(NamedTuple):
    """The classes, how many rows each has, and the statistics of the columns: all of one moment."""

    classes: list[Any]
    documents: list[int]
    groups: tuple[Group, ...]
    terms: Terms | None = None
    """Cells of columns, pairs and triples, where these are read."""

    def plus(self, rows: Rows) -> Learned:
        """What is known with these rows too."""
        check_kind(rows.labels, self.classes)
        classes, documents, groups, terms = self.of_classes(sorted({*self.classes, *rows.labels}))
        numbers = rows.numbers(classes)
        seeing = tuple(group.seeing(rows.table) for group in groups)
        values = [group.values(rows.table) for group in seeing]
        copies = None if self.documents else rows.copies(numbers, len(classes))  # the first rows choose forms
        grown = tuple(
            group.add(some, numbers, rows.weights, copies) for group, some in zip(seeing, values, strict=True)
        )
        if terms is not None:
            codes = terms.codes(seeing, values)
            terms = terms.plus(terms.counted(codes, numbers, rows.weights, len(classes)))
        more = _sizes(rows, numbers, len(classes))
        return Learned(classes, [a + b for a, b in zip(documents, more, strict=True)], grown, terms)._checked()

    def minus(self, rows: Rows) -> Learned:
        """What is known without these rows; some that were never learned are a `CountError`."""
        check_kind(rows.labels, self.classes)
        classes, documents, groups, terms = self
        if unknown := set(rows.labels).difference(classes):
            raise CountError(f"no row with label {min(unknown)!r} was ever added; nothing was changed")
        numbers = rows.numbers(classes)
        left = [a - b for a, b in zip(documents, _sizes(rows, numbers, len(classes)), strict=True)]
        for number, n in enumerate(left):
            if n < 0:
                label = classes[number]
                raise CountError(f"there are not so many rows with label {label!r}; nothing was changed", number)
        values = [group.values(rows.table) for group in groups]
        less = tuple(group.remove(some, numbers, rows.weights) for group, some in zip(groups, values, strict=True))
        if terms is not None:
            codes = terms.codes(groups, values)
            terms = terms.minus(terms.counted(codes, numbers, rows.weights, len(classes)))
        for number, n in enumerate(left):
            if not n and documents[number] and any(_has_values(group.statistics, number) for group in less):
                raise CountError(
                    f"these were never all the rows with label {classes[number]!r}: values of others would be left; "
                    "nothing was changed",
                    number,
                )
        rest = Learned(classes, left, less, terms)
        return rest.of_classes([label for label, n in zip(classes, left, strict=True) if n])

    def merged(self, other: Learned) -> Learned:
        """What both know of the same columns."""
        check_kind(other.classes, self.classes)
        classes = sorted({*self.classes, *other.classes})
        ours, theirs = self.of_classes(classes), other.of_classes(classes)
        documents = [a + b for a, b in zip(ours.documents, theirs.documents, strict=True)]
        groups = tuple(one.merged(another) for one, another in zip(ours.groups, theirs.groups, strict=True))
        terms = ours.terms
        if terms is not None and theirs.terms is not None:
            terms = terms.merged(theirs.terms)
        elif terms is not None or theirs.terms is not None:
            raise InputError(
                "one model counts cells of columns and the other does not; let each part start with `empty()` of one"
            )
        return Learned(classes, documents, groups, terms)._checked()

    def _checked(self) -> Learned:
        """The same, if its cells have room for so many rows."""
        if self.terms is not None and max(self.documents, default=0) > MOST_COUNTED_ROWS:
            label = self.classes[int(np.argmax(self.documents))]
            raise InputError(
                f"label {label!r} would have {max(self.documents)} rows; a model that counts cells of columns has room "
                f"for {MOST_COUNTED_ROWS} of each label; nothing was changed"
            )
        return self

    def of_classes(self, classes: list[Any]) -> Learned:
        """What was learned, for these classes: more of them, or fewer where those that go have nothing left."""
        if classes == self.classes:
            return self
        class_ids = {label: class_id for class_id, label in enumerate(classes)}
        numbers = [class_ids.get(label) for label in self.classes]
        documents = [0] * len(classes)
        for number, n in zip(numbers, self.documents, strict=True):
            if number is not None:
                documents[number] = n
        groups = tuple(group.renumbered(numbers, len(classes)) for group in self.groups)
        terms = None if self.terms is None else self.terms.renumbered(numbers, len(classes))
        return Learned(classes, documents, groups, terms)

    def empty(self) -> Learned:
        """The columns with their cells and bins, and nothing learned."""
        groups = tuple(replace(group, statistics=group.statistics.empty()) for group in self.groups)
        terms = None if self.terms is None else self.terms.with_counts(self.terms.counts * 0)
        return Learned(self.classes, [0] * len(self.classes), groups, terms).of_classes([])


def _has_values(statistics: Any, number: int) -> bool:
    """Whether a class still has values; sums of fractions do not tell, as rounding may be left of them."""
    parts = [statistics, *getattr(statistics, "forms", {}).values()]
    exact = [part for part in parts if not getattr(part.kind, "fractions", False)]
    names = {*WHOLE_SUMS, *power_sums.PLACE_NAMES}
    return any(part.sums[name][number].any() for part in exact for name in names & part.sums.keys())


def _sizes(rows: Rows, numbers: NDArray[Any], n_classes: int) -> list[int]:
    """How many rows each class has."""
    sizes: list[int] = np.bincount(numbers, rows.weights, minlength=n_classes).astype(int).tolist()
    return sizes
