"""A stream of Spark: letters with labels come in files, and a model learns each batch exactly once."""

import json
import shutil
import tempfile
from pathlib import Path

import banbury

DAYS = [
    [("win free money now", "spam"), ("lunch at noon?", "ham")],
    [("claim your free prize", "spam"), ("are you at the meeting at noon", "ham")],
]

if shutil.which("java") is None:
    print("Spark needs Java: install a JRE of version 17 or later")
else:
    from pyspark.sql import SparkSession

    from banbury import spark as engine

    folder = Path(tempfile.mkdtemp())
    (folder / "in").mkdir()
    model = folder / "mail.banbury"
    banbury.Classifier.textbook().fit(["money", "minutes of the meeting"], ["spam", "ham"]).save(model)

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    learn = engine.learn_batch(model)  # or of a running server: "http://localhost:8000/v1/models/mail"

    def learn_twice(df, batch_id):
        """As it happens after a failure: a batch that was learned comes again."""
        learn(df, batch_id)
        learn(df, batch_id)

    for number, letters in enumerate(DAYS):
        lines = [json.dumps({"text": text, "label": label}) for text, label in letters]
        (folder / "in" / f"{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        stream = spark.readStream.schema("text string, label string").json(str(folder / "in"))
        query = stream.writeStream.foreachBatch(learn_twice).trigger(availableNow=True)
        query.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination()
        print(f"documents that were learned: {sum(banbury.load(model).counts_.documents)}")
    spark.stop()
    shutil.rmtree(folder)
