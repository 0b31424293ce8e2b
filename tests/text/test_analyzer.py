"""What a text becomes: the settings of the analyzer one by one, and laws that hold for any text."""

import json
import pickle
import re
import sys
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import reference
from banbury import Analyzer
from banbury.errors import InputError
from banbury.text.analyzer import PRESETS, Token
from strategies import odd_texts, texts


def words(text: str, **settings: Any) -> str:
    return " ".join(token.text for token in Analyzer(**settings).tokens(text))


# The settings --------------------------------------------------------------------------------------------------------

# The five steps of preprocessing that the course teaches: each alone, with all others switched off.

NO_STEP: dict[str, Any] = {
    "lowercase": False,
    "urls": "split",
    "handles": "split",
    "emails": "split",
    "tags": "split",
    "punctuation": "all",
    "stop_words": None,
    "stemmer": None,
}


def test_step_1_upper_and_lower_case_become_one() -> None:
    assert words("GREAT Great great", **NO_STEP) == "GREAT Great great"
    assert words("GREAT Great great", **{**NO_STEP, "lowercase": True}) == "great great great"


def test_step_2_punctuation_goes() -> None:
    text = 'Wow!!! (so) #good... _yes_, 5% & $3; "a" - b: c / ____'
    assert "!!" in words(text, **NO_STEP)
    assert "#good" in words(text, **NO_STEP)
    assert words(text, **{**NO_STEP, "punctuation": "none"}) == "Wow so good yes 5 3 a b c"
    assert words("don't stop, forty-two", **{**NO_STEP, "punctuation": "none"}) == "don't stop forty-two"


@given(text=st.text(st.sampled_from([*map(chr, range(33, 127)), "…", "“", "€", "—", "¡", "·", " ", "é"])))
def test_without_punctuation_no_token_is_all_signs(text: str) -> None:
    bare: dict[str, Any] = {**NO_STEP, "punctuation": "none", "emoticons": False}
    for word in words(text, **bare).split():
        assert word[0].isalnum()
        assert word[-1].isalnum()


def test_step_2_urls_go() -> None:
    text = "see http://x.org/a?b=1, https://y.org. and www.z.org!"
    assert "http" in words(text, **NO_STEP)
    assert words(text, **{**NO_STEP, "urls": "remove"}) == "see , . and !"


def test_step_2_handles_go_and_leave_nothing_behind() -> None:
    text = "@bob's dog and @Ann_1’s cat, @kim'll say hi to @lee"
    assert words("@bob hi", **NO_STEP) == "@ bob hi"
    assert words(text, **{**NO_STEP, "handles": "remove"}) == "dog and cat , say hi to"
    assert words("@bob's dog", handles="remove", words="python") == "dog"
    assert words("@bob's dog") == "<user> dog"


def test_step_3_stop_words_go() -> None:
    assert words("the dog and the cat", **NO_STEP) == "the dog and the cat"
    assert words("the dog and the cat", **{**NO_STEP, "stop_words": "english"}) == "dog cat"
    assert words("the dog and the cat", **{**NO_STEP, "stop_words": ["dog"]}) == "the and the cat"


def test_step_4_words_are_cut_to_their_stems() -> None:
    assert words("running dogs are happy", **NO_STEP) == "running dogs are happy"
    assert words("running dogs are happy", **{**NO_STEP, "stemmer": "english"}) == "run dog are happi"


def test_step_5_a_text_is_cut_into_words() -> None:
    assert Analyzer(**NO_STEP).tokens("forty-two\tdogs\nran") == [
        Token("forty-two", 0, 9),
        Token("dogs", 10, 14),
        Token("ran", 15, 18),
    ]
    assert words("forty-two dogs", words="python") == "forty two dogs"


def test_all_five_steps_together() -> None:
    steps: dict[str, Any] = {"punctuation": "none", "urls": "remove", "handles": "remove"}
    tweet = "@Ann's sister: the Dogs were RUNNING to http://dogs.example! #Happy"
    assert words(tweet, **steps, stop_words="english", stemmer="english") == "sister dog run happi"


THINGS = {"urls": "www.X.org/a", "handles": "@Ann_1", "emails": "Me@X.org", "tags": "<BR />"}
PLACEHOLDERS = {"urls": "<url>", "handles": "<user>", "emails": "<email>", "tags": "<tag>"}
PIECES = {"urls": "www x org a", "handles": "ann_1", "emails": "me x org", "tags": "br"}


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("rule", ["unicode", "python"])
def test_addresses_handles_and_tags_are_kept_removed_replaced_or_split(name: str, rule: str) -> None:
    text = f"see {THINGS[name]} now"
    found = {how: words(text, words=rule, **{name: how}) for how in ("keep", "remove", "replace", "split")}
    assert found == {
        "keep": f"see {THINGS[name].lower()} now",
        "remove": "see now",
        "replace": f"see {PLACEHOLDERS[name]} now",
        "split": f"see {PIECES[name]} now",
    }


def test_what_is_not_said_depends_on_the_rule_for_words() -> None:
    text = " ".join(THINGS.values())
    assert words(text) == "<url> <user> me@x.org"
    assert words(text, words="python") == " ".join(PIECES.values())


@pytest.mark.parametrize(
    "punctuation, expected",
    [
        ("none", "wait what 5 off 50 ok"),
        ("expressive", "wait .. what ?? $ 5 off 50 % ! ok"),
        ("all", "wait .. what ?? ( $ 5 off ) 50 % ! - ok ."),
    ],
)
def test_punctuation_is_none_or_expressive_or_all(punctuation: str, expected: str) -> None:
    text = "Wait... what?!? ($5 off) 50%! - ok."
    assert words(text, punctuation=punctuation) == expected
    assert words(text, words="python", punctuation=punctuation) == "wait what 5 off 50 ok"


def test_emoticons_emoji_and_hashtags_are_tokens_of_their_own() -> None:
    text = "Great:-) 😂😂 #NoFilter <3 👩🏽‍🚀 🇫🇷"
    assert words(text) == "great :-) 😂 😂 #nofilter <3 👩🏽‍🚀 🇫🇷"
    assert words(text, emoticons=False) == "great #nofilter"


def test_words_keep_their_apostrophes_and_hyphens_in_plain_spelling() -> None:
    assert words("Don’t rock‐climb, forty-two 'times' 3.14 1,000") == "don't rock-climb forty-two times 3.14 1,000"


def test_negation_marks_the_words_up_to_the_next_punctuation() -> None:
    text = "I don't like it. Never again, great"
    assert words(text, negation=True) == "i don't not_like not_it never not_again great"


def test_the_english_stop_words_leave_what_negates_or_judges() -> None:
    assert words("This is not a great film, no, never too good", stop_words="english") == (
        "not great film no never too good"
    )


def test_stop_words_are_those_given_in_any_case_and_before_stemming() -> None:
    assert words("Dogs dog THE", stop_words={"the", "DOGS"}, stemmer="english") == "dog"


@pytest.mark.parametrize(
    "language, text, stems",
    [
        ("english", "connected connecting connections", "connect connect connect"),
        ("german", "Häuser Hauses", "haus haus"),
        ("french", "continuité continuer", "continu continu"),
        ("spanish", "gatos gata", "gat gat"),
        ("russian", "важная важные", "важн важн"),
    ],
)
def test_words_are_cut_to_their_stems_by_the_rules_of_their_language(language: str, text: str, stems: str) -> None:
    assert words(text, stemmer=language) == stems


def test_short_words_are_dropped_and_their_length_is_in_characters() -> None:
    assert words("a été on ß :)", min_length=3) == "été :)"


def test_ngrams_are_runs_of_the_words_that_are_left() -> None:
    features = Analyzer(ngrams=(2, 3), stop_words=["the"]).features("On the road again")
    assert features == [
        Token("on road", 0, 11),
        Token("road again", 7, 17),
        Token("on road again", 0, 17),
    ]


def test_words_and_characters_can_be_had_together() -> None:
    features = Analyzer(characters=(3, 3)).features("Ham")
    assert features == [Token("ham", 0, 3), Token(" ha", 0, 2), Token("ham", 0, 3), Token("am ", 1, 3)]


def test_only_keywords_count_and_make_a_vector() -> None:
    analyzer = Analyzer(keywords=["Waste", "great", "<url>", "not_good"], negation=True)
    text = "Not good! Great, great, good: www.waste.example"
    assert [token.text for token in analyzer.tokens(text)] == ["not_good", "great", "great", "<url>"]
    assert analyzer.vector(text) == [0, 2, 1, 1]
    assert analyzer.vector(text, binary=True) == [0, 1, 1, 1]


def test_keywords_are_stemmed_like_the_words_they_are_compared_with() -> None:
    analyzer = Analyzer(keywords=["winning", "not_winning"], negation=True, stemmer="english")
    assert analyzer.vector("He wins. She does not win") == [1, 1]


def test_presets_are_settings_by_name() -> None:
    assert Analyzer.preset("words") == Analyzer()
    assert [f.text for f in Analyzer.preset("tweets").features("no fun")] == ["no", "not_fun", "no not_fun"]
    assert {len(f.text) for f in Analyzer.preset("characters").features("language")} == {2, 3, 4, 5}


def test_a_lone_surrogate_is_one_unknown_character() -> None:
    assert Analyzer().tokens("a\ud800b \udfff c") == [Token("a", 0, 1), Token("b", 2, 3), Token("c", 6, 7)]
    assert [f.text for f in Analyzer(words=None, characters=(2, 2)).features("\ud83d")] == [" \ufffd", "\ufffd "]


# Wrong settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"words": "latin"}, "words is 'latin'; it can be 'unicode', 'python', None"),
        ({"words": []}, "words is"),
        ({"words": None}, "without words and without characters there is nothing to count"),
        ({"lowercase": 1}, "lowercase is 1; it can be True, False"),
        ({"urls": "drop"}, "urls is 'drop'; it can be 'keep', 'remove', 'replace', 'split', None"),
        ({"tags": False}, "tags is False; it can be 'keep'"),
        ({"punctuation": None}, "punctuation is None; it can be 'none', 'expressive', 'all'"),
        ({"negation": "english"}, "negation is 'english'; it can be True, False"),
        ({"stop_words": "klingon"}, "there is 'english', or give a list of your own"),
        ({"stop_words": 3}, "stop_words is 3; it must be a list of words"),
        ({"stop_words": ["a", 3]}, "stop_words has 3 in it, of type int"),
        ({"stemmer": "klingon"}, "stemmer is 'klingon'; it can be None, .*'english', .*'turkish'"),
        ({"min_length": -1}, "min_length is -1; it must be a number, 0 or more"),
        ({"characters": (1, 255)}, "characters is .1, 255.; a run has at most 32 of them"),
        ({"min_length": 2**80}, "min_length is"),
        ({"ngrams": None}, r"ngrams is None; .* such as \(1, 2\)"),
        ({"ngrams": (2, 1)}, r"ngrams is \(2, 1\); it must be two numbers, the shortest and the longest"),
        ({"ngrams": (1, 256)}, r"ngrams is \(1, 256\)"),
        ({"characters": 3}, r"characters is 3; .* such as \(1, 2\)"),
        ({"keywords": "great"}, "keywords is 'great'; it must be a list of words"),
        ({"keywords": ["ice cream"]}, 'keyword "ice cream" makes 2 tokens'),
        ({"keywords": ["the"], "stop_words": ["the"]}, 'keyword "the" makes 0 tokens'),
    ],
)
def test_a_wrong_setting_is_named_with_what_would_work(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Analyzer(**settings)


def test_a_wrong_name_or_text_is_named_with_what_would_work() -> None:
    with pytest.raises(InputError, match="no preset 'prose'; there is words, tweets, authors, characters"):
        Analyzer.preset("prose")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"Analyzer\(keywords=\[...\]\)"):
        Analyzer().vector("text")
    with pytest.raises(InputError, match="a document is of type bytes; it must be a str, or a list of tokens"):
        Analyzer().tokens(b"text")


@pytest.mark.parametrize(
    "analyzer",
    [
        *(Analyzer.preset(name) for name in PRESETS),  # type: ignore[arg-type]
        Analyzer(words="python", min_length=2, ngrams=(1, 3), characters=(2, 4), lowercase=False, emoticons=False),
        Analyzer(urls="keep", tags="split", punctuation="all", stop_words={"b", "a"}, stemmer="german"),
        Analyzer(keywords=["zebra", "ant"], stop_words="english"),
    ],
)
def test_settings_make_the_same_analyzer_again_even_from_json(analyzer: Analyzer) -> None:
    assert Analyzer.from_settings(json.loads(json.dumps(analyzer.settings()))) == analyzer
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer


# Laws ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("min_length, pattern", [(1, r"\w+"), (2, r"\b\w\w+\b")])
@given(text=texts(unassigned=False))
def test_the_python_words_are_those_of_re(min_length: int, pattern: str, text: str) -> None:
    assert words(text, words="python", min_length=min_length).split() == re.findall(pattern, text.lower())


def test_every_character_is_a_word_character_where_python_says_so() -> None:
    everything = [chr(point) for point in range(sys.maxunicode + 1)]
    assigned = [character for character in everything if unicodedata.category(character) not in ("Cn", "Cs")]
    for text in (" ".join(assigned), "a".join(assigned)):
        assert [token.text for token in Analyzer(words="python").tokens(text)] == re.findall(r"\w+", text.lower())


@given(texts(unassigned=False), st.sampled_from([(1, 1), (2, 4), (3, 3)]))
def test_character_ngrams_are_those_of_scikit_learn(text: str, lengths: tuple[int, int]) -> None:
    vectorizer = pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer
    expected = vectorizer(analyzer="char_wb", ngram_range=lengths).build_analyzer()(text)
    assert [f.text for f in Analyzer(words=None, characters=lengths).features(text)] == expected
    assert expected == reference.char_wb(text, *lengths)


def plainly_spelled(text: str) -> str:
    """Lower-cased, with the plain signs; σ wherever it stands, and İ without the dot that its lower case has."""
    return text.lower().translate({0xAD: None, 0x307: None, **str.maketrans("’‐‑ς", "'--σ")})


WHOLE = {"urls": "keep", "handles": "keep", "emails": "keep", "tags": "keep", "punctuation": "none"}


@pytest.mark.parametrize("rule", ["unicode", "python"])
@given(text=st.one_of(texts(), st.text("aA1é’'-.,:/@#<>()😀🏽\u200d ", max_size=30)))
def test_tokens_stand_where_they_say_and_do_not_overlap(rule: str, text: str) -> None:
    end = 0
    for token in Analyzer(words=rule, **WHOLE).tokens(text):  # type: ignore[arg-type]
        assert end <= token.start < token.end <= len(text)
        assert plainly_spelled(text[token.start : token.end]) == plainly_spelled(token.text)
        end = token.end


@given(texts())
def test_character_ngrams_stand_where_they_say(text: str) -> None:
    assume("İ" not in text)  # half of its lower case can be in an n-gram
    for feature in Analyzer(words=None, characters=(1, 3)).features(text):
        assert plainly_spelled(text[feature.start : feature.end]) == plainly_spelled(feature.text.strip(" "))


@given(texts())
def test_a_run_of_words_stands_from_its_first_to_its_last(text: str) -> None:
    tokens = Analyzer().tokens(text)
    pairs = [Token(f"{a.text} {b.text}", a.start, b.end) for a, b in pairwise(tokens)]
    assert Analyzer(ngrams=(1, 2)).features(text) == tokens + pairs


@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])), max_size=20))
def test_any_str_has_features_even_with_lone_surrogates(text: str) -> None:
    for analyzer in (Analyzer(punctuation="all", negation=True), Analyzer(words="python", characters=(1, 2))):
        assert all(0 <= f.start <= f.end <= len(text) for f in analyzer.features(text))


@given(odd_texts())
def test_lower_case_is_that_of_python(text: str) -> None:
    found = [token.text for token in Analyzer(words="python").tokens(text)]
    assert found == [token.text for token in Analyzer(words="python", lowercase=False).tokens(text.lower())]


def test_an_analyzer_is_shown_by_what_is_not_usual_and_can_be_made_from_that() -> None:
    for analyzer in (Analyzer(), Analyzer(words=None, characters=(2, 5)), Analyzer(keywords=["a"], stop_words=["b"])):
        assert eval(repr(analyzer)) == analyzer
    assert repr(Analyzer(ngrams=(1, 2))) == "Analyzer(ngrams=(1, 2))"
