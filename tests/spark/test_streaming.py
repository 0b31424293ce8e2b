"""Streams of a real Spark are learned exactly once."""

import json
from pathlib import Path
from typing import Any

import banbury
from banbury import Classifier
from sparking import LABELS, NEEDS_SPARK, TEXTS, content

pytestmark = NEEDS_SPARK


def test_a_stream_is_learned_exactly_once(spark: Any, tmp_path: Path) -> None:
    from banbury import spark as engine

    source, path = tmp_path / "in", str(tmp_path / "stream.banbury")
    source.mkdir()
    Classifier().fit(TEXTS[:40], LABELS[:40]).save(path)
    learn = engine.learn_batch(path)
    batches: list[tuple[Any, int]] = []

    def twice(df: Any, batch_id: int) -> None:
        learn(df, batch_id)
        learn(df, batch_id)  # as after a crash between the batch and its checkpoint
        batches.append((df, batch_id))

    for number, start in enumerate((40, 60)):
        rows = [{"text": TEXTS[n], "label": LABELS[n]} for n in range(start, start + 20)]
        (source / f"{number}.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        stream = spark.readStream.schema("text string, label string").json(str(source))
        query = stream.writeStream.foreachBatch(twice).option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).start().awaitTermination()
    assert [batch_id for _, batch_id in batches] == [0, 1]
    expected = Classifier().fit(TEXTS[:40], LABELS[:40]).learn(TEXTS[40:80], LABELS[40:80])
    assert content(banbury.load(path)) == content(expected)
