"""Calendar: times of documents to numbers of periods, and back to names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import floor, isfinite
from typing import Any

from banbury.errors import InputError
from banbury.text.documents import Column, as_list

PERIOD_UNITS = ("hour", "day", "week", "month", "year")
LARGEST_PERIOD = 2**53  # the number of any period: beyond, floats skip whole numbers


@dataclass(frozen=True)
class Calendar:
    """How times are cut into periods.

    Times are dates, datetimes or texts of ISO 8601, with one of `PERIOD_UNITS`; or numbers, with a number.

    >>> Calendar("month").numbers(["2026-11-16", "2026-12-01T08:00"])
    [24322, 24323]
    >>> Calendar("month").name(24322), Calendar(10).numbers([3, 9.5, 10]), Calendar(10).name(1)
    ('2026-11', [0, 0, 1], '10')
    """

    period: str | float = "month"

    def __post_init__(self) -> None:
        if isinstance(self.period, str):
            if self.period not in PERIOD_UNITS:
                raise InputError(
                    f"period is {self.period!r}; it can be {', '.join(map(repr, PERIOD_UNITS))}, or a number"
                )
        elif isinstance(self.period, bool) or not isinstance(self.period, int | float) or not 0 < self.period < 1e300:
            raise InputError(f"period is {self.period!r}; of times that are numbers it is a number above 0")

    def numbers(self, times: Column, n: int | None = None) -> list[int]:
        """The number of the period of each time; an error names the row of one that is missing or of another kind."""
        if getattr(getattr(times, "dtype", None), "kind", "") == "M":  # NumPy's own dates would come as numbers
            times = times.astype("datetime64[us]")
        values = as_list(times, "times")
        if n is not None and len(values) != n:
            raise InputError(f"{n} documents but {len(values)} times")
        if not isinstance(self.period, str):
            return [_number(row, value, float(self.period)) for row, value in enumerate(values)]
        moments = [_moment(row, value) for row, value in enumerate(values)]
        zoned = [moment.tzinfo is not None for moment in moments if isinstance(moment, datetime)]
        if any(zoned) and not all(zoned):
            row = next(row for row, moment in enumerate(moments) if getattr(moment, "tzinfo", None) is None)
            raise InputError(f"document {row} has time {values[row]!r}, without a time zone, and others have one")
        return [_period(moment, self.period) for moment in moments]

    def number(self, time: Any, what: str) -> int:
        """The number of the period of one time; an error says `what` has it.

        >>> Calendar(10).number(25, "forget_before")
        2
        """
        try:
            return self.numbers([time])[0]
        except InputError as error:
            message = str(error).replace("document 0", what, 1).replace("every document needs", "it needs")
            raise InputError(message) from None

    def name(self, number: int) -> str:
        """The start of a period, as people write it."""
        match self.period:
            case "year":
                return f"{number:04}"
            case "month":
                return f"{number // 12:04}-{number % 12 + 1:02}"
            case "week":
                return _date_name(number * 7 + 1)
            case "day":
                return _date_name(number)
            case "hour":
                return f"{_date_name(number // 24)}T{number % 24:02}"
        return f"{number * float(self.period):g}"


def _number(row: int, value: Any, period: float) -> int:
    if isinstance(value, str | date | timedelta | bool):
        raise InputError(
            f"document {row} has time {value!r}, of type {type(value).__name__}, but the period is a number; dates "
            "need a period such as 'month'"
        )
    try:
        number = float(value) / period
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number) or abs(number) >= LARGEST_PERIOD:
        raise InputError(f"document {row} has time {value!r}; every document needs a time, a finite number")
    return floor(number)


def _moment(row: int, value: Any) -> date:
    if value is None or value == "" or value != value:
        raise InputError(f"document {row} has no time ({value!r}); every document needs one")
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            raise InputError(
                f"document {row} has time {value!r}; a date as text is written like 2026-11-16 or 2026-11-16T08:30"
            ) from None
    if isinstance(value, date):
        return value
    raise InputError(
        f"document {row} has time {value!r}, of type {type(value).__name__}; with this period a time is a date, a "
        "datetime or a text, and numbers need a number as period"
    )


def _period(moment: date, unit: str) -> int:
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    match unit:
        case "year":
            return moment.year
        case "month":
            return moment.year * 12 + moment.month - 1
        case "week":
            return (moment.toordinal() - 1) // 7
        case "day":
            return moment.toordinal()
    return moment.toordinal() * 24 + (moment.hour if isinstance(moment, datetime) else 0)


def _date_name(ordinal: int) -> str:
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()
