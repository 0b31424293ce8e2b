"""What was chosen for cells: files, weights, labels that come later."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Classifier
from banbury.errors import FileFormatError
from banbury.tables.votes import CellChoice
from switches import exclusive_or


@pytest.fixture(scope="module")
def parts() -> Any:
    model: Any = Classifier(effort="best").fit(*exclusive_or(300)).model_
    return model.learned.terms, model.choice.cells


def test_a_choice_comes_back_from_its_parts(parts: Any) -> None:
    terms, choice = parts
    settings, arrays = choice.parts()
    again = CellChoice.from_parts(settings, arrays, terms)
    assert again.rung == choice.rung
    assert again.smoothing == choice.smoothing
    columns = np.linspace(0.5, 1, len(terms.names)).tolist()
    assert_allclose(again.weights(terms, columns), choice.weights(terms, columns))


def test_a_column_that_is_read_by_its_kind_has_no_weight_as_cells(parts: Any) -> None:
    terms, choice = parts
    weights = choice.weights(terms, [0.75] * len(terms.names))
    expected = [0.75 if is_cells else 0.0 for is_cells in choice.by_cells]
    assert weights[: len(terms.names)].tolist() == expected
    assert (weights >= 0).all()


def test_a_label_that_came_later_has_no_correction() -> None:
    choice = CellChoice("G", (), (), correction=np.array([[1.0, 2.0], [3.0, 4.0]]), labels=("a", "c"))
    found = choice.corrections(["a", "b", "c"])
    assert found is not None
    assert found.tolist() == [[1.0, 0.0, 2.0], [3.0, 0.0, 4.0]]
    assert CellChoice("G", (), ()).corrections(["a"]) is None


@pytest.mark.parametrize(
    "change", [{"by_cells": []}, {"corrected": [2, 1]}, {"silent": [-1]}, {"pair_trust": [float("nan")] * 3}]
)
def test_a_choice_that_does_not_fit_is_refused(parts: Any, change: dict[str, Any]) -> None:
    terms, choice = parts
    settings, arrays = choice.parts()
    with pytest.raises(FileFormatError, match="does not fit"):
        CellChoice.from_parts({**settings, **change}, arrays, terms)
