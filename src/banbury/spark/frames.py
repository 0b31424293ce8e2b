"""Data frames of Spark: fitted, learned, predicted, explained, evaluated, filtered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql import types

from banbury import __version__
from banbury.classifier import Classifier
from banbury.distributed import answers, predicting
from banbury.distributed.answers import FAN_IN, Answer
from banbury.distributed.columns import Columns
from banbury.distributed.filtering import Rule
from banbury.distributed.plan import Plan
from banbury.errors import InputError
from banbury.results.evaluation import Evaluation
from banbury.spark import tasks
from banbury.spark.sending import is_classic, sent

DataFrame = Any
SHARDS = 32  # where their number is not given: each is some bytes for every partition, and a task at most


def fit(
    df: DataFrame,
    *,
    text: str = "text",
    columns: Any = None,
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
    shards: int | None = None,
    min_documents: int = 1,
    **parameters: Any,
) -> Classifier:
    """`Classifier(**parameters)`, fitted to the rows of a data frame.

    `columns` makes it a model of a table; its rows are collected, since kinds, bins and pairs of columns are found in
    all rows together. `nulls="skip"` leaves out rows without text or label. `min_documents` forgets the features of
    fewer documents: counts are then cut by the features' hashes into `shards`, each is merged and pruned by a task, and
    the driver gets only what is left.
    """
    if shards is not None and (type(shards) is not int or shards < 1):
        raise InputError(f"shards is {shards!r}; it is a whole number from 1 on, or None")
    how: dict[str, Any] = {"text": text, "columns": columns, "label": label, "sample_weight": sample_weight}
    plan = Plan.of(**how, nulls=nulls, **parameters)
    needed = checked(df, plan.columns)

    def count(plan: Plan) -> Iterator[Answer]:
        plan_text = plan.to_json()
        n_shards = shards or (SHARDS if min_documents > 1 else 1)
        states = _answers(needed, "counted", plan_text, n_shards)
        if n_shards > 1 and plan.columns.text is not None:
            return _collected(_answers(_by_shard(states, shards), "merged", plan_text, min_documents))
        return _collected(_merged_by_tree(needed, states, "merged", plan_text, 1))

    return answers.fitted(plan, count, min_documents=min_documents)


def learn(
    model: Classifier,
    df: DataFrame,
    *,
    text: str = "text",
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
) -> Classifier:
    """The model, which has learned the rows of a data frame too; where any of them is bad, it is unchanged."""
    how: dict[str, Any] = {"label": label, "sample_weight": sample_weight, "nulls": nulls}
    columns = predicting.columns_for(model, text, **how)
    name = sent(df.sparkSession, model)
    models = _answers(checked(df, columns), "learned", json.dumps(columns.settings()), file=name)
    return answers.learn(model, _collected(models))


def predict(
    model: Classifier, df: DataFrame, *, text: str = "text", label: str = "label", probability: str = "probability"
) -> DataFrame:
    """The data frame with two columns more: the label of each row, and its probability; null where the text is."""
    return _predicted("with_labels", model, df, text, {label: _label_kind(model), probability: "double"})


def predict_proba(
    model: Classifier, df: DataFrame, *, text: str = "text", probabilities: str = "probabilities"
) -> DataFrame:
    """The data frame with a column more: the probabilities of all classes, in the order of `model.classes_`."""
    return _predicted("with_probabilities", model, df, text, {probabilities: "array<double>"})


def with_predictions(
    model: Classifier,
    df: DataFrame,
    text: str,
    prediction: str,
    probabilities: str,
    places: list[int],
    n_places: int,
) -> DataFrame:
    """The data frame with labels, as doubles where they are numbers, and the probabilities of classes at `places`."""
    kind = "double" if predicting.is_number(model) else _label_kind(model)
    new = {prediction: kind, probabilities: "array<double>"}
    return _predicted("with_numbers_and_places", model, df, text, new, places, n_places)


def explain(model: Classifier, df: DataFrame, *, text: str = "text", explanation: str = "explanation") -> DataFrame:
    """The data frame with a column more: what each row's label is explained by, as JSON."""
    return _predicted("with_explanations", model, df, text, {explanation: "string"})


def evaluate(model: Classifier, df: DataFrame, *, text: str = "text", label: str = "label") -> Evaluation:
    """How well the labels of a data frame are predicted; labels and probabilities are collected."""
    columns = predicting.columns_for(model, text, label=label)
    checked(df, columns)
    found = predict_proba(model, df, text=text, probabilities="_probabilities").select(label, "_probabilities")
    return predicting.evaluation_of(model, [found.toArrow()], columns, "_probabilities")


def filter(
    model: Classifier,
    df: DataFrame,
    *,
    keep: Any,
    above: float | None = None,
    top: float | None = None,
    text: str = "text",
    probability: str | None = None,
) -> DataFrame:
    """The rows for which `keep` is predicted, or has at least the probability `above`, or that are the `top` share.

    `top=0.1` is the best tenth: all rows are scored first, by a job of its own, and their scores are counted in a
    sketch, whose bins are narrow; rows at the border that no bin tells apart are all kept. `probability` names a new
    column for that of the label. Rows without text are not kept.
    """
    columns, rule = predicting.columns_for(model, text), Rule.of(model, keep, above=above, top=top)
    needed, settings = checked(df, columns), json.dumps(columns.settings())
    new = {} if probability is None else {probability: "double"}
    schema = _schema(df, new)
    file = sent(df.sparkSession, model)
    if rule.needs_scores:
        sketches = _answers(needed, "sketched", settings, rule.to_json(), file=file)
        sketches = _merged_by_tree(needed, sketches, "merged_sketches")
        rule = rule.by(answers.sketch_of(_collected(sketches)))
    return df.mapInArrow(tasks.predicting("kept", __version__, file, settings, rule.to_json(), probability), schema)


# On the driver


def checked(df: DataFrame, columns: Columns) -> DataFrame:
    """The columns that are needed, where they are there and the text is one."""
    columns.check(df.columns)
    if columns.text is not None:
        kind = df.schema[columns.text].dataType
        if not isinstance(kind, types.StringType | types.VarcharType | types.CharType):
            raise InputError(
                f"column {columns.text!r} is of type {kind.simpleString()}, not string; columns=[…] is for tables"
            )
    return df.select(*(f"`{name}`" for name in columns.names))


def _by_shard(states: DataFrame, n_shards: int | None) -> DataFrame:
    """The states with those of a shard in one partition; its own, where the number of shards was given."""
    if n_shards is None:
        return states.repartition("shard")  # Spark takes as many partitions as the states' bytes ask for
    if hasattr(states, "repartitionById"):
        return states.repartitionById(n_shards, "shard")
    return states.repartition(n_shards, "shard")  # before Spark 4.1: some partitions may get several shards


def _merged_by_tree(df: DataFrame, states: DataFrame, work: str, *arguments: Any) -> DataFrame:
    """The answers of a data frame's partitions, merged by tasks until the driver has a few to merge."""
    if not is_classic(df.sparkSession):
        # Nobody says how many partitions there are; Spark takes as many as the states' bytes ask for.
        return _answers(states.repartition("part"), work, *arguments)
    n_states = df.rdd.getNumPartitions()
    while n_states > FAN_IN:
        n_states = -(-n_states // FAN_IN)
        states = _answers(states.repartition(n_states, "part"), work, *arguments)
    return states


def _answers(df: DataFrame, work: str, *arguments: Any, file: str | None = None) -> DataFrame:
    return df.mapInArrow(tasks.answering(work, __version__, *arguments, file=file), tasks.ANSWERS)


def _collected(states: DataFrame) -> Iterator[Answer]:
    return tasks.answers_in(states.toArrow().to_batches())


def _label_kind(model: Classifier) -> str:
    kinds = {"string": "string", "bool": "boolean", "int64": "long", "double": "double"}
    return kinds[str(predicting.label_type(model))]


def _predicted(
    work: str, model: Classifier, df: DataFrame, text: str, new: dict[str, str], *arguments: Any
) -> DataFrame:
    columns = predicting.columns_for(model, text)
    checked(df, columns)
    schema = _schema(df, new)
    file, names = sent(df.sparkSession, model), json.dumps(columns.settings())
    return df.mapInArrow(tasks.predicting(work, __version__, file, names, *new, *arguments), schema)


def _schema(df: DataFrame, new: dict[str, str]) -> types.StructType:
    """That of the data frame with new columns."""
    for name in new:
        predicting.check_new(name, df.columns)
    ddl = ", ".join(f"`{name}` {kind}" for name, kind in new.items())
    return types.StructType([*df.schema.fields, *types.StructType.fromDDL(ddl).fields])
