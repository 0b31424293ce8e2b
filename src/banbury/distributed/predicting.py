"""Predictions for Arrow batches, as columns more; where a text is null, so is what is predicted."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from banbury import storage
from banbury.classifier import Classifier
from banbury.distributed.columns import Columns, arrow
from banbury.distributed.filtering import Rule
from banbury.errors import InputError
from banbury.results.evaluation import Evaluation, evaluate

KEPT_MODELS = 4  # of one worker process: a file is opened once, not for every batch


@lru_cache(maxsize=KEPT_MODELS)
def opened(path: str) -> Classifier:
    """The model in a file that never changes, for a worker, which has one core."""
    return Classifier.load(path).set_params(threads=1)


@lru_cache(maxsize=KEPT_MODELS)
def opened_bytes(data: bytes) -> Classifier:
    """The model whose file has these bytes, for a worker, which has one core."""
    file = storage.from_bytes(data)
    return Classifier.from_parts(file.settings, file.arrays).set_params(threads=1)


def columns_for(model: Classifier, text: str | None, **names: Any) -> Columns:
    """The columns that a model predicts from: the text, or those of its table."""
    table = model.model_.of_table()
    return Columns.of(text=text, columns=None if table is None else list(table.kinds), **{"label": None, **names})


def label_type(model: Classifier) -> Any:
    """The Arrow type of the labels of a model."""
    pa = arrow()
    kinds = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    return kinds[type(model.model_.classes[0])]


def probabilities_type() -> Any:
    """The Arrow type of the probabilities of all classes."""
    return arrow().list_(arrow().float64())


def check_new(name: str, names: list[str]) -> None:
    """That a data frame has no column of this name yet."""
    if name in names:
        raise InputError(f"there is a column {name!r} already; name the new one, such as label='predicted'")


def empty_frame(model: Classifier, dtypes: dict[str, Any], work: str, new: list[str]) -> Any:
    """A pandas data frame without rows that has these columns, and those that `work` adds."""
    import pandas as pd  # an optional dependency

    pa = arrow()
    added = {"with_probabilities": [probabilities_type()], "with_labels": [label_type(model), pa.float64()]}
    kinds = added.get(work, [pa.float64()] * len(new))
    frame = pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in dtypes.items()})
    return frame.assign(**{name: pa.array([], kind).to_pandas() for name, kind in zip(new, kinds, strict=True)})


def with_labels(model: Classifier, batch: Any, columns: Columns, label: str, probability: str) -> Any:
    """The batch with the most probable label of each row, and how probable it is."""

    def predict(documents: Any) -> list[Any]:
        labels, probabilities = _labels_and_probabilities(model, documents)
        return [labels, probabilities.max(axis=1).tolist()]

    types = {label: label_type(model), probability: arrow().float64()}
    return _with(model, batch, columns, predict, types)


def with_numbers_and_places(
    model: Classifier,
    batch: Any,
    columns: Columns,
    prediction: str,
    probabilities: str,
    places: list[int],
    n_places: int,
) -> Any:
    """The batch with the label of each row, as a float where it is a number, and the probabilities of all classes.

    `places` are those of the classes among `n_places` probabilities; others are 0.
    """
    kind = arrow().float64() if is_number(model) else label_type(model)

    def predict(documents: Any) -> list[Any]:
        labels, probabilities = _labels_and_probabilities(model, documents)
        placed = np.zeros((len(labels), n_places))
        placed[:, places] = probabilities
        return [[float(label) for label in labels] if is_number(model) else labels, placed.tolist()]

    return _with(model, batch, columns, predict, {prediction: kind, probabilities: probabilities_type()})


def is_number(model: Classifier) -> bool:
    """Whether labels are numbers, and not booleans."""
    return type(model.model_.classes[0]) in (int, float)


def _labels_and_probabilities(model: Classifier, documents: Any) -> tuple[list[Any], Any]:
    classes, probabilities = model.classes_and_probabilities(documents)
    best = probabilities.argmax(axis=1)
    labels = [classes[class_id] for class_id in best.tolist()]
    # Equal to the last bit: then scores decide, as in `predict`.
    highest = probabilities[np.arange(len(best)), best]
    if (ties := np.flatnonzero((probabilities == highest[:, None]).sum(axis=1) > 1)).size:
        decided = model.predict(documents).tolist()
        for row in ties.tolist():
            labels[row] = decided[row]
    return labels, probabilities


def with_probabilities(model: Classifier, batch: Any, columns: Columns, probabilities: str) -> Any:
    """The batch with the probabilities of all classes of each row, in the order of `classes_`."""
    types = {probabilities: probabilities_type()}
    return _with(model, batch, columns, lambda documents: [model.predict_proba(documents).tolist()], types)


def with_explanations(model: Classifier, batch: Any, columns: Columns, explanation: str) -> Any:
    """The batch with the explanation of each row, as JSON."""

    def explain(documents: Any) -> list[Any]:
        rows = documents.to_pylist()
        return [[json.dumps(model.explain(row).to_dict(), ensure_ascii=False) for row in rows]]

    return _with(model, batch, columns, explain, {explanation: arrow().string()})


def kept(model: Classifier, batch: Any, columns: Columns, rule: str, probability: str | None) -> Any:
    """The rows that a rule keeps, as they are, or with a column more: the probability of the label that is kept."""
    pa = arrow()
    chosen, rows = Rule.from_json(rule), columns.read(batch, "the data", for_prediction=True)
    if not len(rows):
        return rows.batch if probability is None else _appended(rows.batch, probability, [], pa.float64())
    mask = pa.array(chosen.mask(model, rows.documents))
    kept_rows = rows.batch.filter(mask)
    if probability is None:
        return kept_rows
    chances: Any = chosen.chances(model, rows.documents.filter(mask)) if kept_rows.num_rows else []
    return _appended(kept_rows, probability, chances, pa.float64())


def _appended(batch: Any, name: str, values: Any, kind: Any) -> Any:
    return batch.append_column(arrow().field(name, kind), arrow().array(values, kind))


def _with(
    model: Classifier, batch: Any, columns: Columns, work: Callable[[Any], list[Any]], types: dict[str, Any]
) -> Any:
    rows = columns.read(batch, "the data", for_prediction=True)
    found = work(rows.documents) if len(rows) else [[] for _ in types]
    if len(rows) < batch.num_rows:  # only texts can be missing
        present = np.flatnonzero(np.array(batch.column(columns.text).is_valid().to_pylist()))
        found = [_spread(values, present, batch.num_rows) for values in found]
    for (name, kind), values in zip(types.items(), found, strict=True):
        batch = _appended(batch, name, values, kind)
    return batch


def _spread(values: list[Any], places: Any, n: int) -> list[Any]:
    whole: list[Any] = [None] * n
    for place, value in zip(places.tolist(), values, strict=True):
        whole[place] = value
    return whole


def evaluation_of(model: Classifier, parts: list[Any], columns: Columns, probabilities: str) -> Evaluation:
    """How well labels are predicted, from Arrow tables of labels and of the classes' probabilities."""
    parts = [part for part in parts if part.num_rows]
    if not parts:
        raise InputError("no rows to evaluate")
    table = arrow().concat_tables(parts, promote_options="permissive")
    labels = Columns(text=None, columns=(), label=columns.label).read(table, "the data").labels or []
    if table.column(probabilities).null_count:
        raise InputError(f"column {columns.text!r} has nulls; leave such rows out")
    chances = np.array(table.column(probabilities).to_pylist(), dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(chances.reshape(len(labels), len(model.model_.classes)))
    return evaluate(labels, log_probabilities=logs, classes=model.model_.classes)
