"""Values: one column of any library as plain values, which are numbers, texts, categories, or missing.

None, NaN, NA, NaT, a masked element and an Arrow null are all the same: missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from banbury.errors import InputError
from banbury.text.tokens import as_document, is_document

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Column:
    """The values of one column, by row: numbers, or other objects where not all of them are numbers."""

    name: str
    numbers: NDArray[Any] | None
    """64-bit floats, NaN where a value is missing; dates are seconds since 1970."""
    given: list[Any] | None
    """`str`, `int`, `float` and `bool`, None where a value is missing; None for a column of numbers or of strings."""
    is_bool: bool = False
    is_date: bool = False
    """Whether the numbers are dates."""
    strings: Strings | None = None
    """Strings, each different one once."""
    is_byte: bool = False
    """Whether the numbers are bytes, as those of pixels are."""

    def __len__(self) -> int:
        if self.strings is not None:
            return len(self.strings.places)
        return len(self.given or []) if self.numbers is None else len(self.numbers)

    @cached_property
    def objects(self) -> list[Any] | None:
        """The values as Python objects; None for a column of numbers."""
        if self.strings is None:
            return self.given
        different = [*self.strings.different, None]  # a missing one is at place −1
        return [different[place] for place in self.strings.places.tolist()]

    def take(self, rows: Any) -> Column:
        """The rows at these places, or of this mask."""
        if self.strings is not None:
            return Column(self.name, None, None, strings=self.strings._replace(places=self.strings.places[rows]))
        if self.numbers is not None:
            return replace(self, numbers=self.numbers[rows])
        assert self.given is not None
        return Column(self.name, None, [self.given[row] for row in rows])

    @property
    def missing(self) -> NDArray[Any]:
        """Whether the value of each row is missing."""
        if self.strings is not None:
            return self.strings.places < 0
        if self.numbers is not None:
            return np.asarray(np.isnan(self.numbers))
        return np.array([value is None for value in self.given or []], dtype=bool)

    def mapped(self, number: Callable[[Any], float]) -> NDArray[Any]:
        """A number for each value that depends on the value alone, NaN where it is missing."""
        if self.strings is not None:
            by_place = np.array([*map(number, self.strings.different), np.nan], dtype=float)
            return np.asarray(by_place[self.strings.places])
        if self.numbers is not None:
            if len(self.numbers) == 1:
                (value,) = self.numbers.tolist()
                return np.array([np.nan if value != value else number(value)])
            different, places = np.unique(self.numbers, return_inverse=True)
            mapped = [np.nan if value != value else number(value) for value in different.tolist()]
            return np.array(mapped, dtype=float)[places]
        values = self.as_objects()
        known = {value: np.nan if value is None else number(value) for value in set(values)}
        return np.array([known[value] for value in values], dtype=float)

    def hashes(self) -> NDArray[Any]:
        """A 64-bit number for each value, which depends on the value alone."""
        if self.strings is not None:
            by_place = np.array([*map(_hash, self.strings.different), _hash(None)], np.uint64)
            return np.asarray(by_place[self.strings.places])
        if self.numbers is not None:
            return (self.numbers + 0.0).view(np.uint64)  # + 0.0: there is only one zero
        values = self.as_objects()
        if set(map(type, values)) <= {str, type(None)}:  # each different one once
            known = {value: _hash(value) for value in set(values)}
            return np.array([known[value] for value in values], np.uint64)
        return np.array([_hash(value) for value in values], np.uint64)

    def as_numbers(self, needs: str) -> NDArray[Any]:
        """The values as numbers; one that is none is an error that says for what a number is needed."""
        if self.numbers is not None:
            return self.numbers
        if are_truths(self.objects or []):
            truths = [np.nan if value is None else float(value.lower() == "true") for value in self.objects or []]
            return np.array(truths, dtype=float)
        for row, value in enumerate(self.objects or []):
            if isinstance(value, str):
                raise InputError(f"row {row}, column {self.name!r} is {value!r}; {needs} needs numbers")
        raise AssertionError("a column of numbers alone is one of numbers")

    def as_objects(self) -> list[Any]:
        """The values as Python objects: whole numbers as `int`, truth values as `bool`, None where one is missing."""
        if self.objects is not None:
            return self.objects
        assert self.numbers is not None
        if self.is_bool:
            return [None if value != value else bool(value) for value in self.numbers.tolist()]
        if self.is_date:
            return [None if value != value else _moment(value) for value in self.numbers.tolist()]
        return [_plain_number(value) for value in self.numbers.tolist()]

    def as_texts(self) -> list[str | None]:
        """The values as texts; one that is none is an error."""
        values = self.as_objects()
        for row, value in enumerate(values):
            if value is not None and not isinstance(value, str):
                kind = type(value).__name__
                raise InputError(f"row {row}, column {self.name!r} is {value!r}, of type {kind}; a text must be a str")
        return values


class Strings(NamedTuple):
    """Strings, each different one once."""

    different: list[str]
    places: NDArray[Any]
    """By row the place among those that are different, −1 for a missing one."""


def _hash(value: Any) -> int:
    return crc32(str(value).encode(errors="replace"))


def are_truths(values: Sequence[Any]) -> bool:
    """Whether all values that are not missing are `true` or `false`, in letters of any size.

    >>> are_truths(["True", None, "false"]), are_truths(["yes"]), are_truths([None])
    (True, False, False)
    """
    known = {value for value in values if value is not None}
    return bool(known) and all(isinstance(value, str) and value.lower() in ("true", "false") for value in known)


def column(name: str, values: Any) -> Column:
    """The values of a column of any library.

    >>> column("age", [31, None, 45.5]).numbers.tolist()
    [31.0, nan, 45.5]
    """
    if type(values) is list:
        return _python(name, values)
    library = type(values).__module__.split(".")[0]
    if library == "pandas":
        return _pandas(name, values)
    if library == "polars":
        return _polars(name, values)
    if library == "pyarrow":
        return _arrow(name, values)
    if library == "numpy":
        return _numpy(name, values)
    if isinstance(values, Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(f"column {name!r} is of type {type(values).__name__}; it must be a list of values, by row")
    return _python(name, list(values))


def _pandas(name: str, series: Any) -> Column:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "iufb":  # also those that may be missing: Int64, boolean, double[pyarrow]
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return _of_numbers(name, numbers, is_bool=kind == "b", is_byte=str(series.dtype).lower() == "uint8")
    if kind in "mM":
        values = series.to_numpy(dtype="timedelta64[ns]") if kind == "m" else _naive(series)
        return _numpy(name, np.asarray(values))
    if kind == "O" and str(series.dtype) in ("str", "string", "category"):
        places, different = series.factorize()
        values = different.tolist()
        if all(type(value) is str for value in values):
            return Column(name, None, None, strings=Strings(values, places))
    return _python(name, series.astype(object).tolist())


def _naive(series: Any) -> Any:
    """Times as those of UTC, which NumPy has no time zones for."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.to_numpy(dtype="datetime64[us]")


def _polars(name: str, series: Any) -> Column:
    dtype = str(series.dtype)
    if series.dtype.is_numeric() or dtype == "Boolean":
        numbers = series.cast(float).to_numpy()
        known = np.where(series.is_null().to_numpy(), np.nan, numbers)
        return _of_numbers(name, known, is_bool=dtype == "Boolean", is_byte=dtype == "UInt8")
    if dtype.startswith(("Categorical", "Enum", "String")):
        return _arrow(name, series.to_arrow()) if _has_pyarrow() else _python(name, series.cast(str).to_list())
    return _python(name, series.to_list())


def _has_pyarrow() -> bool:
    return find_spec("pyarrow") is not None


def _arrow(name: str, values: Any) -> Column:
    import pyarrow

    types, kind = pyarrow.types, values.type
    if types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        numbers = values.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
        return _of_numbers(name, numbers, is_bool=types.is_boolean(kind), is_byte=types.is_uint8(kind))
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        chunks = values.cast(pyarrow.large_string()).dictionary_encode()
        encoded = chunks.unify_dictionaries().combine_chunks() if hasattr(chunks, "unify_dictionaries") else chunks
        encoded = encoded.chunk(0) if hasattr(encoded, "num_chunks") and encoded.num_chunks else encoded
        if not hasattr(encoded, "dictionary"):  # a column without a single chunk
            return Column(name, None, [])
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
        return Column(name, None, None, strings=Strings(encoded.dictionary.to_pylist(), places))
    return _python(name, values.to_pylist())


def _numpy(name: str, values: Any) -> Column:
    if values.ndim != 1:
        raise InputError(f"column {name!r} has {values.ndim} dimensions; a column has one")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = np.ma.getdata(values)
    kind = values.dtype.kind
    if kind in "iufb":
        numbers = values.astype(np.float64)
        numbers = numbers if mask is None else np.where(mask, np.nan, numbers)
        return _of_numbers(name, numbers, is_bool=kind == "b", is_byte=values.dtype == np.uint8)
    if kind in "mM":
        unit = "timedelta64[us]" if kind == "m" else "datetime64[us]"
        seconds = values.astype(unit).astype(np.int64) / 1e6
        known = np.where(np.isnat(values) | (False if mask is None else mask), np.nan, seconds)
        return _of_numbers(name, known, is_date=kind == "M")
    objects = values.tolist()
    if mask is not None:
        objects = [None if hidden else value for value, hidden in zip(objects, mask.tolist(), strict=True)]
    return _python(name, objects)


def _python(name: str, values: list[Any]) -> Column:
    if (
        len(values) == 1 and type(values[0]) is float and isfinite(values[0])
    ):  # a row of many numbers: a tenth of the time
        return Column(name, np.array(values), None)
    kinds = set(map(type, values))
    is_date = _are_dates(kinds)
    if not kinds <= {str, type(None)}:
        values = [_plain(name, row, value) for row, value in enumerate(values)]
        kinds = set(map(type, values))
    kinds.discard(type(None))
    if not kinds <= {bool, int, float}:
        return Column(name, None, values)
    try:
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    except OverflowError:
        row = next(row for row, value in enumerate(values) if isinstance(value, int) and abs(value) > 2**1000)
        raise InputError(f"row {row}, column {name!r} is a number with {len(str(values[row]))} digits") from None
    return _of_numbers(name, numbers, is_bool=kinds == {bool}, is_date=is_date)


def _are_dates(kinds: set[type]) -> bool:
    """Whether values of these types are dates; dates and times may stand beside each other."""
    known = kinds - {type(None)}
    return bool(known) and all(issubclass(kind, date) for kind in known)


def _of_numbers(
    name: str, numbers: NDArray[Any], *, is_bool: bool = False, is_byte: bool = False, is_date: bool = False
) -> Column:
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise InputError(f"row {row}, column {name!r} is {numbers[row]}; a number must be finite, or missing")
    # Bytes that are 0 or 1 alone are pixels or flags.
    is_bool = is_bool or (is_byte and bool(len(numbers)) and bool((np.isnan(numbers) | (numbers <= 1)).all()))
    return Column(name, np.ascontiguousarray(numbers), None, is_bool, is_date, is_byte=is_byte)


def _plain(name: str, row: int, value: Any) -> Any:
    """A value as `str`, `bool`, `int` or `float`, None where it is missing."""
    if hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # of NumPy
        kind = value.dtype.kind
        masked = type(value).__name__ == "MaskedConstant"
        value = None if masked else (value.astype(f"{kind}8[us]") if kind in "mM" else value).item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, bool | str):
        return value
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1 or is_document(value):
        return as_document(value, f"row {row}, column {name!r}")
    if isinstance(value, int):
        return int(value)
    number = float(value) if isinstance(value, float) else _rarer_number(value)
    if number is None:
        raise InputError(
            f"row {row}, column {name!r} is of type {type(value).__name__}; "
            "a value is a number, a str, a bool, a date, or missing"
        )
    return None if number != number else number


def _rarer_number(value: Any) -> float | None:
    """A fraction as a number, a time in seconds since 1970, a span in seconds; None for anything else."""
    match value:
        case Decimal() | Fraction():
            return float(value)
        case timedelta():
            return value.total_seconds()
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
        case time():
            return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return None


def _moment(value: float) -> Any:
    """A time of UTC, from seconds since 1970."""
    return datetime(1970, 1, 1) + timedelta(seconds=value)


def _plain_number(value: float) -> float | int | None:
    if value != value:
        return None
    return int(value) if value.is_integer() else value
