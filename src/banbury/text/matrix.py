"""TermMatrix: a document-term matrix, sparse, of SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import InputError, MissingExtra
from banbury.lazy import numpy as np
from banbury.text.documents import check_collected, check_many, n_threads

if TYPE_CHECKING:
    from banbury.text.documents import Texts


@dataclass(frozen=True)
class TermMatrix:
    """A document-term matrix: `matrix[i, j]` is how often feature `names[j]` stands in document `i`, or whether."""

    matrix: Any
    """A `scipy.sparse.csr_array` of 64-bit integers."""
    names: list[str]


def term_matrix(
    analyzer: _kernel.Analyzer,
    texts: Texts,
    *,
    binary: bool = False,
    names: Sequence[str] | None = None,
    min_documents: int = 1,
    threads: int | None = None,
) -> TermMatrix:
    """The matrix of these documents; `Analyzer.matrix` says what its parameters mean."""
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise MissingExtra("a document-term matrix is one of SciPy: pip install scipy") from error
    if isinstance(min_documents, bool) or not isinstance(min_documents, int) or min_documents < 1:
        raise InputError(f"min_documents is {min_documents!r}; it must be a whole number, 1 or more")
    if names is not None and min_documents != 1:
        raise InputError("give names or min_documents, not both: names say which features there are")
    check_many(texts)
    check_collected(texts)
    held = _kernel.hold(texts)
    n_documents, _ = _kernel.measure(held)
    # Each document is a class of its own: what is counted of it is its row.
    own_class = np.arange(n_documents, dtype=np.uint32)
    counted = _kernel.Counts(analyzer, 0).count(held, own_class, None, n_documents, n_threads(threads)).postings()
    n_with: Any = np.diff(np.asarray(counted.ends, dtype=np.int64), prepend=0)
    columns, chosen = _chosen(counted.names, n_with, names, min_documents)
    in_columns = np.repeat(columns, n_with)
    is_chosen = in_columns >= 0
    times = np.asarray(counted.occurrences, dtype=np.int64)[is_chosen]
    cells = (np.ones_like(times) if binary else times), (np.asarray(counted.classes)[is_chosen], in_columns[is_chosen])
    return TermMatrix(csr_array(cells, shape=(n_documents, len(chosen))), chosen)


def _chosen(counted: list[str], n_with: Any, names: Sequence[str] | None, min_documents: int) -> tuple[Any, list[str]]:
    """The column of each feature that was counted, −1 for none, and the names of all columns."""
    if names is None:
        is_chosen = n_with >= min_documents
        columns = np.where(is_chosen, np.cumsum(is_chosen) - 1, -1)
        return columns, [name for name, chosen in zip(counted, is_chosen.tolist(), strict=True) if chosen]
    if isinstance(names, str):
        raise InputError(f"names is {names!r}; it must be a list of features")
    wanted = list(names)
    places = {name: place for place, name in enumerate(wanted)}
    if len(places) != len(wanted):
        twice = next(name for place, name in enumerate(wanted) if places[name] != place)
        raise InputError(f"names has {twice!r} twice; each feature is one column")
    return np.array([places.get(name, -1) for name in counted], dtype=np.int64), wanted
