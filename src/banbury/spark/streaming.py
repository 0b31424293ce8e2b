"""Streams of Spark: each batch is learned exactly once, whatever fails in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from banbury import storage
from banbury.classifier import Classifier
from banbury.spark.frames import learn

DataFrame = Any


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
