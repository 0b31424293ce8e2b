"""Columns: which columns of a data frame hold documents, labels and weights, and what of an Arrow batch they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import InputError, LabelError, MissingExtra
from banbury.text.documents import as_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

NULLS = ("error", "skip")


class Rows(NamedTuple):
    """Documents of one batch with what belongs to them."""

    documents: Any
    """Texts as an Arrow column, or a table."""
    labels: list[Any] | None
    weights: list[Any] | None
    batch: Any
    """All columns of the same rows."""

    def __len__(self) -> int:
        return int(self.batch.num_rows)


@dataclass(frozen=True)
class Columns:
    """The names of the columns; `columns` are those of a table, and then there is no `text`."""

    text: str | None = "text"
    columns: tuple[str, ...] | None = None
    label: str | None = "label"
    sample_weight: str | None = None
    nulls: str = "error"
    """What becomes of a row without text or label: `"error"`, or `"skip"`."""

    @classmethod
    def of(
        cls,
        *,
        text: str | None,
        columns: Any,
        label: str | None,
        sample_weight: str | None = None,
        nulls: str = "error",
    ) -> Columns:
        """The columns as a caller names them; with `columns`, which may have kinds, documents are rows of a table."""
        if nulls not in NULLS:
            raise InputError(f"nulls is {nulls!r}; it can be {' or '.join(map(repr, NULLS))}")
        names = None if columns is None else tuple(columns)
        if names is None and text is None:
            raise InputError("which column is the text? Say text=…, or columns=[…] for a table")
        if names is not None and (label in names or sample_weight in names):
            raise InputError(f"columns has {label!r} or {sample_weight!r}, which a row cannot be predicted from")
        return cls(None if names is not None else text, names, label, sample_weight, nulls)

    def settings(self) -> dict[str, Any]:
        """The names as plain data."""
        return asdict(self)

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Columns:
        """The columns whose `settings` these are."""
        columns = settings["columns"]
        return cls(**{**settings, "columns": None if columns is None else tuple(columns)})

    @property
    def documents(self) -> list[str]:
        """The names of the columns that documents are made of."""
        return [self.text] if self.columns is None else list(self.columns)  # type: ignore[list-item]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.documents, *(name for name in (self.label, self.sample_weight) if name is not None)]

    def check(self, names: Iterable[str]) -> None:
        """That a data frame with columns of these names has all that are needed."""
        known = list(names)
        for name in self.names:
            if known.count(name) != 1:
                many = "no" if name not in known else "more than one"
                raise InputError(f"there is {many} column {name!r}; this data frame has {', '.join(map(repr, known))}")

    def read(self, batch: Any, where: str, first_row: int = 0, *, for_prediction: bool = False) -> Rows:
        """The documents, labels and weights of an Arrow table or record batch.

        `where` names its part of the data for errors, and `first_row` is where it begins there. For a prediction no
        label is needed, and rows without text are left out.
        """
        pa = arrow()
        self.check(batch.schema.names)
        if self.text is not None:
            check_text(self.text, batch.schema.field(self.text).type)
        needed = [name for name in (self.text, None if for_prediction else self.label) if name is not None]
        if for_prediction or self.nulls == "skip":
            batch = _without_nulls(pa, batch, needed)
        else:
            for name in needed:
                _check_present(name, batch.column(name), where, first_row)
        labels = weights = None
        if self.label is not None and not for_prediction:
            try:
                labels = as_labels(batch.column(self.label).to_pylist())
            except LabelError as error:
                raise LabelError(f"column {self.label!r}, {where}, counted from row {first_row}: {error}") from error
        if self.sample_weight is not None:
            _check_present(self.sample_weight, batch.column(self.sample_weight), where, first_row)
            weights = batch.column(self.sample_weight).to_pylist()
        documents = batch.column(self.text) if self.text is not None else batch.select(list(self.documents))
        if self.text is not None and pa.types.is_dictionary(documents.type):
            documents = documents.cast(documents.type.value_type)
        if self.text is None and isinstance(documents, pa.RecordBatch):
            documents = pa.Table.from_batches([documents])
        return Rows(documents, labels, weights, batch)


def arrow() -> Any:
    """pyarrow, or an error that says which extras bring it."""
    try:
        import pyarrow  # an optional dependency
        import pyarrow.compute
    except ImportError as error:
        raise MissingExtra(
            "engines need pyarrow: pip install 'banbury[spark]', 'banbury[dask]' or 'banbury[ray]'"
        ) from error
    return pyarrow


def as_arrow(rows: Any, names: list[str] | None = None) -> Any:
    """Rows of a pandas data frame, or dictionaries, as an Arrow table of these columns, or of all.

    >>> as_arrow([{"text": "a", "n": 1}, {"text": None}], ["text"]).to_pydict()
    {'text': ['a', None]}
    """
    pa = arrow()
    if hasattr(rows, "columns"):
        return pa.Table.from_pandas(rows if names is None else rows[names], preserve_index=False)
    rows = list(rows)
    if names is None:
        return pa.Table.from_pylist(rows)
    kind = None if rows else pa.string()
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name in names})


def check_text(name: str, kind: Any) -> None:
    """That a column of this Arrow type holds texts, or nothing: a part without any may not know what they would be."""
    of_texts = arrow().types
    inner = kind.value_type if of_texts.is_dictionary(kind) else kind
    kinds = (of_texts.is_string, of_texts.is_large_string, of_texts.is_string_view, of_texts.is_null)
    if not any(is_kind(inner) for is_kind in kinds):
        raise InputError(f"column {name!r} holds values of type {kind}, not texts; columns=[…] is for tables")


def _check_present(name: str, column: Any, where: str, first_row: int) -> None:
    if column.null_count:
        row = column.is_null().to_pylist().index(True) + first_row
        raise InputError(
            f"column {name!r} is null in row {row} of {where}; fill it, or leave such rows out: nulls='skip'"
        )


def _without_nulls(pa: Any, batch: Any, names: list[str]) -> Any:
    for name in names:
        if batch.column(name).null_count:
            batch = batch.filter(batch.column(name).is_valid())
    return batch
