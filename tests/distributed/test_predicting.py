"""Predictions for Arrow batches are those of the model, in the order of the rows."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from banbury import Classifier, storage
from banbury.distributed import predicting
from banbury.errors import InputError

MODEL = Classifier().fit(["free money now", "lunch at noon", "free lunch", "money"], ["spam", "ham", "ham", "spam"])
TEXTS = ["free", None, "lunch money", ""]
BATCH = pa.record_batch({"n": [1, 2, 3, 4], "text": TEXTS})
PRESENT = ["free", "lunch money", ""]


def test_labels_and_probabilities_stand_beside_their_rows() -> None:
    columns = predicting.columns_for(MODEL, "text")
    found = predicting.with_labels(MODEL, BATCH, columns, "label", "probability").to_pydict()
    labels, highest = MODEL.predict(PRESENT).tolist(), MODEL.predict_proba(PRESENT).max(axis=1).tolist()
    assert found["n"] == [1, 2, 3, 4]
    assert found["label"] == [labels[0], None, *labels[1:]]
    assert found["probability"] == [highest[0], None, *highest[1:]]
    all_classes = predicting.with_probabilities(MODEL, BATCH, columns, "p").to_pydict()["p"]
    assert all_classes == [None if text is None else MODEL.predict_proba([text])[0].tolist() for text in TEXTS]
    why = predicting.with_explanations(MODEL, BATCH, columns, "why").to_pydict()["why"]
    assert json.loads(why[2]) == json.loads(json.dumps(MODEL.explain("lunch money").to_dict()))
    assert why[1] is None


def test_equal_probabilities_are_decided_as_by_predict() -> None:
    model = Classifier.textbook().fit(["a", "b"], ["x", "y"])
    batch = pa.record_batch({"text": ["c", "a b", "b"]})
    found = predicting.with_labels(model, batch, predicting.columns_for(model, "text"), "label", "p")
    assert found.to_pydict()["label"] == model.predict(["c", "a b", "b"]).tolist()


def test_numbers_are_floats_and_probabilities_stand_at_their_places() -> None:
    model = Classifier().fit(["good", "bad", "so good"], [2, 1, 2])
    columns = predicting.columns_for(model, "text")
    found = predicting.with_numbers_and_places(model, BATCH, columns, "prediction", "p", [1, 2], 4)
    assert found.schema.field("prediction").type == pa.float64()
    row = model.predict_proba(["free"])[0].tolist()
    assert found.to_pydict()["p"][:2] == [[0.0, *row, 0.0], None]
    named = predicting.with_numbers_and_places(MODEL, BATCH, columns, "prediction", "p", [0, 1], 2)
    assert named.column("prediction").to_pylist() == [
        None if text is None else MODEL.predict([text])[0] for text in TEXTS
    ]


@pytest.mark.parametrize(
    "labels, kind", [([1, 2], pa.int64()), ([True, False], pa.bool_()), ([0.5, 1.5], pa.float64())]
)
def test_labels_have_the_type_of_the_model(labels: list[object], kind: pa.DataType) -> None:
    model = Classifier().fit(["a", "b"], labels)
    assert predicting.label_type(model) == kind
    batch = predicting.with_labels(model, BATCH.slice(0, 0), predicting.columns_for(model, "text"), "label", "p")
    assert batch.schema.field("label").type == kind


def test_a_model_of_a_table_reads_its_columns() -> None:
    table = pa.table({"age": [20, 30, 70, 80] * 5, "plan": ["a", "a", "b", "b"] * 5})
    model = Classifier(columns=["age", "plan"]).fit(table, [False, False, True, True] * 5)
    columns = predicting.columns_for(model, "text")
    assert columns.names == ["age", "plan"]
    found = predicting.with_labels(model, table, columns, "old", "p")
    assert found.column("old").to_pylist() == model.predict(table).tolist()


def test_a_file_is_opened_once(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.banbury")
    assert predicting.opened(str(tmp_path / "model.banbury")) is predicting.opened(str(tmp_path / "model.banbury"))
    data = storage.to_bytes(*MODEL.parts())
    assert predicting.opened_bytes(data).predict(PRESENT).tolist() == MODEL.predict(PRESENT).tolist()


def test_a_column_is_never_replaced() -> None:
    with pytest.raises(InputError, match="there is a column 'n' already"):
        predicting.check_new("n", ["n"])


def test_an_evaluation_of_probabilities_is_that_of_the_texts() -> None:
    labels = ["spam", "ham", "ham"]
    columns, table = predicting.columns_for(MODEL, "text", label="label"), scored(labels, PRESENT)
    found = predicting.evaluation_of(MODEL, [table[:0], table[:1], table[1:]], columns, "chances")
    expected = MODEL.evaluate(PRESENT, labels)
    assert (found.accuracy, found.confusion) == (expected.accuracy, expected.confusion)
    assert found.log_loss == pytest.approx(expected.log_loss, rel=1e-12)


def test_what_cannot_be_evaluated_is_an_error() -> None:
    columns, table = predicting.columns_for(MODEL, "text", label="label"), scored(["spam"], ["free"])
    for parts in ([], [table[:0]]):
        with pytest.raises(InputError, match="no rows to evaluate"):
            predicting.evaluation_of(MODEL, parts, columns, "chances")
    missing = pa.table({"label": ["ham"], "chances": pa.array([None], pa.list_(pa.float64()))})
    with pytest.raises(InputError, match="column 'text' has nulls"):
        predicting.evaluation_of(MODEL, [table, missing], columns, "chances")


def scored(labels: list[str], texts: list[str]) -> pa.Table:
    return pa.table({"label": labels, "chances": MODEL.predict_proba(texts).tolist()})


def test_an_empty_frame_has_the_columns_of_a_full_one() -> None:
    empty = predicting.empty_frame(MODEL, {"n": "int64"}, "with_labels", ["label", "probability"])
    assert list(empty.columns) == ["n", "label", "probability"]
    assert len(empty) == 0
    assert empty["probability"].dtype == float
    assert list(predicting.empty_frame(MODEL, {}, "with_probabilities", ["p"]).columns) == ["p"]
