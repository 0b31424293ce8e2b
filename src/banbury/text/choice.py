"""TextChoice: what leave-one-out has chosen for a model of texts; `choosing.py` chooses it."""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.records import Record
from banbury.text.calibration import Calibration
from banbury.text.correction import Correction
from banbury.text.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from banbury.text.settings import Settings


class TextChoice(Record):
    """What leave-one-out has chosen; it stays when the counts change."""

    trust: Trust | None = None
    """The curves of the automatic model."""
    smoothing: float | str | None = 1.0
    """Of the plain likelihood."""
    calibration: Calibration | None = None
    """Of the plain likelihood."""
    form: tuple[Any, ...] = ()
    """The likelihood, smoothing and vocabulary that the calibration was fitted for."""
    correction: Correction | None = None
    """Of the automatic model."""

    def scaled(self, factor: float) -> TextChoice:
        """The same decisions with all scores times a factor; a correction cannot be scaled and stays as it is."""
        if self.correction is not None:
            return self
        return self.replace(
            trust=None if self.trust is None else self.trust.scaled(factor),
            calibration=None if self.calibration is None else self.calibration.scaled(factor),
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        correction, arrays = (None, {}) if self.correction is None else self.correction.parts()
        settings = {
            "trust": None if self.trust is None else self.trust.settings(),
            "smoothing": self.smoothing,
            "calibration": None if self.calibration is None else self.calibration.settings(),
            "reading": list(self.form),
            "correction": correction,
        }
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> TextChoice:
        """The choice that `parts` were taken from."""
        curves, calibration, correction = settings["trust"], settings["calibration"], settings["correction"]
        return cls(
            None if curves is None else Trust.from_settings(curves),
            settings["smoothing"],
            None if calibration is None else Calibration.from_settings(calibration),
            tuple(settings["reading"]),
            None if correction is None else Correction.from_parts(correction, arrays),
        )


def uses_curves(settings: Settings, n_classes: int) -> bool:
    """Whether the automatic model predicts: the plain one does for a single class."""
    return settings.is_automatic and n_classes > 1
