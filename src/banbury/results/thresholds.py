"""Thresholds on the probability of one class: what each catches and lets through; ROC and precision–recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display.html import Markup
from banbury.display.svg import Line, line_chart
from banbury.errors import InputError
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_POINTS = 200  # of a curve that is drawn


class Caught(NamedTuple):
    """Documents by what a threshold makes of them."""

    caught: int
    """Of the class, and at or above the threshold."""
    missed: int
    false_alarms: int
    passed: int
    """Of other classes, and below it."""


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Every threshold that makes a difference, the highest first, with the documents at or above it.

    >>> thresholds = Thresholds.of([0.9, 0.8, 0.3], [True, False, True])
    >>> thresholds.at(0.5)
    Caught(caught=1, missed=1, false_alarms=1, passed=0)
    >>> thresholds.roc()
    [(0.0, 0.0), (0.0, 0.5), (1.0, 0.5), (1.0, 1.0)]
    """

    values: NDArray[Any]
    caught: NDArray[Any]
    false_alarms: NDArray[Any]

    @classmethod
    def of(
        cls,
        probabilities: Sequence[float] | NDArray[Any],
        is_of_class: Sequence[bool] | NDArray[Any],
        weights: NDArray[Any] | None = None,
    ) -> Thresholds:
        """Thresholds on probabilities of documents, some of them of the class; each counts by its weight, or once."""
        chances, truth = np.asarray(probabilities, dtype=float), np.asarray(is_of_class, dtype=bool)
        if len(chances) != len(truth):
            raise InputError(f"{len(chances)} probabilities but {len(truth)} labels")
        order = np.argsort(-chances, kind="stable")
        chances, truth = chances[order], truth[order]
        each = np.ones(len(truth), dtype=int) if weights is None else weights[order]
        is_last = np.append(chances[1:] != chances[:-1], True) if len(chances) else np.zeros(0, dtype=bool)
        return cls(chances[is_last], np.cumsum(each * truth)[is_last], np.cumsum(each * ~truth)[is_last])

    @property
    def n_of_class(self) -> int:
        """How many documents are of the class."""
        return int(self.caught[-1]) if len(self.caught) else 0

    @property
    def n_others(self) -> int:
        """How many are not."""
        return int(self.false_alarms[-1]) if len(self.false_alarms) else 0

    def at(self, threshold: float) -> Caught:
        """What a threshold makes of the documents."""
        place = int(np.searchsorted(-self.values, -threshold, side="right"))
        caught, alarms = (int(counts[place - 1]) if place else 0 for counts in (self.caught, self.false_alarms))
        return Caught(caught, self.n_of_class - caught, alarms, self.n_others - alarms)

    def roc(self) -> list[tuple[float, float]]:
        """ROC curve: the share of others, and of the class, at or above each threshold."""
        points = np.column_stack([self.false_alarms / max(self.n_others, 1), self.caught / max(self.n_of_class, 1)])
        return [(0.0, 0.0), *map(tuple, points.tolist())]

    def precision_recall(self) -> list[tuple[float, float]]:
        """Precision–recall curve: recall and precision at each threshold."""
        n_caught = self.caught + self.false_alarms
        points = np.column_stack([self.caught / max(self.n_of_class, 1), self.caught / np.maximum(n_caught, 1)])
        return list(map(tuple, points.tolist()))

    def drawings(self, chosen: float | None = None) -> tuple[Markup, Markup]:
        """Both curves as parts of a page; the dot of the second line is a threshold that was chosen."""
        at = None if chosen is None else self.at(chosen)
        dots: list[list[tuple[float, float]]] = [[], []]
        if at is not None:
            recall = at.caught / max(self.n_of_class, 1)
            dots[0] = [(at.false_alarms / max(self.n_others, 1), recall)]
            dots[1] = [(recall, at.caught / max(at.caught + at.false_alarms, 1))]
        drawn = []
        for points, dot, names in (
            (self.roc(), dots[0], ("ROC curve", "share of the others", "share of the class")),
            (self.precision_recall(), dots[1], ("Precision–recall curve", "recall", "precision")),
        ):
            some = [points[place] for place in drawn_places(len(points))]
            lines = [Line("every threshold", some, sizes=[0.0] * len(some))]
            lines += [Line("the one that is chosen", dot, sizes=[1.0])] if dot else []
            title, x_title, y_title = names
            drawn.append(
                line_chart(
                    lines, title=title, x_title=x_title, y_title=y_title, x_range=(0, 1), y_range=(0, 1), percent=True,
                    diagonal=title == "ROC curve",
                )
            )  # fmt: skip
        return drawn[0], drawn[1]


def drawn_places(n_points: int) -> list[int]:
    """The places of the points of a curve that are drawn: at most 200, the first and the last among them."""
    places: list[int] = np.unique(np.linspace(0, n_points - 1, min(n_points, MOST_POINTS)).round().astype(int)).tolist()
    return places
