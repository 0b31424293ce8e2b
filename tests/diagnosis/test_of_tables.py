"""Diagnosis of tables: what was planted in the rows is found, and nothing where nothing was."""

import numpy as np
import pandas as pd
import pytest

from banbury import Classifier
from banbury.errors import InputError


def planted(n: int = 600, *, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """A column, its copy with noise, one that gives the class away, one that means nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["no", "yes"], n)
    size = rng.normal(labels == "yes", 1.0)
    table = pd.DataFrame(
        {
            "size": size,
            "width": size + rng.normal(0, 0.2, n),
            "refund": np.where(labels == "yes", "paid", "none"),
            "colour": rng.choice(["red", "blue"], n),
        }
    )
    return table, labels.tolist()


def test_what_was_planted_is_found() -> None:
    table, labels = planted()
    model = Classifier().fit(table, labels)
    wrong = [*labels]
    wrong[3] = "yes" if labels[3] == "no" else "no"
    again = pd.concat([table, table[:2]])
    found = model.diagnose(again, [*wrong, labels[0], "yes" if labels[1] == "no" else "no"])
    assert found.dependent[0].columns == ("size", "width")
    assert all("colour" not in one.columns for one in found.dependent)
    assert [one.column for one in found.leaks] == ["refund"]
    assert (found.n_rows, found.n_repeated, found.n_contradicting) == (602, 2, 1)
    assert {3, 601} <= {one.row for one in found.doubtful}
    assert found.drift == []
    assert "size & width" in str(found)
    assert "size &amp; width" in found._repr_html_()
    assert found.to_dict()["leaks"][0]["column"] == "refund"


def test_values_that_have_changed_are_found() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=800), rng.choice(["up", "down"], 800)
    labels = np.where((left > 0) ^ (right == "up"), "yes", "no").tolist()
    model = Classifier().fit({"left": left, "right": right}, labels)
    found = model.diagnose({"left": left + 2, "right": right})
    assert [one.column for one in found.drift] == ["left"]
    assert found.doubtful == found.leaks == []


def test_a_report_of_a_table_says_what_is_wrong_with_its_rows() -> None:
    table, labels = planted(200)
    html = Classifier().fit(table, labels).evaluate(table, labels).html(mistakes=0)
    assert "Rows and columns" in html
    assert "refund" in html


def test_no_rows_are_an_error() -> None:
    table, labels = planted(100)
    model = Classifier().fit(table, labels)
    with pytest.raises(InputError, match="no rows"):
        model.diagnose(table[:0], [])
