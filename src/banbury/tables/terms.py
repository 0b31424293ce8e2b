"""Terms: columns, pairs and triples of a table's columns, counted in cells. Counts are never changed, only replaced.

The counts of all terms are one array of whole numbers, by cell and class: rows are learned by adding to it, forgotten
by subtracting, and two tables of the same cells are merged by adding theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury import _kernel
from banbury.errors import CountError, FileFormatError, InputError
from banbury.tables.cells import DEPTH, NO_CELL, CategoryCells, ColumnCells, NumberCells, cells_from_settings
from banbury.tables.columns import Group
from banbury.tables.kinds import Bernoulli, Categorical, Multinomial

Pair = tuple[int, int]
Triple = tuple[int, int, int]
MOST_COUNTED_CELLS = 2**24  # cells times classes that are counted: 128 MB
MOST_TRIPLE_CELLS = 2**17  # of one triple
MOST_COUNTED_ROWS = 2**32 - 1  # of one class: the kernel reads counts of 32 bits


@dataclass(frozen=True, eq=False)
class Terms:
    """The cells of some columns, which of their pairs and triples are counted, and the counts."""

    names: tuple[str, ...]
    cells: tuple[ColumnCells, ...]
    pairs: tuple[Pair, ...] = ()
    triples: tuple[Triple, ...] = ()
    """Each needs its three pairs among `pairs`."""
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    """By cell and class."""

    @classmethod
    def of(cls, groups: Sequence[Group], values: Sequence[NDArray[Any]], weights: NDArray[Any] | None) -> Terms:
        """The columns of these groups alone, in cells that their values in the first rows fix; nothing is counted."""
        names, cells = [], []
        for group, numbers in zip(groups, values, strict=True):
            if isinstance(group.kind, Multinomial):  # its columns are one thing
                continue
            for at, name in enumerate(group.names):
                names.append(name)
                cells.append(_cells(group, at, numbers[:, at], weights))
        return cls(tuple(names), tuple(cells))

    @cached_property
    def layout(self) -> Any:
        """What the kernel counts."""
        return _kernel.CellLayout(
            [one.size for one in self.cells], list(map(list, self.pairs)), list(map(list, self.triples))
        )

    def fits(self, documents: Sequence[int]) -> bool:
        """Whether the columns alone can be counted, of classes with so many rows."""
        n_cells = sum(cells.size or 2**DEPTH for cells in self.cells)
        return n_cells * len(documents) <= MOST_COUNTED_CELLS and max(documents, default=0) <= MOST_COUNTED_ROWS

    @property
    def columns(self) -> list[tuple[int, ...]]:
        """The columns of each term."""
        return [*((at,) for at in range(len(self.names))), *self.pairs, *self.triples]

    def codes(self, groups: Sequence[Group], values: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
        """The codes of rows, by column and row."""
        n_rows = len(values[0]) if values else 0
        codes = np.full((len(self.names), n_rows), NO_CELL, np.uint8)
        places = {name: place for place, name in enumerate(self.names)}
        for group, numbers in zip(groups, values, strict=True):
            for at, name in enumerate(group.names):
                if name not in places:
                    continue
                place, names = places[name], None if group.categories is None else group.categories[at]
                cells = self.cells[place]
                if n_rows == 1:  # seven times as fast
                    number = float(numbers[0, at])
                    codes[place, 0] = (
                        cells.code(number) if isinstance(cells, NumberCells) else cells.code(number, names)
                    )
                elif isinstance(cells, NumberCells):
                    codes[place] = cells.encoded(numbers[:, at])
                else:
                    codes[place] = cells.encoded(numbers[:, at], names)
        return codes

    def counted(
        self,
        codes: NDArray[Any],
        class_ids: NDArray[Any],
        weights: NDArray[Any] | None,
        n_classes: int,
        threads: int = 1,
    ) -> NDArray[np.int64]:
        """The counts of these rows alone."""
        rows = _kernel.CellRows(codes.ravel(), codes.shape[1], n_classes, class_ids.astype(np.uint32))
        weights = None if weights is None else np.ascontiguousarray(weights, np.int64)
        return np.asarray(self.layout.count(rows, weights, n_classes, threads))

    def plus(self, counts: NDArray[np.int64]) -> Terms:
        """The terms with these counts added."""
        return self.with_counts(self.counts + counts)

    def minus(self, counts: NDArray[np.int64]) -> Terms:
        """The terms with these counts taken away; what was never added is a `CountError`."""
        left = self.counts - counts
        if (left < 0).any():
            raise CountError(
                "a row that is taken away was never added; nothing was changed", int(np.argwhere(left < 0)[0, 1])
            )
        return self.with_counts(left)

    def merged(self, other: Terms) -> Terms:
        """The terms with what another has counted in the same cells."""
        if self.names != other.names or not all(a.same(b) for a, b in zip(self.cells, other.cells, strict=True)):
            raise InputError(
                "the two models have other cells for the same columns, so they cannot be merged; "
                "let each part start with `empty()` of one model, or learn the rows of both in one"
            )
        if (self.pairs, self.triples) != (other.pairs, other.triples):
            raise InputError(
                "the two models count other pairs of columns; let each part start with `empty()` of one model"
            )
        return self.plus(other.counts)

    def renumbered(self, numbers: Sequence[int | None], n_classes: int) -> Terms:
        """The terms with class c as class numbers[c]."""
        counts = np.zeros((len(self.counts), n_classes), np.int64)
        old = [number for number, new in enumerate(numbers) if new is not None]
        counts[:, [new for new in numbers if new is not None]] = self.counts[:, old]
        return self.with_counts(counts)

    def with_terms(self, pairs: Sequence[Pair], triples: Sequence[Triple] = ()) -> Terms:
        """The same columns with these pairs and triples, and nothing counted."""
        return Terms(self.names, self.cells, tuple(pairs), tuple(triples))

    def with_counts(self, counts: NDArray[np.int64]) -> Terms:
        """The same terms with other counts."""
        terms = replace(self, counts=counts)
        if "layout" in self.__dict__:
            terms.__dict__["layout"] = self.layout  # the same cells
        return terms

    # How it is kept

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        settings = {
            "names": list(self.names),
            "cells": [one.settings() for one in self.cells],
            "pairs": list(map(list, self.pairs)),
            "triples": list(map(list, self.triples)),
            "n_classes": self.counts.shape[1],
        }
        counts = self.counts.ravel()
        return settings, {"counts": counts.astype(np.uint32) if counts.max(initial=0) < 2**32 else counts}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Terms:
        """What `parts` were taken from."""
        pairs: Any = tuple(tuple(map(int, pair)) for pair in settings["pairs"])
        triples: Any = tuple(tuple(map(int, triple)) for triple in settings["triples"])
        cells = tuple(cells_from_settings(one) for one in settings["cells"])
        terms = cls(tuple(settings["names"]), cells, pairs, triples)
        counts, n_classes = np.asarray(arrays["counts"]).astype(np.int64), int(settings["n_classes"])
        try:
            n_cells = terms.layout.n_cells
        except InputError as error:
            raise FileFormatError(str(error)) from None
        if counts.size != n_cells * n_classes or (counts < 0).any():
            raise FileFormatError("its counts of cells are not those of its columns")
        return replace(terms, counts=counts.reshape(n_cells, n_classes))


def _cells(group: Group, at: int, numbers: NDArray[Any], weights: NDArray[Any] | None) -> ColumnCells:
    if isinstance(group.kind, Bernoulli):
        return CategoryCells((0, 1))
    if isinstance(group.kind, Categorical):
        assert group.categories is not None
        return CategoryCells.of(list(group.categories[at]), numbers, weights)
    return NumberCells.of(numbers, weights)
