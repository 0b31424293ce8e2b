"""What the tests of Spark share: a real Spark of local processes, rows for it, and the bytes of a model."""

import gc
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

from banbury import Classifier, storage

NEEDS_SPARK = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, and there is none"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets between driver and JVM
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WORDS = ["free", "money", "lunch", "noon", "now", "so", "ä", "goal", "vote"]
TEXTS = [" ".join(WORDS[(n * k) % 9] for k in (1, 2, 4)) + f" n{n % 5}" for n in range(90)]
LABELS = [["ham", "spam", "spam"][n % 3] for n in range(89)] + ["only once"]  # skewed, and one that one partition has

CONFIGURATION = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    # Jobs of a few rows: code is run once, so compiling it well costs more than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def local_spark(master: str = "local[2,4]", **more: str) -> Iterator[Any]:
    """A session of two executor threads, where a task may fail three times; or of a cluster."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("banbury")
    for name, value in (CONFIGURATION | more).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        gc.collect()  # what is left of sockets is closed here, not in the middle of another test


def content(model: Classifier) -> bytes:
    """The bytes of the model's file."""
    return storage.to_bytes(*model.parts())


def frame(spark: Any, n_partitions: int = 3, **columns: Any) -> Any:
    """A data frame of so many partitions, ordered by text."""
    table = pa.table(columns or {"text": TEXTS, "label": LABELS})
    return spark.createDataFrame(table).coalesce(1).repartitionByRange(n_partitions, "text")


def collected(df: Any) -> tuple[list[str], list[Any]]:
    """Texts and labels in the order of the partitions."""
    rows = df.collect()
    return [row.text for row in rows], [row.label for row in rows]
