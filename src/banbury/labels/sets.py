"""Label sets: the labels of each document, as a list of lists or as an indicator matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import FileFormatError, LabelError
from banbury.lazy import numpy as np
from banbury.text.documents import LABEL_TYPES, as_labels, as_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

LabelSet = tuple[Any, ...]
"""The labels of one document: different ones, sorted."""


class LabelSets(NamedTuple):
    """The label set of each document, and the columns of the indicator matrix that they came as."""

    sets: list[LabelSet]
    columns: list[Any] | None
    """The label of each column; None where lists were given."""


def as_label_sets(labels: Any, columns: list[Any] | None = None) -> LabelSets:
    """The label set of each document.

    Given are lists (or sets, tuples, arrays) of labels, one for each document: an empty one says that the document has
    none of the labels, and a label that is named twice counts once. Or an indicator matrix, with a row for each
    document and a column for each label, of 0 and 1: a NumPy array, a sparse matrix of SciPy, or a data frame, whose
    columns name the labels. Columns without a name are those of `columns`, by default 0, 1, 2 …

    >>> as_label_sets([["b", "a", "b"], []]).sets
    [('a', 'b'), ()]
    >>> as_label_sets(np.array([[0, 1], [1, 1]]))
    LabelSets(sets=[(1,), (0, 1)], columns=[0, 1])
    """
    matrix, names = _as_matrix(labels)
    if matrix is not None:
        return _from_matrix(matrix, names, columns)
    rows = as_list(labels, "labels", LabelError)
    lists = [_as_set(row, given) for row, given in enumerate(rows)]
    flat = _of_one_kind([(row, label) for row, given in enumerate(lists) for label in given])
    checked = iter(flat)
    sets = [tuple(sorted({next(checked) for _ in given})) for given in lists]
    return LabelSets(sets, None)


def indicator(sets: Iterable[Iterable[Any]], columns: list[Any]) -> NDArray[Any]:
    """Label sets as an indicator matrix of 0 and 1; a label that is not among the columns is left out.

    >>> indicator([["a"], ["a", "b"]], ["a", "b"]).tolist()
    [[1, 0], [1, 1]]
    """
    rows = list(sets)
    places = {label: place for place, label in enumerate(columns)}
    matrix = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for row, labels in enumerate(rows):
        matrix[row, [places[label] for label in labels if label in places]] = 1
    return matrix


def label_of_file(label: Any) -> Any:
    """A label that a file names, or a `FileFormatError`.

    >>> label_of_file(["a"])
    Traceback (most recent call last):
    banbury.errors.FileFormatError: it names a label ['a'], which is none
    """
    if type(label) not in LABEL_TYPES.values():
        raise FileFormatError(f"it names a label {label!r}, which is none")
    return label


def _as_matrix(labels: Any) -> tuple[Any, list[Any] | None]:
    """An indicator matrix as an array, and the names of its columns; None where these are lists."""
    if hasattr(labels, "columns") and hasattr(labels, "to_numpy"):  # data frames of pandas and polars
        return labels.to_numpy(), list(labels.columns)
    if hasattr(labels, "toarray") and hasattr(labels, "nnz"):  # sparse matrices of SciPy
        return labels.toarray(), None
    if getattr(labels, "ndim", 1) == 2:
        return np.asarray(labels), None
    return None, None


def _from_matrix(matrix: Any, names: list[Any] | None, columns: list[Any] | None) -> LabelSets:
    if columns is None:
        columns = as_labels(list(range(matrix.shape[1])) if names is None else names)
        if len(set(columns)) < len(columns):
            raise LabelError("the indicator matrix has two columns of the same name; each label has one")
    elif names is not None and names != columns:
        raise LabelError(f"the columns of the indicator matrix are {names!r}; this model has {columns!r}")
    if matrix.shape[1] != len(columns):
        raise LabelError(f"the indicator matrix has {matrix.shape[1]} columns; this model has {len(columns)} labels")
    is_valid = np.isin(matrix, [0, 1])
    if not is_valid.all():
        row, column = (int(places[0]) for places in np.nonzero(~is_valid))
        raise LabelError(
            f"document {row} has {matrix[row, column]} for label {columns[column]!r}; "
            "an indicator matrix has 1 where the document has the label, else 0"
        )
    sets = [tuple(sorted(columns[place] for place in np.flatnonzero(row))) for row in matrix == 1]
    return LabelSets(sets, columns)


def _as_set(row: int, labels: Any) -> list[Any]:
    if isinstance(labels, str | bytes) or (not isinstance(labels, Iterable) and labels is not None):
        if isinstance(labels, float) and labels != labels:
            raise LabelError(f"document {row} has no labels ({labels}); [] says that it has none of them")
        raise LabelError(
            f"document {row} has {labels!r}, one label and no list; write [{labels!r}], "
            "or use Classifier where every document has one"
        )
    if labels is None:
        raise LabelError(f"document {row} has no labels (None); [] says that it has none of them")
    if isinstance(labels, Mapping):
        raise LabelError(f"document {row} has {labels!r} for labels; they are a list")
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def _of_one_kind(labels: list[tuple[int, Any]]) -> list[Any]:
    """Labels of all documents, each with its row, as Python objects of one kind."""
    try:
        return as_labels([label for _, label in labels])
    except LabelError:
        first = labels[0]
        for row, label in labels:
            try:
                as_labels([first[1], label])
            except LabelError as error:
                raise LabelError(_with_rows(str(error), first[0], row)) from None
        raise


def _with_rows(message: str, first: int, row: int) -> str:
    """A message about documents 0 and 1 as one about those that have the labels."""
    message = message.replace("document 1 ", f"document {row} ").replace("document 0 ", f"document {first} ")
    return message.replace("every document needs one", "leave it out of the list")
