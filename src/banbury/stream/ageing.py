"""PeriodCounts: counts by period, and their sum in which old periods count less.

With a half-life of h periods, time is cut into spans of h periods. The counts of a span are added up, and halved once
for each span that has begun since: shifted by one bit each time, and rounded once. So nothing is ever multiplied by a
fraction, the order of documents in a period does not matter, and what is forgotten was never there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import CountError
from banbury.text.counts import Counts

if TYPE_CHECKING:
    from banbury.text.analyzer import Analyzer

MOST_HALVINGS = 16  # with more, hardly a count is left


class _Sum(NamedTuple):
    """The sum of some periods."""

    span: int | None
    """At which it was made; None where nothing ages."""
    periods: dict[int, int]
    """What was added up: periods, and the version in which each changed last."""
    counts: Counts


class PeriodCounts:
    """Counts of each period.

    >>> counts = PeriodCounts(Counts().analyzer)
    >>> counts.add(0, Counts().add(["old news"] * 2, ["x"] * 2))
    >>> counts.add(1, Counts().add(["news"], ["x"]))
    >>> counts.aged(now=1, half_life=1).documents, counts.aged(now=1, half_life=None).documents
    ([2], [3])
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.by_period: dict[int, Counts] = {}
        self.version = 0
        """Goes up with every change."""
        self._changed: dict[int, int] = {}  # the version in which each period changed last
        self._sums: dict[tuple[int | None, bool], _Sum] = {}

    def add(self, period: int, counts: Counts) -> None:
        """Count more in a period."""
        if period in self.by_period:
            self.by_period[period].merge(counts)
        else:
            self.by_period[period] = counts.copy()
        self._note(period)

    def without(
        self, period: int, texts: list[str], labels: list[Any], weights: list[int] | None, *, threads: int | None
    ) -> Counts:
        """What is left of a period without these documents; one that never had them is a `CountError`."""
        if period not in self.by_period:
            raise CountError("no document of this period was ever added; nothing was changed")
        return self.by_period[period].copy().remove(texts, labels, weights=weights, threads=threads)

    def put(self, period: int, counts: Counts) -> None:
        """Set the counts of a period; one without documents is gone."""
        if counts.classes:
            self.by_period[period] = counts
        else:
            self.by_period.pop(period, None)
        self._note(period)

    def drop(self, periods: Iterable[int]) -> None:
        """Forget whole periods."""
        for period in list(periods):
            del self.by_period[period]
            self._note(period)

    def _note(self, period: int) -> None:
        self.version += 1
        self._changed[period] = self.version

    @property
    def newest(self) -> int:
        """The last period that has documents."""
        return max(self.by_period)

    def has_aged(self, *, now: int, half_life: int | None, before: int | None = None) -> bool:
        """Whether anything of `aged` is halved at all."""
        return any(_age(period, now, half_life) for period in self.by_period if before is None or period < before)

    def aged(self, *, now: int, half_life: int | None, before: int | None = None) -> Counts:
        """The sum of all periods, or of those `before` one, each span halved by its age at the period `now`.

        A sum is kept, and where all that is new counts whole, that is added: a stream is not added up anew each time.
        """
        wanted = {
            period: self._changed[period]
            for period in self.by_period
            if (before is None or period < before) and _age(period, now, half_life) <= MOST_HALVINGS
        }
        span = None if half_life is None else now // half_life
        kept = self._sums.get((half_life, before is None))
        new = set(wanted).difference(() if kept is None else kept.periods)
        is_part = kept is not None and kept.span == span and kept.periods.items() <= wanted.items()
        if kept is None or not is_part or any(_age(period, now, half_life) for period in new):
            kept = _Sum(span, wanted, self._summed(wanted, now, half_life))
        else:
            for period in sorted(new):
                kept.counts.merge(self.by_period[period])
            kept = _Sum(span, wanted, kept.counts)
        self._sums[half_life, before is None] = kept
        return kept.counts.copy()

    def _summed(self, periods: Iterable[int], now: int, half_life: int | None) -> Counts:
        spans: dict[int, Counts] = {}
        for period in sorted(periods):
            age = _age(period, now, half_life)
            if age in spans:
                spans[age].merge(self.by_period[period])
            else:
                spans[age] = self.by_period[period].copy()
        total = Counts(self.analyzer)
        for age, counts in sorted(spans.items()):
            total.absorb(counts.halved(age) if age else counts)
        return total

    def documents(self) -> dict[int, dict[Any, int]]:
        """The number of documents of each period and label."""
        return {
            period: dict(zip(counts.classes, counts.documents, strict=True))
            for period, counts in sorted(self.by_period.items())
        }


def _age(period: int, now: int, half_life: int | None) -> int:
    """How many spans of `half_life` periods have begun since the one of this period."""
    return 0 if half_life is None else max(now // half_life - period // half_life, 0)
