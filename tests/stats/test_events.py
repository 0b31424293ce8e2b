"""Events counted in data: the numbers of the founding documents, the laws of probability, any kind of table."""

from collections.abc import Callable
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.errors import InputError
from banbury.stats import probability
from banbury.stats.events import count, event, word

# 100 tweets: 35 positive; amazing stands in 5, of which 4 are positive.
TWEETS = [
    {"text": text, "label": label}
    for text, label, times in (
        ("What an AMAZING day!", "positive", 4),
        ("good", "positive", 31),
        ("amazing, how bad", "negative", 1),
        ("a maze", "negative", 64),
    )
    for _ in range(times)
]
# 20 tweets: 13 positive; happy stands in 4, of which 3 are positive.
CORPUS = [
    {"happy": happy, "positive": positive}
    for happy, positive, times in ((True, True, 3), (False, True, 10), (True, False, 1), (False, False, 6))
    for _ in range(times)
]
POSITIVE, AMAZING = event(label="positive"), word("amazing")
rows = st.lists(st.fixed_dictionaries({"x": st.integers(0, 2), "y": st.booleans()}), min_size=1, max_size=20)


def test_the_numbers_of_the_first_document() -> None:
    assert probability.of(TWEETS, POSITIVE) == 0.35
    assert probability.of(TWEETS, ~POSITIVE) == 0.65
    assert probability.of(TWEETS, POSITIVE & AMAZING) == 0.04
    assert probability.of(TWEETS, POSITIVE, given=AMAZING) == 0.8
    assert probability.of(TWEETS, AMAZING, given=POSITIVE) == 4 / 35


def test_the_numbers_of_the_fourth_document() -> None:
    positive, happy = event(positive=True), event(happy=True)
    assert probability.of(CORPUS, positive) == 0.65
    assert probability.of(CORPUS, positive & happy) == 0.15
    assert probability.of(CORPUS, positive, given=happy) == 0.75
    assert probability.of(CORPUS, happy, given=positive) == 3 / 13


def test_reviews_with_great_and_waste(read_set: Callable[[str], Any]) -> None:
    reviews = [row for row in read_set("sentiment_labelled") if row["source"] == "amazon"]
    positive, great, waste = event(label="positive"), word("great"), word("waste")
    assert probability.of(reviews, great, given=positive) == 0.184
    assert probability.of(reviews, great) == 0.097
    assert probability.of(reviews, positive, given=great) == pytest.approx(0.9485, abs=5e-5)
    assert probability.of(reviews, positive, given=~great) == pytest.approx(0.4518, abs=5e-5)
    assert probability.of(reviews, positive, given=waste) == 0
    assert probability.of(reviews, positive, given=~waste) == pytest.approx(0.5071, abs=5e-5)


@given(rows, st.integers(0, 2))
def test_the_laws_of_probability_hold(rows: list[dict[str, Any]], value: int) -> None:
    first, second = event(x=value), event(y=True)
    assert count(rows, first) + count(rows, ~first) == len(rows)
    assert count(rows, first | second) == count(rows, first) + count(rows, second) - count(rows, first & second)
    if count(rows, first) and count(rows, second):
        evidence = probability.of(rows, second)
        turned = probability.bayes(probability.of(rows, first), probability.of(rows, second, given=first), evidence)
        assert turned == pytest.approx(probability.of(rows, first, given=second))


def test_every_kind_of_table_counts_the_same() -> None:
    columns = {"x": [1, 2, 1], "y": ["a", "b", "b"]}
    frame = pandas.DataFrame(columns)
    tables = [columns, frame, polars.DataFrame(columns), pyarrow.table(columns), frame.to_dict("records")]
    for table in tables:
        assert count(table, event(x=1)) == count(table, {"x": 1}) == count(table, lambda row: row["x"] == 1) == 2
        assert probability.of(table, {"y": "b"}, given={"x": 1}) == 0.5


def test_a_word_is_a_whole_word_in_any_case() -> None:
    texts = ["Forty-two!", "forty", "It's fine", "its"]
    assert count(texts, word("forty-two")) == count(texts, word("forty")) == count(texts, word("it's")) == 1


def test_names_say_what_is_meant() -> None:
    sunny, warm, late = event(sky="sunny"), event(lambda row: True, name="warm"), event(late=True)
    assert str(sunny & ~warm) == "sky = sunny and not warm"
    assert str(~(sunny | warm) & late) == "(not (sky = sunny or warm)) and late = True"
    assert str((sunny | warm) & late) == "(sky = sunny or warm) and late = True"


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: probability.of([], {"x": 1}), "no rows"),
        (lambda: probability.of("text", {"x": 1}), "of type str"),
        (
            lambda: probability.of(CORPUS, {"colour": 1}),
            "row 0: there is no column 'colour'; there is 'happy', 'positive'",
        ),
        (lambda: probability.of(CORPUS, {"happy": 1}, given={"happy": "maybe"}), "happy = maybe is true of none"),
        (lambda: probability.of(["a"], {"x": 1}), "row 0: it is 'a', which has no columns"),
        (lambda: probability.of(CORPUS, "happy"), "an event is 'happy'"),
        (lambda: probability.of(CORPUS, {}), "an event is {}"),
        (lambda: probability.of(CORPUS, word("x", column="happy")), "which is no text"),
        (lambda: event(), "one function of a row, or values"),
        (lambda: word("two words"), "'two words' is not one word"),
        (lambda: count({"x": [1], "y": [1, 2]}, {"x": 1}), "different lengths"),
    ],
)
def test_bad_input_is_one_clear_error(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong()
