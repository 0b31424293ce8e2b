"""Spark: a data frame of a cluster counted by its executors, and labelled by them."""

import shutil

import banbury

LETTERS = [
    ("win free money now", "spam"),
    ("lunch at noon?", "ham"),
    ("claim your free prize", "spam"),
    ("minutes of the meeting", "ham"),
    ("free money, no risk", "spam"),
    ("are you at the meeting at noon", "ham"),
]

if shutil.which("java") is None:
    print("Spark needs Java: install a JRE of version 17 or later")
else:
    from pyspark.sql import SparkSession

    from banbury import spark as engine

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    letters = spark.createDataFrame(LETTERS, "text string, label string").repartition(2)

    model = engine.fit(letters)
    one_machine = banbury.Classifier().fit(*map(list, zip(*LETTERS, strict=True)))
    print(f"the same counts as on one machine: {model.counts_.parts() == one_machine.counts_.parts()}")

    new = spark.createDataFrame([("free lunch money",), ("the meeting at noon",)], "text string")
    for row in engine.predict(model, new).collect():
        print(f"{row.text}: {row.label} ({row.probability:.2f})")
    print(f"accuracy on what it has learned: {engine.evaluate(model, letters).accuracy:.2f}")

    best = engine.filter(model, letters, keep="spam", top=0.5)
    print(f"the half that is most likely spam: {sorted(row.text for row in best.collect())}")
    spark.stop()
