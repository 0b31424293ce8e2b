"""TwoByTwo: two events counted in the same rows, with margins; what is likely given what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.display import diagrams
from banbury.display.html import piece
from banbury.display.text_table import Grid
from banbury.errors import InputError
from banbury.stats.events import as_event, rows_of, truths
from banbury.stats.probability import conditional, odds, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class TwoByTwo:
    """In how many rows two events are true, one of them, or neither.

    >>> table = TwoByTwo(4, 31, 1, 64, names=("positive", "amazing"))
    >>> print(table)
                  amazing  not amazing  total
    positive            4           31     35
    not positive        1           64     65
    total               5           95    100
    >>> table.first_given_second, round(table.second_given_first, 4)
    (0.8, 0.1143)
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    names: tuple[str, str] = ("A", "B")

    def __post_init__(self) -> None:
        for count in (self.both, self.only_first, self.only_second, self.neither):
            if not isinstance(count, int) or count < 0:
                raise InputError(f"a count is {count!r}; it must be a whole number, 0 or more")
        if not self.total:
            raise InputError("all four counts are 0; there are no rows to count in")

    @property
    def total(self) -> int:
        """All rows."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def first(self) -> float:
        """P(A)."""
        return probability(self.both + self.only_first, self.total)

    @property
    def second(self) -> float:
        """P(B)."""
        return probability(self.both + self.only_second, self.total)

    @property
    def joint(self) -> float:
        """P(A and B)."""
        return probability(self.both, self.total)

    @property
    def first_given_second(self) -> float:
        """P(A | B)."""
        return conditional(self.both, self.both + self.only_second)

    @property
    def first_given_not_second(self) -> float:
        """P(A | not B)."""
        return conditional(self.only_first, self.only_first + self.neither)

    @property
    def second_given_first(self) -> float:
        """P(B | A)."""
        return conditional(self.both, self.both + self.only_first)

    @property
    def second_given_not_first(self) -> float:
        """P(B | not A)."""
        return conditional(self.only_second, self.only_second + self.neither)

    @property
    def prior_ratio(self) -> float:
        """P(A) / P(not A)."""
        return odds(self.first)

    @property
    def lift(self) -> float:
        """P(A and B) / (P(A) P(B)): 1 where the two are independent, more where they come together.

        >>> TwoByTwo(1, 1, 1, 1).lift
        1.0
        """
        return conditional(self.both, self.both + self.only_first) / self.second

    def rows(self) -> list[dict[str, Any]]:
        """The table with its margins, a dictionary for each row."""
        first, second = self.names
        cells = (
            (first, self.both, self.only_first),
            (f"not {first}", self.only_second, self.neither),
            ("total", self.both + self.only_second, self.only_first + self.neither),
        )
        return [{"": name, second: yes, f"not {second}": no, "total": yes + no} for name, yes, no in cells]

    def __str__(self) -> str:
        return str(self._grid())

    def _repr_html_(self) -> str:
        return piece(self._grid().markup())

    def _grid(self) -> Grid:
        rows = self.rows()
        return Grid(list(rows[0]), [[str(value) for value in row.values()] for row in rows])

    def plot_venn(self, ax: Axes | None = None) -> Axes:
        """The two events as circles, with matplotlib; returns the axes."""
        return diagrams.venn(self.both, self.only_first, self.only_second, self.neither, names=self.names, ax=ax)

    def plot_tree(self, ax: Axes | None = None) -> Axes:
        """Bayes' rule from P(A) and P(B | A) to P(A | B) as a tree, with matplotlib; returns the axes."""
        first, second = self.names
        branches = [
            (first, self.first, self.second_given_first if self.first else 0.0),
            (f"not {first}", 1 - self.first, self.second_given_not_first if self.first < 1 else 0.0),
        ]
        return diagrams.bayes_tree(branches, evidence=second, ax=ax)


def two_by_two(table: Any, first: Any, second: Any) -> TwoByTwo:
    """Two events counted in a table.

    >>> from banbury.stats.events import event, word
    >>> tweets = [("so happy", "positive"), ("happy me", "positive"), ("not happy", "negative"), ("sad", "negative")]
    >>> rows = [{"text": text, "label": label} for text, label in tweets]
    >>> print(two_by_two(rows, event(label="positive"), word("happy")))
                          happy  not happy  total
    label = positive          2          0      2
    not label = positive      1          1      2
    total                     3          1      4
    """
    rows, events = rows_of(table), (as_event(first), as_event(second))
    if not rows:
        raise InputError("the table has no rows to count in")
    pairs = list(zip(*(truths(rows, event) for event in events), strict=True))
    both, only_first, only_second, neither = (
        pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))
    )
    return TwoByTwo(both, only_first, only_second, neither, names=(str(events[0]), str(events[1])))
