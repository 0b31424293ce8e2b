"""Cells of files as values of columns."""

import io

import pytest

from banbury import read
from banbury.errors import InputError
from banbury.readers.typed import documents, to_learn, value


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


def test_columns_of_numbers_are_found_and_the_label_is_left_out() -> None:
    reader = read(io.BytesIO(b"size,kind,label\n1.5,a,x\n2,b,y\n"), label="label", text=False)
    batch = reader.whole()
    assert to_learn(batch, reader.layout, None, []) == {"size": [1.5, 2.0], "kind": ["a", "b"]}
    assert to_learn(batch, reader.layout, None, ["kind"]) == {"size": [1.5, 2.0]}
    with pytest.raises(InputError, match="there is no column 'colour'"):
        to_learn(batch, reader.layout, {"colour": "auto"}, [])
    with pytest.raises(InputError, match="there is no column 'colour', which the model needs"):
        documents(batch, reader.layout, {"colour": "auto"})
