"""Record: tallies by hand, sums that do not depend on an order, and the half-life that is best."""

from collections.abc import Sequence
from random import Random

import pytest

from banbury.stream.record import LARGEST_LOSS, NAT, Record, Tally, as_loss, is_half_life


def noted(rows: Sequence[tuple[int | None, int, str, float, bool]]) -> Record:
    record = Record()
    for half_life, period, label, loss, is_right in rows:
        record.note(half_life, period, [label], [as_loss(-loss)], [is_right], [1])
    return record


ROWS = [(None, 1, "a", 1.0, True), (None, 2, "b", 0.5, False), (4, 1, "a", 0.25, True), (4, 2, "b", 0.5, True)]


def test_figures_by_hand() -> None:
    tally = noted([(None, 1, "a", 1.0, True), (None, 1, "a", 2.0, False), (None, 1, "a", 3.0, True)]).sum(None)
    assert (tally.documents, tally.right, tally.log_loss) == (3, 2, 2.0)
    assert tally.accuracy == pytest.approx(2 / 3)
    assert tally.variance == pytest.approx((14 / 3 - 4) / 2)
    assert Tally().log_loss == Tally().accuracy == Tally().variance == 0.0


def test_the_best_half_life_has_the_least_loss_and_the_longest_wins_ties() -> None:
    assert noted(ROWS).best() == 4
    assert Record().best() is None
    assert noted([(1, 1, "a", 1.0, True), (8, 1, "a", 1.0, True)]).best() == 8
    assert noted([(1, 1, "a", 1.0, True), (None, 1, "a", 1.0, True)]).best() is None
    assert {half_life: tally.log_loss for half_life, tally in noted(ROWS).by_half_life().items()} == {
        None: 0.75,
        4: 0.375,
    }


def test_order_merging_and_taking_out_are_exact() -> None:
    random = Random(1)
    rows = [(None, random.randrange(3), "ab"[random.randrange(2)], random.random() * 9, True) for _ in range(50)]
    shuffled = random.sample(rows, len(rows))
    assert noted(rows).settings() == noted(shuffled).settings()
    parts = noted(rows[:20])
    parts.merge(noted(rows[20:]))
    assert parts.settings() == noted(rows).settings()
    record = noted(rows)
    record.note(2, 7, ["z"], [5], [True], [3])
    record.note(2, 7, ["z"], [5], [True], [-3])
    assert record.settings() == noted(rows).settings()
    record.drop([0, 1, 2])
    assert record.settings() == []


def test_a_record_is_kept_and_what_is_none_is_refused() -> None:
    record = noted(ROWS)
    assert Record.from_settings(record.settings()).settings() == record.settings()
    for wrong in (
        [0, 1, "a", 1, 1, 1, 1],
        [None, 1, "a", 1, 1, 1],
        [None, 1, "a", -1, 1, 1, 1],
        [None, "1", "a", 1, 1, 1, 1],
    ):
        with pytest.raises(ValueError, match="record"):
            Record.from_settings([wrong])


def test_losses_are_whole_numbers_with_a_limit() -> None:
    assert as_loss(-1.0) == NAT
    assert as_loss(-1e9) == as_loss(float("-inf")) == LARGEST_LOSS
    assert [is_half_life(value) for value in (None, 1, 0, -1, True, 1.0, "auto")] == [True, True] + [False] * 5
