"""The model of texts: equal states give equal readings."""

import pytest

from banbury import Analyzer, Classifier
from banbury.errors import InputError
from banbury.text.model import TextModel
from banbury.text.settings import Settings


def test_the_state_changes_with_what_is_learned_and_chosen() -> None:
    classifier = Classifier().fit(["a b", "c"] * 4, ["x", "y"] * 4)
    model, before = classifier.model_, classifier.model_.state()
    assert model.state() == before
    classifier.learn(["d"], ["x"])
    assert model.state() != before


def test_an_empty_model_counts_by_the_analyzer_of_its_settings() -> None:
    assert TextModel.empty(Settings(), None).counts.analyzer.ngrams == (1, 2)
    assert TextModel.empty(Settings("bernoulli"), None).counts.analyzer == Analyzer()
    with pytest.raises(InputError, match="no documents to learn from"):
        Classifier().fit([], [])


def test_the_smoothing_that_was_chosen_is_the_one_of_the_tables() -> None:
    model = Classifier(likelihood="multinomial").fit(["a a b", "c"] * 9, ["x", "y"] * 9).model_.of_texts("")
    smoothing = model.choice.smoothing
    assert isinstance(smoothing, float)
    table = model.words(None, Settings("multinomial"))
    row = next(row for row in table.rows() if row["word"] == "a")
    assert row["probability"]["x"] == pytest.approx((18 + smoothing) / (27 + 3 * smoothing))
