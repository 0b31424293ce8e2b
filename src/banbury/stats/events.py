"""Events: what can be true of a row of data, and in how many rows it is.

An event is made from values (`event(label="positive")`), from a word (`word("amazing")`) or from any function of a row,
and combined by `~` (not), `&` (and), `|` (or). A table is a list of dictionaries, a dictionary of columns, a data frame
of pandas or polars, an Arrow table; for events about words also a list of texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from banbury.errors import InputError

PLAIN_WORD = re.compile(r"\w+(?:['’-]\w+)*")


@dataclass(frozen=True)
class Event:
    """Something that is true or false of each row; its name is used in tables and pictures.

    >>> sunny, warm = event(sky="sunny"), event(lambda row: row["degrees"] > 20, name="warm")
    >>> rows = [{"sky": "sunny", "degrees": 25}, {"sky": "grey", "degrees": 25}, {"sky": "sunny", "degrees": 3}]
    >>> count(rows, sunny), count(rows, sunny & warm), count(rows, ~sunny | ~warm)
    (2, 1, 2)
    >>> str(sunny & ~warm)
    'sky = sunny and not warm'
    """

    name: str
    is_true_of: Callable[[Any], bool]

    def __str__(self) -> str:
        return self.name

    def __invert__(self) -> Event:
        return Event(f"not {_bracketed(self.name)}", lambda row: not self.is_true_of(row))

    def __and__(self, other: Event) -> Event:
        names = f"{_bracketed(self.name, ' or ')} and {_bracketed(other.name, ' or ')}"
        return Event(names, lambda row: self.is_true_of(row) and other.is_true_of(row))

    def __or__(self, other: Event) -> Event:
        return Event(f"{self.name} or {other.name}", lambda row: self.is_true_of(row) or other.is_true_of(row))


def event(what: Callable[[Any], Any] | None = None, /, *, name: str | None = None, **values: Any) -> Event:
    """An event from a function of a row, or from the values that columns have.

    A column called `name` is asked for with a function: `event(lambda row: row["name"] == "Ann")`.

    >>> count([{"x": 1, "y": 2}, {"x": 1, "y": 3}], event(x=1, y=3))
    1
    """
    if (what is None) == (not values):
        raise InputError("an event is one function of a row, or values of columns: event(label='positive')")
    as_asked = as_event(what if what is not None else values)
    return as_asked if name is None else Event(name, as_asked.is_true_of)


def word(text: str, *, column: str = "text", name: str | None = None) -> Event:
    """An event: a text has this word, in upper or lower case. Rows are texts, or have them in a column.

    >>> count(["An amazing day!", "Amazing.", "A maze"], word("amazing"))
    2
    """
    if not isinstance(text, str) or not PLAIN_WORD.fullmatch(text):
        raise InputError(f"{text!r} is not one word")
    wanted = text.lower()

    def has_word(row: Any) -> bool:
        value = row if isinstance(row, str) else _value(row, column)
        if not isinstance(value, str):
            raise InputError(f"column {column!r} has {value!r}, which is no text to look for {text!r} in")
        return any(match[0].lower() == wanted for match in PLAIN_WORD.finditer(value))

    return Event(name or text, has_word)


def count(table: Any, event: Any) -> int:
    """In how many rows of the table the event is true.

    >>> count({"label": ["spam", "ham", "spam"]}, {"label": "spam"})
    2
    """
    return sum(truths(rows_of(table), event))


def truths(rows: list[Any], event: Any) -> list[bool]:
    """Whether the event is true of each row; an error names the row."""
    happens = as_event(event)
    result = []
    for number, row in enumerate(rows):
        try:
            result.append(bool(happens.is_true_of(row)))
        except InputError as error:
            raise InputError(f"row {number}: {error}") from None
    return result


def as_event(event: Any) -> Event:
    """An event as it is, or from a dictionary of values, or from a function."""
    if isinstance(event, Event):
        return event
    if isinstance(event, Mapping) and event and all(isinstance(column, str) for column in event):
        values = dict(event)
        name = " and ".join(f"{column} = {value}" for column, value in values.items())
        return Event(name, lambda row: all(_value(row, column) == value for column, value in values.items()))
    if callable(event):
        return Event(getattr(event, "__name__", "event").replace("<lambda>", "event"), event)
    raise InputError(
        f"an event is {event!r}; it can be {{'label': 'positive'}}, event(label='positive'), word('amazing'), or a "
        "function of a row"
    )


def rows_of(table: Any) -> list[Any]:
    """The rows of a table of any library; those of a dictionary of columns as dictionaries."""
    if isinstance(table, Mapping):
        columns = {name: list(values) for name, values in table.items()}
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"the columns have different lengths: {lengths}")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for method in ("to_dicts", "to_pylist"):  # polars, pyarrow
        if hasattr(table, method):
            return list(getattr(table, method)())
    if hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        return list(table.to_dict("records"))
    if isinstance(table, (str, bytes)) or not isinstance(table, Iterable):
        raise InputError(f"a table is a list of rows or a dictionary of columns, not of type {type(table).__name__}")
    return list(table)


def _value(row: Any, column: str) -> Any:
    if not isinstance(row, Mapping):
        raise InputError(f"it is {row!r}, which has no columns")
    if column not in row:
        raise InputError(f"there is no column {column!r}; there is {', '.join(map(repr, row))}")
    return row[column]


def _bracketed(name: str, *joints: str) -> str:
    """A name, in brackets if it contains one of the joints: `A or B` inside `… and C`."""
    return f"({name})" if any(joint in name for joint in joints or (" and ", " or ")) else name
