"""Calibrating plain likelihoods by leave-one-out: what is fitted is what predicts, and nothing better was tried."""

from typing import Any

import numpy as np
import pytest

from banbury import Classifier, Counts
from banbury.datasets import demo
from banbury.text.calibrating import HALVES, SMOOTHINGS, calibrate
from banbury.text.documents import class_numbers

TEXTS, SIGNS = demo()
ASKED = ["What a lovely day", "late again", "", "unheard-of"]


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "complement"])
def test_a_plain_likelihood_is_calibrated_by_leave_one_out(likelihood: str) -> None:
    model = Classifier(likelihood=likelihood, smoothing=1.0).fit(TEXTS, SIGNS)
    assert "calibrated" in model.report_.chosen
    explanation = model.explain("What a lovely day")
    total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
    assert total == pytest.approx(explanation.score, abs=1e-12)
    assert model.predict(ASKED).tolist() == model.classes_[model.predict_proba(ASKED).argmax(axis=1)].tolist()
    chosen = Classifier(likelihood=likelihood).fit(TEXTS, SIGNS).report_
    assert chosen.log_loss <= model.report_.log_loss + 1e-12
    assert len(chosen.tried) > 1


def test_the_best_smoothing_is_the_one_with_the_least_loss_of_those_tried() -> None:
    counts = Counts().add(TEXTS, SIGNS)
    how: dict[str, Any] = {"likelihood": "multinomial", "vocabulary": "shared", "prior": "empirical"}
    class_ids = class_numbers(SIGNS, counts.classes)
    smoothing, calibration, seen = calibrate(counts, TEXTS, class_ids, None, smoothings=SMOOTHINGS, **how)
    losses = [tried.log_loss for tried in seen.tried]
    assert SMOOTHINGS[int(np.argmin(losses))] == smoothing
    assert calibration is not None
    assert calibration.half in HALVES
    assert [label for label, _ in calibration.shifts] == counts.classes


def test_where_words_are_impossible_there_is_no_calibration() -> None:
    texts, labels = ["a b", "a c", "d b", "d c"], ["x", "x", "y", "y"]
    counts = Counts().add(texts, labels)
    how: dict[str, Any] = {"likelihood": "multinomial", "vocabulary": "shared", "prior": "empirical"}
    class_ids = class_numbers(labels, counts.classes)
    smoothing, calibration, seen = calibrate(counts, texts, class_ids, None, smoothings=[None], **how)
    assert (smoothing, calibration, seen.chosen) == (None, None, "multinomial, smoothing None")
