"""What documents, labels and weights may be; each check names the row that fails it."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Set
from math import inf, isinf, isnan

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import InputError, LabelError
from banbury.lazy import numpy as np
from banbury.text.tokens import is_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Buffer = array[int] | memoryview
    """Whole numbers in memory, as the kernel takes them."""

MOST_THREADS = 256  # that are ever started

Label = str | int | float | bool
Texts = Any
"""Texts: a list or a column of any library; `_kernel.hold` says what is taken."""
Column = Any
"""A value for each document: a list or a column of any library; `as_list` says what is taken."""
Labels = Column
LABEL_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


def n_threads(threads: int | None) -> int:
    """As many threads as asked for; 0, as many as there are processors for this process, where nothing is asked."""
    if threads is None:
        return 0
    if not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads is {threads!r}; it must be 1 or more")
    return min(threads, MOST_THREADS)


def n_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_list(values: Any, what: str, error: type[InputError] = InputError) -> list[Any]:
    """A column of any library as a list of Python objects."""
    if isinstance(values, (str, bytes, Set, Mapping)) or hasattr(values, "columns"):  # data frames, relations
        raise error(
            f"{what} is of type {type(values).__name__}; it must be a list or a column, in the documents' order"
        )
    for method in ("tolist", "to_pylist", "to_list"):  # NumPy and pandas; pyarrow; polars
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if not isinstance(values, Iterable):
        raise error(f"{what} is {values!r}; it must be a list with one for each document")
    return list(values)


class CheckedLabels(list[Any]):
    """Labels of one kind, which have been looked at: nobody looks at each of them again."""

    __slots__ = ("different", "numbers")
    different: list[Any]  # in the order in which they come
    numbers: Any  # of each label among these

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # a copy, or what another process gets, can change: it is a list like any other


def as_labels(labels: Labels) -> CheckedLabels:
    """Labels as Python objects of one kind: `str`, `int`, `float` or `bool`; another kind is an error with its row.

    >>> as_labels([0.0, 1.0])
    [0.0, 1.0]
    """
    if type(labels) is CheckedLabels:
        return labels
    # Copied before they are looked at: another thread may change a list meanwhile.
    checked = CheckedLabels(labels if type(labels) is list else as_list(labels, "labels", LabelError))
    if found := _kernel.looked_at(checked):
        checked.different, checked.numbers = found
    else:
        checked[:] = [_plain(row, value) for row, value in enumerate(checked)]
        for row, value in enumerate(checked):
            if type(value) is not type(checked[0]):
                raise LabelError(
                    f"document {row} has label {value!r}, of type {type(value).__name__}, "
                    f"but document 0 has {checked[0]!r}, of type {type(checked[0]).__name__}; use labels of one type"
                )
        known = {label: number for number, label in enumerate(dict.fromkeys(checked))}
        checked.different, checked.numbers = list(known), _numbers(known[label] for label in checked)
    _check_ends(checked)
    return checked


def _check_ends(labels: CheckedLabels) -> None:
    """That no label ends in NUL: NumPy, which predictions come in, would drop it and take two labels for one."""
    for label in labels.different:
        if isinstance(label, str) and label.endswith("\0"):
            raise LabelError(f"document {labels.index(label)} has label {label!r}, which ends in NUL; drop that")


def _plain(row: int, label: Any) -> Label:
    """A label without NumPy's types around it."""
    if type(label).__module__ == "numpy":
        label = label.item()
    if label is None or (isinstance(label, float) and isnan(label)) or type(label).__name__ == "NAType":
        raise LabelError(f"document {row} has no label ({label}); every document needs one")
    if isinstance(label, float):
        if isinf(label):
            raise LabelError(f"document {row} has label {label}; a number as a label is finite")
        return float(label) + 0.0  # −0.0 and 0.0 are one label
    for kind in (str, bool, int):
        if isinstance(label, kind):
            return kind(label)
    name = type(label).__name__
    raise LabelError(f"document {row} has label {label!r}, of type {name}; a label is a str, an int, a float or a bool")


def check_among(labels: list[Any], classes: list[Any]) -> None:
    """That every label is one of the classes that were announced, or a `LabelError` with its row."""
    known = set(classes)
    for row, label in enumerate(labels):
        if label not in known:
            raise LabelError(f"document {row} has label {label!r}, which is not among classes={classes!r}")


def check_collected(documents: object) -> None:
    """That this is no polars LazyFrame, which has no rows yet."""
    if type(documents).__name__ == "LazyFrame":
        raise InputError("a LazyFrame has no rows before it is collected: give frame.collect()")


def check_many(texts: object) -> None:
    """That these are several documents: of one `str`, each letter would be taken for a document."""
    if is_document(texts):
        raise InputError(f"expected a list of documents, not one {type(texts).__name__}: put it into a list")


def check_kind(new: list[Any], known: list[Any]) -> None:
    """That new labels are of the kind of those known, or a `LabelError`."""
    if new and known and type(new[0]) is not type(known[0]):
        raise LabelError(
            f"label {new[0]!r} is of type {type(new[0]).__name__}, but the labels known so far are of type "
            f"{type(known[0]).__name__}, such as {known[0]!r}"
        )


def check_known(labels: list[Any], classes: list[Any]) -> list[Any]:
    """The labels, where a model knows all of them; else a `LabelError` with the first that is new."""
    known = set(classes)
    for row, label in enumerate(labels):
        if label not in known:
            raise LabelError(f"document {row} has label {label!r}, which is new; {suggestion(label, classes)}")
    return labels


def suggestion(label: Any, classes: list[Any]) -> str:
    """The known label that is spelled most like this one, and all of them.

    >>> suggestion("Ham", ["ham", "spam"])
    "did you mean 'ham'? This model knows 'ham', 'spam'"
    """
    from difflib import get_close_matches  # only an error needs it

    known = f"this model knows {', '.join(map(repr, classes[:20]))}{', …' if len(classes) > 20 else ''}"
    spelled = {str(one).strip().lower(): one for one in classes}
    near = get_close_matches(str(label).strip().lower(), spelled, n=1)
    return f"did you mean {spelled[near[0]]!r}? {known[0].upper()}{known[1:]}" if near else known


def class_numbers(labels: list[Any], classes: list[Any], *, weighted: bool = False) -> Buffer:
    """The number of each label among the classes, as a buffer for the kernel.

    Where documents are weighted, a label may have counted zero times: then its number does not matter.
    """
    numbers = {label: number for number, label in enumerate(classes)}
    if weighted:
        return _numbers(numbers.get(label, 0) for label in labels)
    if type(labels) is CheckedLabels and numbers.keys() >= set(labels.different):
        return memoryview(_kernel.renumbered(labels.numbers, [numbers[label] for label in labels.different]))
    found = _kernel.numbers(labels, numbers)
    if found is None:
        row = next(row for row, label in enumerate(labels) if label not in numbers)
        raise LabelError(f"document {row} has label {labels[row]!r}, which was never counted")
    return memoryview(found)


def as_weights(weights: Column, n: int) -> Buffer:
    """Weights as whole numbers, one for each document."""
    values = as_list(weights, "sample_weight")
    if len(values) != n:
        raise InputError(f"{n} documents but {len(values)} weights")
    try:
        return _numbers(values)
    except (TypeError, OverflowError):
        return _numbers(_weight(row, value) for row, value in enumerate(values))


def as_sample_weight(sample_weight: Column, n: int) -> NDArray[np.float64] | None:
    """Sample weights of an evaluation: a number of 0 or more for each document; None where all count once."""
    if sample_weight is None:
        return None
    values = as_list(sample_weight, "sample_weight")
    if len(values) != n:
        raise InputError(f"{n} documents but {len(values)} weights")
    for row, value in enumerate(values):
        if isinstance(value, str) or not 0 <= value < inf:
            raise InputError(f"document {row} has weight {value!r}; a weight is a number, 0 or more")
    return np.array(values, dtype=float)


def as_groups(groups: Column, n: int) -> list[str]:
    """The name of the group of each document.

    >>> as_groups([1, 1, 2], 3)
    ['1', '1', '2']
    """
    values = as_list(groups, "groups")
    if len(values) != n:
        raise InputError(f"{n} documents but {len(values)} groups")
    for row, value in enumerate(values):
        if value is None or value != value:
            raise InputError(
                f"document {row} has group {value!r}; one that belongs to no other needs a name of its own"
            )
    return [str(value) for value in values]


def _weight(row: int, weight: Any) -> int:
    try:
        whole = int(weight)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if whole != weight or not 0 <= whole < 2**32:
        raise InputError(f"document {row} has weight {weight!r}; a weight is a whole number from 0 to {2**32 - 1}")
    return whole


def _numbers(values: Iterable[int]) -> Buffer:
    """A buffer of 32-bit numbers. The kernel wants an aligned address even where there are none: an array has none."""
    return array("I", values) or memoryview(bytes(4)).cast("I")[:0]


def as_texts(texts: Texts) -> list[str]:
    """Documents of any kind as a list."""
    held = _kernel.hold(texts)
    if isinstance(held, list):
        return held
    return [_kernel.text_at(held, row) or "" for row in range(_kernel.measure(held)[0])]
