"""Importance of columns: what is lost without each."""

from typing import Any

import numpy as np
import pytest

from banbury import Classifier
from switches import exclusive_or


def test_importance_is_what_is_lost_without_a_column() -> None:
    model = Classifier().fit(*exclusive_or())
    uses: dict[str, Any] = {one.name: one for one in model.report_.columns}
    assert uses["left"].importance > 0.2
    assert uses["right"].importance > 0.2
    assert abs(uses["other"].importance) < 0.02
    low, high = uses["left"].importance_interval
    assert low < uses["left"].importance < high
    constant = Classifier().fit({"x": [1.0] * 100, "y": np.arange(100.0) % 7}, ["a", "b"] * 50)
    assert next(one for one in constant.report_.columns if one.name == "x").importance == 0


def test_a_column_that_only_names_rows_has_none() -> None:
    table, labels = exclusive_or(200)
    model = Classifier().fit(table.assign(number=np.arange(200)), labels)
    use = next(one for one in model.report_.columns if one.name == "number")
    assert use.kind.startswith("Id")
    assert not use.importance


def test_many_terms_are_judged_by_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table, labels = exclusive_or(600)
    all_rows = {one.name: one.importance or 0.0 for one in Classifier().fit(table, labels).report_.columns}
    monkeypatch.setattr("banbury.tables.importance.MOST_JUDGED_TERMS", 100)
    monkeypatch.setattr("banbury.tables.importance.FEWEST_JUDGED_ROWS", 200)
    some = {one.name: one.importance or 0.0 for one in Classifier().fit(table, labels).report_.columns}
    assert some["left"] != all_rows["left"]
    assert some["left"] == pytest.approx(all_rows["left"], abs=0.15)
