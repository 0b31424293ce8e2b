"""Calendar: periods by hand, and times that are none."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import pytest

from banbury.errors import InputError
from banbury.stream.times import Calendar


def test_dates_of_every_kind_are_the_same_period() -> None:
    times: list[Any] = [date(2026, 11, 16), datetime(2026, 11, 16, 23, 59), "2026-11-16", "2026-11-16T08:30:00"]
    assert set(Calendar("day").numbers(times)) == {date(2026, 11, 16).toordinal()}
    stamps = pd.Series(pd.to_datetime(["2026-11-16", "2026-11-17"]))
    for column in (stamps, stamps.to_numpy(), np.array(["2026-11-16", "2026-11-17"], dtype="datetime64[D]")):
        first, second = Calendar("day").numbers(column)
        assert second - first == 1


@pytest.mark.parametrize(
    "unit, time, name",
    [
        ("year", "2026-11-16", "2026"),
        ("month", "2026-11-16", "2026-11"),
        ("month", "2026-01-01", "2026-01"),
        ("week", "2026-11-22", "2026-11-16"),  # weeks begin on Monday
        ("week", "2026-11-23", "2026-11-23"),
        ("day", "2026-11-16", "2026-11-16"),
        ("hour", "2026-11-16T08:59", "2026-11-16T08"),
    ],
)
def test_a_period_is_named_by_its_start(unit: str, time: str, name: str) -> None:
    calendar = Calendar(unit)
    assert calendar.name(calendar.numbers([time])[0]) == name


def test_time_zones_are_those_of_one_moment() -> None:
    east = timezone(timedelta(hours=9))
    assert (
        Calendar("day").numbers([datetime(2026, 11, 17, 3, tzinfo=east), datetime(2026, 11, 16, 18, tzinfo=UTC)])
        == [date(2026, 11, 16).toordinal()] * 2
    )
    with pytest.raises(InputError, match=r"document 1 .*without a time zone"):
        Calendar("day").numbers([datetime(2026, 11, 16, tzinfo=UTC), "2026-11-16"])


def test_numbers_are_cut_downwards() -> None:
    assert Calendar(10).numbers([0, 9.9, 10, -0.1, np.int64(25)]) == [0, 0, 1, -1, 2]
    assert Calendar(0.5).name(3) == "1.5"


@pytest.mark.parametrize(
    "period, times, message",
    [
        ("month", ["2026-11-16", None], r"document 1 has no time \(None\)"),
        ("month", ["2026-11-16", ""], "document 1 has no time"),
        ("month", [pd.NaT], "document 0 has no time"),
        ("month", ["16.11.2026"], "document 0 has time '16.11.2026'; a date as text is written like"),
        ("month", ["2026-11-16", 3], "document 1 has time 3, of type int"),
        (1, [1, "2026-11-16"], "document 1 has time '2026-11-16', of type str, but the period is a number"),
        (1, [1, None], "document 1 has time None; every document needs a time"),
        (1, [float("nan")], "document 0 has time nan"),
        (1, [float("inf")], "document 0 has time inf"),
        (1, [True], "document 0 has time True"),
        (1, [1e300], "document 0 has time"),
        (1, 3, "times is 3"),
    ],
)
def test_a_time_that_is_none_is_an_error_with_its_row(period: Any, times: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Calendar(period).numbers(times)


@pytest.mark.parametrize("period", ["fortnight", 0, -1, True, None, float("nan")])
def test_a_period_that_is_none_is_an_error(period: Any) -> None:
    with pytest.raises(InputError, match="period is"):
        Calendar(period)


def test_one_time_is_one_of_several_and_an_error_says_whose_it_is() -> None:
    assert Calendar("month").number("2026-11-16", "it") == Calendar("month").numbers(["2026-11-16"])[0]
    with pytest.raises(InputError, match=r"^it has no time \(None\); it needs one$"):
        Calendar("month").number(None, "it")


def test_as_many_times_as_documents() -> None:
    with pytest.raises(InputError, match="2 documents but 1 times"):
        Calendar("day").numbers(["2026-11-16"], 2)
