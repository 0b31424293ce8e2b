"""A reading scores one text as it scores many, and its terms sum to the scores."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Analyzer, Classifier
from small_texts import MODELS
from strategies import LABELS, Corpus, corpora, plain_texts


def reading_of(model: str, corpus: Corpus, **options: Any) -> Any:
    classifier = Classifier(analyzer=Analyzer(), **{**MODELS[model], **options})
    classifier.fit([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    return classifier.model_.reading(classifier.settings)


@settings(max_examples=30)
@given(st.sampled_from(sorted(MODELS)), corpora(), st.lists(plain_texts(6), min_size=1, max_size=4))
def test_one_text_is_scored_as_among_others(model: str, corpus: Corpus, texts: list[str]) -> None:
    reading = reading_of(model, corpus)
    scores = reading.scores(texts, 1)
    assert [reading.scores_of(text) for text in texts] == scores.tolist()
    assert reading.best(texts, 1).tolist() == scores.argmax(axis=1).tolist()
    assert [reading.best_one(text) for text in texts] == scores.argmax(axis=1).tolist()


@settings(max_examples=30)
@given(st.sampled_from(sorted(MODELS)), corpora(), plain_texts(6))
def test_the_start_and_the_terms_sum_to_the_scores(model: str, corpus: Corpus, text: str) -> None:
    reading = reading_of(model, corpus)
    start, terms = reading.terms(text)
    total = np.array(start) + sum((np.array(term.weights) for term in terms if term.weights), np.zeros(len(start)))
    total, scores = total - total[0], np.array(reading.scores_of(text))
    assert total == pytest.approx(scores - scores[0], abs=1e-9)


def test_evidence_starts_at_nothing() -> None:
    reading = reading_of("automatic", Corpus(["happy", "sad"], ["positive", "negative"]))
    assert reading.evidence([""], 1).tolist() == [[0.0] * len(reading.classes)]
