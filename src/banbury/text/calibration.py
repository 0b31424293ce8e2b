"""Calibration: scores of a plain likelihood to probabilities that can be believed.

Naive Bayes counts the same evidence several times, so its posterior is far too sure, and the more so the longer a text
is. What the words say is multiplied with a number that falls with their number, and each class has one that is added as
the text grows longer. `calibrating.py` fits both. The automatic model needs neither: its curves are calibrated.
"""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


class Calibration(Record):
    """Scale of log-likelihoods by the length of a text, and a shift of each label's score that grows with it."""

    scale: float
    half: float
    """A text of so many words is multiplied with half the scale."""
    shifts: tuple[tuple[Any, float], ...]
    """What the score of each label gets in a long text; a label that came later gets 0."""
    typical: float
    """Words of a document of median length."""

    @property
    def length(self) -> tuple[float, float]:
        """Scale and half, as the kernel takes them."""
        return self.scale, self.half

    def growth(self, classes: list[Any]) -> list[float]:
        """What the score of each class gets as a text grows longer."""
        shifts = dict(self.shifts)
        return [shifts.get(label, 0.0) for label in classes]

    def scaled(self, factor: float) -> Calibration:
        """The calibration with all scores times a factor."""
        shifts = tuple((label, factor * shift) for label, shift in self.shifts)
        return Calibration(factor * self.scale, self.half, shifts, self.typical)

    def settings(self) -> dict[str, Any]:
        """The calibration as plain data, for a file."""
        shifts = [list(shift) for shift in self.shifts]
        return {"scale": self.scale, "half": self.half, "shifts": shifts, "typical": self.typical}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Calibration:
        """The calibration that `settings` came from."""
        shifts = tuple((label, float(shift)) for label, shift in settings["shifts"])
        return cls(float(settings["scale"]), float(settings["half"]), shifts, float(settings["typical"]))
