"""Correction: what independence cannot express, a weight for each feature on top of the automatic model's own.

The automatic model weighs each feature by what counts tell of it alone. Features that come together say less than their
sum, others more; `correcting.py` finds by how much. Short texts are unlike the documents that it was fitted on, so they
get little of it.
"""

from __future__ import annotations

from math import isfinite

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import FileFormatError
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

ARRAYS = ("correction.features", "correction.weights")


class Correction(Record, eq=False):
    """Weights on top of the automatic model's, for the classes that it was fitted to."""

    classes: tuple[Any, ...]
    table: _kernel.Correction

    def read(self, classes: list[Any]) -> _kernel.Correction:
        """The weights of these classes; one that came later has none."""
        if self.classes == tuple(classes):
            return self.table
        sums = [self._weights(label) for label in classes]
        if len(classes) == 2:
            # The second less the first.
            sums = [[*sums[1], *((column, -times) for column, times in sums[0])]]
        return self.table.arranged(sums)

    def _weights(self, label: Any) -> list[tuple[int, float]]:
        """The columns that the weights of a label are the sum of, each so many times."""
        if label not in self.classes:
            return []
        place = self.classes.index(label)
        # With two classes there is one column, the second less the first.
        return [(0, place - 0.5)] if len(self.classes) == 2 else [(place, 1.0)]

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        arrays = dict(zip(ARRAYS, self.table.arrays(), strict=True))
        return {"classes": list(self.classes), "scale": list(self.table.scale)}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Correction:
        """The correction that `parts` were taken from; its arrays are read where they lie."""
        classes, scale = tuple(settings["classes"]), tuple(map(float, settings["scale"]))
        if not 2 <= len(set(classes)) == len(classes) or len(scale) != 3 or not all(map(isfinite, scale)):
            raise FileFormatError("its correction is of no or of equal classes")
        hashes, weights = (memoryview(arrays[name]).cast("B") for name in ARRAYS)
        n_scored = 1 if len(classes) == 2 else len(classes)
        return cls(classes, _kernel.Correction(hashes, weights, n_scored, scale))
