"""Dask: fit, learn, predict and evaluate data frames and bags of a cluster.

Each partition is counted by a worker's kernel, states are merged by a tree of tasks, and the model is made of what is
left: its file is, byte for byte, that of `Classifier(**parameters).fit(…)` on one machine with the rows in the order of
the partitions. The scheduler that is set, or a `distributed.Client`, runs the tasks. `banbury` has to be installed on
the workers, in the version of the driver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from banbury import __version__, storage
from banbury.classifier import Classifier
from banbury.distributed import answers, predicting
from banbury.distributed.answers import FAN_IN, Answer
from banbury.distributed.columns import Columns, arrow, as_arrow
from banbury.distributed.filtering import Rule
from banbury.distributed.plan import Plan
from banbury.errors import MissingExtra
from banbury.results.evaluation import Evaluation

try:
    import dask
    from dask.delayed import delayed
except ImportError as error:
    raise MissingExtra("banbury.dask needs Dask: pip install 'banbury[dask]'") from error

__all__ = ["evaluate", "filter", "fit", "learn", "predict", "predict_proba"]

Data = Any
"""A `dask.dataframe.DataFrame`, or a `dask.bag.Bag` of dictionaries."""


def fit(
    data: Data,
    *,
    text: str = "text",
    columns: Any = None,
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
    **parameters: Any,
) -> Classifier:
    """`Classifier(**parameters)`, fitted to the rows of a data frame or a bag.

    `columns` makes it a model of a table. `nulls="skip"` leaves out rows without text or label.
    """
    how: dict[str, Any] = {"text": text, "columns": columns, "label": label, "sample_weight": sample_weight}
    plan = Plan.of(**how, nulls=nulls, **parameters)
    _check(data, plan.columns)

    def count(plan: Plan) -> Iterator[Answer]:
        plan_text = plan.to_json()
        counting, merging = delayed(_counting(plan_text, plan.columns.names, __version__)), delayed(_merging(plan_text))
        states = [counting(part, partition) for part, partition in enumerate(data.to_delayed())]
        while len(states) > FAN_IN:
            states = [merging(states[start : start + FAN_IN]) for start in range(0, len(states), FAN_IN)]
        return _answers(dask.compute(*states))

    return answers.fitted(plan, count)


def learn(
    model: Classifier,
    data: Data,
    *,
    text: str = "text",
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
) -> Classifier:
    """The model, which has learned these rows too; where any of them is bad, it is unchanged."""
    how: dict[str, Any] = {"label": label, "sample_weight": sample_weight, "nulls": nulls}
    columns = predicting.columns_for(model, text, **how)
    _check(data, columns)
    learning, sent = delayed(_learned), delayed(storage.to_bytes(*model.parts()))
    settings = json.dumps(columns.settings())
    tasks = [learning(sent, settings, part, rows) for part, rows in enumerate(data.to_delayed())]
    return answers.learn(model, _answers(dask.compute(*tasks)))


def predict(
    model: Classifier, data: Data, *, text: str = "text", label: str = "label", probability: str = "probability"
) -> Data:
    """The rows with two columns more: the label of each, and its probability; missing where the text is."""
    return _predicted("with_labels", model, data, text, [label, probability])


def predict_proba(model: Classifier, data: Data, *, text: str = "text", probabilities: str = "probabilities") -> Data:
    """The rows with a column more: the probabilities of all classes, in the order of `model.classes_`."""
    return _predicted("with_probabilities", model, data, text, [probabilities])


def evaluate(model: Classifier, data: Data, *, text: str = "text", label: str = "label") -> Evaluation:
    """How well the labels of the rows are predicted; labels and probabilities are brought to the driver."""
    columns = predicting.columns_for(model, text, label=label)
    _check(data, columns)
    found = predict_proba(model, data, text=text, probabilities="_probabilities")
    parts = [as_arrow(part).select([label, "_probabilities"]) for part in dask.compute(*found.to_delayed())]
    return predicting.evaluation_of(model, parts, columns, "_probabilities")


def filter(
    model: Classifier,
    data: Data,
    *,
    keep: Any,
    above: float | None = None,
    top: float | None = None,
    text: str = "text",
    probability: str | None = None,
) -> Data:
    """The rows for which `keep` is predicted, or has at least the probability `above`, or that are the `top` share.

    `top=0.1` is the best tenth: all rows are scored first, when this is called, and their scores are counted in a
    sketch, whose bins are narrow; rows at the border that no bin tells apart are all kept. `probability` names a new
    column for that of the label. Rows without text are not kept.
    """
    columns, rule = predicting.columns_for(model, text), Rule.of(model, keep, above=above, top=top)
    _check(data, columns)
    sent, settings = delayed(storage.to_bytes(*model.parts())), json.dumps(columns.settings())
    new = [] if probability is None else [probability]
    if rule.needs_scores:
        sketching, merging = delayed(_sketched), delayed(_merged_sketches)
        sketches = [
            sketching(sent, settings, rule.to_json(), part, rows) for part, rows in enumerate(data.to_delayed())
        ]
        while len(sketches) > FAN_IN:
            sketches = [merging(sketches[start : start + FAN_IN]) for start in range(0, len(sketches), FAN_IN)]
        rule = rule.by(answers.sketch_of(_answers(dask.compute(*sketches))))
    if not hasattr(data, "columns"):
        return data.map_partitions(_kept, sent, settings, rule.to_json(), probability)
    for name in new:
        predicting.check_new(name, list(map(str, data.columns)))
    meta = predicting.empty_frame(model, data.dtypes.to_dict(), "kept", new)
    return data.map_partitions(_kept, sent, settings, rule.to_json(), probability, meta=meta)


def _check(data: Data, columns: Columns) -> None:
    """That a data frame has the columns that are needed; of a bag, workers find out."""
    if hasattr(data, "columns"):
        columns.check(map(str, data.columns))


def _answers(several: Any) -> Iterator[Answer]:
    return (Answer(*answer) for one in several for answer in one)


def _predicted(work: str, model: Classifier, data: Data, text: str, new: list[str]) -> Data:
    columns = predicting.columns_for(model, text)
    _check(data, columns)
    sent, settings = delayed(storage.to_bytes(*model.parts())), json.dumps(columns.settings())
    if not hasattr(data, "columns"):
        return data.map_partitions(_with_columns, sent, settings, work, new)
    for name in new:
        predicting.check_new(name, list(map(str, data.columns)))
    meta = predicting.empty_frame(model, data.dtypes.to_dict(), work, new)
    return data.map_partitions(_with_columns, sent, settings, work, new, meta=meta)


# On the workers


def _counting(plan: str, names: list[str], version: str) -> Callable[[int, Any], list[tuple[Any, ...]]]:
    """A function that is sent by value: a worker without banbury can say so."""

    def task(part: int, rows: Any) -> list[tuple[Any, ...]]:
        import socket

        try:
            from banbury.distributed.answers import counted, version_error
            from banbury.distributed.columns import as_arrow
        except ImportError as error:
            host = socket.gethostname()
            return [(0, 0, f"host {host} has no banbury: pip install banbury=={version} there ({error})", b"")]
        if message := version_error(version):
            return [(0, 0, message, b"")]
        return list(counted(plan, part, [as_arrow(rows, names)]))

    return task


def _merging(plan: str) -> Callable[[list[Any]], list[Answer]]:
    def task(several: list[Any]) -> list[Answer]:
        return list(answers.merged(plan, _answers(several)))

    return task


def _learned(model: bytes, settings: str, part: int, rows: Any) -> list[Answer]:
    columns = Columns.from_settings(json.loads(settings))
    read = (columns.read(batch, f"part {part}") for batch in [as_arrow(rows, columns.names)])
    return list(answers.learned(predicting.opened_bytes(model), part, read))


def _sketched(model: bytes, settings: str, rule: str, part: int, rows: Any) -> list[Answer]:
    columns = Columns.from_settings(json.loads(settings))
    several = (columns.read(batch, f"part {part}", for_prediction=True) for batch in [as_arrow(rows, columns.names)])
    return list(answers.sketched(predicting.opened_bytes(model), part, several, rule))


def _merged_sketches(several: list[Any]) -> list[Answer]:
    return list(answers.merged_sketches(_answers(several)))


def _kept(rows: Any, model: bytes, settings: str, rule: str, probability: str | None) -> Any:
    """The rows that are kept, with a column more where it has a name."""
    columns = Columns.from_settings(json.loads(settings))
    is_frame = hasattr(rows, "columns")
    rows = rows if is_frame else list(rows)
    table = as_arrow(rows, columns.names)
    table = table.append_column("_row", arrow().array(range(table.num_rows)))
    kept = predicting.kept(predicting.opened_bytes(model), table, columns, rule, probability)
    places, chances = kept.column("_row").to_pylist(), kept.column(probability).to_pylist() if probability else []
    if is_frame:
        chosen = rows.iloc[places]
        return chosen.assign(**{probability: chances}) if probability else chosen
    chosen = [rows[place] for place in places]
    if not probability:
        return chosen
    return [{**row, probability: chance} for row, chance in zip(chosen, chances, strict=True)]


def _with_columns(rows: Any, model: bytes, settings: str, work: str, new: list[str]) -> Any:
    """Rows with columns more: of a data frame a data frame, of a list of dictionaries a list of them."""
    columns = Columns.from_settings(json.loads(settings))
    is_frame = hasattr(rows, "columns")
    rows = rows if is_frame else list(rows)
    table = as_arrow(rows, columns.names)
    found = getattr(predicting, work)(predicting.opened_bytes(model), table, columns, *new).select(new)
    if is_frame:
        values = found.to_pandas()
        return rows.assign(**{name: values[name].set_axis(rows.index) for name in new})
    return [{**row, **more} for row, more in zip(rows, found.to_pylist(), strict=True)]
