"""A client of Spark Connect, in a process of its own: `python connect_client.py sc://… folder`.

The server does all the work; here no JVM is started. What differs from one machine is an AssertionError.
"""

import json
import sys

import pytest

from banbury import Classifier
from sparking import LABELS, TEXTS, collected, content, frame


def main(url: str, folder: str) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import StringIndexer
    from pyspark.sql import SparkSession

    from banbury import spark as engine
    from banbury.errors import InputError
    from banbury.spark.ml import BanburyClassifier

    spark = SparkSession.builder.remote(url).getOrCreate()
    assert type(spark).__module__ == "pyspark.sql.connect.session"
    df = frame(spark)
    texts, labels = collected(df)
    whole = Classifier().fit(texts, labels)
    for n_shards in (1, 3):
        assert content(engine.fit(df, shards=n_shards)) == content(whole)
    pruned = engine.fit(df, min_documents=4)
    assert content(pruned) == content(engine.fit(df, shards=1, min_documents=4)) != content(whole)

    rows = engine.predict(whole, df, label="predicted").collect()
    assert [row.predicted for row in rows] == whole.predict(texts).tolist()
    assert [row.probability for row in rows] == whole.predict_proba(texts).max(axis=1).tolist()
    all_classes = [row.probabilities for row in engine.predict_proba(whole, df).collect()]
    assert all_classes == whole.predict_proba(texts).tolist()
    why = engine.explain(whole, df.limit(1)).collect()[0].explanation
    assert json.loads(why) == json.loads(json.dumps(whole.explain(texts[0]).to_dict()))
    found, expected = engine.evaluate(whole, df), whole.evaluate(texts, labels)
    assert (found.accuracy, found.confusion) == (expected.accuracy, expected.confusion)

    more, learned = frame(spark, 2, text=TEXTS[:20], label=LABELS[:20]), Classifier().fit(texts, labels)
    learned.learn(TEXTS[:20], LABELS[:20])
    assert content(engine.learn(whole, more)) == content(learned)
    with pytest.raises(InputError, match="column 'label' is null in row 1 of part 0"):
        engine.fit(frame(spark, 1, text=["a", "b"], label=["x", None]))
    with pytest.raises(InputError, match="column 'number' is of type bigint, not string"):
        engine.fit(frame(spark, 1, text=["a"], number=[1], label=["x"]), text="number")

    stages = [StringIndexer(inputCol="label", outputCol="index"), BanburyClassifier(labelCol="index")]
    pipeline = Pipeline(stages=stages).fit(df)
    pipeline.save(f"{folder}/pipeline")
    loaded = PipelineModel.load(f"{folder}/pipeline")
    assert content(loaded.stages[1].classifier) == content(pipeline.stages[1].classifier)
    accuracy = MulticlassClassificationEvaluator(labelCol="index", metricName="accuracy").evaluate(loaded.transform(df))
    assert accuracy == expected.accuracy
    spark.stop()
    print("the same as on one machine")


if __name__ == "__main__":
    main(*sys.argv[1:])
