"""Explanations from the terms of a score, worked out by hand."""

from math import inf
from typing import Any

import pytest

from banbury.errors import InputError
from banbury.results.explanation import Explanation
from banbury.results.terms import Score, Term, class_id_of, explanation_of

TERMS = [
    Term("so", 0, 2, [0.5, 0.5]),
    Term("happy", 3, 8, [-1.0, 1.5]),
    Term("zog", 9, 12, None),
    Term("so", 13, 15, []),
]
SCORE = Score(["no", "yes"], [-0.75, 2.25], [-0.25, 0.25], TERMS)


def explained(score: Score = SCORE, **options: Any) -> Explanation:
    usual: dict[str, Any] = {"text": "so happy zog so", "row": None, "label": None, "against": None, "unit": "nats"}
    return explanation_of(score, **{**usual, **options})


def test_the_best_class_is_explained_against_the_next_and_the_parts_sum_to_the_score() -> None:
    explanation = explained()
    assert (explanation.label, explanation.against) == ("yes", "no")
    assert explanation.prior == 0.5
    assert [(one.word, one.weight) for one in explanation.evidence] == [("so", 0.0), ("happy", 2.5), ("so", 0.0)]
    assert explanation.score == explanation.prior + 2.5 == 3.0
    assert explanation.unknown == ["zog"]


def test_the_other_way_round_every_sign_changes() -> None:
    explanation = explained(label="no")
    assert (explanation.against, explanation.prior, explanation.score) == ("yes", -0.5, -3.0)


def test_what_is_impossible_for_both_says_nothing() -> None:
    terms = [Term("never", 0, 5, [-inf, -inf]), Term("happy", 6, 11, [0.0, 1.0])]
    explanation = explained(Score(["no", "yes"], [0.0, 1.0], [0.0, 0.0], terms))
    assert [one.weight for one in explanation.evidence] == [0.0, 1.0]


def test_labels_that_are_no_classes_are_named() -> None:
    assert class_id_of("yes", ["no", "yes"]) == 1
    with pytest.raises(InputError, match="there is no class 'maybe'; this model knows 'no', 'yes'"):
        class_id_of("maybe", ["no", "yes"])
    with pytest.raises(InputError, match="maybe"):
        explained(label="maybe")
