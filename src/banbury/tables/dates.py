"""Dates: a column of dates of any source as columns of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.tables.frame import Table
from banbury.tables.kinds.by_parts import Date, Id
from banbury.tables.values import Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

ISO = re.compile(r"\s*\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?\s*")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY = 86_400.0


def are_dates(texts: Iterable[str]) -> bool:
    """Whether all of some texts are dates.

    >>> are_dates(["2026-11-16", "2026-11-16 09:30"]), are_dates(["2026-13-16"]), are_dates(["16 November"])
    (True, False, False)
    """
    return all(ISO.fullmatch(text) and _seconds(text) is not None for text in texts)


def _seconds(text: str) -> float | None:
    """Seconds since 1970 of a date in a text; None where it is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def seconds(column: Column) -> NDArray[Any]:
    """Seconds since 1970, NaN where a date is missing."""
    if column.numbers is not None:
        return column.numbers
    known: dict[Any, float] = {None: np.nan}
    for row, value in enumerate(column.as_objects()):
        if value not in known:
            second = _seconds(value) if isinstance(value, str) and ISO.fullmatch(value) else None
            if second is None:
                raise InputError(f"row {row}, column {column.name!r} is {value!r}; a date is written as 2026-11-16")
            known[value] = second
    return np.array([known[value] for value in column.as_objects()], dtype=float)


def part_name(name: str, part: str) -> str:
    """What the column of a part is called.

    >>> part_name("sent", "weekday")
    'sent weekday'
    """
    return f"{name} {part}"


def in_parts(table: Table, kinds: Mapping[str, Any]) -> Table:
    """The table with each date as its parts, and without columns that only name rows."""
    if not any(isinstance(kind, Date | Id) for kind in kinds.values()):
        return table
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        kind = kinds.get(name)
        if isinstance(kind, Date):
            moments = seconds(column)
            columns |= {part_name(name, part): _part(part_name(name, part), part, moments) for part in kind.parts}
        elif not isinstance(kind, Id):
            columns[name] = column
    return Table(columns, table.n_rows, table.by_rows)


def _part(name: str, part: str, moments: NDArray[Any]) -> Column:
    known = ~np.isnan(moments)
    days = np.floor(np.where(known, moments, 0.0) / DAY)
    if part == "age":
        numbers = moments / DAY
    elif part == "hour":
        numbers = np.floor((moments - days * DAY) / 3600)
    elif part == "weekday":
        weekdays = ((days.astype(np.int64) + 3) % 7).tolist()  # 1 January 1970 was a Thursday
        objects = [WEEKDAYS[at] if is_known else None for at, is_known in zip(weekdays, known.tolist(), strict=True)]
        return Column(name, None, objects)
    else:
        dates = days.astype(np.int64).astype("datetime64[D]")
        months = dates.astype("datetime64[M]").astype(np.int64)
        numbers = (1970 + months // 12 if part == "year" else 1 + months % 12).astype(float)
    return Column(name, np.where(known, numbers, np.nan), None)
