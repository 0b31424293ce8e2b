"""What preprocessing does to a text: the pieces that it leaves out and changes are all that differs."""

from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer, Tokens
from banbury.text import preprocessing
from banbury.text.preprocessing import changes


def shown(text: str, **settings: object) -> list[tuple[str, str | None]]:
    return [(change.text, change.token) for change in changes(Analyzer(**settings), text)]  # type: ignore[arg-type]


def test_each_setting_that_removes_or_changes_is_named() -> None:
    assert shown("So HAPPY") == []
    assert shown("don’t co‑operate") == []
    assert shown("The dogs", stop_words=["the"]) == [("The", None)]
    assert shown("The dogs", stemmer="english") == [("dogs", "dog")]
    assert shown("@ann <b>hi</b> www.x.org") == [
        ("@ann", "<user>"),
        ("<b>", None),
        ("</b>", None),
        ("www.x.org", "<url>"),
    ]
    assert shown("not good", negation=True) == [("good", "not_good")]
    assert shown("a big dog", min_length=2) == [("a", None)]
    assert shown("great stuff", keywords=["great"]) == [("stuff", None)]
    assert shown("what?!? (no)") == [("?!?", "??"), ("(", None), (")", None)]
    assert shown("anything", words=None, characters=(2, 3)) == []


def test_tokens_that_are_given_are_compared_as_they_are() -> None:
    found = changes(Analyzer(stop_words=["the"]), Tokens(["The", "New York"]))
    assert [(change.text, change.token, change.start, change.end) for change in found] == [("The", None, 0, 3)]


@given(st.text("aB é.,#@'!<>", max_size=30))
def test_changes_stand_where_they_say_and_what_is_left_out_is_in_no_token(text: str) -> None:
    analyzer = Analyzer(stop_words=["a"], stemmer="english")
    covered = [(token.start, token.end) for token in analyzer.tokens(text)]
    for change in changes(analyzer, text):
        assert text[change.start : change.end] == change.text
        if change.token is None:
            assert all(change.end <= start or end <= change.start for start, end in covered)
        else:
            assert (change.start, change.end) in covered
    n_solid = sum(not character.isspace() for character in text)
    left_out = sum(len(change.text) for change in changes(analyzer, text) if change.token is None)
    assert left_out + sum(len(text[start:end].replace(" ", "")) for start, end in covered) == n_solid


def test_one_sign_between_words_is_what_the_pattern_finds_in_it() -> None:
    analyzer = Analyzer(words="python", punctuation="none", emoticons=False)
    for sign in map(chr, (*range(0x3000), *range(0xF900, 0xFFF0))):
        if [token.text for token in analyzer.tokens(f"a{sign}b")] == ["a", "b"]:
            pieces = [(piece[0], 1, 2) for piece in preprocessing.PIECE_PATTERN.finditer(sign)]
            assert [(change.text, change.start, change.end) for change in changes(analyzer, f"a{sign}b")] == pieces
