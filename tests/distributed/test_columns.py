"""Columns of Arrow batches: what is read, and which column an error names."""

from typing import Any

import pyarrow as pa
import pytest

from banbury.distributed.columns import Columns
from banbury.errors import BanburyError, InputError

TEXTS = Columns.of(text="text", columns=None, label="label")


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.record_batch(columns)


def test_texts_labels_and_weights_are_read() -> None:
    columns = Columns.of(text="t", columns=None, label="l", sample_weight="w")
    rows = columns.read(batch(x=[1, 2], t=["a", "b"], l=[True, False], w=[1, 3]), "part 0")
    assert (rows.documents.to_pylist(), rows.labels, rows.weights, len(rows)) == (["a", "b"], [True, False], [1, 3], 2)


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_texts_of_every_kind_are_texts(kind: Any) -> None:
    rows = TEXTS.read(batch(text=pa.array(["a", "a"], kind), label=["x", "y"]), "part 0")
    assert rows.documents.to_pylist() == ["a", "a"]


def test_the_rows_of_a_table_have_its_columns_alone() -> None:
    columns = Columns.of(text="text", columns={"age": "auto"}, label="label")
    rows = columns.read(batch(age=[1, None], label=["x", "y"], other=[1, 2]), "part 0")
    assert rows.documents.to_pydict() == {"age": [1, None]}


def test_nulls_are_skipped_where_that_is_asked_for() -> None:
    columns = Columns.of(text="text", columns=None, label="label", nulls="skip")
    rows = columns.read(batch(text=["a", None, "c"], label=["x", "y", None]), "part 0")
    assert (rows.documents.to_pylist(), rows.labels) == (["a"], ["x"])


def test_a_prediction_needs_no_label_and_leaves_out_nulls() -> None:
    rows = Columns.of(text="text", columns=None, label=None).read(
        batch(text=["a", None]), "part 0", for_prediction=True
    )
    assert (rows.documents.to_pylist(), rows.labels) == (["a"], None)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"text": [1, 2], "label": ["x", "y"]}, "column 'text' holds values of type int64, not texts"),
        ({"text": ["a", "b"], "label": ["x", None]}, "column 'label' is null in row 11 of part 3"),
        ({"text": [None, "b"], "label": ["x", "y"]}, "column 'text' is null in row 10 of part 3"),
        ({"text": ["a"]}, "there is no column 'label'; this data frame has 'text'"),
        (
            {"text": ["a"], "label": [float("inf")]},
            "column 'label', part 3, counted from row 10: document 0 has label inf",
        ),
    ],
)
def test_an_error_names_the_column(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BanburyError, match=message):
        TEXTS.read(batch(**given), "part 3", 10)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"nulls": "ignore"}, "nulls is 'ignore'; it can be 'error' or 'skip'"),
        ({"text": None}, "which column is the text?"),
        ({"columns": ["a", "label"]}, "columns has 'label'"),
    ],
)
def test_columns_that_cannot_be_used_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Columns.of(**{"text": "text", "columns": None, "label": "label", **options})
    assert Columns.from_settings(TEXTS.settings()) == TEXTS


def test_a_name_that_two_columns_have_is_refused() -> None:
    with pytest.raises(InputError, match="more than one column 'text'"):
        TEXTS.check(["text", "text", "label"])


def test_a_part_that_knows_nothing_of_its_texts_has_none() -> None:
    columns = Columns.of(text="text", columns=None, label="label", nulls="skip")
    nothing = pa.record_batch({"text": pa.nulls(2), "label": ["x", "y"]})
    assert len(columns.read(nothing, "part 0")) == 0
    assert len(columns.read(nothing.slice(0, 0), "part 0")) == 0
    with pytest.raises(InputError, match="column 'text' is null in row 0 of part 0"):
        Columns.of(text="text", columns=None, label="label").read(nothing, "part 0")
