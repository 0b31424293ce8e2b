"""Sketch: how many scores lie where, in little memory, so that the best tenth of a billion can be told from the rest.

Scores are log-odds, counted in fixed bins: the sign, the exponent and the first 12 bits of the fraction of a number
choose its bin. Counts are added, so any partition, order and tree of merges gives the same bytes. A bin is at most
1/4,096 of its numbers wide, and the one around 0 is ±1/4,096; there are 262,148 of them at most, 3 MB, however many
scores there are. Beyond ±1,048,576 nats all scores are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banbury import storage
from banbury.errors import FileFormatError, InputError

FRACTION_BITS = 12
RESOLUTION = 2.0**-FRACTION_BITS
"""The width of a bin, as a share of the numbers in it; around 0 in nats."""
MOST_NATS = 2.0**20

_SHIFT = 52 - FRACTION_BITS
_KIND = "sketch of scores"


def _prefix(value: float) -> int:
    return int(np.float64(value).view(np.int64)) >> _SHIFT


_NEAR_0 = _prefix(RESOLUTION) - 1  # what is closer to 0 has the bin before the first one
_LAST = _prefix(MOST_NATS) - _NEAR_0
_BIN_OF_0 = _LAST + 1


class Sketch:
    """Counts of scores by bin.

    >>> sketch = Sketch.of([-2.0, 0.5, 0.5, 3.0]).merge(Sketch.of([7.0]))
    >>> sketch.n, sketch.threshold(0.4), sketch.n_at_least(sketch.threshold(0.4))
    (5, 3.0, 2)
    """

    def __init__(self, bins: NDArray[np.uint32] | None = None, counts: NDArray[np.uint64] | None = None) -> None:
        self._bins: NDArray[np.uint32] = np.zeros(0, np.uint32) if bins is None else bins
        """In rising order, each with scores in it."""
        self._counts: NDArray[np.uint64] = np.zeros(0, np.uint64) if counts is None else counts

    @classmethod
    def of(cls, scores: Any) -> Sketch:
        """The sketch of these log-odds; a score that is not a number is an error."""
        return cls._added(bins_of(np.asarray(scores, float)), None)

    @classmethod
    def _added(cls, bins: NDArray[np.uint32], counts: NDArray[np.uint64] | None) -> Sketch:
        known, places = np.unique(bins, return_inverse=True)
        sums = np.zeros(len(known), np.uint64)
        np.add.at(sums, places, np.uint64(1) if counts is None else counts)
        return cls(known, sums)

    def merge(self, *others: Sketch) -> Sketch:
        """A sketch of the scores of all of them."""
        several = [self, *others]
        bins, counts = ([getattr(sketch, name) for sketch in several] for name in ("_bins", "_counts"))
        return self._added(np.concatenate(bins), np.concatenate(counts))

    @property
    def n(self) -> int:
        """How many scores were counted."""
        return int(self._counts.sum())

    @property
    def n_bins(self) -> int:
        """How many bins have scores."""
        return len(self._bins)

    def threshold(self, share: float) -> float:
        """The score that this share of all scores has, or more; inf where that is less than half a score.

        It is the lowest number of the bin of the exact quantile: nearer to it than `RESOLUTION`. No fewer scores than
        the share reach it, and no more than those of that one bin too many.
        """
        if not 0 < share <= 1:
            raise InputError(f"a share of {share!r}: it lies above 0 and is at most 1")
        wanted = int(share * self.n + 0.5)
        if not wanted:
            return np.inf
        reaching = self._counts[::-1].cumsum()
        return lowest_of(int(self._bins[::-1][np.searchsorted(reaching, wanted)]))

    def n_at_least(self, threshold: float) -> int:
        """How many scores reach a threshold that is the lowest of a bin; of others, how many reach its bin."""
        if threshold == np.inf:
            return 0
        return int(self._counts[self._bins >= bins_of(np.array([threshold]))[0]].sum())

    def to_bytes(self) -> bytes:
        """The sketch in the checked format of model files; the same scores give the same bytes."""
        return storage.to_bytes({"kind": _KIND}, {"bins": self._bins, "counts": self._counts})

    @classmethod
    def from_bytes(cls, data: bytes) -> Sketch:
        """The sketch whose `to_bytes` these are."""
        file = storage.from_bytes(data)
        if file.settings.get("kind") != _KIND or file.arrays.keys() != {"bins", "counts"}:
            raise FileFormatError(f"it holds a {file.settings.get('kind')!r}, not a {_KIND}")
        bins, counts = np.asarray(file.arrays["bins"]), np.asarray(file.arrays["counts"])
        are_whole = bins.dtype == np.uint32 and counts.dtype == np.uint64
        if not are_whole or bins.shape != counts.shape or (bins[1:] <= bins[:-1]).any() or not counts.all():
            raise FileFormatError("the bins of this sketch are not in order, or do not fit their counts")
        return cls(bins, counts)


def bins_of(scores: NDArray[np.float64]) -> NDArray[np.uint32]:
    """The bin of each score; a higher score has no lower bin.

    >>> bins_of(np.array([-np.inf, -1.0, -1e-9, 0.0, 1.0, 1.0001, 1.01])).tolist()
    [0, 81920, 131073, 131074, 180227, 180227, 180267]
    """
    if np.isnan(scores).any():
        raise InputError(f"score {int(np.flatnonzero(np.isnan(scores))[0])} is not a number")
    sizes = (np.abs(scores).view(np.int64) >> _SHIFT) - _NEAR_0
    sizes = np.clip(sizes, 0, _LAST)
    bins: NDArray[np.uint32] = np.where(scores < 0, _BIN_OF_0 - 1 - sizes, _BIN_OF_0 + sizes).astype(np.uint32)
    return bins


def lowest_of(bin: int) -> float:
    """The lowest score of a bin.

    >>> lowest_of(0), lowest_of(131074), lowest_of(180227)
    (-inf, 0.0, 1.0)
    """
    size = bin - _BIN_OF_0
    if size >= 0:
        return _number((size + _NEAR_0) << _SHIFT) if size else 0.0
    return -_number(((_NEAR_0 - size) << _SHIFT) - 1) if bin else -np.inf


def _number(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))
