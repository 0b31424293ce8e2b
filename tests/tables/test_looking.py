"""What was learned of columns and pairs, as tables for people."""

from typing import Any

import numpy as np
import pytest

from banbury import Classifier
from banbury.errors import InputError, NotAvailable


def sizes(n: int = 600) -> tuple[dict[str, Any], list[str]]:
    """A number that tells the label, and a category that does not."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], n)
    return {"size": rng.normal(labels == "yes", 1.0), "colour": rng.choice(["red", "blue"], n)}, labels.tolist()


def test_a_column_can_be_read() -> None:
    table, labels = sizes()
    model: Any = Classifier().fit(table, labels)
    means = {one.label: one for one in model.column("size").parameters if one.name == "mean"}
    assert means["yes"].interval.low < table["size"][np.array(labels) == "yes"].mean() < means["yes"].interval.high
    colour = model.column("colour")
    assert {one.name for one in colour.parameters} == {"P(blue)", "P(red)"}
    with pytest.raises(InputError, match="there is no column 'nothing'"):
        model.column("nothing")


def test_a_pair_can_be_read() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.choice(["a", "b"], 800), rng.choice(["up", "down"], 800)
    labels = np.where((left == "a") ^ (right == "up"), "yes", "no").tolist()
    model = Classifier().fit({"left": left, "right": right, "noise": rng.normal(size=800)}, labels)
    pair = model.column("left", "right")
    assert sum(sum(cell.counts) for cell in pair.cells) == 800
    by_cell = {cell.names: cell.nats[1] - cell.nats[0] for cell in pair.cells}
    assert by_cell["a", "up"] < -0.5 < 0.5 < by_cell["b", "up"]
    assert model.column("right", "left").cells[0].names[::-1] in by_cell
    assert "left & right" in str(pair)
    assert "<svg" in pair._repr_html_()
    assert len(pair.rows()) == 8


def test_a_model_of_texts_has_no_columns() -> None:
    with pytest.raises(NotAvailable, match="words"):
        Classifier.textbook().fit(["so happy", "so sad"], ["a", "b"]).column("text")
