"""Recognition of tables: whether data of some library are a table, a row of one, or a column of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from banbury.annotations import Any
from banbury.text.documents import check_collected

Data = Any
"""A table of any library: a data frame, an Arrow table, an array, a dictionary of columns, a list of dictionaries."""
Row = Any
"""One row of it: a dictionary by column, or a row of a data frame."""


def is_row(data: Data) -> bool:
    """Whether this is one row: a value by the name of each column.

    >>> is_row({"age": 31, "city": "Banbury"}), is_row({"age": [31, 45], "city": ["Banbury", None]})
    (True, False)
    """
    if type(data).__name__ == "Series" and hasattr(data, "to_dict"):  # of pandas: a row of a data frame
        return True
    return isinstance(data, Mapping) and not any(is_column(value) for value in data.values())


def is_table(data: Data) -> bool:
    """Whether this is a table, not a list or a column of texts. A data frame of one column can be both: it is a column.

    >>> is_table({"age": [31, 45]}), is_table([{"age": 31}]), is_table(["a text"])
    (True, True, False)
    """
    if isinstance(data, Mapping):
        return True
    if isinstance(data, list | tuple):
        return bool(data) and isinstance(data[0], Mapping)
    if type(data).__module__.split(".")[0] == "numpy":
        return data.ndim >= 2 or getattr(data.dtype, "names", None) is not None
    names = column_names(data)
    return names is not None and len(names) != 1


def column_names(data: Data) -> list[Any] | None:
    """The names of the columns of a data frame, an Arrow table or a relation; None for anything else."""
    check_collected(data)
    if isinstance(data, type) or not (hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__")):
        return None
    names = getattr(data, "column_names", None)  # pyarrow, whose `columns` are the values
    if names is None:
        names = getattr(data, "columns", None)
    if names is None or callable(names):
        schema = getattr(data, "schema", None)
        names = getattr(schema, "names", None)
    if names is None:
        return None
    return list(names.tolist() if hasattr(names, "tolist") else names)  # of pandas: ten times as fast


def is_column(values: Any) -> bool:
    """Whether these are the values of a column, not one value."""
    return (
        not isinstance(values, str | bytes)
        and (
            isinstance(values, Iterable)
            or hasattr(values, "__arrow_c_stream__")
            or hasattr(values, "__arrow_c_array__")
        )
        and not (hasattr(values, "ndim") and values.ndim == 0)
    )
