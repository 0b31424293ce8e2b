"""Ray: fit, learn, predict, explain and evaluate datasets of a cluster.

Each block of a Ray Data dataset is counted by a worker's kernel, states are merged by a tree of tasks, and the model is
made of what is left: its file is, byte for byte, that of `Classifier(**parameters).fit(…)` on one machine with the rows
in the order of the blocks. Models predict in a pool of actors, each of which opens the model once. `banbury` has to be
installed on the workers, in the version of the driver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from banbury import __version__, storage
from banbury.classifier import Classifier
from banbury.distributed import answers, predicting
from banbury.distributed.answers import FAN_IN, Answer
from banbury.distributed.columns import Columns, check_text
from banbury.distributed.filtering import Rule
from banbury.distributed.plan import Plan
from banbury.errors import MissingExtra
from banbury.results.evaluation import Evaluation

try:
    import ray
    import ray.data
except ImportError as error:
    raise MissingExtra("banbury.ray needs Ray Data: pip install 'banbury[ray]'") from error

__all__ = ["evaluate", "explain", "filter", "fit", "learn", "predict", "predict_proba"]

Dataset = Any
"""A `ray.data.Dataset`."""


def fit(
    dataset: Dataset,
    *,
    text: str = "text",
    columns: Any = None,
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
    **parameters: Any,
) -> Classifier:
    """`Classifier(**parameters)`, fitted to the rows of a dataset.

    `columns` makes it a model of a table. `nulls="skip"` leaves out rows without text or label.
    """
    how: dict[str, Any] = {"text": text, "columns": columns, "label": label, "sample_weight": sample_weight}
    plan = Plan.of(**how, nulls=nulls, **parameters)
    needed = _checked(dataset, plan.columns)

    def count(plan: Plan) -> Iterator[Answer]:
        plan_text = plan.to_json()
        states = _in_order(needed.map_batches(counting(plan_text, __version__), batch_format="pyarrow"))
        return _merged_by_tree(states, _merging(plan_text))

    return answers.fitted(plan, count, in_order=True)


def learn(
    model: Classifier,
    dataset: Dataset,
    *,
    text: str = "text",
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
) -> Classifier:
    """The model, which has learned the rows of a dataset too; where any of them is bad, it is unchanged."""
    how: dict[str, Any] = {"label": label, "sample_weight": sample_weight, "nulls": nulls}
    columns = predicting.columns_for(model, text, **how)
    found = _in_order(_by_actors(_checked(dataset, columns), "learned", model, columns, []))
    in_order = (answer._replace(part=part) for part, answer in enumerate(_answers(ray.get(found))))
    return answers.learn(model, in_order)


def predict(
    model: Classifier, dataset: Dataset, *, text: str = "text", label: str = "label", probability: str = "probability"
) -> Dataset:
    """The dataset with two columns more: the label of each row, and its probability; null where the text is."""
    return _predicted("with_labels", model, dataset, text, [label, probability])


def predict_proba(
    model: Classifier, dataset: Dataset, *, text: str = "text", probabilities: str = "probabilities"
) -> Dataset:
    """The dataset with a column more: the probabilities of all classes, in the order of `model.classes_`."""
    return _predicted("with_probabilities", model, dataset, text, [probabilities])


def explain(model: Classifier, dataset: Dataset, *, text: str = "text", explanation: str = "explanation") -> Dataset:
    """The dataset with a column more: what each row's label is explained by, as JSON."""
    return _predicted("with_explanations", model, dataset, text, [explanation])


def evaluate(model: Classifier, dataset: Dataset, *, text: str = "text", label: str = "label") -> Evaluation:
    """How well the labels of a dataset are predicted; labels and probabilities are brought to the driver."""
    columns = predicting.columns_for(model, text, label=label)
    new, reader = ["_probabilities"], predicting.columns_for(model, text)
    found = _by_actors(_checked(dataset, columns), "with_probabilities", model, reader, new, keep=[label, *new])
    return predicting.evaluation_of(model, ray.get(found.to_arrow_refs()), columns, "_probabilities")


def filter(
    model: Classifier,
    dataset: Dataset,
    *,
    keep: Any,
    above: float | None = None,
    top: float | None = None,
    text: str = "text",
    probability: str | None = None,
) -> Dataset:
    """The rows for which `keep` is predicted, or has at least the probability `above`, or that are the `top` share.

    `top=0.1` is the best tenth: all rows are scored first, when this is called, and their scores are counted in a
    sketch, whose bins are narrow; rows at the border that no bin tells apart are all kept. `probability` names a new
    column for that of the label. Rows without text are not kept.
    """
    columns, rule = predicting.columns_for(model, text), Rule.of(model, keep, above=above, top=top)
    needed = _checked(dataset, columns)
    if probability is not None:
        predicting.check_new(probability, dataset.columns() or [])
    if rule.needs_scores:
        sketches = _by_actors(needed, "sketched", model, columns, [rule.to_json()]).to_arrow_refs()
        rule = rule.by(answers.sketch_of(_merged_by_tree(sketches, _merging_sketches())))
    return _by_actors(dataset, "kept", model, columns, [rule.to_json(), probability])


# On the driver


def _checked(dataset: Dataset, columns: Columns) -> Dataset:
    """The columns that are needed, where they are there and the text is one; a dataset without rows as it is."""
    schema = dataset.schema()
    if schema is None:
        return dataset
    columns.check(schema.names)
    if columns.text is not None:
        check_text(columns.text, dict(zip(schema.names, schema.types, strict=True))[columns.text])
    return dataset.select_columns(columns.names)


def _in_order(states: Dataset) -> list[Any]:
    """References to the answers, in the order of the blocks that they are of, not that of who was first."""
    with _preserving_order(states.context.execution_options):
        found: list[Any] = states.to_arrow_refs()
    return found


@contextmanager
def _preserving_order(options: Any) -> Iterator[None]:
    """A dataset shares its options with those that it was made of, so they are put back."""
    before = options.preserve_order
    options.preserve_order = True
    try:
        yield
    finally:
        options.preserve_order = before


def _merged_by_tree(states: list[Any], merge: Callable[..., Any]) -> Iterator[Answer]:
    """The answers in these tables, some of them merged by tasks where there are many."""
    merging = ray.remote(merge)
    while len(states) > FAN_IN:
        states = [merging.remote(*states[start : start + FAN_IN]) for start in range(0, len(states), FAN_IN)]
    return _answers(ray.get(states))


def _answers(tables: Any) -> Iterator[Answer]:
    for table in tables:
        for row in range(table.num_rows):
            yield Answer(*(table.column(name)[row].as_py() for name in Answer._fields))


def _predicted(work: str, model: Classifier, dataset: Dataset, text: str, new: list[str]) -> Dataset:
    columns = predicting.columns_for(model, text)
    _checked(dataset, columns)
    for name in new:
        predicting.check_new(name, dataset.columns() or [])
    return _by_actors(dataset, work, model, columns, new)


def _by_actors(
    dataset: Dataset,
    work: str,
    model: Classifier,
    columns: Columns,
    arguments: list[Any],
    keep: list[str] | None = None,
) -> Dataset:
    """The blocks as actors give them back, with all columns or those to keep; each actor opens the model once."""
    sent = ray.put(storage.to_bytes(*model.parts()))
    how = (sent, json.dumps(columns.settings()), arguments, keep, __version__)
    pool = ray.data.ActorPoolStrategy(min_size=1)
    return dataset.map_batches(_actor(work), fn_constructor_args=how, compute=pool, batch_format="pyarrow")


# On the workers. These functions are sent by value, so they import what they need where they run: a worker without
# banbury can say so.


def counting(plan: str, version: str) -> Callable[[Any], Any]:
    """A function that counts a block."""

    def task(block: Any) -> Any:
        import socket

        import pyarrow as pa

        try:
            from banbury.distributed.answers import answers_table, counted, version_error
        except ImportError as error:
            message = f"host {socket.gethostname()} has no banbury: pip install banbury=={version} there ({error})"
            data = pa.array([b""], pa.large_binary())
            return pa.table({"part": [0], "shard": [0], "error": [message], "data": data})
        if message := version_error(version):
            return answers_table([(0, 0, message, b"")])
        return answers_table(counted(plan, 0, [block], where="a block"))

    return task


def _merging(plan: str) -> Callable[..., Any]:
    """A function that merges tables of answers which follow on each other."""

    def task(*tables: Any) -> Any:
        return answers.answers_table(answers.merged(plan, _answers(tables), in_order=True))

    return task


def _merging_sketches() -> Callable[..., Any]:
    """A function that merges tables of answers, which are sketches."""

    def task(*tables: Any) -> Any:
        return answers.answers_table(answers.merged_sketches(_answers(tables)))

    return task


def _actor(work: str) -> type:
    """A class whose objects open a model once, and then do some work of `predicting`, or learn, block by block."""

    class Worker:
        def __init__(
            self, model: Any, columns: str, arguments: list[Any], keep: list[str] | None, version: str
        ) -> None:
            import json
            import socket

            import ray

            try:
                from banbury.distributed import predicting
                from banbury.distributed.answers import version_error
                from banbury.distributed.columns import Columns
            except ImportError as error:
                host = socket.gethostname()
                message = f"host {host} has no banbury: pip install banbury=={version} there ({error})"
                raise ImportError(message) from error
            if message := version_error(version):
                raise ImportError(message)
            self.model = predicting.opened_bytes(ray.get(model))
            self.columns, self.arguments, self.keep = Columns.from_settings(json.loads(columns)), arguments, keep

        def __call__(self, block: Any) -> Any:
            from banbury.distributed import answers, predicting

            if work in ("learned", "sketched"):
                to_learn = work == "learned"
                rows = (self.columns.read(batch, "a block", for_prediction=not to_learn) for batch in [block])
                return answers.answers_table(getattr(answers, work)(self.model, 0, rows, *self.arguments))
            found = getattr(predicting, work)(self.model, block, self.columns, *self.arguments)
            return found if self.keep is None else found.select(self.keep)

    return Worker
