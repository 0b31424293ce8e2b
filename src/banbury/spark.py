"""Spark: fit, learn, predict, explain and evaluate data frames of a cluster.

Each partition is counted by an executor's kernel, and the driver makes the model of the merged counts: the file of the
model is, byte for byte, that of `Classifier(**parameters).fit(…)` on one machine with the rows in the order of
`df.collect()`. `banbury` has to be installed on the executors, in the version of the driver.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from banbury import __version__, storage
from banbury.classifier import Classifier
from banbury.distributed import answers, predicting
from banbury.distributed.answers import FAN_IN, Answer
from banbury.distributed.columns import Columns
from banbury.distributed.plan import Plan
from banbury.errors import InputError, MissingExtra
from banbury.results.evaluation import Evaluation

try:
    from pyspark.sql import types
except ImportError as error:
    raise MissingExtra("banbury.spark needs PySpark, 4 or later: pip install 'banbury[spark]'") from error

__all__ = ["evaluate", "explain", "fit", "learn", "learn_batch", "predict", "predict_proba"]

DataFrame = Any
ANSWER = "part long, shard int, error string, data binary"


def fit(
    df: DataFrame,
    *,
    text: str = "text",
    columns: Any = None,
    label: str = "label",
    sample_weight: str | None = None,
    nulls: str = "error",
    shards: int = 1,
    min_documents: int = 1,
    **parameters: Any,
) -> Classifier:
    """`Classifier(**parameters)`, fitted to the rows of a data frame.

    `columns` makes it a model of a table; its rows are collected, since kinds, bins and pairs of columns are found in
    all rows together. `nulls="skip"` leaves out rows without text or label. With `shards`, counts are cut by the
    features' hashes and each shard is merged by a task of its own; `min_documents` forgets there the features of fewer
    documents, so that the driver gets only what is left.
    """
    how: dict[str, Any] = {"text": text, "columns": columns, "label": label, "sample_weight": sample_weight}
    plan = Plan.of(**how, nulls=nulls, **parameters)
    needed = _checked(df, plan.columns)

    def count(plan: Plan) -> Iterator[Answer]:
        plan_text = plan.to_json()
        states = needed.mapInArrow(counting(plan_text, __version__, shards), ANSWER)
        n_parts = _n_partitions(needed)
        if shards > 1 and plan.columns.text is not None:
            states = states.repartition(shards, "shard").mapInArrow(_merging(plan_text, min_documents), ANSWER)
        elif n_parts > FAN_IN:
            states = states.repartition(-(-n_parts // FAN_IN), "part").mapInArrow(_merging(plan_text, 1), ANSWER)
        return _collected(states)

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
    name = _sent(df.sparkSession, model)
    task = _learning(name, json.dumps(columns.settings()), __version__)
    return answers.learn(model, _collected(_checked(df, columns).mapInArrow(task, ANSWER)))


def predict(
    model: Classifier, df: DataFrame, *, text: str = "text", label: str = "label", probability: str = "probability"
) -> DataFrame:
    """The data frame with two columns more: the label of each row, and its probability; null where the text is."""
    kind = {"string": "string", "bool": "boolean", "int64": "long", "double": "double"}[
        str(predicting.label_type(model))
    ]
    return _predicted("with_labels", model, df, text, {label: kind, probability: "double"})


def predict_proba(
    model: Classifier, df: DataFrame, *, text: str = "text", probabilities: str = "probabilities"
) -> DataFrame:
    """The data frame with a column more: the probabilities of all classes, in the order of `model.classes_`."""
    return _predicted("with_probabilities", model, df, text, {probabilities: "array<double>"})


def explain(model: Classifier, df: DataFrame, *, text: str = "text", explanation: str = "explanation") -> DataFrame:
    """The data frame with a column more: what each row's label is explained by, as JSON."""
    return _predicted("with_explanations", model, df, text, {explanation: "string"})


def evaluate(model: Classifier, df: DataFrame, *, text: str = "text", label: str = "label") -> Evaluation:
    """How well the labels of a data frame are predicted; labels and probabilities are collected."""
    _checked(df, predicting.columns_for(model, text, label=label))
    found = (
        predict_proba(model, df, text=text, probabilities="_probabilities").select(label, "_probabilities").toArrow()
    )
    columns = predicting.columns_for(model, text, label=label)
    labels = Columns(text=None, columns=(), label=label).read(found, "the data").labels or []
    if found.column("_probabilities").null_count:
        raise InputError(f"column {columns.text!r} has nulls; leave such rows out")
    return predicting.evaluation_of(model, labels, found.column("_probabilities").to_pylist())


def learn_batch(
    path: str, *, stream: str = "stream", text: str = "text", label: str = "label", nulls: str = "error"
) -> Callable[[DataFrame, int], None]:
    """A function for `foreachBatch` that lets the model in a file learn each batch of a stream exactly once.

    The number of the last batch of each `stream` is kept in the model's file, which is replaced whole: a batch that
    comes again after a failure is left out.

    `frame.writeStream.foreachBatch(learn_batch("model.banbury")).option("checkpointLocation", …).start()`
    """

    def learn_once(df: DataFrame, batch_id: int) -> None:
        with storage.locked(path):
            file = storage.read(path)
            streams: dict[str, int] = dict(file.settings.get("streams", {}))
            if batch_id <= streams.get(stream, -1):
                return
            model = learn(
                Classifier.from_parts(file.settings, file.arrays, path), df, text=text, label=label, nulls=nulls
            )
            settings, arrays = model.parts()
            storage.write(path, {**settings, "streams": {**streams, stream: batch_id}}, arrays)

    return learn_once


# On the driver


def _checked(df: DataFrame, columns: Columns) -> DataFrame:
    """The columns that are needed, where they are there and the text is one."""
    columns.check(df.columns)
    if columns.text is not None:
        kind = df.schema[columns.text].dataType
        if not isinstance(kind, types.StringType | types.VarcharType | types.CharType):
            raise InputError(
                f"column {columns.text!r} is of type {kind.simpleString()}, not string; columns=[…] is for tables"
            )
    return df.select(*(f"`{name}`" for name in columns.names))


def _n_partitions(df: DataFrame) -> int:
    """How many partitions there are; with Spark Connect nobody says, and the driver merges."""
    return int(df.rdd.getNumPartitions()) if _is_classic(df.sparkSession) else 1


def _is_classic(spark: Any) -> bool:
    return not type(spark).__module__.startswith("pyspark.sql.connect")


def _collected(states: DataFrame) -> Iterator[Answer]:
    table = states.toArrow()
    for row in table.to_batches(1):
        part, shard, error, data = (row.column(name)[0].as_py() for name in ("part", "shard", "error", "data"))
        yield Answer(part, shard, error, data)


_FOLDERS: list[str] = []


def _sent(spark: Any, model: Classifier) -> str:
    """The name of the model's file, which each executor gets once; the same model has the same name."""
    data = storage.to_bytes(*model.parts())
    name = f"{blake2b(data, digest_size=16).hexdigest()}{storage.ENDING}"
    if not _FOLDERS:
        _FOLDERS.append(tempfile.mkdtemp(prefix="banbury-"))
        atexit.register(shutil.rmtree, _FOLDERS[0], ignore_errors=True)
    path = Path(_FOLDERS[0]) / name
    if not path.exists():
        storage.write(path, *model.parts())
    if _is_classic(spark):
        spark.sparkContext.addFile(str(path))  # a file that was sent before is not sent again
    else:
        spark.addArtifacts(str(path), file=True)
    return name


def _predicted(work: str, model: Classifier, df: DataFrame, text: str, new: dict[str, str]) -> DataFrame:
    columns = predicting.columns_for(model, text)
    _checked(df, columns)
    for name in new:
        predicting.check_new(name, df.columns)
    schema = types.StructType([*df.schema.fields, *types.StructType.fromDDL(_ddl(new)).fields])
    task = _predicting(work, _sent(df.sparkSession, model), json.dumps(columns.settings()), list(new), __version__)
    return df.mapInArrow(task, schema)


def _ddl(new: dict[str, str]) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in new.items())


# On the executors. These functions are sent by value, so they import what they need where they run: an executor without
# banbury can say so.


def counting(plan: str, version: str, shards: int) -> Callable[[Any], Any]:
    """A function that counts the Arrow batches of a partition."""

    def task(batches: Any) -> Any:
        import socket

        import pyarrow as pa
        from pyspark import TaskContext

        names = ("part", "shard", "error", "data")
        kinds = (pa.int64(), pa.int32(), pa.string(), pa.binary())
        schema = pa.schema(list(zip(names, kinds, strict=True)))
        try:
            from banbury.distributed.answers import counted, version_error
        except ImportError as error:
            message = f"host {socket.gethostname()} has no banbury: pip install banbury=={version} there ({error})"
            yield pa.record_batch([[0], [0], [message], [b""]], schema=schema)
            return
        if message := version_error(version):
            yield pa.record_batch([[0], [0], [message], [b""]], schema=schema)
            return
        for answer in counted(plan, TaskContext.get().partitionId(), batches, shards):
            yield pa.record_batch([[value] for value in answer], schema=schema)

    return task


def _merging(plan: str, min_documents: int) -> Callable[[Any], Any]:
    def task(batches: Any) -> Any:
        import pyarrow as pa

        from banbury.distributed.answers import Answer, merged

        def each() -> Any:
            for batch in batches:
                for row in range(batch.num_rows):
                    yield Answer(*(batch.column(name)[row].as_py() for name in Answer._fields))

        kinds = (pa.int64(), pa.int32(), pa.string(), pa.binary())
        schema = pa.schema(list(zip(Answer._fields, kinds, strict=True)))
        for answer in merged(plan, each(), min_documents):
            yield pa.record_batch([[value] for value in answer], schema=schema)

    return task


def _learning(name: str, columns: str, version: str) -> Callable[[Any], Any]:
    def task(batches: Any) -> Any:
        import json
        import socket

        import pyarrow as pa
        from pyspark import SparkFiles, TaskContext

        names = ("part", "shard", "error", "data")
        kinds = (pa.int64(), pa.int32(), pa.string(), pa.binary())
        schema = pa.schema(list(zip(names, kinds, strict=True)))
        try:
            from banbury.distributed.answers import learned, version_error
            from banbury.distributed.columns import Columns
            from banbury.distributed.predicting import opened
        except ImportError as error:
            message = f"host {socket.gethostname()} has no banbury: pip install banbury=={version} there ({error})"
            yield pa.record_batch([[0], [0], [message], [b""]], schema=schema)
            return
        if message := version_error(version):
            yield pa.record_batch([[0], [0], [message], [b""]], schema=schema)
            return
        part, reader = TaskContext.get().partitionId(), Columns.from_settings(json.loads(columns))
        rows = (reader.read(batch, f"part {part}") for batch in batches)
        for answer in learned(opened(SparkFiles.get(name)), part, rows):
            yield pa.record_batch([[value] for value in answer], schema=schema)

    return task


def _predicting(work: str, name: str, columns: str, new: list[str], version: str) -> Callable[[Any], Any]:
    def task(batches: Any) -> Any:
        import json
        import socket

        from pyspark import SparkFiles

        try:
            from banbury.distributed import predicting
            from banbury.distributed.answers import version_error
            from banbury.distributed.columns import Columns
        except ImportError as error:
            host = socket.gethostname()
            raise ImportError(f"host {host} has no banbury: pip install banbury=={version} there ({error})") from error
        if message := version_error(version):
            raise ImportError(message)
        model, reader = predicting.opened(SparkFiles.get(name)), Columns.from_settings(json.loads(columns))
        for batch in batches:
            yield getattr(predicting, work)(model, batch, reader, *new)

    return task
