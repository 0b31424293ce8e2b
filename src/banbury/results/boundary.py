"""Boundary: how probable a class is at each place of the plane of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from banbury.display.html import Markup, element, piece
from banbury.display.nomogram import plane

if TYPE_CHECKING:
    from banbury.text.documents import Label


@dataclass(frozen=True, repr=False)
class Boundary:
    """The probability of a class by the values of two columns of numbers, all other columns missing.

    A notebook shows the picture, in which a line is where the class is as probable as not.
    """

    columns: tuple[str, str]
    label: Label
    x: Sequence[float]
    y: Sequence[float]
    probabilities: Sequence[Sequence[float]]
    """By value of the second column, then by value of the first."""

    @property
    def title(self) -> str:
        """Title of the picture: the class and the two columns."""
        return f"P({self.label}) by {self.columns[0]} and {self.columns[1]}"

    def svg(self) -> Markup:
        """The picture.

        >>> Boundary(("a", "b"), "yes", [0.0, 1.0], [0.0, 1.0], [[0.1, 0.2], [0.3, 0.9]]).svg().html[:4]
        '<svg'
        """
        ends = [(min(values), max(values)) for values in (self.x, self.y)]
        names = dict(zip(("x_title", "y_title"), self.columns, strict=True))
        return plane(self.probabilities, x_range=ends[0], y_range=ends[1], title=self.title, **names)

    def __repr__(self) -> str:
        return f"<Boundary: {self.title}, {len(self.x)} × {len(self.y)} places>"

    def _repr_html_(self) -> str:
        note = f"blue: {self.label} is likelier than not; the line: as likely as not; all other columns missing"
        return piece(element("p", self.title), self.svg(), element("p", note, class_="quiet"))
