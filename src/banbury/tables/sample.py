"""Sample: the rows that weights are fitted to, and what is left out with each of them.

A row's copies know its label, and so do rows that the caller says belong together. Where a row is predicted by the
others, all of these are no others: copies leave every cell that the row is in, other members of its group leave the
cells that they are in themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury import _kernel
from banbury.tables.columns import Group
from banbury.tables.learned import Rows

Array = NDArray[Any]
COLUMNS_AT_ONCE = 64  # columns whose leave-one-out is in memory


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the rows that were learned; those with which the same is left out stand side by side."""

    rows: Rows
    """All that were learned."""
    class_ids: Array
    """Of all of them."""
    n_classes: int
    places: Array
    """Of the sample among all rows."""
    patterns: Array
    """By row of the sample: the number of what is left out with it."""
    copies: Array
    """By pattern and class: how much weight of copies is left out, those in its group aside."""
    groups: Array | None
    """By pattern: the group that is left out, if rows have groups."""

    @classmethod
    def of(cls, rows: Rows, class_ids: Array, n_classes: int, most: int, *, from_end: bool = False) -> Sample:
        """At most so many rows, the first or the last in an order by what is in them."""
        has_groups = rows.groups is not None
        copies = (rows.copies_elsewhere if has_groups else rows.copies)(class_ids, n_classes)
        order = rows.by_content()
        chosen = order[-most:] if from_end else order[:most]
        keys = copies[chosen]
        if rows.groups is not None:
            keys = np.column_stack([rows.groups[chosen], keys])
        # Rows with which the same is left out side by side: the kernel reads their cells once.
        distinct, patterns = np.unique(keys, axis=0, return_inverse=True)
        side_by_side = np.argsort(patterns.ravel(), kind="stable")
        groups = None if rows.groups is None else distinct[:, 0].astype(np.intp)
        copies = distinct[:, -n_classes:].astype(float)
        return cls(rows, class_ids, n_classes, chosen[side_by_side], patterns.ravel()[side_by_side], copies, groups)

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def row_classes(self) -> Array:
        """The class of each row of the sample."""
        class_ids: Array = self.class_ids[self.places]
        return class_ids

    @cached_property
    def all_weights(self) -> Array:
        """How often each row counts, of all rows."""
        weights = self.rows.weights
        return np.ones(len(self.class_ids)) if weights is None else weights.astype(float)

    @cached_property
    def weights(self) -> Array:
        """How often each row of the sample counts."""
        weights: Array = self.all_weights[self.places]
        return weights

    @cached_property
    def gone(self) -> Array:
        """Weight that is left out with each row, of its copies and its group, by row and class."""
        gone: Array = self.copies[self.patterns]
        if self.groups is not None:
            gone = gone + self._group_weights[self.groups[self.patterns]]
        return gone

    @cached_property
    def _group_weights(self) -> Array:
        assert self.rows.groups is not None
        cells = self.rows.groups * self.n_classes + self.class_ids
        n_groups = int(self.rows.groups.max(initial=-1)) + 1
        return np.bincount(cells, self.all_weights, minlength=n_groups * self.n_classes).reshape(n_groups, -1)

    @cached_property
    def observations(self) -> Array:
        """How much each row counts where something is fitted: what leaves together is one observation, not many."""
        totals = self.gone.sum(axis=1)
        # A group of weight t has been counted t times; all groups together as often as there are groups.
        share = self.weights.sum() / max(float((self.weights * totals).sum()), 1e-300)
        observations: Array = self.weights * share
        return observations

    @cached_property
    def trusted(self) -> Array:
        """`observations`, less where a large part of a row's class leaves with it: the rest misjudges such a row."""
        sizes = np.bincount(self.class_ids, self.all_weights, minlength=self.n_classes)
        left = 1 - self.gone[np.arange(len(self)), self.row_classes] / sizes[self.row_classes]
        trusted: Array = self.observations * np.maximum(left, 0.0)
        return trusted

    @property
    def note(self) -> str:
        """What was left out together, for a report."""
        n = int(self.all_weights.sum())
        if self.rows.groups is not None:
            n_groups = len(np.unique(self.rows.groups))
            return f"rows of one group were left out together: {n_groups} groups of {n} rows"
        n_repeats = n - len(np.unique(self.rows.hashes()))
        if not n_repeats:
            return ""
        if not self.rows.are_copies:
            return f"{n_repeats} of {n} rows repeat others, as combinations of few values do: each was left out alone"
        return f"{n_repeats} of {n} rows repeat others: copies were left out together"

    # What is said without them

    def for_kernel(self, codes: Array, every: int = 1) -> Any:
        """The rows of the sample, or every so many of them, with what is left out; `codes` are those of all rows."""
        places, patterns = self.places[::every], self.patterns[::every]
        some = np.ascontiguousarray(codes[:, places])
        class_ids, patterns = self.row_classes[::every].astype(np.uint32), patterns.astype(np.uint32)
        how = some.ravel(), len(places), self.n_classes, class_ids, patterns, self.copies.ravel()
        return _kernel.CellRows(*how) if self.groups is None else _kernel.CellRows(*how, self._groups_for_kernel(codes))

    def _groups_for_kernel(self, codes: Array) -> tuple[Any, Array, Array]:
        assert self.rows.groups is not None
        assert self.groups is not None
        order, starts = self._members
        class_ids = self.class_ids[order].astype(np.uint32)
        members = _kernel.CellRows(np.ascontiguousarray(codes[:, order]).ravel(), len(order), self.n_classes, class_ids)
        bounds = np.column_stack([starts[self.groups], starts[self.groups + 1]]).astype(np.uint32)
        return members, self.all_weights[order].astype(np.uint32), bounds.ravel()

    @cached_property
    def _members(self) -> tuple[Array, Array]:
        """All rows, those of a group side by side; and by group where they begin."""
        groups = self.rows.groups
        assert groups is not None
        order = np.argsort(groups, kind="stable")
        return order, np.searchsorted(groups[order], np.arange(int(groups.max(initial=-1)) + 2))

    def kind_evidence(self, groups: Sequence[Group], values: Sequence[Array]) -> Array:
        """What columns but for texts say by their kinds: by row, class and unit; `values` are those of all rows."""
        # Seven digits are enough for what only weights are fitted to.
        parts = [np.zeros((len(self), self.n_classes, 0), np.float32)]
        for group, numbers in zip(groups, values, strict=True):
            width = len(group.names) if group.is_tied else COLUMNS_AT_ONCE
            for start in range(0, len(group.names), width):
                columns = list(range(start, min(start + width, len(group.names))))
                logs = self._without(group.statistics.columns(columns), numbers[:, columns])
                logs = logs.sum(axis=2, keepdims=True) if group.is_tied else logs
                parts.append((logs - logs.mean(axis=1, keepdims=True)).astype(np.float32))
        return np.concatenate(parts, axis=2)

    def _without(self, statistics: Any, values: Array) -> Array:
        """The log-probabilities of the sample, by row, class and column, each without what is left out with it."""
        copies = self.copies[self.patterns]
        if self.groups is None:
            logs: Array = statistics.leave_copies_out(values[self.places], copies)
            return logs
        logs = np.empty((len(self), self.n_classes, values.shape[1]))
        order, starts = self._members
        of_rows = self.groups[self.patterns]
        for group in np.unique(of_rows).tolist():
            rows, members = np.flatnonzero(of_rows == group), order[starts[group] : starts[group + 1]]
            others = statistics.copy().remove(values[members], self.class_ids[members], self.all_weights[members])
            logs[rows] = others.leave_copies_out(values[self.places[rows]], copies[rows])
        return logs
