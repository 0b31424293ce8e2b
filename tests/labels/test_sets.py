"""Label sets: lists and indicator matrices of any library, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from banbury.errors import LabelError
from banbury.labels.sets import as_label_sets, indicator


@pytest.mark.parametrize(
    "labels",
    [
        [["a", "b"], [], ["b"]],
        [("b", "a", "b"), (), ("b",)],
        [{"a", "b"}, set(), {"b"}],
        [np.array(["a", "b"]), np.array([], dtype=str), np.array(["b"])],
        pd.Series([["a", "b"], [], ["b"]]),
        pl.Series([["a", "b"], [], ["b"]]),
    ],
)
def test_lists_of_any_library_are_label_sets(labels: Any) -> None:
    found = as_label_sets(labels)
    assert found.sets == [("a", "b"), (), ("b",)]
    assert found.columns is None


MATRIX = np.array([[1, 1], [0, 0], [0, 1]])


@pytest.mark.parametrize("matrix", [MATRIX, MATRIX.astype(bool), MATRIX.astype(float), csr_matrix(MATRIX)])
def test_columns_without_names_are_numbers(matrix: Any) -> None:
    assert as_label_sets(matrix) == ([(0, 1), (), (1,)], [0, 1])
    assert as_label_sets(matrix, ["a", "b"]) == ([("a", "b"), (), ("b",)], ["a", "b"])


@pytest.mark.parametrize("frame", [pd.DataFrame(MATRIX, columns=["a", "b"]), pl.DataFrame(MATRIX, schema=["a", "b"])])
def test_the_columns_of_a_data_frame_name_the_labels(frame: Any) -> None:
    assert as_label_sets(frame) == ([("a", "b"), (), ("b",)], ["a", "b"])


def test_an_indicator_is_the_way_back() -> None:
    assert indicator(as_label_sets(MATRIX).sets, [0, 1]).tolist() == MATRIX.tolist()
    assert indicator([["a", "never seen"]], ["b", "a"]).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "labels, message",
    [
        (["a", "b"], r"document 0 has 'a', one label and no list; write \['a'\]"),
        ([["a"], 3], "document 1 has 3, one label and no list"),
        ([["a"], None], r"document 1 has no labels \(None\); \[\] says that it has none"),
        ([["a"], float("nan")], r"document 1 has no labels \(nan\)"),
        ([["a"], {"b": 1}], "document 1 has .* for labels; they are a list"),
        ([["a"], [], ["b", 3]], "document 2 has label 3, of type int, but document 0 has 'a', of type str"),
        ([[], ["a", None]], "document 1 has no label"),
        ([["a"], ["b\0"]], r"document 1 has label 'b\\x00', which ends in NUL"),
        ("ab", "labels is of type str"),
        (np.array([[0, 2]]), "document 0 has .*2.* for label 1; an indicator matrix has 1"),
        (pd.DataFrame([[0, 1]], columns=["a", "a"]), "two columns of the same name"),
    ],
)
def test_what_is_no_set_of_labels_is_refused_with_its_row(labels: Any, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        as_label_sets(labels)


def test_an_indicator_of_other_columns_is_refused() -> None:
    with pytest.raises(LabelError, match="has 2 columns; this model has 3 labels"):
        as_label_sets(MATRIX, ["a", "b", "c"])
    with pytest.raises(LabelError, match=r"columns of the indicator matrix are \['a', 'b'\]; this model has"):
        as_label_sets(pd.DataFrame(MATRIX, columns=["a", "b"]), ["b", "a"])
