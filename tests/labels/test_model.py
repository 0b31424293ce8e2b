"""The model of labels: log-odds equal the plain formula, explanations add up, words are counted inside and outside."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labels_reference as plain
import reference
import trust_reference as twin
from banbury import Analyzer
from banbury.errors import InputError
from banbury.labels.counts import LabelCounts
from banbury.labels.model import LabelModel
from banbury.labels.trust import LabelTrust
from label_sets import NAMES, LabelledTexts, labelled_texts
from strategies import plain_texts

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
CURVES = tuple(((7 * at) % 11 - 4) / 10 for at in range(98))
OWN = {"comic": (0.5, 1.0), "drama": (-0.3, 0.7), "short": (0.0, 1.4)}
TRUST = LabelTrust(CURVES, 0.6, (3.0, 2.0), (2.0, 2.0), tuple((name, *OWN[name]) for name in NAMES))


def model_of(given: LabelledTexts) -> LabelModel:
    return LabelModel(LabelCounts(PAIRS).add(given.texts, given.sets), TRUST)


@given(labelled_texts(), plain_texts())
def test_log_odds_are_those_of_one_model_for_each_label(given: LabelledTexts, text: str) -> None:
    model = model_of(given)
    labels, found = model.log_odds([text], 1)
    documents = [twin.document(reference.python_words(one)) for one in given.texts]
    one = twin.document(reference.python_words(text))
    expected = [
        plain.log_odds(
            documents, given.sets, label, one,
            curves=CURVES, caps=TRUST.caps, prior=0.6, shift=OWN[label][0], slope=OWN[label][1],
        )
        for label in labels
    ]  # fmt: skip
    np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-9)
    # The same for any number of threads and any batch, also by weights that are kept.
    for _ in range(3):
        many = model.log_odds([text, "good", text], 3)[1]
        assert many[0].tolist() == many[2].tolist() == found[0].tolist()


@given(labelled_texts(), plain_texts(), st.data())
def test_an_explanation_adds_up_to_the_log_odds(given: LabelledTexts, text: str, data: st.DataObject) -> None:
    model = model_of(given)
    labels, log_odds = model.log_odds([text], 1)
    place = data.draw(st.integers(0, len(labels) - 1))
    explanation = model.explain(text, labels[place], "nats")
    assert (explanation.label, explanation.against) == (labels[place], f"not {labels[place]}")
    assert explanation.score == pytest.approx(log_odds[0, place], abs=1e-9)
    total = explanation.prior + sum(part.weight for part in explanation.evidence)
    assert total == pytest.approx(explanation.score, abs=1e-6)
    chance = 1 / (1 + math.exp(-log_odds[0, place]))
    assert explanation.probabilities[labels[place]] == pytest.approx(chance)


def test_by_default_the_most_probable_label_is_explained_and_an_unknown_one_is_an_error() -> None:
    model = LabelModel(LabelCounts().add(["good film", "bad film", "bad"], [("x",), ("y",), ("y",)]))
    assert model.explain("bad", None, "nats").label == "y"
    with pytest.raises(InputError, match="there is no class 'z'; this model knows 'x', 'y'"):
        model.explain("bad", "z", "nats")


def test_words_are_counted_inside_and_outside_the_label() -> None:
    model = LabelModel(LabelCounts().add(["good film good", "bad film", "dull"], [("x", "y"), ("y",), ()]))
    rows: dict[str, Any] = {row["word"]: row for row in model.words("x", None, 1).rows()}
    assert rows["good"]["count"] == {"not x": 0, "x": 2}
    assert rows["film"]["count"] == {"not x": 1, "x": 1}
    assert rows["dull"]["count"] == {"not x": 1, "x": 0}
    assert model.words("x", ["good"], 1).rows()[0]["count"] == {"not x": 0, "x": 2}
    best = model.words("x", None, 1).sorted("for").rows()[0]
    assert best["word"] == "good"


@given(labelled_texts())
def test_parts_give_the_same_model_again(given: LabelledTexts) -> None:
    model = model_of(given)
    again = LabelModel.from_parts(*model.parts())
    assert again.parts() == model.parts()
    assert again.log_odds(given.texts, 1)[1].tolist() == model.log_odds(given.texts, 1)[1].tolist()


def test_a_new_label_of_one_document_does_not_change_what_is_said_of_the_others() -> None:
    model = LabelModel(LabelCounts().add(["good film", "bad film"] * 30, [("x",), ("y",)] * 30))
    before = model.log_odds(["good film"], 1)[1][0]
    model.add(["good play"], [("z",)], None, threads=1)
    labels, after = model.log_odds(["good film"], 1)
    assert labels == ["x", "y", "z"]
    assert np.abs(after[0, :2] - before).max() < 0.2
    assert after[0, 2] < 0
