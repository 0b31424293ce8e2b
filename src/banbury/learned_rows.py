"""LearnedRows: which documents a model has learned, and how often, so that it can tell those that it has not.

Counts do not tell documents apart: "a b" and "c d" have the same words as "a c" and "b d". A model that keeps a hash of
each document with its label knows, and refuses to forget what it has never learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import CountError, FileFormatError, InputError
from banbury.lazy import numpy as np
from banbury.text.batches import unpacked
from banbury.text.documents import as_labels, as_weights

if TYPE_CHECKING:
    from banbury.text.documents import Column

ROW_ARRAYS = ("rows_first", "rows_second", "rows_times")
KEY_BYTES = 16  # bytes: two documents with the same one would have to be looked for among 2⁶⁴


class LearnedRows:
    """The multiset of learned documents, each as a hash of the document and its label.

    >>> rows = LearnedRows()
    >>> rows.add([("so happy", "yes", 2), ("so sad", "no", 1)])
    >>> rows.remove([("so happy", "yes", 1)])
    >>> len(rows)
    2
    >>> rows.remove([("so happy", "no", 1)])
    Traceback (most recent call last):
    banbury.errors.CountError: document 0 with label 'no' was never learned; nothing was changed
    """

    def __init__(self, times: Mapping[bytes, int] | None = None) -> None:
        self._times = Counter(times or {})

    def __len__(self) -> int:
        return self._times.total()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedRows) and self._times == other._times

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copy(self) -> LearnedRows:
        """The same rows, which change on their own from now on."""
        return LearnedRows(self._times)

    def add(self, rows: Iterable[tuple[Any, Any, int]]) -> None:
        """Learn documents with their labels, each so many times."""
        added: Counter[bytes] = Counter()
        for document, label, times in rows:
            added[row_hash(document, label)] += times
        self._times.update({key: times for key, times in added.items() if times})

    def remove(self, rows: Iterable[tuple[Any, Any, int]]) -> None:
        """Forget documents; where one was not learned so many times it is a `CountError`, and nothing changes."""
        removed: Counter[bytes] = Counter()
        for place, (document, label, times) in enumerate(rows):
            key = row_hash(document, label)
            removed[key] += times
            if removed[key] > self._times[key]:
                how = f"was learned {self._times[key]} times only" if self._times[key] else "was never learned"
                raise CountError(f"document {place} with label {label!r} {how}; nothing was changed")
        self._times.subtract(removed)
        for key in removed:
            if not self._times[key]:
                del self._times[key]

    def merge(self, other: LearnedRows) -> None:
        """Learn all that another one has."""
        self._times.update(other._times)

    def arrays(self) -> dict[str, Any]:
        """Arrays for `storage.write`: the two halves of each hash, sorted, and how often it was learned."""
        ordered = sorted(self._times.items())
        keys = np.frombuffer(b"".join(key for key, _ in ordered), dtype=">u8").reshape(-1, 2).astype(np.uint64)
        times = np.array([times for _, times in ordered], dtype=np.uint64)
        return dict(
            zip(ROW_ARRAYS, (np.ascontiguousarray(keys[:, 0]), np.ascontiguousarray(keys[:, 1]), times), strict=True)
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> LearnedRows:
        """The rows that `arrays` were taken from."""
        views = [arrays[name] for name in ROW_ARRAYS]
        if any(memoryview(view).format not in ("Q", "L") or memoryview(view).ndim != 1 for view in views):
            raise FileFormatError("its learned rows are not 64-bit numbers")
        first, second, times = (np.asarray(view, dtype=np.uint64) for view in views)
        if not len(first) == len(second) == len(times):
            raise FileFormatError("its learned rows have hashes of different lengths")
        content = np.stack([first, second], axis=1).astype(">u8").tobytes()
        keys = [content[start : start + KEY_BYTES] for start in range(0, len(content), KEY_BYTES)]
        if any(earlier >= later for earlier, later in pairwise(keys)) or not times.all():
            raise FileFormatError("its learned rows are not in order, or never learned")
        return cls(dict(zip(keys, times.tolist(), strict=True)))


def rows_of(
    held: tuple[Sequence[Any], Callable[[int], Any]], labels: Sequence[Any], weights: Column
) -> Iterable[tuple[Any, Any, int]]:
    """Documents that a model holds, with their labels, each as often as its weight says."""
    _, document = held
    times = [1] * len(labels) if weights is None else np.asarray(as_weights(weights, len(labels))).tolist()
    return ((document(place), labels[place], times[place]) for place in range(len(labels)))


class Watched:
    """Batches of documents that are noted as they pass: `rows` are those of the latest pass."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches
        self.rows = LearnedRows()
        self.can_be_read_again = getattr(batches, "can_be_read_again", iter(batches) is not batches)

    def __iter__(self) -> Iterator[Any]:
        self.rows = LearnedRows()
        for batch in self._batches:
            texts, labels, weights = unpacked(batch)
            held = _kernel.hold(texts)
            texts_at = partial(_kernel.text_at, held)
            labels = as_labels(labels)
            if len(held) == len(labels):  # else it is refused
                self.rows.add(rows_of((held, texts_at), labels, weights))
            yield (held, labels, weights)


def row_hash(document: Any, label: Any) -> bytes:
    """A hash of a document, a text or a row by columns, and its label; that of equal numbers is the same.

    >>> row_hash({"size": 1, "name": "x"}, "yes") == row_hash({"name": "x", "size": 1.0}, "yes")
    True
    >>> row_hash("so", "yes") == row_hash("so", "no")
    False
    """
    state = blake2b(digest_size=KEY_BYTES, person=b"banbury row")
    values = [document] if isinstance(document, str) else [part for pair in sorted(document.items()) for part in pair]
    for value in (label, *values):
        content = _content(value)
        state.update(len(content).to_bytes(8, "little") + content)
    return state.digest()


def _content(value: Any) -> bytes:
    """The bytes of a value, the first of which says what it is."""
    if value is None or value != value:  # NaN, too, is a missing value
        return b"-"
    if isinstance(value, str):
        return b"s" + getattr(value, "marked", str(value)).encode("utf-8", "surrogatepass")
    if isinstance(value, bool | np.bool_):
        return b"b" + bytes([bool(value)])
    if isinstance(value, int | float | np.number):
        number = value.item() if isinstance(value, np.number) else value
        return b"n" + repr(int(number) if number == number // 1 else number).encode()
    if isinstance(value, date | datetime):
        return b"d" + value.isoformat().encode()
    raise InputError(f"a value of type {type(value).__name__} has no hash, which exact_forget needs")
