"""Cells of files as values of columns."""

import io
from functools import partial
from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Categorical, read
from banbury.errors import InputError
from banbury.readers import Layout
from banbury.readers.batch import Batch
from banbury.readers.typed import documents, labels_to_learn, left_to_learn, to_learn, value


@pytest.mark.parametrize(
    "text, kind, expected",
    [("1.5", "Number", 1.5), (" 2 ", "Poisson", 2.0), ("", "Number", None), ("N/A", "Gaussian", None),
     ("yes", "Bernoulli", True), ("0", "Bernoulli", False), ("red", "Categorical", "red"), ("?", "Categorical", None),
     ("1", "Text", "1")],
)  # fmt: skip
def test_a_cell_becomes_what_its_column_takes(text: str, kind: str, expected: object) -> None:
    assert value(text, "x", kind) == expected


def test_a_cell_that_is_no_number_is_named() -> None:
    with pytest.raises(InputError, match="column 'size' is 'big'; the model needs numbers there"):
        value("big", "size", "Number")


def _plain(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: cells if isinstance(cells, list) else cells.tolist() for name, cells in columns.items()}


def test_columns_of_numbers_are_found_and_the_label_is_left_out() -> None:
    reader = read(io.BytesIO(b"size,kind,label\n1.5,a,x\n2,b,y\n"), label="label", text=False)
    batch = reader.whole()
    assert _plain(to_learn([batch], reader.layout, None, [])) == {"size": [1.5, 2.0], "kind": ["a", "b"]}
    assert _plain(to_learn([batch], reader.layout, None, ["kind"])) == {"size": [1.5, 2.0]}
    with pytest.raises(InputError, match="there is no column 'colour'"):
        to_learn([batch], reader.layout, {"colour": "auto"}, [])
    with pytest.raises(InputError, match="there is no column 'colour', which the model needs"):
        documents(batch, reader.layout, {"colour": "auto"})


def _rows(n_batches: int) -> tuple[list[Batch], Layout]:
    """Three rows a batch; the cells of `code` are numbers but for the last one."""
    cells = [{"size": f"{row}.5" if row else "?", "code": f"0{row}", "open": "yes"} for row in range(3 * n_batches)]
    cells[-1]["code"] = "none at all"
    layout = Layout("csv", ("size", "code", "open"), label="label")
    batches = [
        Batch(None, ["a", "b", "a"], [1, 2, 3], columns=partial(list, cells[row : row + 3]))
        for row in range(0, len(cells), 3)
    ]
    return batches, layout


def test_a_column_is_of_numbers_only_where_all_batches_say_so() -> None:
    batches, layout = _rows(4)
    columns = to_learn(batches, layout, {"size": "auto", "code": "auto", "open": "bernoulli"}, [])
    assert str(columns["size"].dtype) == "float64"
    assert isnan(columns["size"][0])
    assert columns["size"][1:].tolist() == [row + 0.5 for row in range(1, 12)]
    assert columns["code"] == [*(f"0{row}" for row in range(11)), "none at all"]
    assert columns["open"] == [True] * 12
    assert to_learn(batches, layout, {"size": "categorical"}, [])["size"][:3] == [None, "1.5", "2.5"]


@given(st.integers(1, 5), st.integers(1, 9))
def test_every_so_many_rows_and_the_rest_are_all_rows_once(n_batches: int, every: int) -> None:
    batches, layout = _rows(n_batches)
    some = to_learn(batches, layout, None, [], every)["code"]
    labels = labels_to_learn(batches, every)
    rest = list(left_to_learn(batches, layout, {"code": Categorical()}, every))
    whole = to_learn(batches, layout, None, [])["code"]
    assert some == whole[::every]
    assert labels == labels_to_learn(batches)[::every]
    assert [cell for columns, _ in rest for cell in columns["code"]] == [
        cell for row, cell in enumerate(whole) if row % every
    ]
    assert len(labels) + sum(len(others) for _, others in rest) == 3 * n_batches
