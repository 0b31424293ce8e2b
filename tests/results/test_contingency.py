"""Two events in one table: the counts, the margins, and what follows from them."""

import pytest

from banbury.errors import InputError
from banbury.results.contingency import TwoByTwo, two_by_two
from banbury.stats.events import event, word

TABLE = TwoByTwo(4, 31, 1, 64, names=("positive", "amazing"))


def test_the_table_has_its_margins() -> None:
    assert str(TABLE).splitlines() == [
        "              amazing  not amazing  total",
        "positive            4           31     35",
        "not positive        1           64     65",
        "total               5           95    100",
    ]
    assert [row["total"] for row in TABLE.rows()] == [35, 65, 100]
    assert "<table" in TABLE._repr_html_()


def test_what_follows_from_the_counts() -> None:
    assert (TABLE.first, TABLE.second, TABLE.joint) == (0.35, 0.05, 0.04)
    assert TABLE.first_given_second == 0.8
    assert TABLE.second_given_first == 4 / 35
    assert TABLE.first_given_not_second == 31 / 95
    assert TABLE.second_given_not_first == 1 / 65
    assert TABLE.prior_ratio == pytest.approx(0.5385, abs=5e-5)
    assert TABLE.lift == pytest.approx(0.04 / (0.35 * 0.05))


def test_counted_in_rows() -> None:
    rows = [{"text": "great phone", "label": 1}, {"text": "no", "label": 1}, {"text": "great", "label": 0}]
    table = two_by_two(rows, event(label=1), word("great"))
    assert (table.both, table.only_first, table.only_second, table.neither) == (1, 1, 1, 0)
    assert table.names == ("label = 1", "great")


def test_bad_counts_are_refused() -> None:
    with pytest.raises(InputError, match="a count is -1"):
        TwoByTwo(-1, 2, 3, 4)
    with pytest.raises(InputError, match="all four counts are 0"):
        TwoByTwo(0, 0, 0, 0)
    with pytest.raises(InputError, match="no rows"):
        two_by_two([], {"x": 1}, {"x": 2})
    with pytest.raises(InputError, match="must have happened"):
        _ = TwoByTwo(0, 3, 0, 4).first_given_second
