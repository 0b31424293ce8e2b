"""Nomogram: what the values of each column say for one class rather than another, on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.display.html import Markup, element, piece
from banbury.display.nomogram import Axis, nomogram
from banbury.display.text_table import Grid

if TYPE_CHECKING:
    from banbury.text.documents import Label


@dataclass(frozen=True, repr=False)
class Nomogram:
    """Axes of columns and pairs whose nats, added to `start`, are the log odds of `label` rather than `against`.

    `print` shows it as a table, a notebook as a picture; `rows` is plain data.
    """

    label: Label
    against: Label
    start: float
    """Log odds before any value is known."""
    columns: list[Axis]
    """Columns, those that can say most first."""
    pairs: list[Axis]
    """Pairs, with what they say beyond their columns."""
    n_more: int = 0
    """Columns and pairs that are not shown."""

    @property
    def title(self) -> str:
        """Title of the picture: the two classes."""
        return f"{self.label} rather than {self.against}, in nats"

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each value: column, value, nats."""
        return [
            {"column": axis.name, "value": name, "nats": nats}
            for axis in [*self.columns, *self.pairs]
            for name, nats in axis.marks
        ]

    def svg(self) -> Markup:
        """The picture.

        >>> Nomogram("yes", "no", -0.4, [Axis("sex", [("male", -1.1)])], []).svg().html[:4]
        '<svg'
        """
        outcome = f"P({self.label})"
        return nomogram([*self.columns, *self.pairs], start=self.start, title=self.title, outcome=outcome)

    def _note(self) -> str:
        parts = []
        if self.pairs:
            parts.append("a pair's nats are what it says beyond what each of its columns says")
        if self.n_more:
            parts.append(f"{self.n_more} more columns and pairs are not shown")
        return "; ".join(parts)

    def __str__(self) -> str:
        lines = [
            [axis.name, name, f"{nats:+.3f}"] for axis in [*self.columns, *self.pairs] for name, nats in axis.marks
        ]
        head = f"{self.title}; without any value {self.start:+.3f}"
        return "\n".join(filter(None, [head, "", str(Grid(["column", "value", "nats"], lines)), self._note()]))

    __repr__ = __str__

    def markup(self) -> list[Markup]:
        """The picture with its title, for a page."""
        note = self._note()
        picture = element("div", self.svg(), class_="scroll", tabindex="0")
        return [element("p", self.title), picture, *([element("p", note, class_="quiet")] if note else [])]

    def _repr_html_(self) -> str:
        return piece(*self.markup())
