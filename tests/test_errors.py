"""The errors: each is a BanburyError and the built-in a caller would catch; advice can be worded anew."""

import pickle
from typing import Any

import pytest

from banbury import Classifier, errors
from banbury.errors import BanburyError, InputError, Option, OptionError, check_top


@pytest.mark.parametrize(
    "error, built_in",
    [
        (errors.InputError("x"), ValueError),
        (errors.LabelError("x"), ValueError),
        (errors.FileFormatError("x"), ValueError),
        (errors.NotFittedError("x"), AttributeError),
        (errors.MissingExtra("x"), ImportError),
        (errors.CountError("x"), ValueError),
        (errors.OptionError("x"), ValueError),
    ],
)
def test_each_error_is_ours_and_the_built_in(error: BanburyError, built_in: type[Exception]) -> None:
    assert isinstance(error, BanburyError)
    assert isinstance(error, built_in)
    assert str(error) == "x"


def test_an_option_is_worded_by_the_surface_and_the_rest_stays() -> None:
    error = OptionError("{a}: say ", Option("bad_rows", "skip"), " or ", Option("limits", "row"), ".")
    assert str(error) == "{a}: say bad_rows='skip' or limits=Limits(row=…)."
    assert error.worded(lambda option: f"<{option.name} {option.value}>") == "{a}: say <bad_rows skip> or <limits row>."


def test_an_error_with_options_can_be_sent_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(OptionError("say ", Option("text"))))
    assert str(error) == "say text=…"
    assert error.worded(lambda option: option.name) == "say text"


@pytest.mark.parametrize("top", [0, -1, 1.5, "3", None, True])
def test_a_wrong_top_is_one_clear_error(top: Any) -> None:
    model = Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"])
    with pytest.raises(InputError, match=r"top is .*; it must be a whole number, 1 or more"):
        check_top(top)
    if top is not None:
        with pytest.raises(InputError, match="top is"):
            model.words(top=top)
    if top != 0 or top is False:
        report = model.evaluate(["happy", "sad"], ["no", "yes"])
        with pytest.raises(InputError, match="0 or more"):
            report.mistakes(top)
        with pytest.raises(InputError, match="0 or more"):
            report.words_at_fault(top)
