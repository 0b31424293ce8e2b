"""A real Spark of local processes: the file of the model is that of one machine, whatever happens to tasks and rows."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from banbury import Classifier
from banbury.distributed.answers import Answer
from banbury.distributed.plan import Plan
from banbury.errors import InputError, LabelError
from sparking import LABELS, NEEDS_SPARK, TEXTS, collected, content, frame

pytestmark = NEEDS_SPARK


@pytest.mark.parametrize("fan_in, n_shards", [(16, 1), (2, 1), (16, 3)])  # merged by the driver, by a tree, by shards
def test_the_file_is_that_of_one_machine(
    spark: Any, fan_in: int, n_shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from banbury import spark as engine

    monkeypatch.setattr("banbury.spark.frames.FAN_IN", fan_in)
    df = frame(spark, 6)
    found = engine.fit(df, shards=n_shards)
    texts, labels = collected(df)
    whole = Classifier().fit(texts, labels)
    assert content(found) == content(whole)
    assert found.report_.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


@pytest.mark.parametrize("n_shards", [None, 3])
def test_features_of_few_documents_go_before_the_driver_gets_them(
    spark: Any, n_shards: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from banbury import spark as engine
    from banbury.spark import tasks

    df, plan, received = frame(spark, 4), Plan.of(), list[Answer]()
    read = tasks.answers_in  # on the driver; executors have their own

    def watched(batches: Any) -> list[Answer]:
        received.extend(read(batches))
        return received

    monkeypatch.setattr(tasks, "answers_in", watched)
    found = engine.fit(df, shards=n_shards, min_documents=8)
    texts, labels = collected(df)
    state: Any = plan.count(0, [pa.table({"text": texts, "label": labels})])
    n_all = state.tally.counts.n_features
    state.prune(min_documents=8)
    n_pruned = state.tally.counts.n_features
    assert content(found) == content(plan.fitted(state))
    states: list[Any] = [plan.state_from_bytes(answer.data) for answer in received]
    assert sum(shard.tally.counts.n_features for shard in states) == n_pruned < n_all


def test_plain_models_weights_and_nulls(spark: Any) -> None:
    from banbury import spark as engine

    weights = [n % 3 + 1 for n in range(90)]
    holes = [None if n % 7 == 0 else text for n, text in enumerate(TEXTS)]
    df = frame(spark, 2, text=holes, label=LABELS, weight=weights)
    plain: dict[str, Any] = {"likelihood": "bernoulli", "smoothing": 0.5, "prior": "uniform"}
    found = engine.fit(df, sample_weight="weight", nulls="skip", **plain)
    rows = [row for row in zip(holes, LABELS, weights, strict=True) if row[0] is not None]
    assert content(found) == content(Classifier(**plain).fit(*map(list, zip(*rows, strict=True))))
    with pytest.raises(InputError, match=r"column 'text' is null in row 0 of part 0.*on host"):
        engine.fit(df)


def test_tasks_that_fail_are_tried_again_and_count_once(spark: Any, tmp_path: Path, model: Classifier) -> None:
    from pyspark import TaskContext

    from banbury import spark as engine

    def failing_once(batches: Any) -> Any:
        yield from batches
        if TaskContext.get().attemptNumber() == 0:
            (tmp_path / f"failed{TaskContext.get().partitionId()}").touch()
            raise RuntimeError("this task is lost")

    df = frame(spark).mapInArrow(failing_once, "text string, label string")
    assert content(engine.fit(df)) == content(model)
    assert len(list(tmp_path.iterdir())) == 3


def test_empty_partitions_and_a_partition_of_one_long_text(spark: Any) -> None:
    from banbury import spark as engine

    words, n = "a text that is longer than any other ", 1_400_000
    long = spark.range(1).selectExpr(f"repeat('{words}', {n}) AS text", "'spam' AS label")
    df = frame(spark, 2).union(long).union(frame(spark, 3).where("label = 'nothing'"))
    texts, labels = collected(frame(spark, 2))
    assert len(words) * n > 50_000_000
    assert content(engine.fit(df)) == content(Classifier().fit([*texts, words * n], [*labels, "spam"]))


def test_a_table_is_that_of_one_machine(spark: Any) -> None:
    from banbury import spark as engine

    table = pa.table(
        {
            "text": [f"{n:03}" for n in range(90)],  # the order of the partitions
            "age": [None if n % 9 == 0 else 20 + n % 40 for n in range(90)],
            "plan": [["free", "paid"][n % 2] for n in range(90)],
            "left": [n % 4 > 1 for n in range(90)],
        }
    )
    df = spark.createDataFrame(table).repartitionByRange(3, "text")
    found = engine.fit(df, columns=["age", "plan"], label="left")
    whole = Classifier(columns=["age", "plan"]).fit(table.select(["age", "plan"]), table["left"].to_pylist())
    assert content(found) == content(whole)
    labels = [row.left_too for row in engine.predict(found, df, label="left_too").collect()]
    assert labels == whole.predict(table.select(["age", "plan"])).tolist()


def test_predictions_are_those_of_one_machine(spark: Any, model: Classifier) -> None:
    from banbury import spark as engine

    df = frame(spark, 2, text=[*TEXTS[:9], None], number=list(range(10)))
    rows = {row.number: row for row in engine.predict(model, df).collect()}
    proba = {row.number: row.probabilities for row in engine.predict_proba(model, df).collect()}
    why = {row.number: row.explanation for row in engine.explain(model, df).collect()}
    assert [rows[n].label for n in range(9)] == model.predict(TEXTS[:9]).tolist()
    assert [proba[n] for n in range(9)] == model.predict_proba(TEXTS[:9]).tolist()
    assert [rows[n].probability for n in range(9)] == model.predict_proba(TEXTS[:9]).max(axis=1).tolist()
    assert json.loads(why[3]) == json.loads(json.dumps(model.explain(TEXTS[3]).to_dict()))
    assert (rows[9].label, rows[9].probability, proba[9], why[9]) == (None, None, None, None)
    with pytest.raises(InputError, match="there is a column 'label' already"):
        engine.predict(model, frame(spark))


def test_an_evaluation_is_that_of_one_machine(spark: Any, model: Classifier) -> None:
    from banbury import spark as engine

    found, expected = engine.evaluate(model, frame(spark)), model.evaluate(TEXTS, LABELS)
    assert (found.accuracy, found.confusion) == (expected.accuracy, expected.confusion)
    assert found.log_loss == pytest.approx(expected.log_loss, rel=1e-12)


def test_learning_is_that_of_one_machine(spark: Any) -> None:
    from banbury import spark as engine

    model, whole = (Classifier().fit(TEXTS[:40], LABELS[:40]) for _ in range(2))
    df = frame(spark, 2, text=TEXTS[40:], label=LABELS[40:])
    assert content(engine.learn(model, df)) == content(whole.learn(TEXTS[40:], LABELS[40:]))
    with pytest.raises(InputError, match="column 'label' is null"):
        engine.learn(model, frame(spark, 1, text=["a", "b"], label=["ham", None]))
    assert content(model) == content(whole)


def test_bad_input_is_one_error_that_names_the_column(spark: Any) -> None:
    from banbury import spark as engine

    df = frame(spark, 1, text=["a", "b"], number=[1, 2], label=["x", None])
    with pytest.raises(InputError, match="column 'number' is of type bigint, not string"):
        engine.fit(df, text="number")
    with pytest.raises(InputError, match="there is no column 'title'; this data frame has 'text', 'number', 'label'"):
        engine.fit(df, text="title")
    with pytest.raises(InputError, match="column 'label' is null in row 1 of part 0"):
        engine.fit(df)
    with pytest.raises(InputError, match="shards is 0; it is a whole number from 1 on, or None"):
        engine.fit(df, shards=0)
    with pytest.raises(InputError, match="no documents to learn from"):
        engine.fit(df.where("number > 5"))
    with pytest.raises(InputError, match=r"column 'label', part 0, counted from row 0: .*on host"):
        engine.fit(frame(spark, 1, text=["a"], label=[[1]]))


def test_a_model_that_was_fitted_before_stays_where_labels_are_of_another_kind(spark: Any, model: Classifier) -> None:
    from banbury import spark as engine

    before = content(model)
    with pytest.raises((InputError, LabelError), match="of type int"):
        engine.learn(model, frame(spark, 1, text=["a", "b"], label=[1, 2]))
    assert content(model) == before


@pytest.mark.parametrize("n_partitions", [3, 20])
def test_the_rows_that_are_kept_are_those_of_one_machine(
    spark: Any, model: Classifier, tmp_path: Path, n_partitions: int
) -> None:
    from banbury import spark as engine

    lake, best = str(tmp_path / "lake"), str(tmp_path / "best")
    frame(spark, n_partitions, text=[*TEXTS, None], number=list(range(91))).write.parquet(lake)
    df = spark.read.parquet(lake)
    engine.filter(model, df, keep="spam", top=0.2, probability="P").write.parquet(best)
    kept = {row.number: row.P for row in spark.read.parquet(best).collect()}
    chances = model.predict_proba(TEXTS)[:, 2]
    lowest = sorted(chances, reverse=True)[17]  # the best fifth of 90 texts, and what is equal to the last of them
    assert kept == {n: chance for n, chance in enumerate(chances) if chance >= lowest}
    numbers = {row.number for row in engine.filter(model, df, keep="spam", above=0.9).collect()}
    assert numbers == {n for n, chance in enumerate(chances) if chance >= 0.9}
    labelled = {row.number for row in engine.filter(model, df, keep="ham").collect()}
    assert labelled == {n for n, label in enumerate(model.predict(TEXTS)) if label == "ham"}


def test_what_cannot_be_kept_is_one_error(spark: Any, model: Classifier) -> None:
    from banbury import spark as engine

    with pytest.raises(LabelError, match="there is no label 'eggs' to keep"):
        engine.filter(model, frame(spark), keep="eggs")
    with pytest.raises(InputError, match="column 'number' is of type bigint"):
        engine.filter(model, frame(spark, 1, text=["a"], number=[1]), keep="spam", text="number", top=0.1)
    with pytest.raises(InputError, match="there is a column 'label' already"):
        engine.filter(model, frame(spark), keep="spam", probability="label")
    nothing = frame(spark).where("label = 'nothing'")
    assert engine.filter(model, nothing, keep="spam", top=0.1).collect() == []
