"""What executors run: functions that are sent by value, and import what they need where they run.

So an executor without banbury, or with another version, can say so. What goes wrong while counting is an answer, not
an exception: it would be tried again four times, and its message would come wrapped in that of Spark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from banbury.distributed import answers
from banbury.distributed.answers import Answer
from banbury.distributed.columns import Columns, arrow
from banbury.distributed.predicting import opened

Task = Callable[[Any], Any]
ANSWERS = "part long, shard int, error string, data binary"


def answering(work: str, version: str, *arguments: Any, file: str | None = None) -> Task:
    """A function for `mapInArrow` that does some work of this module and gives its answers, as rows of `ANSWERS`.

    The work is called with the number of the partition, its Arrow batches, the place of the `file`, if there is one,
    and the arguments.
    """
    pa = arrow()
    kinds = (pa.int64(), pa.int32(), pa.string(), pa.binary())
    schema = pa.schema(list(zip(Answer._fields, kinds, strict=True)))

    def task(batches: Any) -> Any:
        import socket

        import pyarrow as pa
        from pyspark import SparkFiles, TaskContext

        def row(*values: Any) -> Any:
            return pa.record_batch([[value] for value in values], schema=schema)

        try:
            from banbury.distributed.answers import version_error
            from banbury.spark import tasks
        except ImportError as error:
            message = f"host {socket.gethostname()} has no banbury: pip install banbury=={version} there ({error})"
            yield row(0, 0, message, b"")
            return
        if message := version_error(version):
            yield row(0, 0, message, b"")
            return
        files = [] if file is None else [SparkFiles.get(file)]
        for answer in getattr(tasks, work)(TaskContext.get().partitionId(), batches, *files, *arguments):
            yield row(*answer)

    return task


def predicting(work: str, version: str, file: str, columns: str, *arguments: Any) -> Task:
    """A function for `mapInArrow` that adds columns to batches by some work of `banbury.distributed.predicting`."""

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
        model, reader = predicting.opened(SparkFiles.get(file)), Columns.from_settings(json.loads(columns))
        for batch in batches:
            yield getattr(predicting, work)(model, batch, reader, *arguments)

    return task


# Work of `answering`


def counted(part: int, batches: Any, plan: str, n_shards: int) -> Iterator[Answer]:
    """The state of a partition, in so many shards."""
    return answers.counted(plan, part, batches, n_shards)


def merged(part: int, batches: Any, plan: str, min_documents: int) -> Iterator[Answer]:
    """One state for each shard among those that came to this partition."""
    return answers.merged(plan, answers_in(batches), min_documents)


def learned(part: int, batches: Any, path: str, columns: str) -> Iterator[Answer]:
    """A model without counts that has learned the rows of a partition."""
    reader = Columns.from_settings(json.loads(columns))
    return answers.learned(opened(path), part, (reader.read(batch, f"part {part}") for batch in batches))


def sketched(part: int, batches: Any, path: str, columns: str, rule: str) -> Iterator[Answer]:
    """The sketch of the scores of a partition."""
    reader = Columns.from_settings(json.loads(columns))
    rows = (reader.read(batch, f"part {part}", for_prediction=True) for batch in batches)
    return answers.sketched(opened(path), part, rows, rule)


def merged_sketches(part: int, batches: Any) -> Iterator[Answer]:
    """One sketch of those that came to this partition."""
    return answers.merged_sketches(answers_in(batches))


def answers_in(batches: Any) -> Iterator[Answer]:
    """The answers that Arrow batches hold, as rows of `ANSWERS`."""
    for batch in batches:
        for row in range(batch.num_rows):
            yield Answer(*(batch.column(name)[row].as_py() for name in Answer._fields))
