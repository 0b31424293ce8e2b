"""Labelling by hand: what is asked next, what is undone."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Classifier
from banbury.apps.labelling import Labelling, expected_accuracy
from banbury.datasets import demo
from banbury.errors import InputError

TEXTS = ["free money", "lunch at noon", "free lunch", "money money money", "noon", "unknown words"]


@given(st.lists(st.sampled_from(["a", "b", "undo", "skip"]), max_size=14))
def test_what_is_undone_was_never_given(acts: list[str]) -> None:
    labelling = Labelling(TEXTS)
    expected: dict[int, str] = {}
    n_skipped = 0
    for act in acts:
        if act == "undo":
            undone = labelling.undo()
            assert undone == (list(expected)[-1] if expected else None)
            if undone is not None:
                del expected[undone]
        elif (number := labelling.next()) is not None:
            assert number not in expected
            if act == "skip":
                labelling.skip(number)
                n_skipped += 1
            else:
                labelling.give(number, act)
                expected[number] = act
        assert labelling.labels == expected
        assert len(labelling) == len(TEXTS) - len(expected) - n_skipped


def test_the_model_learns_along_exactly() -> None:
    labelling = Labelling(TEXTS, {0: "spam", 1: "ham"})
    assert labelling.probabilities(3) == Classifier().fit(TEXTS[:2], ["spam", "ham"]).probabilities(TEXTS[3])
    known = Classifier().fit(["win cash", "see you"], ["spam", "ham"])
    with_model = Labelling(TEXTS, model=known)
    with_model.next()
    with_model.give(3, "spam")
    assert with_model.probabilities(4) == pytest.approx(
        Classifier().fit(["win cash", "see you"], ["spam", "ham"]).learn([TEXTS[3]], ["spam"]).probabilities(TEXTS[4])
    )
    assert known.counts_.documents == [1, 1]


@pytest.mark.parametrize("by", ["gain", "uncertainty"])
def test_it_asks_what_its_model_would_ask(by: str) -> None:
    texts, labels = (column[::10] for column in demo())
    given = dict(enumerate(labels[:20]))
    labelling = Labelling(texts[:60], given, by=by)
    number = labelling.next()
    assert number is not None
    left = [texts[row] for row in range(20, 60)]
    model = Classifier().fit(texts[:20], labels[:20])
    assert texts[number] == left[model.what_to_label_next(left, top=1, by=by)[0]]


def test_by_gain_it_asks_before_there_is_a_model_and_not_twice_about_the_same_words() -> None:
    labelling = Labelling(["a b", "a b", "c d", "c d"])
    asked = []
    for label in ("x", "x", "y", "x"):
        number = labelling.next()
        assert number is not None
        asked.append(labelling.texts[number])
        labelling.give(number, label)
    assert set(asked[:2]) == {"a b", "c d"}
    assert labelling.next() is None


@pytest.mark.parametrize("by", ["gain", "uncertainty"])
def test_empty_texts_and_none_at_all_are_asked_about_once(by: str) -> None:
    labelling = Labelling(["", "", "?!"], by=by)
    while (number := labelling.next()) is not None:
        labelling.give(number, "ab"[number % 2])
    assert labelling.labels == {0: "a", 1: "b", 2: "a"}
    assert Labelling([], by=by).next() is None


def test_bad_labels_say_what_is_wrong() -> None:
    with pytest.raises(InputError, match="no document 9"):
        Labelling(TEXTS, {9: "a"})
    with pytest.raises(InputError, match="by is 'luck'; it can be 'gain' or 'uncertainty'"):
        Labelling(TEXTS, by="luck")
    labelling = Labelling(TEXTS, {0: "a"})
    with pytest.raises(InputError, match="has a label already"):
        labelling.give(0, "b")
    with pytest.raises(InputError, match="of type int"):
        labelling.give(1, 3)
    assert labelling.labels == {0: "a"}


def test_more_labels_are_expected_to_help_as_they_have_helped() -> None:
    # Mistakes go with the inverse of the square root of the number of labels: 8 of 16, 4 of 32 …
    draw = Random(0)
    outcomes = [draw.random() > 2 / (n + 4) ** 0.5 for n in range(4000)]
    expected = expected_accuracy(outcomes, 8000)
    assert expected == pytest.approx(1 - 2 / 8000**0.5, abs=0.01)
    assert expected_accuracy(outcomes[:39], 80) is None


@given(st.lists(st.booleans(), min_size=40, max_size=200))
def test_more_labels_never_make_it_worse(outcomes: list[bool]) -> None:
    some, more = (expected_accuracy(outcomes, n * len(outcomes)) for n in (2, 4))
    assert some is not None
    assert more is not None
    assert 0 <= some <= more <= 1
