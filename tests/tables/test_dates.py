"""Dates, truth values, codes and ids: the same kind from every source."""

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import banbury
from banbury import Bernoulli, Categorical, Classifier, Date, Id, Number, Text
from banbury.errors import InputError
from banbury.tables.columns import found, inner_kinds
from banbury.tables.dates import in_parts, seconds
from banbury.tables.frame import read
from banbury.tables.values import column

MOMENTS = [datetime(2024, 2, 29, 23, 59), None, datetime(1969, 12, 31, 1), datetime(2026, 11, 16)]
SOURCES: dict[str, Any] = {
    "objects": MOMENTS,
    "pandas": pd.Series(pd.to_datetime(pd.Series(MOMENTS))),
    "pandas with a zone": pd.Series(pd.to_datetime(pd.Series(MOMENTS)))
    .dt.tz_localize("UTC")
    .dt.tz_convert("Asia/Tokyo"),
    "polars": pl.Series(MOMENTS),
    "arrow": pa.array(MOMENTS, pa.timestamp("us")),
    "arrow, chunked": pa.chunked_array(
        [pa.array(MOMENTS[:2], pa.timestamp("ms")), pa.array(MOMENTS[2:], pa.timestamp("ms"))]
    ),
    "numpy": np.array(["2024-02-29T23:59", "NaT", "1969-12-31T01", "2026-11-16"], "datetime64[s]"),
    "texts": ["2024-02-29 23:59", None, "1969-12-31T01:00:00Z", "2026-11-16"],
    "texts with a zone": ["2024-03-01T00:59:00+01:00", None, "1969-12-31 02:00+0100", "2026-11-16T01:00+01:00"],
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_date_is_the_same_from_every_source(source: str) -> None:
    given = column("when", SOURCES[source])
    assert found(given) == Date()
    parts = in_parts(read({"when": SOURCES[source]}), {"when": Date()})
    rows = [parts.row(number) for number in range(4)]
    assert [row["when year"] for row in rows] == [2024, None, 1969, 2026]
    assert [row["when month"] for row in rows] == [2, None, 12, 11]
    assert [row["when weekday"] for row in rows] == ["Thursday", None, "Wednesday", "Monday"]
    assert [row["when hour"] for row in rows] == [23, None, 1, 0]
    assert_allclose(parts.columns["when age"].as_numbers("it"), np.array(_seconds(MOMENTS)) / 86400)


def _seconds(moments: list[datetime | None]) -> list[float]:
    return [np.nan if one is None else one.replace(tzinfo=UTC).timestamp() for one in moments]


def test_dates_without_times_are_dates_too() -> None:
    days = [date(2026, 11, 16), None]
    for given in (days, pl.Series(days), pa.array(days), ["2026-11-16", None]):
        assert found(column("day", given)) == Date()
        assert_array_equal(seconds(column("day", given)), _seconds([datetime(2026, 11, 16), None]))
    there = datetime(2026, 11, 16, tzinfo=timezone(timedelta(hours=2)))
    assert seconds(column("day", [there])).tolist() == [there.timestamp()]


def test_what_is_no_date_is_none() -> None:
    for values in (["2026-13-01"], ["16 November 2026"], ["2026"], ["2026-11-16", "soon"]):
        assert not isinstance(found(column("x", values)), Date)
    with pytest.raises(InputError, match=r"row 1, column 'x' is 'soon'; a date is written as 2026-11-16"):
        seconds(column("x", ["2026-11-16", "soon"]))


def sales(n: int = 400) -> tuple[pd.DataFrame, list[str]]:
    """Who comes on Sundays, or before eight, comes for fun."""
    rng = np.random.default_rng(0)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 2 * 365 * 24, n), "h")
    when = pd.Series(when)
    fun = (when.dt.day_of_week == 6) | (when.dt.hour < 8)
    return pd.DataFrame({"when": when, "noise": rng.normal(size=n)}), np.where(fun, "fun", "work").tolist()


def test_a_model_of_dates_learns_their_parts_whatever_the_source(tmp_path: Path) -> None:
    table, labels = sales()
    model = Classifier().fit(table, labels)
    assert model.columns_["when"] == Date()
    assert model.report_.accuracy > 0.9
    as_text = table.assign(when=table["when"].dt.strftime("%Y-%m-%d %H:%M"))
    again = Classifier().fit(as_text, labels)
    expected = model.predict_proba(table)
    for data in (table, as_text, pl.from_pandas(table), pa.Table.from_pandas(table)):
        for one in (model, again):
            assert (one.predict_proba(data) == expected).all()
    model.save(tmp_path / "model.banbury")
    loaded = banbury.load(tmp_path / "model.banbury")
    assert loaded.columns_ == model.columns_
    assert (loaded.predict_proba(table) == expected).all()
    model.learn(as_text, labels).forget(table, labels)
    assert (model.predict_proba(table) == expected).all()
    sunday = model.explain({"when": "2026-11-15 12:00", "noise": 0.0})
    assert sunday.label == "fun"
    assert "when weekday = Sunday" in str(sunday)


def test_truth_values_and_codes_are_the_same_from_every_source() -> None:
    truths = [True, None, False, True]
    for given in (
        truths,
        ["True", None, "false", "TRUE"],
        pl.Series(truths),
        pa.array(truths),
        np.array([1, 1, 0], np.uint8),
    ):
        assert found(column("x", given)) == Bernoulli(smoothing=0.5)
    assert found(column("x", pl.Series([0, 1], dtype=pl.UInt8))) == Bernoulli(smoothing=0.5)
    assert isinstance(found(column("x", np.array([0, 1, 255], np.uint8))), Number)
    model = Classifier(likelihood="multinomial", calibration=None).fit(
        {"code": [3, 3, 5, 5] * 10, "on": [True, True, False, True] * 10}, ["a", "a", "b", "b"] * 10
    )
    expected = model.predict_proba({"code": [3, 5, 9], "on": [True, False, None]})
    same = model.predict_proba({"code": ["3", "5", "9"], "on": ["True", "false", None]})
    assert (same == expected).all()
    model.learn({"code": ["3"], "on": ["true"]}, ["a"])
    assert (
        model.forget({"code": [3], "on": [True]}, ["a"]).predict_proba({"code": [3, 5, 9], "on": [True, False, None]})
        == expected
    ).all()


def test_a_column_that_only_names_rows_is_found_and_left_out() -> None:
    n = 60
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], n).tolist()
    table: dict[str, Any] = {
        "PassengerId": rng.permutation(n) + 7,
        "customer_id": np.sort(rng.choice(10**6, n, replace=False)),
        "code": [f"A-{number:05}" for number in range(n)],
        "income": rng.choice(10**6, n, replace=False),
        "name": [f"Ann Bird {number}" for number in range(n)],
        "x": rng.normal(size=n),
    }
    model = Classifier().fit(table, labels)
    assert {name for name, kind in model.columns_.items() if kind == Id()} == {"PassengerId", "customer_id", "code"}
    assert isinstance(model.columns_["name"], Text)
    assert isinstance(model.columns_["income"], Number)
    assert "only names rows" in str(model.report_)
    row = {name: values[0] for name, values in table.items()}
    assert_allclose(model.predict_proba(row), model.predict_proba({**row, "code": "B-1", "customer_id": None}))
    with pytest.raises(InputError, match="every column only names its rows"):
        Classifier().fit({"id": list(range(100))}, ["a", "b"] * 50)
    assert (
        Classifier(columns={"id": "number"}).fit({"id": list(range(100))}, ["a", "b"] * 50).columns_["id"] == Number()
    )


def test_kinds_of_parts_and_names_that_clash() -> None:
    assert inner_kinds({"d": Date(parts=("month",)), "i": Id()}) == {"d month": Categorical(smoothing=0.5)}
    with pytest.raises(InputError, match="part of a date"):
        inner_kinds({"d": Date(), "d month": Number()})
    with pytest.raises(InputError, match="parts"):
        Date(parts=("decade",))
