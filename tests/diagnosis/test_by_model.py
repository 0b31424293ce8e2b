"""Diagnosis by a model: doubts are those of the model without the document."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from banbury import Analyzer, Classifier, Counts
from banbury.datasets import demo
from banbury.diagnosis.diagnosis import can_be_forgotten
from banbury.errors import InputError
from banbury.text.leave_one_out import leave_one_out
from strategies import Corpus, corpora

TEXTS, LABELS = demo()


Rows = list[dict[str, str]]


@given(corpora(min_size=2, max_size=8))
def test_doubts_are_those_of_the_model_without_the_document(corpus: Corpus) -> None:
    labels = ["negative", "positive", *corpus.labels[2:]]
    model = Classifier.textbook().fit(corpus.texts, labels)
    doubts = model.diagnose(corpus.texts, labels).doubts
    assert doubts is not None
    scores = leave_one_out(model.counts_, corpus.texts, labels, prior="uniform")
    scores = scores + np.log(np.array(model.counts_.documents))
    own = [model.counts_.classes.index(label) for label in labels]
    for row, number, doubt in zip(scores, own, doubts, strict=True):
        chances = np.exp(row - row.max())
        assert 1 - chances[number] / chances.sum() == pytest.approx(doubt, abs=1e-9)


def test_the_report_of_training_and_the_diagnosis_doubt_the_same() -> None:
    for model in (Classifier(likelihood="multinomial"), Classifier(likelihood="bernoulli")):
        model.fit(TEXTS, LABELS)
        doubtful = model.diagnose(TEXTS, LABELS).doubtful
        assert doubtful is not None
        expected = model.report_.doubtful
        assert [one.index for one in doubtful[: len(expected)]] == [one.index for one in expected]
        found = [one.probability for one in doubtful[: len(expected)]]
        assert found == pytest.approx([one.probability for one in expected])


def test_the_automatic_model_doubts_by_the_curves_that_it_has() -> None:
    # Its report is by curves that were not fitted to the document, which no model keeps: so the two are close and
    # not equal. What the diagnosis says is exactly leave-one-out by the model that predicts.
    for labels in (LABELS, [*LABELS[:-60], *["neutral"] * 60]):
        model = Classifier().fit(TEXTS, labels)
        diagnosis = model.diagnose(TEXTS, labels)
        logs = model.model_.of_texts("").leave_one_out(TEXTS, labels, model.settings, threads=1)
        class_ids = np.array([model.classes_.tolist().index(label) for label in labels])
        chances = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])[np.arange(len(labels)), class_ids]
        assert diagnosis.doubts == pytest.approx((1 - chances).tolist(), abs=1e-9)
        predictions = model.report_.predictions
        assert predictions is not None
        assert predictions.log_probabilities is not None
        rows = np.array(predictions.rows)
        reported = np.exp(predictions.log_probabilities)[np.arange(len(rows)), class_ids[rows]]
        assert np.abs(reported - chances[rows]).mean() < 0.03


@pytest.mark.parametrize("name, least", [("rt_polarity", 1 / 3), ("20newsgroups", 1 / 2)])
def test_flipped_labels_are_among_the_most_doubtful(read_set: Callable[[str], Rows], name: str, least: float) -> None:
    rows = [row for row in read_set(name) if row.get("split", "train") == "train"]
    rows = rows[:: 1 if len(rows[0]["text"]) < 400 else 2]  # half of the long ones: it is quicker, and no easier
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    classes = sorted(set(labels))
    random = np.random.default_rng(0)
    flipped = random.choice(len(rows), len(rows) // 20, replace=False).tolist()
    for at in flipped:
        labels[at] = random.choice([label for label in classes if label != labels[at]])
    model = Classifier().fit(texts, labels)
    of_texts = model.model_.of_texts("doubts are of texts")
    logs = of_texts.leave_one_out(texts, labels, model.settings, threads=None)
    own = np.array([classes.index(label) for label in labels])
    first = np.argsort(logs[np.arange(len(own)), own], kind="stable")[: len(flipped)]
    assert len(set(first.tolist()) & set(flipped)) >= least * len(flipped)


def test_documents_that_were_learned_are_recognised() -> None:
    counts = Counts(Analyzer(ngrams=(1, 2))).add(TEXTS, LABELS)
    assert can_be_forgotten(counts, TEXTS[:50], LABELS[:50])
    assert not can_be_forgotten(counts, [*TEXTS, TEXTS[0]], [*LABELS, LABELS[0]])
    assert not can_be_forgotten(counts, ["never heard of"], ["positive"])
    assert not can_be_forgotten(counts, TEXTS[:1], ["neutral"])
    assert counts.documents == [300, 300]


def test_new_documents_are_compared_with_training() -> None:
    model = Classifier().fit(TEXTS[:400], LABELS[:400])
    glad = [text for text, label in zip(TEXTS[400:], LABELS[400:], strict=True) if label == "positive"]
    found = model.diagnose([*glad, "zyx zyx zyx zyx"])
    assert not found.were_learned
    assert found.balance is not None
    assert found.balance.moved
    assert found.balance.is_estimated
    assert found.balance.here["positive"] > 0.8
    assert found.vocabulary is not None
    assert found.vocabulary.words[0] == ("zyx", 4)
    assert found.doubtful is None
    labelled = model.diagnose(TEXTS[400:], LABELS[400:])
    assert labelled.balance is not None
    assert not labelled.balance.is_estimated
    assert not labelled.balance.moved
    for part in ("new to the model", "words that training had not", "labels in doubt", "shares of the classes"):
        assert part in str(labelled)
    assert json.loads(json.dumps(labelled.to_dict()))["n_documents"] == 200


@pytest.mark.parametrize(
    "texts, labels, message",
    [
        ([], None, "no documents to diagnose"),
        ("one text", None, "not one str"),
        (["a", "b"], ["positive"], "2 documents but 1 labels"),
        (["a"], [1], "of type int"),
    ],
)
def test_diagnosing_says_what_is_wrong(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier().fit(TEXTS, LABELS).diagnose(texts, labels)


@pytest.mark.parametrize(
    "texts, labels", [(["a"], ["x"]), (["", ""], ["x", "y"]), (["a b", "a b"], ["x", "y"]), (["a"] * 9, ["x"] * 9)]
)
def test_little_data_breaks_no_diagnosis(texts: list[str], labels: list[str]) -> None:
    plain = {"likelihood": "multinomial", "smoothing": None}
    for options in ({}, {"analyzer": "characters"}, plain, {"analyzer": Analyzer(ngrams=(2, 2))}):
        model = Classifier(**options).fit(texts, labels)
        for known in (labels, None):
            assert str(model.diagnose(texts, known))
            assert str(model.diagnose(["b", ""], None))
