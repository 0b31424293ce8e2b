"""Options of reading: what there is, and limits that say how they are raised."""

import pytest

from banbury.errors import InputError, OptionError
from banbury.readers.options import NO_BOMB, Limits, ReadOptions


@pytest.mark.parametrize(
    "options, message",
    [({"bad_rows": "ignore"}, "bad_rows is 'ignore'; it can be"), ({"format": "xlsx"}, "format is 'xlsx'; it can be")],
)
def test_wrong_options_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ReadOptions(**options)  # type: ignore[arg-type]


def test_a_file_may_expand_to_what_is_small_and_to_what_is_in_proportion() -> None:
    limits = Limits(expanded=10 * NO_BOMB, ratio=5)
    limits.check(1, NO_BOMB, "x.gz")
    limits.check(NO_BOMB, 5 * NO_BOMB, "x.gz")
    with pytest.raises(OptionError, match=r"over 5 times as many.*Limits\(ratio=…\)"):
        limits.check(NO_BOMB, 5 * NO_BOMB + 1, "x.gz")
    with pytest.raises(OptionError, match=r"x\.gz: it expands to more than .*Limits\(expanded=…\)"):
        limits.check(10 * NO_BOMB, 10 * NO_BOMB + 1, "x.gz")


def test_a_row_that_is_too_long_says_which_limit() -> None:
    assert str(Limits().too_long("x, line 1: long")) == "x, line 1: long; if that is right, say limits=Limits(row=…)"
