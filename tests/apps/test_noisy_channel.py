"""The noisy channel: which words are near, and their scores, compared with every word one by one."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spelling_reference as reference
from banbury.apps.edits import EditCounts, EditModel, align
from banbury.apps.noisy_channel import LONGEST, Channel, Vocabulary
from banbury.text.counts import Counts

WORDS = {"abba": 5, "abbe": 3, "ba": 7, "bab": 1, "eba": 2, "be": 1, "cab": 4}
typed_words = st.text("abcez", min_size=1, max_size=6)


def vocabulary(words: dict[str, int] | None = None) -> Vocabulary:
    known = WORDS if words is None else words
    return Vocabulary(Counts().add(list(known), ["words"] * len(known), weights=list(known.values())))


def channel(words: dict[str, int] | None = None) -> Channel:
    known = vocabulary(words)
    return Channel(known, EditModel(EditCounts().add([("aba", "abba"), ("acb", "cab")]), known.letter_shares))


def test_shares_and_priors_are_those_of_the_formulas() -> None:
    known = vocabulary()
    assert known.letter_shares == pytest.approx(reference.letter_shares(WORDS))
    for word in WORDS:
        assert known.log_prior_of(word) == pytest.approx(reference.log_prior(word, WORDS))
    total = sum(exp(known.log_prior_of(word)) for word in WORDS)
    assert total == pytest.approx(1 - 3 / 25)  # Good–Turing: 2 of 23 were seen once, and one more of each


def test_words_that_are_too_long_or_no_words_are_not_suggested() -> None:
    known = vocabulary({"word": 1, "x" * (LONGEST + 1): 9, "42": 5, "well-known": 2})
    assert known.words == ["word", "well-known"]
    assert vocabulary({}).words == []


@given(typed_words, st.integers(1, 4))
def test_no_word_within_so_many_edits_is_left_out(typed: str, most: int) -> None:
    known = vocabulary()
    near = {known.words[place] for place in known.near(typed, most).tolist()}
    within = {word for word in WORDS if -align(word, typed, lambda edit: -1.0)[0] <= most}
    assert within <= near


@given(typed_words, st.booleans())
def test_probabilities_sum_to_one_and_follow_the_scores(typed: str, is_wrong: bool) -> None:
    said = channel().suggest(typed, 99, 10, 0.1, is_wrong)
    assert sum(one.probability for one in said) == pytest.approx(1)
    assert [one.score for one in said] == sorted((one.score for one in said), reverse=True)
    assert {one.word for one in said} == (set(WORDS) - {typed} if is_wrong else {*WORDS, typed})
    for one in said:
        error = 0.0 if is_wrong else log(0.1) if one.edits else log(0.9)
        assert one.score == pytest.approx(one.log_prior + error + sum(one.edit_weights))


def test_only_words_within_so_many_edits_and_so_many_of_them() -> None:
    assert [one.word for one in channel().suggest("abb", 99, 1, 0.1, True)] == ["abba", "abbe", "bab"]
    assert [one.word for one in channel().suggest("abb", 1, 1, 0.1, True)] == ["abba"]
    assert channel().suggest("z" * (LONGEST + 9), 9, 1, 0.1, True) == []
    assert channel({}).suggest("abb", 9, 2, 0.1, True) == []
