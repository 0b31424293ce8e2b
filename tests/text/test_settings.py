"""Settings: what can be combined, and what is counted by default."""

from typing import Any

import pytest

from banbury import Analyzer, Dirichlet
from banbury.errors import InputError
from banbury.text.settings import CHARACTERS, PAIRS, SHORT, Settings, analyzers_for, as_analyzer

PLAIN = Settings("multinomial", 0.5, "class", {"x": 0.25, "y": 0.75}, None)


@pytest.mark.parametrize("settings", [Settings(), PLAIN, Settings(prior=Dirichlet(1)), PLAIN._replace(smoothing=None)])
def test_settings_come_back_from_plain_data(settings: Settings) -> None:
    assert Settings.from_plain(settings.plain()) == settings


def test_the_first_change_is_told_but_for_the_prior() -> None:
    assert Settings().change_from(Settings(prior="uniform")) == ""
    assert PLAIN.change_from(Settings()) == "likelihood was 'automatic' and is 'multinomial'"


def test_beside_the_automatic_model_the_plain_one_is_the_multinomial() -> None:
    assert Settings().plain_form(1.0) == ("multinomial", 1.0, "shared")
    assert PLAIN.plain_form(1.0) == ("multinomial", 0.5, "class")
    assert Settings("bernoulli").plain_form(0.1) == ("bernoulli", 0.1, "shared")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"smoothing": 1.0}, "the automatic model has no smoothing; .* likelihood='multinomial', smoothing=1.0"),
        ({"smoothing": None}, "smoothing is None, but"),
        ({"calibration": None}, "the automatic model is always calibrated; .* likelihood='multinomial'"),
        ({"calibration": "isotonic"}, "calibration is 'isotonic'; it can be 'auto' or None"),
        ({"likelihood": "gauss"}, "'automatic', 'multinomial', 'bernoulli', 'complement'"),
    ],
)
def test_what_cannot_be_combined_says_what_to_write(change: dict[str, Any], message: str) -> None:
    Settings().check()
    with pytest.raises(InputError, match=message):
        Settings(**change).check()


def test_the_analyzer_follows_likelihood_and_length_where_none_is_given() -> None:
    assert analyzers_for(None, 10, 10 * SHORT, Settings()) == (PAIRS, None)
    widest, narrower = analyzers_for(None, 10, 10 * SHORT - 1, Settings())
    assert (widest.characters, narrower) == (CHARACTERS, PAIRS)
    assert analyzers_for(None, 10, 10, PLAIN) == (Analyzer(), None)
    assert analyzers_for("tweets", 10, 10, Settings()) == (Analyzer.preset("tweets"), None)
    with pytest.raises(InputError, match="it can be an Analyzer, the name of a preset, or None"):
        as_analyzer(3)  # type: ignore[arg-type]
