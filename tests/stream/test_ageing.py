"""PeriodCounts: aged sums against plain Python, in any order of asking."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stream_reference as reference
from banbury.errors import CountError
from banbury.stream.ageing import PeriodCounts
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts

WORDS = Analyzer.preset("words")
documents = st.tuples(
    st.integers(-3, 12), st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join), st.sampled_from("xy")
)


def counted(stream: list[reference.Dated]) -> PeriodCounts:
    counts = PeriodCounts(WORDS)
    for period, text, label in stream:
        counts.add(period, Counts(WORDS).add([text], [label]))
    return counts


def shown(counts: Counts) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    table = counts.features()
    cells = {
        (name, label): int(n)
        for name, row in zip(table.names, table.documents.tolist(), strict=True)
        for label, n in zip(counts.classes, row, strict=True)
        if n
    }
    return dict(zip(counts.classes, counts.documents, strict=True)), cells


@given(
    st.lists(documents, max_size=12),
    st.lists(st.tuples(st.integers(0, 14), st.sampled_from([None, 1, 2, 5])), max_size=4),
)
def test_sums_are_those_of_the_reference_whatever_was_asked_before(stream: list[Any], asked: list[Any]) -> None:
    counts = counted(stream)
    for now, half_life in [*asked, (12, 2)]:
        assert shown(counts.aged(now=now, half_life=half_life)) == reference.aged(stream, now, half_life)
        past = [row for row in stream if row[0] < now]
        assert shown(counts.aged(now=now, half_life=half_life, before=now)) == reference.aged(past, now, half_life)
        assert counts.has_aged(now=now, half_life=half_life) == any(
            half_life is not None and row[0] // half_life < now // half_life for row in stream
        )


def test_by_hand() -> None:
    counts = counted([(0, "a a b", "x"), (0, "a", "x"), (0, "a", "x"), (1, "b", "x"), (2, "a", "y")])
    assert shown(counts.aged(now=2, half_life=1)) == ({"x": 2, "y": 1}, {("a", "x"): 1, ("b", "x"): 1, ("a", "y"): 1})
    assert counts.aged(now=2, half_life=2).documents == [2, 1]  # four documents halved, and one
    assert counts.newest == 2
    assert counts.documents() == {0: {"x": 3}, 1: {"x": 1}, 2: {"y": 1}}


def test_what_is_taken_away_was_never_there() -> None:
    counts = counted([(0, "a b", "x"), (0, "c", "y")])
    with pytest.raises(CountError, match="no document of this period"):
        counts.without(3, ["a b"], ["x"], None, threads=1)
    with pytest.raises(CountError, match="never added"):
        counts.without(0, ["a d"], ["x"], None, threads=1)
    counts.put(0, counts.without(0, ["a b"], ["x"], None, threads=1))
    assert shown(counts.aged(now=0, half_life=None)) == ({"y": 1}, {("c", "y"): 1})
    counts.put(0, counts.without(0, ["c"], ["y"], None, threads=1))
    assert counts.by_period == {}
    counts.add(5, Counts(WORDS).add(["a"], ["x"]))
    counts.drop([5])
    assert counts.aged(now=9, half_life=1).classes == []
