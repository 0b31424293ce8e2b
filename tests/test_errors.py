"""The errors: each is a BanburyError and the built-in a caller would catch; advice can be worded anew."""

import pickle

import pytest

from banbury import errors
from banbury.errors import BanburyError, Option, OptionError


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
