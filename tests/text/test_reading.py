"""A reading scores one text as it scores many, and its terms sum to the scores."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Analyzer, Classifier
from banbury.datasets import demo
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


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2), (2, 3)])
@pytest.mark.parametrize("likelihood", ["automatic", "multinomial"])
def test_answers_stay_the_same_once_weights_are_kept(likelihood: str, ngrams: tuple[int, int], tmp_path: Path) -> None:
    texts, labels = demo()
    model = Classifier(analyzer=Analyzer(ngrams=ngrams), likelihood=likelihood).fit(texts, labels)
    model.save(tmp_path / "model.banbury")
    first = model.predict_proba(texts[::7])
    for reader in (model, Classifier.load(tmp_path / "model.banbury")):
        for _ in range(60):
            reader.predict(texts)  # weights are kept after some use
        assert np.array_equal(reader.predict_proba(texts[::7]), first)


def test_evidence_starts_at_nothing() -> None:
    reading = reading_of("automatic", Corpus(["happy", "sad"], ["positive", "negative"]))
    assert reading.evidence([""], 1).tolist() == [[0.0] * len(reading.classes)]


LONG_WORDS = ["so", "good", "bad", "film", "Plot,", "never", "seen"]
LONG_MODELS: dict[str, dict[str, Any]] = {
    **MODELS,
    "three classes": {"likelihood": "multinomial", "smoothing": 1.0, "calibration": None},
    "unsmoothed": {"likelihood": "multinomial", "smoothing": 0.0, "calibration": None},
}


def long_text(n: int) -> str:
    """A text of many words, none of them as often as another."""
    return " ".join(LONG_WORDS[number * number % 11 % 7] for number in range(n))


def long_reading(model: str) -> Any:
    texts = ["so good a film", "so bad a plot", "good plot good", "bad bad film"]
    labels = ["glad", "sad", "glad", "calm" if model in ("three classes", "automatic") else "sad"]
    analyzer = Analyzer(ngrams=(1, 2), characters=(1, 3))
    classifier = Classifier(analyzer=analyzer, **LONG_MODELS[model]).fit(texts * 2, labels * 2)
    return classifier.model_.reading(classifier.settings)


@pytest.mark.parametrize("model", LONG_MODELS)
def test_a_long_text_is_scored_as_its_features_say(model: str) -> None:
    """One that is looked up in pieces has the scores that its terms sum to, feature by feature, place by place."""
    reading, text = long_reading(model), long_text(20_000)
    assert len(text) > 1 << 16
    start, terms = reading.terms(text)
    total = np.array(start) + sum((np.array(term.weights) for term in terms if term.weights), np.zeros(len(start)))
    if np.isneginf(total).all():  # without smoothing: then the prior alone is the score
        total = np.array(reading.start)
    scores = np.array(reading.scores_of(text))
    np.testing.assert_allclose(total - total.max(), scores - scores.max(), rtol=1e-9, atol=1e-6)
    beside = reading.scores(["so good", text, "bad", text], 2).tolist()
    assert beside[1] == beside[3] == reading.scores_of(text)
    assert beside[::2] == [reading.scores_of("so good"), reading.scores_of("bad")]


@pytest.mark.parametrize("model", LONG_MODELS)
def test_what_is_listed_of_a_long_text_sums_to_the_same(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, text = long_reading(model), long_text(3_000) + " never-seen"
    start, terms = reading.terms(text)
    monkeypatch.setattr("banbury.text.reading.LONG_TEXT", 1000)
    listed_start, listed = reading.terms(text)
    assert listed_start == start
    assert len(listed) < len(terms) / 50
    sums: dict[tuple[str, str], Any] = {}
    firsts: dict[tuple[str, str], Any] = {}
    for term in terms:
        firsts.setdefault((term.word, term.kind), (term.start, term.end))
        key, weights = (term.word, term.kind), None if term.weights is None else np.array(term.weights or 0.0)
        sums[key] = weights if key not in sums or weights is None else sums[key] + weights
    assert [(term.word, term.kind) for term in listed] == list(sums)
    for term, weights in zip(listed, sums.values(), strict=True):
        assert (term.weights is None) == (weights is None)
        if weights is not None:
            np.testing.assert_allclose(term.weights, weights, rtol=1e-9)
        assert (term.start, term.end) == firsts[term.word, term.kind]


MEMORY = """
from pathlib import Path
from banbury import Analyzer, Classifier

def peak():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) * 1024

model = Classifier.textbook(analyzer=Analyzer(characters=(2, 5))).fit(["so good", "so bad"], ["glad", "sad"])
model.explain("so good")
text = "so good and so bad a film, again " * 30_000
for ask in (lambda: model.learn([text], ["glad"]), lambda: model.predict(text), lambda: model.explain(text)):
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak()
    ask()
    print(round((peak() - before) / len(text)))
"""


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells the memory at its peak")
def test_a_long_text_takes_at_most_sixteen_times_its_size() -> None:
    """There are five features of words and characters for each of its bytes."""
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True)
    assert [int(times) <= 16 for times in done.stdout.split()] == [True] * 3, done
