"""Duplicate documents: exact and near duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury import _kernel
from banbury.errors import InputError
from banbury.tables.frame import Table
from banbury.tables.row_hash import row_hashes
from banbury.tables.values import Column
from banbury.text.analyzer import Analyzer
from banbury.text.documents import as_texts, n_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from banbury.text.documents import Texts

SIMILARITY = 0.8
RUN = 3  # words: what the overlap is measured with
BANDS, BAND_WIDTH = 32, 4
"""Of a signature. Of texts whose runs overlap by 80 %, all but one pair in ten million have a band in common."""
DOUBT = 0.15  # what an overlap may be from that of the signatures: some four standard errors


@dataclass(frozen=True)
class Duplicates:
    """Groups of duplicate documents, each a list of rows, the first document first."""

    n_documents: int
    exact: list[list[int]]
    """Exact duplicates: the same text."""
    near: list[list[int]]
    """Near duplicates: nearly the same words in the same order; of exact duplicates only the first is listed."""
    conflicting: list[list[int]]
    """Groups of either kind that have more than one label."""

    @property
    def n_repeats(self) -> int:
        """How many documents repeat the text of an earlier one."""
        return sum(len(group) - 1 for group in self.exact)

    @property
    def n_near(self) -> int:
        """How many more documents nearly repeat an earlier one."""
        return sum(len(group) - 1 for group in self.near)


def n_repeats(documents: Any) -> int:
    """How many documents say the same as an earlier one: equal texts, or rows of a table with equal values.

    >>> n_repeats(["free entry", "lunch?", "free entry"])
    1
    """
    if isinstance(documents, Table):
        hashes = row_hashes(map(Column.hashes, documents.columns.values()), documents.n_rows)
        return documents.n_rows - len(np.unique(hashes))
    texts = as_texts(documents)
    return len(texts) - len(set(texts))


def duplicates(
    texts: Texts, labels: Sequence[Any] | None = None, *, similarity: float = SIMILARITY, threads: int | None = None
) -> Duplicates:
    """Exact and near duplicates among documents.

    Near duplicates have a Jaccard similarity of at least `similarity` between their sets of three-word runs, in lower
    case and without punctuation.

    >>> found = duplicates(["free entry", "Lunch at one?", "free entry", "lunch at one"], ["spam", "ham", "ham", "ham"])
    >>> found.exact, found.near, found.conflicting
    ([[0, 2]], [[1, 3]], [[0, 2]])
    """
    if not 0.5 <= similarity <= 1:
        raise InputError(f"similarity is {similarity!r}; it must be from 0.5 to 1")
    texts = as_texts(texts)
    if labels is not None and len(labels) != len(texts):
        raise InputError(f"{len(texts)} documents but {len(labels)} labels")
    places: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        places.setdefault(text, []).append(row)
    exact = [group for group in places.values() if len(group) > 1]
    firsts = [group[0] for group in places.values()]
    near = [[firsts[row] for row in group] for group in _near([texts[row] for row in firsts], similarity, threads)]
    conflicting = []
    if labels is not None:
        # A near duplicate of one text is one of all that are equal to it.
        whole = [[row for first in group for row in places[texts[first]]] for group in near]
        inside = {row for group in whole for row in group}
        groups = [*whole, *(group for group in exact if group[0] not in inside)]
        conflicting = sorted(sorted(group) for group in groups if len({labels[row] for row in group}) > 1)
    return Duplicates(len(texts), exact, near, conflicting)


def repeated_rows(table: Table, labels: Sequence[Any]) -> Duplicates:
    """Rows of a table with the same values as an earlier one; none is a near duplicate.

    Where most rows repeat others, they are combinations of few values, not copies: then there are no groups.

    >>> from banbury.tables.frame import read
    >>> found = repeated_rows(read({"a": [1, 2, 1, 3], "b": ["x", "x", "x", None]}), ["yes", "no", "no", "no"])
    >>> found.exact, found.conflicting
    ([[0, 2]], [[0, 2]])
    """
    order = np.argsort(table.row_hashes, kind="stable")
    hashes = table.row_hashes[order]
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
    if 2 * len(starts) < table.n_rows:
        return Duplicates(table.n_rows, [], [], [])
    sizes = np.diff(np.append(starts, table.n_rows))
    repeats = zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True)
    exact = sorted(order[start : start + size].tolist() for start, size in repeats)
    conflicting = [group for group in exact if len({labels[row] for row in group}) > 1]
    return Duplicates(table.n_rows, exact, [], conflicting)


def _near(texts: list[str], similarity: float, threads: int | None) -> list[list[int]]:
    """Groups of different texts that are nearly the same, by their places."""
    if len(texts) < 2:
        return []
    analyzer = Analyzer(punctuation="none", emoticons=False)
    signatures = np.asarray(_kernel.signatures(analyzer.compiled(), texts, n_threads(threads)))
    runs: dict[int, frozenset[tuple[str, ...]]] = {}

    def runs_of(place: int) -> frozenset[tuple[str, ...]]:
        if place not in runs:
            words = [token.text for token in analyzer.tokens(texts[place])]
            runs[place] = frozenset(tuple(words[i : i + RUN]) for i in range(max(len(words) - RUN + 1, 1)))
        return runs[place]

    leader = list(range(len(texts)))

    def lead(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    for place, other_place in _candidates(signatures, similarity - DOUBT):
        first, second = lead(place), lead(other_place)
        if first == second:
            continue
        ours, theirs = runs_of(place), runs_of(other_place)
        if len(ours & theirs) >= similarity * len(ours | theirs):
            leader[max(first, second)] = min(first, second)
    groups: dict[int, list[int]] = {}
    for place in range(len(texts)):
        groups.setdefault(lead(place), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _candidates(signatures: NDArray[Any], agreement: float) -> Iterator[tuple[int, int]]:
    """Pairs of texts that have a band of their signatures in common, and enough of the whole."""
    has_words = np.flatnonzero(signatures.min(axis=1) < 2**32 - 1)
    factors = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64)
    pairs: list[NDArray[Any]] = []
    for band in range(BANDS):
        part = signatures[has_words, band * BAND_WIDTH : (band + 1) * BAND_WIDTH].astype(np.uint64)
        keys = (part * factors).sum(axis=1, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        same = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        # Each with the one before it and with the first of its bucket: a bucket of any size has few pairs.
        first = np.searchsorted(ordered, ordered[same])
        pairs += [
            np.column_stack([has_words[order[neighbours]], has_words[order[same]]]) for neighbours in (same - 1, first)
        ]
    candidates = np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)
    for start in range(0, len(candidates), 4096):
        some = candidates[start : start + 4096]
        enough = (signatures[some[:, 0]] == signatures[some[:, 1]]).mean(axis=1) >= agreement
        yield from zip(some[enough, 0].tolist(), some[enough, 1].tolist(), strict=True)
