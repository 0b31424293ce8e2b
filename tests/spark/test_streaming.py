"""Streams of a real Spark are learned exactly once, into a file and into a real server."""

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Classifier
from banbury.errors import InputError
from serving import Serving
from sparking import LABELS, NEEDS_SPARK, TEXTS, content, frame

pytestmark = NEEDS_SPARK
Learn = Callable[[Any, int], None]


class Source:
    """A folder of JSON Lines that a stream reads, with its checkpoint."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        (folder / "in").mkdir()

    def write(self, first: int, last: int) -> None:
        """Put texts of these numbers there, which become a batch."""
        rows = [{"text": TEXTS[n], "label": LABELS[n]} for n in range(first, last)]
        (self.folder / "in" / f"{first:03}.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def run(self, learn: Learn) -> None:
        """Let a function learn what is new, until nothing is left."""
        stream = self.spark.readStream.schema("text string, label string").option("maxFilesPerTrigger", 1)
        query = stream.json(str(self.folder / "in")).writeStream.foreachBatch(learn)
        query = query.option("checkpointLocation", str(self.folder / "checkpoint")).trigger(availableNow=True)
        query.start().awaitTermination()


@pytest.fixture
def source(spark: Any, tmp_path: Path) -> Source:
    return Source(spark, tmp_path)


def test_a_stream_is_learned_exactly_once(source: Source, tmp_path: Path) -> None:
    from pyspark.errors import StreamingQueryException

    from banbury import spark as engine

    path = tmp_path / "stream.banbury"
    Classifier().fit(TEXTS[:40], LABELS[:40]).save(path)
    learn, batches = engine.learn_batch(path), Counter[int]()

    def crashing(df: Any, batch_id: int) -> None:
        batches[batch_id] += 1
        learn(df, batch_id)
        if batches == {0: 1, 1: 1}:
            raise RuntimeError("after the file is written, before the batch is committed")

    source.write(40, 60)
    source.write(60, 80)
    with pytest.raises(StreamingQueryException, match="before the batch is committed"):
        source.run(crashing)
    source.run(crashing)
    assert batches == {0: 1, 1: 2}
    expected = Classifier().fit(TEXTS[:40], LABELS[:40]).learn(TEXTS[40:80], LABELS[40:80])
    assert content(banbury.load(path)) == content(expected)


def test_a_stream_is_learned_by_a_server_exactly_once(source: Source, tmp_path: Path) -> None:
    from pyspark.errors import StreamingQueryException

    from banbury import spark as engine

    file, journal, batches = tmp_path / "mail.banbury", tmp_path / "journal", Counter[int]()
    Classifier.textbook().fit(TEXTS[:40], LABELS[:40]).save(file)
    with Serving(file, "--journal", journal) as server:
        port = server.port
        learn = engine.learn_batch(f"http://127.0.0.1:{port}/v1/models/mail")

        def crashing(df: Any, batch_id: int) -> None:
            batches[batch_id] += 1
            learn(df.repartition(batches[batch_id]), batch_id)  # rows come in another order the second time
            if batches == {0: 1, 1: 1}:
                server.stop(signal.SIGKILL)
                raise RuntimeError("after the journal is written, before the batch is committed")

        source.write(40, 60)
        source.write(60, 80)
        with pytest.raises(StreamingQueryException, match="before the batch is committed"):
            source.run(crashing)
    with Serving(file, "--journal", journal, port=port) as again:
        source.run(crashing)
        assert batches == {0: 1, 1: 2}
        lines = [json.loads(line) for line in again.get("/v1/models/mail/export").body.splitlines()]
        learned = sorted((line["text"], line["label"]) for line in lines)
        assert learned == sorted(zip(TEXTS[40:80], LABELS[40:80], strict=True))
        whole = Classifier.textbook().fit(TEXTS[:80], LABELS[:80])
        assert again.predict("mail", *TEXTS)["labels"] == whole.predict(TEXTS).tolist()


def test_a_batch_that_cannot_be_learned_changes_nothing(spark: Any, tmp_path: Path, model: Classifier) -> None:
    from banbury import spark as engine

    path = tmp_path / "stream.banbury"
    model.save(path)
    before = path.read_bytes()
    for target in (path, "http://127.0.0.1:9/v1/models/mail"):
        with pytest.raises(InputError, match="column 'label' is null in row 1"):
            engine.learn_batch(target)(frame(spark, 1, text=["a", "b"], label=["ham", None]), 0)
    with pytest.raises(ConnectionError, match="did not learn what was sent under the key 'stream/7/0'"):
        engine.learn_batch("http://127.0.0.1:9/v1/models/mail", patience=0)(frame(spark, 1), 7)
    with pytest.raises(InputError, match="columns are for a server"):
        engine.learn_batch(path, columns=["age"])
    assert path.read_bytes() == before
