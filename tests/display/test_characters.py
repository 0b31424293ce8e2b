"""Text as it is seen: nothing hidden stays hidden, and what is cut or padded has the width that was asked for."""

from hypothesis import given
from hypothesis import strategies as st

from banbury.display.characters import padded, shorten, visible, width_of
from hostile import hostile_texts, is_visible
from strategies import odd_texts


@given(st.text())
def test_what_is_visible_stays_and_the_rest_gets_a_sign(text: str) -> None:
    shown = visible(text)
    assert is_visible(shown)
    assert visible(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


def test_invisible_characters_get_a_sign() -> None:
    assert visible("\x00\x1b\x7f\x85\u202e\ud800") == "␀␛␡[U+0085][U+202E]\ufffd"
    assert visible("a\r\nb\tc\r", lines=True) == "a\nb\tc␍"
    assert visible("👩🏽\u200d🚀 نمی\u200cخواهم") == "👩🏽\u200d🚀 نمی\u200cخواهم"  # joiners belong to the writing


@given(st.one_of(hostile_texts(), odd_texts()), st.integers(1, 20))
def test_a_shortened_text_fits(text: str, width: int) -> None:
    short = shorten(text, width)
    assert width_of(short) <= width
    assert is_visible(short)
    assert short == visible(text) or short.endswith("…") or "\u0301" * 4 in short


def test_a_name_has_no_pile_of_marks() -> None:
    assert shorten("e" + "\u0301" * 50 + "x", 10) == "e" + "\u0301" * 4 + "x"


@given(st.text(max_size=10), st.integers(0, 10))
def test_a_padded_text_has_the_width_and_starts_with_the_text(text: str, more: int) -> None:
    width = width_of(text) + more
    assert padded(text, width) == text + " " * more
    assert width_of(padded(text, width)) == width
