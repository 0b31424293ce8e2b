"""Sending: the file of a model reaches each executor once, by the name that its content gives it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

from banbury import storage
from banbury.classifier import Classifier

_FOLDERS: list[str] = []


def is_classic(spark: Any) -> bool:
    """Whether this is a session beside its driver; one of Spark Connect talks to it over the network."""
    return not type(spark).__module__.startswith("pyspark.sql.connect")


def sent(spark: Any, model: Classifier) -> str:
    """The name of the model's file, by which executors find it; the same model has the same name."""
    data = storage.to_bytes(*model.parts())
    name = f"{blake2b(data, digest_size=16).hexdigest()}{storage.ENDING}"
    if not _FOLDERS:
        _FOLDERS.append(tempfile.mkdtemp(prefix="banbury-"))
        atexit.register(shutil.rmtree, _FOLDERS[0], ignore_errors=True)
    path = Path(_FOLDERS[0]) / name
    if not path.exists():
        storage.write(path, *model.parts())
    if is_classic(spark):
        spark.sparkContext.addFile(str(path))  # a file that was sent before is not sent again
    else:
        spark.addArtifacts(str(path), file=True)
    return name
