"""Named columns of plain values to CSV, Parquet and data frames."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from banbury import atomic
from banbury.display.spreadsheet import csv_text
from banbury.errors import InputError, MissingExtra
from banbury.surrogates import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike


def to_csv(
    columns: Mapping[str, Sequence[Any]], path: str | PathLike[str] | None = None, *, escape: bool = True
) -> str:
    """The columns as CSV; written to a file, in UTF-8, where one is named.

    A spreadsheet would run a text such as `=1+1`. With `escape`, such a text gets an apostrophe in front.

    >>> to_csv({"word": ["=1+1", "'tis", "so"], "weight": [-1.5, 2.0, 0.0]}).splitlines()
    ['word,weight', "'=1+1,-1.5", "'tis,2.0", 'so,0.0']
    """
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    written = without_surrogates(csv_text(rows, escape=escape))
    if path is not None:
        atomic.write(path, [written.encode("utf-8")])
    return written


def to_parquet(columns: Mapping[str, Sequence[Any]], path: str | PathLike[str]) -> None:
    """Write the columns to a Parquet file, with arro3 or PyArrow, whichever is installed."""
    table = {
        # Arrow hands names on as C does: NUL would end them, and arro3 would end the process.
        without_surrogates(name).replace("\0", "␀"): [
            without_surrogates(value) if isinstance(value, str) else value for value in values
        ]
        for name, values in columns.items()
    }
    try:
        from arro3.io import write_parquet
    except ImportError:
        try:
            import pyarrow.parquet
        except ImportError:
            raise MissingExtra("to_parquet needs arro3 or PyArrow: pip install 'banbury[parquet]'") from None
        with atomic.replacing(path) as temporary:
            pyarrow.parquet.write_table(pyarrow.table(table), temporary)
    else:
        with atomic.replacing(path) as temporary:
            write_parquet(_arro3_table(table), temporary)


def _arro3_table(columns: Mapping[str, Sequence[Any]]) -> Any:
    from arro3.core import Array, DataType, Table

    types = {bool: DataType.bool(), int: DataType.int64(), float: DataType.float64(), str: DataType.string()}
    arrays = [Array(values, type=types[type(values[0]) if values else str]) for values in columns.values()]
    return Table.from_arrays(arrays, names=list(columns))


def to_frame(columns: Mapping[str, Sequence[Any]], library: str = "pandas") -> Any:
    """The columns as a data frame of `"pandas"` or `"polars"`."""
    if library not in ("pandas", "polars"):
        raise InputError(f"library is {library!r}; it can be 'pandas' or 'polars'")
    try:
        module = import_module(library)
    except ImportError:
        raise MissingExtra(f"a data frame of {library} needs it: pip install {library}") from None
    return module.DataFrame(dict(columns))
