"""Drift: when, which labels, which words."""

import math
from random import Random

import pytest

from banbury.stream.drift import Drift, changed_words, drift_of
from banbury.stream.record import Record, as_loss
from banbury.stream.times import Calendar
from banbury.text.counts import Counts


def record() -> Record:
    made = Record()
    for period in range(5):
        for number in range(30):
            loss = 0.1 + 0.01 * (number % 5) + (2.0 if period == 4 and number % 2 else 0.0)
            made.note(None, period, ["spam" if number % 2 else "ham"], [as_loss(-loss)], [loss < 1], [1])
    return made


def test_the_period_that_is_predicted_worse_has_drifted_and_so_has_its_label() -> None:
    drift = drift_of(record(), None, Calendar(1))
    assert [row.period for row in drift.drifted] == ["4"]
    row = drift.periods[4]
    assert row.accuracy == 0.5
    assert row.log_loss == pytest.approx(1.12, abs=1e-3)
    assert row.usual_log_loss == pytest.approx(0.12, abs=1e-3)
    ham, spam = row.labels
    assert (ham.has_drifted, spam.has_drifted) == (False, True)
    assert spam.share == spam.usual_share == 0.5
    assert drift.periods[0].usual_log_loss == drift.periods[0].standard_errors == 0.0
    assert "drift" in str(drift)
    assert "4 is predicted worse than before" in str(drift)
    assert drift.to_dict()["periods"][4]["has_drifted"]
    assert "nothing ages" in drift._repr_html_()
    assert "half-life: 2 periods" in str(Drift(2, []))


def drawn(random: Random, n_periods: int, spam_loss: list[float]) -> Record:
    """Losses as models have them: most documents are told surely, some are missed by far."""
    made = Record()
    for period in range(n_periods):
        for number in range(100):
            label = "spam" if number % 5 == 0 else "ham"
            mean = spam_loss[period] if label == "spam" else 0.1
            loss = random.expovariate(1 / mean) if random.random() < 0.8 else random.expovariate(0.3 / mean)
            made.note(None, period, [label], [as_loss(-loss)], [loss < 0.7], [1])
    return made


def test_where_nothing_changes_less_than_one_period_in_a_hundred_is_said_to_have_drifted() -> None:
    random = Random(1)
    alarms = [len(drift_of(drawn(random, 20, [0.2] * 20), None, Calendar(1)).drifted) for _ in range(60)]
    assert sum(alarms) / (60 * 19) < 0.01


def test_a_label_that_is_predicted_much_worse_from_some_period_on_is_found_there() -> None:
    random = Random(2)
    found = [drift_of(drawn(random, 12, [0.2] * 8 + [2.0] * 4), None, Calendar(1)).drifted for _ in range(40)]
    assert sum(bool(rows) and rows[0].period == "8" for rows in found) >= 38


def test_evidence_of_a_changed_word_by_hand() -> None:
    before = Counts().add(["old"] * 6 + ["both"] * 4, ["x"] * 10)
    now = Counts().add(["new"] * 5 + ["both"] * 5, ["x"] * 10)
    words = {word.word: word for word in changed_words(now, before, 9)}

    def ratio(a: int, b: int) -> float:
        """Of a of 10 now and b of 10 before: log-likelihood with two rates less that with one."""
        rate = (a + b) / 20
        both = [(a, 10 * rate), (10 - a, 10 - 10 * rate), (b, 10 * rate), (10 - b, 10 - 10 * rate)]
        return sum(seen * math.log(seen / expected) for seen, expected in both if seen)

    assert words["new"].nats == pytest.approx(ratio(5, 0))
    assert words["old"].nats == pytest.approx(-ratio(0, 6))
    assert words["both"].nats == pytest.approx(ratio(5, 4))
    assert (words["old"].documents, words["old"].expected) == (0, 6.0)
    assert [word.word for word in changed_words(now, before, 2)] == ["old", "new"]


def test_a_label_that_is_new_has_no_words_that_changed() -> None:
    before, now = Counts().add(["a"] * 3, ["x"] * 3), Counts().add(["b"] * 3, ["y"] * 3)
    assert changed_words(now, before, 5) == []
