"""Dates and ids: kinds that have no statistics of their own."""

import pytest

from banbury import Date, Id
from banbury.errors import InputError


def test_parts_of_a_date_are_known_ones_and_at_least_one() -> None:
    assert Date().parts == ("year", "month", "weekday", "hour", "age")
    assert Date(parts=("month",)).settings()["parts"] == ["month"]
    for parts in ((), ("century",), ("month", "month")):
        with pytest.raises(InputError, match="parts"):
            Date(parts=parts)


def test_kinds_without_statistics_are_values() -> None:
    assert len({Id(), Id(), Date(), Date(parts=("hour",))}) == 3
    assert Id().settings() == {"kind": "id"}
