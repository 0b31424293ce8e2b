"""Cells: the values of a column as codes of one byte, in which the kernel counts columns, pairs and triples.

Numbers: a tree splits the rows at the median, then each half at its own, six times. A code is the path through the
tree, so its first bits are a coarser cell. A value that many rows share, as 0 often is, becomes a cell of its own, and
the other rows still get half of the tree. Categories: a cell each for the most frequent, one for all others.

Cells are fixed by the first rows that are learned, and stay: only then can rows be added, removed and merged by
arithmetic. A missing value says nothing, and a category that was never seen neither.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury import _kernel
from banbury.errors import FileFormatError
from banbury.tables.kinds.histogram import between

DEPTH = 6  # of the tree: 64 cells
LEVELS = (DEPTH, 4, 3)  # of a number alone, in a pair and in a triple, as the kernel has them
MOST_CATEGORIES = 63  # with a cell of their own
NO_CELL = 255  # the code of a value that says nothing
TRUTHS = {0: 0, 1: 1}  # no and yes by their numbers


@dataclass(frozen=True, eq=False)
class NumberCells:
    """The intervals of a column of numbers: `edges` between them, and the code of each."""

    edges: NDArray[np.float64]
    codes: NDArray[np.uint8]
    size = 0  # as the kernel has it

    @classmethod
    def of(cls, values: NDArray[Any], weights: NDArray[Any] | None = None) -> NumberCells:
        """The tree of these values; NaN is missing.

        >>> cells = NumberCells.of(np.array([0.0, 0, 0, 0, 0, 1, 2, 3]))
        >>> cells.edges.tolist(), [format(code, "06b") for code in cells.codes.tolist()]
        ([0.5, 1.5, 2.5], ['000000', '100000', '110000', '111000'])
        """
        known = ~np.isnan(values)
        distinct, places = np.unique(values[known], return_inverse=True)
        counts = np.bincount(places, None if weights is None else weights[known])
        starts, codes = _tree(np.concatenate([[0.0], np.cumsum(counts)]), len(distinct))
        low, high = distinct[starts[1:] - 1], distinct[starts[1:]]
        middle = between(low, high)
        return cls(np.where(middle > low, middle, high), np.array(codes, np.uint8))  # nothing between neighbours

    def encoded(self, values: NDArray[Any]) -> NDArray[np.uint8]:
        """The code of each value."""
        numbers = np.ascontiguousarray(values, np.float64)
        return np.frombuffer(_kernel.cell_codes(numbers, self.edges, self.codes), np.uint8)

    def code(self, value: float) -> int:
        """The code of one value: the same, without arrays."""
        edges, codes = self._lists
        return NO_CELL if value != value else codes[bisect_right(edges, value)]

    @cached_property
    def _lists(self) -> tuple[list[float], list[int]]:
        return self.edges.tolist(), self.codes.tolist()

    def interval(self, code: int, level: int) -> tuple[float, float]:
        """The interval of a cell, by its code and level; the outermost ones are open."""
        inside = np.flatnonzero((self.codes >> (DEPTH - level)) == code >> (DEPTH - level))
        low = -np.inf if not inside.size or inside[0] == 0 else float(self.edges[inside[0] - 1])
        high = np.inf if not inside.size or inside[-1] == len(self.edges) else float(self.edges[inside[-1]])
        return low, high

    def shown(self, code: int, level: int = DEPTH) -> str:
        """The interval of a cell, for people.

        >>> cells = NumberCells.of(np.array([0.0, 0, 0, 0, 0, 1, 2, 3]))
        >>> cells.shown(0), cells.shown(0b100000), cells.shown(0b100000, 1), cells.shown(0b111000)
        ('below 0.5', '0.5–1.5', '0.5 or more', '2.5 or more')
        """
        low, high = self.interval(code, level)
        if low == -np.inf:
            return "any" if high == np.inf else f"below {short(high)}"
        return f"{short(low)} or more" if high == np.inf else f"{short(low)}–{short(high)}"

    def same(self, other: Any) -> bool:
        """Whether the two have the same cells."""
        return (
            isinstance(other, NumberCells)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.codes, other.codes)
        )

    def settings(self) -> dict[str, Any]:
        """The cells as plain data."""
        return {"edges": self.edges.tolist(), "codes": self.codes.tolist()}


def short(value: float) -> str:
    """A number in few digits.

    >>> short(69.55), short(12345678.0), short(0.000123)
    ('69.55', '12345678', '0.000123')
    """
    return f"{value:.0f}" if abs(value) >= 1e4 and abs(value) < 1e15 else f"{value:.4g}"


def _tree(until: NDArray[Any], n: int) -> tuple[NDArray[np.intp], list[int]]:
    """The first value of each leaf and its path, of n values of which so many rows are before each."""
    leaves: list[tuple[int, int]] = []
    open_ = [(0, n, 0, 0)]
    while open_:
        low, high, depth, path = open_.pop()
        if depth == DEPTH or high - low <= 1:
            leaves.append((low, path << (DEPTH - depth)))
            continue
        half = (until[low] + until[high]) / 2
        cut = min(int(np.searchsorted(until[low + 1 : high], half)) + low + 1, high - 1)
        if cut - 1 > low and abs(until[cut - 1] - half) <= abs(until[cut] - half):
            cut -= 1
        open_ += [(cut, high, depth + 1, 2 * path + 1), (low, cut, depth + 1, 2 * path)]
    return np.array([low for low, _ in leaves], np.intp), [path for _, path in leaves]


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """The cells of a column of categories: one for each of the most frequent, and the last for all others."""

    values: tuple[Any, ...]

    @classmethod
    def of(cls, names: Sequence[Any], numbers: NDArray[Any], weights: NDArray[Any] | None = None) -> CategoryCells:
        """The most frequent of the categories `names`, by their `numbers` in rows; NaN is missing."""
        known = ~np.isnan(numbers)
        given = numbers[known].astype(np.intp)
        counts = np.bincount(given, None if weights is None else weights[known], minlength=len(names))[: len(names)]
        kept = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        return cls(tuple(names[number] for number in np.sort(kept).tolist() if counts[number] > 0))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.values) + 1

    def encoded(self, numbers: NDArray[Any], names: Mapping[Any, int] | None) -> NDArray[np.uint8]:
        """The code of each category by its number in `names`; without names, of truth values.

        What is no known category, nor yes or no, says nothing.
        """
        cells = self._by_number(TRUTHS if names is None else names)
        known = ~np.isnan(numbers)
        codes = np.full(len(numbers), NO_CELL, np.uint8)
        codes[known] = cells[np.clip(numbers[known], 0, len(cells) - 1).astype(np.intp)]
        return codes

    def code(self, number: float, names: Mapping[Any, int] | None) -> int:
        """The code of one category: the same, without arrays."""
        if number != number:
            return NO_CELL
        cells = self._by_number(TRUTHS if names is None else names)
        return int(cells[int(min(max(number, 0), len(cells) - 1))])

    def _by_number(self, names: Mapping[Any, int]) -> NDArray[np.uint8]:
        """The cell of each category by its number, and at the end that of one that was never seen."""
        latest: tuple[Any, NDArray[np.uint8]] | None = self.__dict__.get("_latest")
        if latest is None or latest[0] is not names:  # names are replaced, never changed
            cells = {value: cell for cell, value in enumerate(self.values)}
            other = len(self.values)
            latest = names, np.array([*(cells.get(name, other) for name in names), NO_CELL], np.uint8)
            self.__dict__["_latest"] = latest
        return latest[1]

    def shown(self, code: int, level: int = 1) -> str:
        """The category of a cell, for people."""
        return str(self.values[code]) if code < len(self.values) else "another"

    def same(self, other: Any) -> bool:
        """Whether the two have the same cells."""
        return isinstance(other, CategoryCells) and self.values == other.values

    def settings(self) -> dict[str, Any]:
        """The cells as plain data."""
        return {"values": list(self.values)}


ColumnCells = NumberCells | CategoryCells


def cells_from_settings(settings: Mapping[str, Any]) -> ColumnCells:
    """The cells that `settings` came from."""
    if "values" in settings:
        values = tuple(settings["values"])
        if len(values) > MOST_CATEGORIES or len(set(values)) < len(values):
            raise FileFormatError("a column has too many cells, or one of them twice")
        return CategoryCells(values)
    edges, codes = np.array(settings["edges"], np.float64), np.array(settings["codes"], np.int64)
    is_sound = (
        edges.ndim == codes.ndim == 1
        and len(codes) == len(edges) + 1
        and np.isfinite(edges).all()
        and (np.diff(edges) > 0).all()
        and (np.diff(codes) > 0).all()
        and 0 <= codes[0] <= codes[-1] < 2**DEPTH
    )
    if not is_sound:
        raise FileFormatError("the cells of a column of numbers are not in order")
    return NumberCells(edges, codes.astype(np.uint8))
