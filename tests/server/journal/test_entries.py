"""Entries of a journal: how documents are written, and what tells them apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.errors import InputError
from banbury.server.journal.entries import FORGET, LEARN, Change, digest, plain

values = st.one_of(st.text(), st.integers(-(2**53), 2**53), st.booleans(), st.none())


@given(st.dictionaries(st.text(), values))
def test_the_same_row_is_written_the_same_whatever_its_order(row: dict[str, object]) -> None:
    assert plain(row) == plain(dict(reversed(row.items())))


@given(st.text(), st.text(), st.text(), st.text())
def test_entries_of_other_content_have_other_digests(document: str, label: str, other: str, another: str) -> None:
    first, second = (plain(document), plain(label)), (plain(other), plain(another))
    assert (digest(*first) == digest(*second)) == (first == second)


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(InputError, match="lone surrogate"):
        plain("\ud800")


def test_a_change_is_about_its_documents_or_about_entries() -> None:
    assert Change("mood", LEARN, ["a", "b"], ["x", "y"]).n_documents == 2
    assert Change("mood", FORGET, ids=[1, 2, 3]).n_documents == 3
    assert Change("mood", LEARN).n_documents == 0
