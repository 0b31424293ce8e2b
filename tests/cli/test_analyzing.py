"""Every setting of an analyzer on the command line, under its own name."""

from dataclasses import fields
from typing import Any

import pytest

from banbury import Analyzer, Classifier
from banbury.cli.analyzing import NAMES, analyzer_of, asks_for_texts, settings
from banbury.cli.declared import command
from commands import Here

NOTHING: dict[str, Any] = dict.fromkeys(("analyzer", *NAMES))


def test_every_setting_has_an_option() -> None:
    @command()
    @settings
    def analyze(**given: Any) -> None:
        """Analyze."""

    assert {option.name for option in analyze.parameters} == {"analyzer", *(field.name for field in fields(Analyzer))}
    assert set(NAMES) == {field.name for field in fields(Analyzer)}


def test_without_options_there_is_no_analyzer() -> None:
    assert analyzer_of(NOTHING) is None
    assert not asks_for_texts(NOTHING)
    assert asks_for_texts({**NOTHING, "negation": False})


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"analyzer": "tweets"}, Analyzer.preset("tweets")),
        ({"analyzer": "tweets", "negation": False}, Analyzer(ngrams=(1, 2))),
        ({"ngrams": "1,3", "characters": "2,4"}, Analyzer(ngrams=(1, 3), characters=(2, 4))),
        ({"words": "none", "characters": "2,4"}, Analyzer(words=None, characters=(2, 4))),
        ({"stop_words": "english", "stemmer": "german"}, Analyzer(stop_words="english", stemmer="german")),
        ({"stop_words": "the, a,", "keywords": "dog,cat"}, Analyzer(stop_words=["the", "a"], keywords=["dog", "cat"])),
        ({"urls": "remove", "tags": "keep", "min_length": 2}, Analyzer(urls="remove", tags="keep", min_length=2)),
        ({"lowercase": False, "emoticons": False}, Analyzer(lowercase=False, emoticons=False)),
    ],
)
def test_options_are_the_settings_of_their_names(given: dict[str, Any], expected: Analyzer) -> None:
    assert analyzer_of({**NOTHING, **given}) == expected


def test_a_model_is_trained_with_all_of_them(mood: Here) -> None:
    options = ["--stop-words", "english", "--stemmer", "english", "--negation", "--characters", "2,3", "--no-lowercase"]
    done = mood("train", "mood.jsonl", "-o", "own.banbury", "--plain", *options, "--urls", "split", "--min-length", "2")
    assert done.code == 0, done.err
    assert Classifier.load(mood.folder / "own.banbury").counts_.analyzer == Analyzer(
        stop_words="english",
        stemmer="english",
        negation=True,
        characters=(2, 3),
        lowercase=False,
        urls="split",
        min_length=2,
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--ngrams", "x"], "'x' is not LOW,HIGH, such as 1,2"),
        (["--characters", "5,2"], "characters is (5, 2); it must be two numbers"),
        (["--words", "none"], "without words and without characters there is nothing to count"),
        (["--stemmer", "klingon"], "stemmer is 'klingon'"),
        (["--min-length", "-1"], "-1 is not in the range x>=0"),
        (["--urls", "drop"], "'drop' is not one of"),
        (["--analyzer", "prose"], "there is no preset 'prose'"),
    ],
)
def test_a_wrong_setting_is_one_clear_error(mood: Here, arguments: list[str], message: str) -> None:
    result = mood("train", "mood.jsonl", "-o", "own.banbury", *arguments)
    assert result.code in (2, 3)
    assert message in result.err
    assert not (mood.folder / "own.banbury").exists()
