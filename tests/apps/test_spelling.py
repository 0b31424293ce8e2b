"""Spelling correction: the noisy channel by the formulas, its laws, and how well it corrects."""

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spelling_reference as reference
from banbury import Ranker, SpellingCorrector
from banbury.apps.edits import EditCounts
from banbury.errors import CountError, FileFormatError, InputError

WORDS = {"abba": 5, "abbe": 3, "ba": 7, "bab": 1, "eba": 2, "be": 1, "cab": 4}
ANYTHING: dict[Any, Any] = {thing: thing for thing in (None, 3, "x")}  # of no type that is asked for
PAIRS = [("aba", "abba"), ("bab", "ba"), ("ebe", "eba"), ("acb", "cab"), ("bee", "be")]

words = st.text("abce", min_size=1, max_size=6)
pairs = st.lists(st.tuples(words, words), max_size=6)


def weights(pairs: list[tuple[str, str]], counts: dict[str, int]) -> dict[tuple[str, str], float]:
    """The logarithm of every edit among a few letters, by the formulas."""
    edits = Counter({(edit.meant, edit.typed): n for edit, n in EditCounts().add(pairs).edits.items()})
    meant = [word for _, word in pairs]
    shares = reference.letter_shares(counts)
    return {edit: reference.log_edit(*edit, edits, meant, shares) for edit in reference.possible_edits("abcez")}


@given(pairs, words)
def test_scores_are_those_of_the_formulas(pairs: list[tuple[str, str]], typed: str) -> None:
    corrector = SpellingCorrector(WORDS, pairs=pairs, max_edits=10, error_rate=0.1)
    found = {one.word: one for one in corrector.suggest(typed, top=99, is_wrong=True)}
    weight = weights(pairs, WORDS)
    assert set(found) == set(WORDS) - {typed}
    for word, suggestion in found.items():
        expected = reference.log_prior(word, WORDS) + reference.log_likelihood(word, typed, weight)
        assert suggestion.score == pytest.approx(expected, abs=1e-9)
        assert suggestion.score == pytest.approx(suggestion.log_prior + sum(suggestion.edit_weights), abs=1e-9)
    assert sum(one.probability for one in found.values()) == pytest.approx(1)


def test_the_typed_word_is_weighed_against_the_others() -> None:
    rare, common = SpellingCorrector({"form": 1, "from": 9_000}), SpellingCorrector({"form": 900, "from": 9_000})
    assert rare.correct("form") == "from"
    assert common.correct("form") == "form"
    assert sum(one.probability for one in common.suggest("form", top=99)) == pytest.approx(1)


def test_a_word_that_nobody_wrote_stays_where_nothing_is_near() -> None:
    corrector = SpellingCorrector({"from": 100, "form": 100})
    assert corrector.correct("Xylophones, frmo 3 zebras!") == "Xylophones, from 3 zebras!"
    assert corrector.suggest("xylophone", is_wrong=True) == []


def test_case_places_and_everything_else_stay() -> None:
    corrector = SpellingCorrector(["don't receive the well-known letter"] * 5)
    text = "I DONT RECIEVE teh Leter: http://teh.example @teh, 42."
    assert corrector.correct(text) == "I DON'T RECEIVE the Letter: http://teh.example @teh, 42."
    assert [text[one.start : one.end] for one in corrector.corrections(text)] == ["DONT", "RECIEVE", "teh", "Leter"]


def test_learned_forgotten_and_merged_is_the_same() -> None:
    whole = SpellingCorrector(["so it is", "it was so"], pairs=PAIRS)
    parts = SpellingCorrector(["it was so"], pairs=PAIRS[2:]).merge(SpellingCorrector(["so it is"], pairs=PAIRS[:2]))
    more = SpellingCorrector(["so it is", "or not", "it was so"], pairs=[*PAIRS, ("ab", "ba")])
    more.forget(["or not"], pairs=[("ab", "ba")])
    for word in ("os", "ist", "wos", "so"):
        assert whole.suggest(word) == parts.suggest(word) == more.suggest(word)


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    corrector = SpellingCorrector(WORDS, pairs=PAIRS, error_rate=0.2, max_edits=2)
    corrector.save(tmp_path / "one.banbury")
    loaded = SpellingCorrector.load(tmp_path / "one.banbury")
    loaded.save(tmp_path / "two.banbury")
    assert (tmp_path / "one.banbury").read_bytes() == (tmp_path / "two.banbury").read_bytes()
    assert loaded.suggest("abb", top=99) == corrector.suggest("abb", top=99)


def test_a_suggestion_prints_as_the_sum_it_is() -> None:
    corrector = SpellingCorrector({"spelling": 9, "spilling": 1}, pairs=[("adress", "address")])
    best = corrector.suggest("speling")[0]
    assert str(best).splitlines()[0].startswith("spelling (0.9")
    assert "l after l left out" in str(best)
    assert f"{best.score:+8.3f}" in str(best).splitlines()[-1]


def test_without_words_nothing_is_suggested() -> None:
    corrector = SpellingCorrector()
    assert corrector.suggest("word", is_wrong=True) == []
    assert corrector.correct("Any word") == "Any word"


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: SpellingCorrector("one text"), "put it into a list"),
        (lambda: SpellingCorrector({"word": -1}), "'word' is -1"),
        (lambda: SpellingCorrector({"word": 1.5}), "'word' is 1.5"),
        (lambda: SpellingCorrector(error_rate=0), "error_rate is 0"),
        (lambda: SpellingCorrector(error_rate=ANYTHING["x"]), "error_rate is 'x'"),
        (lambda: SpellingCorrector(max_edits=0), "max_edits is 0"),
        (lambda: SpellingCorrector(pairs=["ab"]), "pair 0 is 'ab'"),
        (lambda: SpellingCorrector(pairs=[("a", "b"), ("a", None)]), "pair 1 is"),
        (lambda: SpellingCorrector(WORDS).suggest("two words"), "'two words' is not one word"),
        (lambda: SpellingCorrector(WORDS).suggest(""), "'' is not one word"),
        (lambda: SpellingCorrector(WORDS).suggest("ab", top=0), "top is 0"),
        (lambda: SpellingCorrector(WORDS).suggest(ANYTHING[3]), "type int"),
        (lambda: SpellingCorrector(WORDS).correct(ANYTHING[None]), "a document is None"),
    ],
)
def test_bad_input_is_one_clear_error(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong()


def test_what_fails_changes_nothing() -> None:
    corrector = SpellingCorrector(WORDS, pairs=PAIRS)
    before = corrector.suggest("abb", top=99)
    with pytest.raises(InputError):
        corrector.learn(["more words"], pairs=[("one", "")])
    with pytest.raises(InputError):
        corrector.learn([None], pairs=[("one", "two")])
    with pytest.raises(CountError):
        corrector.forget(["never learned"], pairs=PAIRS[:1])
    with pytest.raises(CountError):
        corrector.forget({"ba": 1}, pairs=[("one", "two")])
    assert corrector.suggest("abb", top=99) == before


def test_another_file_is_refused(tmp_path: Path) -> None:
    Ranker(["the cat"]).save(tmp_path / "ranker.banbury")
    with pytest.raises(FileFormatError, match="a ranker, not a spelling corrector"):
        SpellingCorrector.load(tmp_path / "ranker.banbury")


def test_most_misspelled_words_are_right_at_the_first_guess(
    read_set: Callable[[str], list[dict[str, str]]], data_folder: Path
) -> None:
    """Words counted in reviews and news, edits in the development part; benchmarks/applications.py counts more."""
    with gzip.open(data_folder / "spelling.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    corrector = SpellingCorrector(pairs=[(wrong, right) for right, wrong, part in rows if part == "development"])
    for name in ("20newsgroups", "imdb"):
        corrector.learn([row["text"] for row in read_set(name)])
    known = set(corrector.counts.kernel.postings().names)
    asked = [(wrong, right) for right, wrong, part in rows if part == "test" and right in known]
    guesses = [corrector.suggest(wrong, top=1, is_wrong=True) for wrong, _ in asked]
    n_right = sum(bool(guess) and guess[0].word == right for guess, (_, right) in zip(guesses, asked, strict=True))
    assert len(asked) > 370
    assert n_right / len(asked) >= 0.75
