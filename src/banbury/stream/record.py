"""Record: how well the documents of each period were predicted from the periods before it, by half-life.

Losses are kept as whole numbers of 2⁻²⁰ nats, so that sums do not depend on the order of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

NAT = 2**20  # of the units in which losses are kept
LARGEST_LOSS = 16 * NAT  # of one document: a label that is not known any more costs no more
HalfLife = int | None
"""In periods; None where nothing ages."""
HALF_LIVES: tuple[HalfLife, ...] = (None, 1, 2, 4, 8, 16, 32, 64)


@dataclass
class Tally:
    """Predictions of some documents: how many, how many were right, and their losses."""

    documents: int = 0
    right: int = 0
    loss: int = 0
    squares: int = 0
    """Of losses, in units of 2⁻²⁰ square nats, each rounded."""

    def add(self, loss: int, is_right: bool, times: int) -> None:
        """Note a document, or with negative `times` take it out again."""
        self.documents += times
        self.right += times * is_right
        self.loss += times * loss
        self.squares += times * (loss * loss // NAT)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.documents + other.documents,
            self.right + other.right,
            self.loss + other.loss,
            self.squares + other.squares,
        )

    @property
    def log_loss(self) -> float:
        """The mean loss, in nats."""
        return self.loss / NAT / self.documents if self.documents else 0.0

    @property
    def accuracy(self) -> float:
        """The share of right predictions."""
        return self.right / self.documents if self.documents else 0.0

    @property
    def variance(self) -> float:
        """The variance of the mean loss."""
        n = self.documents
        if n < 2:
            return 0.0
        return max(self.squares / NAT / n - self.log_loss**2, 0.0) / (n - 1)


def as_loss(log_probability: float) -> int:
    """A loss as it is kept.

    >>> as_loss(-0.5), as_loss(float("-inf")) == LARGEST_LOSS
    (524288, True)
    """
    return min(round(-log_probability * NAT), LARGEST_LOSS) if isfinite(log_probability) else LARGEST_LOSS


def is_half_life(value: object) -> bool:
    """Whether this is a whole number of periods, or None."""
    return value is None or (type(value) is int and 0 < value < 2**31)


class Record:
    """Tallies by half-life, period and label."""

    def __init__(self) -> None:
        self.tallies: dict[tuple[HalfLife, int, Any], Tally] = {}

    def note(
        self, half_life: HalfLife, period: int, labels: Sequence[Any], losses: Sequence[int], right: Sequence[bool],
        times: Sequence[int],
    ) -> None:  # fmt: skip
        """Note predictions of a period; what has been taken out again is not there."""
        for label, loss, is_right, n in zip(labels, losses, right, times, strict=True):
            key = (half_life, period, label)
            tally = self.tallies.setdefault(key, Tally())
            tally.add(loss, is_right, n)
            if tally.documents <= 0:
                del self.tallies[key]

    def merge(self, other: Record) -> None:
        """Add what another has noted."""
        for key, tally in other.tallies.items():
            self.tallies[key] = self.tallies.get(key, Tally()) + tally

    def drop(self, periods: Iterable[int]) -> None:
        """Forget whole periods."""
        gone = set(periods)
        self.tallies = {key: tally for key, tally in self.tallies.items() if key[1] not in gone}

    def by_half_life(self) -> dict[HalfLife, Tally]:
        """All predictions with each half-life."""
        known = sorted({half_life for half_life, _, _ in self.tallies}, key=lambda half_life: half_life or 0)
        return {half_life: self.sum(half_life) for half_life in known}

    def best(self) -> HalfLife:
        """The half-life with the least loss, the longest of equal ones; None where nothing was predicted yet."""
        tallies = self.by_half_life()
        order = [None, *sorted((half_life for half_life in tallies if half_life is not None), reverse=True)]
        known = [half_life for half_life in order if half_life in tallies]
        return min(known, key=lambda half_life: tallies[half_life].loss, default=None)

    def sum(self, half_life: HalfLife, period: int | None = None, label: Any = None) -> Tally:
        """All predictions with a half-life, of one period, of one label."""
        total = Tally()
        for (known, at, name), tally in self.tallies.items():
            if known == half_life and period in (None, at) and label in (None, name):
                total = total + tally
        return total

    def settings(self) -> list[list[Any]]:
        """The record as plain data, for a file."""
        rows = [
            [half_life, period, label, tally.documents, tally.right, tally.loss, tally.squares]
            for (half_life, period, label), tally in self.tallies.items()
        ]
        return sorted(rows, key=lambda row: (row[0] or 0, row[1], row[2]))

    @classmethod
    def from_settings(cls, rows: Sequence[Sequence[Any]]) -> Record:
        """The record that `settings` came from."""
        record = cls()
        for half_life, period, label, *numbers in rows:
            if not is_half_life(half_life) or len(numbers) != 4 or not isinstance(label, str | int | float):
                raise ValueError("its record is not one of predictions")
            if not all(type(number) is int and 0 <= number < 2**100 for number in numbers) or type(period) is not int:
                raise ValueError("its record has numbers that no record has")
            record.tallies[half_life, period, label] = Tally(*numbers)
        if len({isinstance(label, str) for _, _, label in record.tallies}) > 1:
            raise ValueError("its record has labels of several kinds")
        return record
