"""Tables of any library as named columns of plain values.

pandas, polars, Arrow, DuckDB, NumPy, a dictionary of columns, a list of dictionaries: none of them is needed here,
each is recognised by what it offers. `values.py` has what becomes of one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError, MissingExtra
from banbury.surrogates import without_surrogates
from banbury.tables.recognition import column_names, is_column, is_row
from banbury.tables.row_hash import row_hashes
from banbury.tables.values import Column, column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.tables.recognition import Data


@dataclass(frozen=True)
class Table:
    """Columns of the same length, by name."""

    columns: dict[str, Column]
    n_rows: int
    by_rows: bool = False
    """Whether it was given row by row: then what no row names is missing."""

    def column(self, name: str) -> Column:
        """One of the columns, or an error that names those there are."""
        if name not in self.columns:
            raise InputError(f"there is no column {name!r}; this table has {names_of(self.columns)}")
        return self.columns[name]

    def only(self, names: Iterable[str]) -> Table:
        """These columns in this order, for a model that knows no others.

        A table of columns has to have them all, and may have more. A row may leave out what is missing; a name that
        nobody knows is an error there, since it may be a known one with a mistake in it.
        """
        names = list(names)
        if not self.by_rows:
            return Table({name: self.column(name) for name in names}, self.n_rows)
        if unknown := [name for name in self.columns if name not in names]:
            raise InputError(f"a row has {unknown[0]!r}, which this model does not know: it has {names_of(names)}")
        nothing: list[Any] = [None] * self.n_rows
        return Table({name: self.columns.get(name) or column(name, nothing) for name in names}, self.n_rows, True)

    @cached_property
    def row_hashes(self) -> NDArray[Any]:
        """A 64-bit number for each row, which depends on its values alone."""
        return row_hashes((one.hashes() for one in self.columns.values()), self.n_rows)

    def take(self, rows: NDArray[Any]) -> Table:
        """The rows at these places, or of this mask."""
        taken = Table({name: one.take(rows) for name, one in self.columns.items()}, len(rows), self.by_rows)
        if "row_hashes" in self.__dict__:
            taken.__dict__["row_hashes"] = self.row_hashes[rows]
        return taken

    def row(self, number: int) -> dict[str, Any]:
        """One row, by column; what is missing is None."""
        return {name: one.take([number]).as_objects()[0] for name, one in self.columns.items()}


def read(data: Data) -> Table:
    """A table of any library as plain columns.

    >>> table = read([{"age": 31, "city": "Banbury"}, {"age": 45}])
    >>> table.n_rows, table.column("age").numbers.tolist(), table.column("city").objects
    (2, [31.0, 45.0], ['Banbury', None])
    """
    if isinstance(data, Table):
        return data
    if is_row(data):
        data = [data if isinstance(data, Mapping) else data.to_dict()]
    if isinstance(data, Iterator):
        data = list(data)
    by_rows = isinstance(data, list | tuple)
    pairs = list(_pairs(data))
    for name, _ in pairs:
        if not isinstance(name, str):
            raise InputError(f"column name {name!r} is of type {type(name).__name__}; it must be a str")
        if without_surrogates(name) != name:
            raise InputError(f"column name {name!r} has half of a character (a lone surrogate), which no file can hold")
    columns = {name: column(name, values) for name, values in pairs}
    if len(columns) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"there are two columns {next(name for name in names if names.count(name) > 1)!r}")
    if any(one.is_byte and not one.is_bool for one in columns.values()):
        # Beside grey pixels, one that has only been 0 or 1 so far is a grey one, too.
        columns = {name: replace(one, is_bool=False) if one.is_byte else one for name, one in columns.items()}
    lengths = {name: len(one) for name, one in columns.items()}
    n_rows = next(iter(lengths.values()), _n_rows(data))
    for name, n in lengths.items():
        if n != n_rows:
            raise InputError(f"column {next(iter(lengths))!r} has {n_rows} rows, but column {name!r} has {n}")
    return Table(columns, n_rows, by_rows)


def as_row(data: Data) -> dict[str, Any]:
    """One row as a dictionary: of a dictionary, a row of a data frame, or a table that has no other."""
    if isinstance(data, Mapping) and is_row(data):
        return dict(data)
    table = read(data)
    if table.n_rows != 1:
        raise InputError(f"expected one row, not {table.n_rows}")
    return table.row(0)


def show_row(row: Mapping[str, Any]) -> str:
    """A row for people.

    >>> show_row({"age": 31, "member": True, "weight": 70.25, "city": None})
    'age: 31, member: yes, weight: 70.25'
    """
    return ", ".join(f"{name}: {show_value(value)}" for name, value in row.items() if value is not None)


def show_value(value: Any) -> str:
    """A value for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "isoformat"):
        shown: str = value.isoformat(sep=" ") if hasattr(value, "hour") else value.isoformat()
        return shown.removesuffix(" 00:00:00")
    return f"{value:g}" if isinstance(value, float) else str(value)


def names_of(names: Iterable[Any], most: int = 12) -> str:
    """Some names for a message."""
    shown = [repr(name) for name in names]
    return ", ".join([*shown[:most], f"… ({len(shown)} in all)"] if len(shown) > most else shown) or "no columns"


def _pairs(data: Data) -> Iterator[tuple[Any, Any]]:
    """The name and the values of each column, as their library has them."""
    if isinstance(data, Mapping):
        for name, values in data.items():
            if not is_column(values):
                raise InputError(f"column {name!r} is {values!r}; beside other columns it must be a list of values")
        yield from data.items()
    elif isinstance(data, list | tuple):
        yield from _of_rows(data)
    elif (names := column_names(data)) is not None:
        if type(data).__module__.split(".")[0] in ("pandas", "polars"):
            if (
                hasattr(data, "iloc") and len(data) == 1
            ):  # one after the other each column takes longer than all of them
                yield from zip(names, ([value] for value in data.to_numpy(dtype=object)[0].tolist()), strict=True)
                return
            # By place: a pandas frame may have the same name twice.
            yield from (
                (name, data.iloc[:, at] if hasattr(data, "iloc") else data[name]) for at, name in enumerate(names)
            )
        else:
            arrow = _arrow_table(data)
            yield from zip(arrow.column_names, arrow.columns, strict=True)
    elif type(data).__module__.split(".")[0] == "numpy" and data.dtype.kind in "biuf" and data.ndim != 2:
        shape = "len(array), -1" if data.ndim > 2 else "1, -1"
        raise InputError(f"an array of shape {data.shape} is no table of rows and columns: array.reshape({shape})")
    elif type(data).__module__.split(".")[0] == "numpy" and data.ndim == 2:
        yield from ((str(at), data[:, at]) for at in range(data.shape[1]))
    elif getattr(getattr(data, "dtype", None), "names", None):
        yield from ((name, data[name]) for name in data.dtype.names)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes | Set):
        yield from _of_rows(list(data))
    else:
        raise InputError(
            f"expected a table, not one of type {type(data).__name__}: a data frame, an Arrow table, a dictionary of "
            "columns or a list of dictionaries"
        )


def _of_rows(rows: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """The columns of a list of dictionaries; what a row does not have is missing."""
    names: dict[Any, None] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"row {number} is of type {type(row).__name__}; every row must be a dictionary, by column")
        names.update(dict.fromkeys(row))
    for name in names:
        yield name, [row.get(name) for row in rows]


def _arrow_table(data: Data) -> Any:
    for library, make in (("pyarrow", "table"), ("polars", "DataFrame")):
        try:
            module = import_module(library)
        except ImportError:
            continue
        table = getattr(module, make)(data)
        return table if library == "pyarrow" else _PolarsColumns(table.columns, list(table))
    raise MissingExtra(f"a table of type {type(data).__name__} is read by pyarrow or polars: pip install pyarrow")


@dataclass(frozen=True)
class _PolarsColumns:
    column_names: list[str]
    columns: list[Any]


def _n_rows(data: Data) -> int:
    """Number of rows of a table without columns."""
    return len(data) if hasattr(data, "__len__") and not isinstance(data, Mapping) else 0
