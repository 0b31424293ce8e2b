"""Lone surrogates: none is left, and all other text stays."""

from hypothesis import given
from hypothesis import strategies as st

from banbury.surrogates import without_surrogates


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_written_and_only_surrogates_change(text: str) -> None:
    written = without_surrogates(text)
    assert written.encode("utf-8").decode("utf-8") == written
    assert written == "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
