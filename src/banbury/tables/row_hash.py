"""A hash for each row of a table, which depends on the values in the row alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

ODD = 0x9E3779B97F4A7C15  # without a pattern: 2⁶⁴ over the golden ratio
HASH_SHIFT = 29


def row_hashes(columns: Iterable[NDArray[Any]], n_rows: int) -> NDArray[Any]:
    """A 64-bit number for each row, from columns of 64-bit numbers: equal rows have equal ones.

    Rows sorted by it are in an order that does not depend on the order in which they came, so that the first of them
    are the same sample.

    >>> hashes = row_hashes([np.array([1, 2, 1], np.uint64), np.array([5, 5, 5], np.uint64)], 3)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    hashes = np.zeros(n_rows, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            hashes ^= column
            hashes *= np.uint64(ODD)
            hashes ^= hashes >> np.uint64(HASH_SHIFT)
    return hashes
