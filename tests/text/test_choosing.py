"""Choosing for texts by leave-one-out: what is left open is chosen, and what was given stays as it is."""

from typing import Any

import pytest

from banbury import Analyzer, Counts
from banbury.datasets import demo
from banbury.text.choice import TextChoice
from banbury.text.choosing import choose
from banbury.text.settings import Settings

TEXTS, LABELS = demo()
HOW: dict[str, Any] = {"effort": "counting", "narrower": None, "threads": 1}


def test_where_everything_is_given_nothing_is_chosen() -> None:
    counts = Counts().add(TEXTS, LABELS)
    given = Settings("multinomial", 1.0, calibration=None)
    assert choose(counts, TEXTS, LABELS, None, given, **HOW) == (counts, TextChoice(), None)
    wide = Counts(Analyzer(characters=(2, 3))).add(TEXTS, LABELS)
    narrow = choose(wide, TEXTS, LABELS, None, given, **{**HOW, "narrower": Analyzer()}).counts
    assert narrow.parts() == counts.parts()


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "complement"])
def test_a_plain_report_is_of_the_smoothing_and_calibration_that_predict(likelihood: str) -> None:
    counts = Counts().add(TEXTS, LABELS)
    _, choice, report = choose(counts, TEXTS, LABELS, None, Settings(likelihood), **HOW)
    assert choice.calibration is not None
    assert choice.form == (likelihood, choice.smoothing, "shared")
    _, bare, plain = choose(counts, TEXTS, LABELS, None, Settings(likelihood, calibration=None), **HOW)
    assert report is not None
    assert plain is not None
    assert bare.calibration is None
    assert report.log_loss == min(tried.log_loss for tried in report.tried) <= plain.log_loss
    assert "calibrated" in report.chosen
    assert "calibrated" not in plain.chosen
