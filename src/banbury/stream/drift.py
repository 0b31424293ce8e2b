"""Drift: when a stream has changed, in which labels, and by which words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import Markup, isolated, piece
from banbury.display.html_tables import table
from banbury.lazy import numpy as np
from banbury.stream.record import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.stream.record import HalfLife, Record
    from banbury.stream.times import Calendar
    from banbury.text.counts import Counts

# Standard errors by which the log loss of a period, or its share of mistakes, or those of a label in it, are above
# those of all before, from which on it has drifted; and the fewest documents that can tell. Of labels there are many,
# so each has to be surer.
DRIFTED_PERIOD, DRIFTED_LABEL = 3.0, 4.0
FEWEST_OF_PERIOD, FEWEST_OF_LABEL = 20, 10


@dataclass(frozen=True)
class ChangedWord:
    """A word that documents of a label have more often than before, or less often."""

    word: str
    label: Any
    documents: int
    """Of the label in the period that have the word."""
    expected: float
    """As many as there would be if nothing had changed."""
    nats: float
    """The evidence that something has: half of the G statistic, negative where the word has become rarer."""


@dataclass(frozen=True)
class LabelDrift:
    """A label in a period, beside all periods before."""

    label: Any
    documents: int
    share: float
    usual_share: float
    log_loss: float
    usual_log_loss: float
    standard_errors: float
    """By so many the log loss, or the share of mistakes, is above the usual one."""

    @property
    def has_drifted(self) -> bool:
        """Whether the label was predicted worse than before, beyond chance."""
        return self.documents >= FEWEST_OF_LABEL and self.standard_errors > DRIFTED_LABEL


@dataclass(frozen=True)
class PeriodDrift:
    """How well a period was predicted from those before it, beside how well these were."""

    period: str
    documents: int
    accuracy: float
    log_loss: float
    usual_log_loss: float
    """Of all periods before; 0 where none was predicted."""
    standard_errors: float
    """By so many the log loss, or the share of mistakes, is above the usual one."""
    labels: list[LabelDrift]
    words: list[ChangedWord] = field(default_factory=list)
    """Only of periods that have drifted."""

    @property
    def has_drifted(self) -> bool:
        """Whether the period, or a label in it, was predicted worse than before, beyond chance."""
        is_worse = self.documents >= FEWEST_OF_PERIOD and self.standard_errors > DRIFTED_PERIOD
        return is_worse or any(label.has_drifted for label in self.labels)


@dataclass(frozen=True)
class Drift:
    """The periods of a stream, each as it was predicted before it was learned."""

    half_life: int | None
    """In periods, by which the predictions were made; None where nothing ages."""
    periods: list[PeriodDrift]

    @property
    def drifted(self) -> list[PeriodDrift]:
        """The periods that were predicted worse than those before them, beyond chance."""
        return [row for row in self.periods if row.has_drifted]

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        rows = [asdict(row) | {"has_drifted": row.has_drifted} for row in self.periods]
        return {"half_life": self.half_life, "periods": rows}

    def __str__(self) -> str:
        width = max([len(row.period) for row in self.periods], default=0)
        lines = [_half_life_note(self.half_life)]
        lines += [f"{'period':{max(width, 6)}}  documents  accuracy  log loss   usual"]
        for row in self.periods:
            mark = "  drift" if row.has_drifted else ""
            lines.append(
                f"{row.period:{max(width, 6)}}  {row.documents:9}  {row.accuracy:8.4f}  {row.log_loss:8.4f}"
                f"  {row.usual_log_loss:6.4f}{mark}"
            )
        for row in self.drifted:
            lines += ["", f"{row.period} is predicted worse than before by {row.standard_errors:.1f} standard errors"]
            lines += [
                f"  {shorten(str(one.label), NAME_WIDTH)}: share {one.share:.3f}, usually {one.usual_share:.3f};"
                f" log loss {one.log_loss:.4f}, usually {one.usual_log_loss:.4f}"
                for one in row.labels
            ]
            lines += [
                f"  {shorten(str(one.label), NAME_WIDTH)}: {one.word}  {one.documents} documents, expected"
                f" {one.expected:.1f}  {one.nats:+.1f} nats"
                for one in row.words
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> list[Markup]:
        """What a notebook shows."""
        rows = [
            (
                row.period,
                str(row.documents),
                *(f"{value:.4f}" for value in (row.accuracy, row.log_loss, row.usual_log_loss)),
                "drift" if row.has_drifted else "",
            )
            for row in self.periods
        ]
        head = ("period", "documents", "accuracy", "log loss", "usual", "")
        tables = [table(head, rows, _half_life_note(self.half_life))]
        for row in self.drifted:
            words = [
                (isolated(one.word), isolated(one.label), str(one.documents), f"{one.expected:.1f}", f"{one.nats:+.1f}")
                for one in row.words
            ]
            caption = f"{row.period}: words that have changed"
            tables.append(table(("word", "label", "documents", "expected", "nats"), words, caption, texts=2))
        return tables


def _half_life_note(half_life: int | None) -> str:
    if half_life is None:
        return "each period predicted from all before it; nothing ages"
    return f"each period predicted from those before it; half-life: {half_life} period{'s' if half_life > 1 else ''}"


def drift_of(record: Record, half_life: HalfLife, calendar: Calendar) -> Drift:
    """What the record of predictions says, without words."""
    by_period: dict[int, dict[Any, Tally]] = {}
    for (known, period, label), tally in record.tallies.items():
        if known == half_life:
            by_period.setdefault(period, {})[label] = tally
    rows: list[PeriodDrift] = []
    usual, by_label = Tally(), dict[Any, Tally]()
    for period, tallies in sorted(by_period.items()):
        whole = sum(tallies.values(), Tally())
        labels = [
            LabelDrift(
                label,
                tally.documents,
                tally.documents / whole.documents,
                before.documents / usual.documents if usual.documents else 0.0,
                tally.log_loss,
                before.log_loss,
                _standard_errors(tally, before),
            )
            for label, tally in sorted(tallies.items())
            for before in [by_label.get(label, Tally())]
        ]
        rows.append(
            PeriodDrift(
                calendar.name(period),
                whole.documents,
                whole.accuracy,
                whole.log_loss,
                usual.log_loss,
                _standard_errors(whole, usual),
                labels,
            )
        )
        usual = usual + whole
        for label, tally in tallies.items():
            by_label[label] = by_label.get(label, Tally()) + tally
    return Drift(half_life, rows)


def _standard_errors(now: Tally, before: Tally) -> float:
    """How many standard errors the log loss, or the share of mistakes, is above that of before; 0 if nobody can tell.

    A few documents that are missed by far make the standard error of a log loss as large as what they show. Mistakes
    have no such tails: theirs are the root of the G statistic of two rates against one.
    """
    if not before.documents:
        return 0.0
    error = sqrt(now.variance + before.variance)
    of_losses = (now.log_loss - before.log_loss) / error if error > 0 else 0.0
    wrong, n, wrong_before, m = (
        np.array([float(value)])
        for value in (now.documents - now.right, now.documents, before.documents - before.right, before.documents)
    )
    nats = float(_log_likelihood_ratio(wrong, n, wrong_before, m)[0])
    return max(of_losses, sqrt(2 * nats)) if nats > 0 else of_losses


def changed_words(now: Counts, before: Counts, top: int) -> list[ChangedWord]:
    """The words that documents of a label have more or less often than before, the surest first.

    >>> from banbury.text.counts import Counts
    >>> before = Counts().add(["free money", "win money", "free win", "lunch"] * 5, ["spam"] * 15 + ["ham"] * 5)
    >>> changed = changed_words(Counts().add(["coins win"] * 9 + ["lunch"], ["spam"] * 9 + ["ham"]), before, 2)
    >>> [(one.word, one.label, one.documents, one.expected) for one in changed]
    [('coins', 'spam', 9, 0.0), ('free', 'spam', 0, 4.8)]
    """
    now, before = _words_alone(now), _words_alone(before)
    labels = [label for label in now.classes if label in before.classes]
    often = max(sum(before.documents) // 1000, 2)
    names = sorted({*now.features(min_documents=2).names, *before.features(min_documents=often).names})
    if not labels or not names:
        return []
    here, there = _by_name(now, names, labels), _by_name(before, names, labels)
    n, m = (
        np.array([dict(zip(counts.classes, counts.documents, strict=True))[label] for label in labels], float)
        for counts in (now, before)
    )
    evidence = _log_likelihood_ratio(here, n, there, m)
    order = np.argsort(-np.abs(evidence), axis=None, kind="stable")[:top]
    return [
        ChangedWord(
            names[row], labels[column], int(here[row, column]), float(n[column] * there[row, column] / m[column]),
            float(evidence[row, column]),
        )
        for row, column in zip(*np.unravel_index(order, evidence.shape), strict=True)
        if evidence[row, column] != 0
    ]  # fmt: skip


def _words_alone(counts: Counts) -> Counts:
    analyzer = counts.analyzer
    if analyzer.words is None or analyzer.ngrams[0] > 1:
        return counts
    return counts.narrowed(replace(analyzer, ngrams=(1, 1), characters=None))


def _by_name(counts: Counts, names: Sequence[str], labels: list[Any]) -> NDArray[np.float64]:
    table = counts.features(list(names))
    places = {name: place for place, name in enumerate(names)}
    columns = [counts.classes.index(label) for label in labels]
    found = np.zeros((len(names), len(labels)))
    if table.names:
        found[[places[name] for name in table.names]] = np.asarray(table.documents)[:, columns]
    return found


def _log_likelihood_ratio(
    here: NDArray[np.float64], n: NDArray[np.float64], there: NDArray[np.float64], m: NDArray[np.float64]
) -> NDArray[np.float64]:
    """log P(counts | two rates) − log P(counts | one rate), with the sign of the difference of the rates."""
    rate = (here + there) / (n + m)

    def part(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
        ratio = np.divide(observed, expected, out=np.ones_like(observed), where=(observed > 0) & (expected > 0))
        both: NDArray[np.float64] = observed * np.log(ratio)
        return both

    total = part(here, n * rate) + part(n - here, n * (1 - rate)) + part(there, m * rate)
    total = total + part(m - there, m * (1 - rate))
    signed: NDArray[np.float64] = np.sign(here / n - there / m) * np.maximum(total, 0)
    return signed
