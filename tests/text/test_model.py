"""The model of texts: leaving a document out is forgetting it, and equal states give equal readings."""

import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from banbury import Analyzer, Classifier
from banbury.errors import InputError
from banbury.text.model import TextModel
from banbury.text.settings import Settings
from strategies import LABELS, Corpus, corpora


@settings(max_examples=25)
@given(corpora(min_size=2, max_size=6))
def test_evidence_without_a_text_is_that_of_a_model_that_has_forgotten_it(corpus: Corpus) -> None:
    # Equal texts are left out together, so each is here once; texts of the same tokens that differ are not.
    documents = dict(zip([*LABELS, *corpus.texts], [*LABELS, *corpus.labels], strict=True))
    texts, labels = [*documents, *map(str.upper, LABELS)], [*documents.values(), *LABELS]
    given_settings = Settings("multinomial", 1.0, calibration=None)
    classifier = Classifier(analyzer=Analyzer(), **given_settings._asdict()).fit(texts, labels)
    model = classifier.model_.of_texts("")
    without = model.evidence_without(texts, labels, given_settings, threads=1)
    for row, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if labels.count(label) > 1:
            classifier.forget([text], [label])
            assert_allclose(without[row], model.reading(given_settings).evidence([text], 1)[0], atol=1e-9)
            classifier.learn([text], [label])


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
