"""Streams of Spark: each batch is learned exactly once, whatever fails in between."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import Any

from banbury import storage
from banbury.classifier import Classifier
from banbury.distributed.columns import Columns
from banbury.errors import InputError
from banbury.spark import frames
from banbury.spark.posting import post

DataFrame = Any
Learn = Callable[[DataFrame, int], None]


def learn_batch(
    model: str | PathLike[str],
    *,
    stream: str = "stream",
    text: str = "text",
    columns: Any = None,
    label: str = "label",
    nulls: str = "error",
    token: str | None = None,
    patience: float = 60.0,
) -> Learn:
    """A function for `foreachBatch` that lets a model learn each batch of a stream exactly once.

    The model is that of a file, or one of a running server by its address, `http://host:8000/v1/models/name`. A batch
    that comes again after a failure is known by its number and left out: a file has the number of the last batch of
    each `stream` in it and is replaced whole, a server keeps the numbers in its journal. A stream that begins anew,
    without its checkpoint, counts from 0 again and needs another name.

    `columns` are those of a table, for a server; a file knows them. `token` is the server's key, where it has keys;
    a server that cannot be reached is tried again for `patience` seconds.

    `frame.writeStream.foreachBatch(learn_batch("model.banbury")).option("checkpointLocation", …).start()`
    """
    address = fspath(model)
    if address.startswith(("http://", "https://")):
        read = Columns.of(text=text, columns=columns, label=label, nulls=nulls)
        return _into_server(address, stream, read, token, patience)
    if columns is not None:
        raise InputError("columns are for a server; the model in a file knows its own")
    return _into_file(address, stream, {"text": text, "label": label, "nulls": nulls})


def _into_file(path: str, stream: str, names: dict[str, str]) -> Learn:
    def learn_once(df: DataFrame, batch_id: int) -> None:
        with storage.locked(path):
            file = storage.read(path)
            streams: dict[str, int] = dict(file.settings.get("streams", {}))
            if batch_id <= streams.get(stream, -1):
                return
            model = frames.learn(Classifier.from_parts(file.settings, file.arrays, path), df, **names)
            settings, arrays = model.parts()
            storage.write(path, {**settings, "streams": {**streams, stream: batch_id}}, arrays)

    return learn_once


def _into_server(url: str, stream: str, columns: Columns, token: str | None, patience: float) -> Learn:
    def learn_once(df: DataFrame, batch_id: int) -> None:
        rows = columns.read(frames.checked(df, columns).toArrow(), f"batch {batch_id} of the stream {stream!r}")
        post(url, f"{stream}/{batch_id}", rows, token=token, patience=patience)

    return learn_once
