"""LabelTrust: how counts of labels are read: curves for all labels, a shift and a slope for each.

The curves are those of the automatic model (`text/trust.py`). The log-odds of a label in a document of n words are

    start + n / (n + 16) · ((prior − 1) · start + shift) + slope · 2 · Σ weights

where `start` is the log-odds of the label's share of all documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from banbury.errors import FileFormatError
from banbury.labels.odds import EVIDENCE
from banbury.labels.sets import label_of_file
from banbury.text.analyzer import Analyzer
from banbury.text.trust import FEW_OF_A_LABEL, NO_CAP, TYPICAL, universal_curves

LARGEST_CURVE = 1e6  # any number of curves, shifts and slopes: fitted ones are below 100


@dataclass(frozen=True)
class LabelTrust:
    """Curves, and by label where its log-odds go besides, and how much its evidence counts."""

    curves: tuple[float, ...]
    prior: float
    """How much the log-odds of a label's share count in a long document; in an empty one, 1."""
    caps: tuple[float, ...]
    """By block: features of the longest documents. One with more counts as one with so many, of the same mean."""
    typical: tuple[float, ...]
    """By block: features of a document of median length."""
    labels: tuple[tuple[Any, float, float], ...] = ()
    """Each label that was fitted, its shift and its slope."""

    @classmethod
    def universal(cls, analyzer: Analyzer) -> LabelTrust:
        """The curves that nothing was fitted to."""
        blocks, prior = universal_curves(analyzer)
        curves = tuple(number for block in blocks for number in block)
        return cls(curves, prior, (NO_CAP,) * len(blocks), (TYPICAL,) * len(blocks))

    @cached_property
    def _by_label(self) -> dict[Any, tuple[float, float]]:
        return {label: (shift, slope) for label, shift, slope in self.labels}

    def growth(self, labels: list[Any], start: list[float]) -> list[float]:
        """What the log-odds of each label get as a document grows longer."""
        usual = (0.0, 1.0)
        return [
            (self.prior - 1) * value + self._by_label.get(label, usual)[0]
            for label, value in zip(labels, start, strict=True)
        ]

    def factors(self, labels: list[Any], documents: list[int]) -> list[float]:
        """What the evidence for each label is multiplied with: few documents of a label that came later say little."""
        fitted = self._by_label
        sizes = [n for label, n in zip(labels, documents, strict=True) if label in fitted]
        # Where the old labels have few documents themselves, a new one is not told worse than they are.
        few = min(FEW_OF_A_LABEL, sum(sizes) / len(sizes) / 10) if sizes else 0.0
        return [
            EVIDENCE * (fitted[label][1] if label in fitted else n / (n + few) if few else 1.0)
            for label, n in zip(labels, documents, strict=True)
        ]

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {
            "curves": list(self.curves),
            "prior": self.prior,
            "caps": list(self.caps),
            "typical": list(self.typical),
            "labels": [list(entry) for entry in self.labels],
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], analyzer: Analyzer) -> LabelTrust:
        """The curves that `settings` came from."""
        curves, caps, typical = (tuple(map(float, settings[name])) for name in ("curves", "caps", "typical"))
        blocks, _ = universal_curves(analyzer)
        if len(curves) != sum(map(len, blocks)) or not len(caps) == len(typical) == len(blocks):
            raise FileFormatError("its trust curves are not those of its analyzer")
        if not all(cap >= 1 for cap in (*caps, *typical)):
            raise FileFormatError("its trust curves have no lengths of documents")
        labels = tuple((label_of_file(label), float(shift), float(slope)) for label, shift, slope in settings["labels"])
        prior = float(settings["prior"])
        numbers = (*curves, prior, *(number for _, *pair in labels for number in pair))
        if not all(abs(number) <= LARGEST_CURVE for number in numbers):
            raise FileFormatError("its trust curves are larger than any that can be fitted")
        return cls(curves, prior, caps, typical, labels)
