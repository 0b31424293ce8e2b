"""Kinds of columns that are read as other columns: a date as its parts, and what only names rows as nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from banbury.errors import InputError

PARTS = ("year", "month", "weekday", "hour", "age")


@dataclass(frozen=True, kw_only=True)
class Date:
    """A date, or a date and a time: read as the columns year, month, weekday, hour and age.

    The age, in days, stands for the order of time. Times with a zone are those of UTC. In texts a date is written as
    ISO 8601 has it: 2026-11-16, 2026-11-16 09:30 or 2026-11-16T09:30:00+01:00.

    >>> Date(parts=("month", "weekday")).parts
    ('month', 'weekday')
    """

    parts: tuple[str, ...] = PARTS

    def __post_init__(self) -> None:
        if not self.parts or set(self.parts) - set(PARTS) or len(set(self.parts)) < len(self.parts):
            raise InputError(f"parts is {self.parts!r}; it names some of {', '.join(map(repr, PARTS))}")

    def settings(self) -> dict[str, Any]:
        """The kind as plain data."""
        return {"kind": "date", "parts": list(self.parts)}


@dataclass(frozen=True, kw_only=True)
class Id:
    """A column that only names rows, each by a value of its own: it says nothing, and is left out.

    >>> Id().settings()
    {'kind': 'id'}
    """

    def settings(self) -> dict[str, Any]:
        """The kind as plain data."""
        return {"kind": "id", **asdict(self)}
