"""Edits: the fewest between two words, their counts and their probabilities by the formulas."""

from collections import Counter
from math import exp, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spelling_reference as reference
from banbury.apps.edits import START, Edit, EditCounts, EditModel, align
from banbury.errors import CountError, InputError

words = st.text("abce", min_size=1, max_size=6)
pairs = st.lists(st.tuples(words, words), max_size=6)


@given(words, words)
def test_the_edits_turn_what_was_meant_into_what_was_typed(meant: str, typed: str) -> None:
    n_edits, edits = align(meant, typed, lambda edit: -1.0)
    assert -n_edits == len(edits) <= max(len(meant), len(typed))
    grown = sum(len(edit.typed) - len(edit.meant) for edit in edits)
    assert len(meant) + grown == len(typed)
    assert (not edits) == (meant == typed)


@given(words, words)
def test_the_heaviest_series_weighs_what_the_formula_says(meant: str, typed: str) -> None:
    weights = {(a, b): -1.0 - len(a + b) / 7 for a, b in reference.possible_edits("abce")}
    total, edits = align(meant, typed, lambda edit: weights[edit.meant, edit.typed])
    assert total == pytest.approx(reference.log_likelihood(meant, typed, weights))
    assert total == pytest.approx(sum(weights[edit.meant, edit.typed] for edit in edits))


@pytest.mark.parametrize(
    "meant, typed, edits",
    [
        ("receive", "recieve", [Edit("ei", "ie")]),
        ("accommodation", "acomodation", [Edit("cc", "c"), Edit("mm", "m")]),
        ("know", "now", [Edit("^k", "^")]),
        ("laugh", "laughf", [Edit("h", "hf")]),
        ("separate", "seperate", [Edit("a", "e")]),
        ("same", "same", []),
    ],
)
def test_the_fewest_edits_are_counted(meant: str, typed: str, edits: list[Edit]) -> None:
    assert EditCounts().add([(typed, meant)]).edits == Counter(edits)


@pytest.mark.parametrize(
    "edit, kind, shown",
    [
        (Edit("a", "e"), "substitution", "e for a"),
        (Edit("ie", "ei"), "transposition", "ei for ie"),
        (Edit("ab", "a"), "omission", "b after a left out"),
        (Edit("ll", "l"), "double omission", "l after l left out"),
        (Edit("^k", "^"), "omission", "first letter k left out"),
        (Edit("a", "ab"), "insertion", "b after a"),
        (Edit("l", "ll"), "double insertion", "l after l"),
        (Edit("^", "^k"), "insertion", "k before the first letter"),
    ],
)
def test_an_edit_has_a_kind_and_is_said_in_words(edit: Edit, kind: str, shown: str) -> None:
    assert (edit.kind, str(edit)) == (kind, shown)
    assert reference.kind(edit.meant, edit.typed) == kind


@given(pairs, pairs)
def test_pairs_in_any_order_in_parts_or_taken_back(first: list[Any], second: list[Any]) -> None:
    whole = EditCounts().add(first + second).parts()
    assert EditCounts().add(second).add(first).parts() == whole
    assert EditCounts().add(first).merge(EditCounts().add(second)).parts() == whole
    assert EditCounts().add(first + second).remove(second).parts() == EditCounts().add(first).parts()
    assert EditCounts.from_parts(whole).parts() == whole


def test_places_are_the_letters_that_were_meant_and_the_pairs_of_them() -> None:
    counts = EditCounts().add([("aba", "abba")])
    assert counts.places == Counter({START: 1, "a": 2, "b": 2, "^a": 1, "ab": 1, "bb": 1, "ba": 1})


def test_removing_what_was_never_added_changes_nothing() -> None:
    counts = EditCounts().add([("aba", "abba")])
    before = counts.parts()
    for gone in ([("ab", "abba")], [("aba", "abba")] * 2, [("", "b")]):
        with pytest.raises(CountError, match="these pairs were not all learned; nothing was changed"):
            counts.remove(gone)
    assert counts.parts() == before


@pytest.mark.parametrize("fault", [{"pairs": -1}, {"edits": [["a", "b", 1.5]]}, {"places": {"a": True}}])
def test_counts_of_a_file_are_whole_numbers(fault: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="it must be a whole number, 0 or more"):
        EditCounts.from_parts({"pairs": 1, "edits": [], "places": {}, **fault})


@given(pairs)
def test_probabilities_are_those_of_the_formulas(pairs: list[tuple[str, str]]) -> None:
    shares = reference.letter_shares({"abba": 5, "cab": 2, "e": 1})
    counts = EditCounts().add(pairs)
    model = EditModel(counts, shares)
    seen = Counter({(edit.meant, edit.typed): n for edit, n in counts.edits.items()})
    for meant, typed in reference.possible_edits("abce"):
        expected = reference.log_edit(meant, typed, seen, [word for _, word in pairs], shares)
        assert model.log_probability(Edit(meant, typed)) == pytest.approx(expected)


def test_an_edit_becomes_more_probable_with_every_pair_that_has_it() -> None:
    shares = {"a": 0.5, "b": 0.25, "c": 0.25}
    before = EditModel(EditCounts(), shares).log_probability(Edit("b", "c"))
    after = EditModel(EditCounts().add([("ac", "ab")]), shares).log_probability(Edit("b", "c"))
    assert after > before
    # One edit in 20 places by kind, c's share of what is not b.
    assert before == pytest.approx(log(1 / 20 * 0.25 / 0.75))
    # A second of it, in 22 letters; 50 places weigh that, and one of b was seen, which became c.
    assert exp(after) == pytest.approx((1 + 50 * 2 / 22 * 0.25 / 0.75) / 51)
