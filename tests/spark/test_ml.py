"""Pipelines of a real Spark: fitted, transformed, saved, loaded, cross-validated."""

from pathlib import Path
from typing import Any

import pytest

from banbury import Analyzer, Classifier, Dirichlet
from banbury.errors import FileFormatError, InputError, NotFittedError
from sparking import LABELS, NEEDS_SPARK, TEXTS, collected, content, frame

pytestmark = NEEDS_SPARK


def test_a_pipeline_is_fitted_saved_and_loaded(spark: Any, tmp_path: Path) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import StringIndexer
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql.functions import array, lit

    from banbury.spark.ml import BanburyClassifier

    df, path = frame(spark).withColumn("vector", array_to_vector(array(lit(1.0)))), str(tmp_path / "pipeline")
    indexer = StringIndexer(inputCol="label", outputCol="index", stringOrderType="alphabetAsc")
    Pipeline(stages=[indexer, BanburyClassifier(labelCol="index")]).save(str(tmp_path / "unfitted"))
    model = Pipeline.load(str(tmp_path / "unfitted")).fit(df)
    texts, labels = collected(df)
    numbers = [float(sorted(set(labels)).index(label)) for label in labels]
    whole = Classifier().fit(texts, numbers)
    assert content(model.stages[1].classifier) == content(whole)

    model.save(path)
    loaded = PipelineModel.load(path)
    assert content(loaded.stages[1].classifier) == content(whole)
    assert (loaded.stages[1].uid, loaded.stages[1].getLabelCol()) == (model.stages[1].uid, "index")
    rows = loaded.transform(df).collect()
    assert [row.prediction for row in rows] == whole.predict(texts).tolist()
    assert [row.probability.toArray().tolist() for row in rows] == whole.predict_proba(texts).tolist()
    assert rows[0].vector.toArray().tolist() == [1.0]  # columns of vectors pass through Python


def test_cross_validation_finds_the_better_of_a_grid(spark: Any, tmp_path: Path) -> None:
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder

    from banbury.spark.ml import BanburyClassifier

    labels = [float("free" in text) for text in TEXTS]
    df = frame(spark, 2, text=TEXTS, label=labels)
    estimator = BanburyClassifier(likelihood="multinomial", calibration=None)
    analyzers = [Analyzer(min_length=20), Analyzer()]  # no words; all words
    grid = ParamGridBuilder().addGrid(estimator.smoothing, [0.5]).addGrid(estimator.analyzer, analyzers).build()
    evaluator = MulticlassClassificationEvaluator(metricName="logLoss")
    found = CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1, parallelism=2
    ).fit(df)
    assert found.avgMetrics[1] < found.avgMetrics[0]
    best = found.bestModel
    assert best.getOrDefault("smoothing") == 0.5
    texts, numbers = collected(df)
    plain: dict[str, Any] = {"likelihood": "multinomial", "smoothing": 0.5, "calibration": None}
    assert content(best.classifier) == content(Classifier(analyzer=Analyzer(), **plain).fit(texts, numbers))
    found.save(str(tmp_path / "validated"))
    loaded = CrossValidatorModel.load(str(tmp_path / "validated"))
    assert content(loaded.bestModel.classifier) == content(best.classifier)
    assert loaded.getEstimatorParamMaps()[1][loaded.getEstimator().analyzer]["lowercase"] is True


def test_evaluators_read_the_columns(spark: Any) -> None:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator

    from banbury.spark.ml import BanburyClassifier

    labels = [int("free" in text) for text in TEXTS]  # whole numbers of Python: the prediction is a double all the same
    df = frame(spark, 2, text=TEXTS, label=labels)
    found = BanburyClassifier().fit(df).transform(df)
    assert BinaryClassificationEvaluator(rawPredictionCol="probability").evaluate(found) == 1
    whole = Classifier().fit(TEXTS, labels).evaluate(TEXTS, labels)
    assert MulticlassClassificationEvaluator(metricName="accuracy").evaluate(found) == whole.accuracy
    log_loss = MulticlassClassificationEvaluator(metricName="logLoss").evaluate(found)
    assert log_loss == pytest.approx(whole.log_loss, rel=1e-9)


def test_labels_of_any_kind_and_columns_left_out(spark: Any) -> None:
    from banbury.spark.ml import BanburyClassifier, BanburyClassifierModel, n_places_of, places_of

    df = frame(spark, 2, text=[*TEXTS, None], label=[*LABELS, "ham"], weight=[2] * 91)
    model = BanburyClassifier(weightCol="weight", nulls="skip", predictionCol="label_too", probabilityCol="").fit(df)
    rows = model.transform(df).collect()
    expected: dict[Any, Any] = dict(zip(TEXTS, Classifier().fit(TEXTS, LABELS, [2] * 90).predict(TEXTS), strict=True))
    assert {row.text: row.label_too for row in rows} == {**expected, None: None}
    assert rows[0].__fields__ == ["text", "label", "weight", "label_too"]
    stars = Classifier().fit(["bad", "good"], [1, 5])
    assert (places_of(stars), n_places_of(stars)) == ([1, 5], 6)
    signs = Classifier().fit(["bad", "good"], [-1, 1])
    assert (places_of(signs), n_places_of(signs)) == ([], 2)
    with pytest.raises(InputError, match="label 1000000 would be a place in a vector"):
        n_places_of(Classifier().fit(["bad", "good"], [0, 1000000]))
    with pytest.raises(NotFittedError, match="holds no classifier"):
        BanburyClassifierModel().transform(df)


def test_a_class_that_a_fold_lacks_keeps_its_place(spark: Any) -> None:
    from pyspark.ml.feature import StringIndexer

    from banbury.spark.ml import BanburyClassifier

    df = frame(spark, 1, text=["a", "b", "c"], label=["x", "y", "z"])
    indexed = StringIndexer(inputCol="label", outputCol="index").fit(df).transform(df)
    model = BanburyClassifier(labelCol="index").fit(indexed.where("index < 2"))
    assert [row.probability.size for row in model.transform(indexed).collect()] == [3, 3, 3]


def test_a_table_in_a_pipeline(spark: Any, tmp_path: Path) -> None:
    from banbury.spark.ml import BanburyClassifier, BanburyClassifierModel

    table = {"text": [f"{n:02}" for n in range(40)], "age": [20 + n % 7 for n in range(40)], "label": [0.0, 1.0] * 20}
    df = frame(spark, 2, **table)
    model = BanburyClassifier(columns={"age": "gaussian"}).fit(df)
    model.save(str(tmp_path / "table"))
    loaded = BanburyClassifierModel.load(str(tmp_path / "table"))
    ages = {"age": table["age"]}
    whole = Classifier(columns={"age": "gaussian"}).fit(ages, table["label"])
    assert content(loaded.classifier) == content(whole)
    assert [row.prediction for row in loaded.transform(df).collect()] == whole.predict(ages).tolist()
    with pytest.raises(InputError, match="in a pipeline a kind is a name"):
        BanburyClassifier(columns={"age": 3})


def test_parameters_are_those_of_the_classifier(spark: Any, tmp_path: Path) -> None:
    from banbury.spark.ml import BanburyClassifier

    given: dict[str, Any] = {
        "likelihood": "multinomial",
        "smoothing": None,
        "prior": Dirichlet(2),
        "analyzer": "tweets",
    }
    estimator = BanburyClassifier(**given)
    df = frame(spark, 1)
    extra = {estimator.prior: {"ham": 0.2, "spam": 0.7, "only once": 0.1}}
    estimator.save(str(tmp_path / "estimator"))
    loaded = BanburyClassifier.load(str(tmp_path / "estimator"))
    texts, labels = collected(df)
    assert content(loaded.fit(df).classifier) == content(Classifier(**given).fit(texts, labels))
    with_extra = Classifier(**{**given, "prior": {"ham": 0.2, "spam": 0.7, "only once": 0.1}}).fit(texts, labels)
    assert content(estimator.fit(df, extra).classifier) == content(with_extra)
    assert estimator.getOrDefault("prior") == {"dirichlet": 2}
    with pytest.raises(InputError, match="there is no parameter 'alpha'; there is analyzer, "):
        BanburyClassifier(alpha=1)
    with pytest.raises(InputError, match="likelihood is 'gaussian'"):
        BanburyClassifier(likelihood="gaussian").fit(df)


def test_a_damaged_model_is_refused(spark: Any, tmp_path: Path) -> None:
    from banbury.spark.ml import BanburyClassifier, BanburyClassifierModel

    path = str(tmp_path / "model")
    model = BanburyClassifier().fit(frame(spark, 1))
    model.save(path)
    with pytest.raises(Exception, match="already exists"):
        model.save(path)
    model.write().overwrite().save(path)
    damaged = spark.read.parquet(f"{path}/data").selectExpr("place", "substring(piece, 1, 2000) as piece").toArrow()
    spark.createDataFrame(damaged).write.mode("overwrite").parquet(f"{path}/data")
    with pytest.raises(FileFormatError, match="model: "):
        BanburyClassifierModel.load(path)
