"""Calibrated plain likelihoods: by the length of a text, the prior for an empty one, as the formula says."""

from typing import Any

import numpy as np
import pytest

from banbury import Analyzer, Classifier
from banbury.datasets import demo
from banbury.errors import InputError, NotAvailable
from banbury.text.calibration import Calibration, estimate_prior, possible_log_softmax

TEXTS, SIGNS = demo()
PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
ASKED = ["What a lovely day", "late again", "", "unheard-of"]


def test_without_calibration_it_is_the_plain_posterior() -> None:
    plain = Classifier(likelihood="multinomial", smoothing=1.0, calibration=None, analyzer=PAIRS).fit(TEXTS, SIGNS)
    textbook = Classifier.textbook(analyzer=PAIRS).fit(TEXTS, SIGNS)
    assert np.array_equal(plain.predict_proba(ASKED), textbook.predict_proba(ASKED))
    with pytest.raises(NotAvailable, match="no report"):
        _ = textbook.report_


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


def test_a_prior_that_has_moved_is_found_and_one_that_has_not_is_left() -> None:
    model = Classifier().fit(TEXTS[:400], SIGNS[:400])
    rest = list(zip(TEXTS[400:], SIGNS[400:], strict=True))
    same = model.estimate_prior([text for text, _ in rest])
    assert same.prior["negative"] == pytest.approx(0.5, abs=0.12)
    assert not same.moved
    glad = [text for text, sign in rest if sign == "positive"]
    shifted = model.estimate_prior([*glad, *[text for text, sign in rest if sign == "negative"][:5]])
    assert shifted.moved
    assert shifted.prior["positive"] > 0.85
    assert sum(shifted.prior.values()) == pytest.approx(1)
    assert model.predict_proba([]).shape == (0, 2)
    with pytest.raises(InputError, match="no documents"):
        model.estimate_prior([])
    assert Classifier().fit(["a"], ["x"]).estimate_prior(["b"]).prior == {"x": 1}


@pytest.mark.parametrize("likelihood", ["multinomial", "complement"])
@pytest.mark.parametrize("smoothing", [1.0, 0.1])
def test_a_calibrated_score_is_that_of_the_formula(likelihood: str, smoothing: float) -> None:
    labels = [*SIGNS[:400], *["other"] * 200]
    model = Classifier(likelihood=likelihood, smoothing=smoothing).fit(TEXTS, labels)
    calibration = model.model_.of_texts("").choice.calibration
    assert calibration is not None
    plain = Classifier(likelihood=likelihood, smoothing=smoothing, calibration=None, prior="uniform").fit(TEXTS, labels)
    for text, logs in zip(TEXTS[:20], plain.joint_log_likelihood(TEXTS[:20]), strict=True):
        n = len(Analyzer().tokens(text))  # all of them are known
        scores = np.array(model.log_prior_) + calibration.scale / (1 + n / calibration.half) * (logs - logs.mean())
        scores = scores + n / (n + 16) * np.array(calibration.growth(model.classes_.tolist()))
        expected = np.exp(scores - np.logaddexp.reduce(scores))
        np.testing.assert_allclose(model.predict_proba([text])[0], expected, atol=1e-9)


def test_a_calibration_is_plain_data_and_a_label_that_came_later_gets_nothing() -> None:
    calibration = Calibration(0.5, 64.0, (("a", 0.25), ("b", -0.25)), 12.0)
    assert Calibration.from_settings(calibration.settings()) == calibration
    assert calibration.growth(["a", "b", "c"]) == [0.25, -0.25, 0.0]
    assert calibration.scaled(2.0) == Calibration(1.0, 64.0, (("a", 0.5), ("b", -0.5)), 12.0)


def test_where_no_class_is_possible_all_are_alike() -> None:
    logs = possible_log_softmax(np.array([[-np.inf, -np.inf], [-np.inf, 0.0]]))
    np.testing.assert_allclose(np.exp(logs), [[0.5, 0.5], [0.0, 1.0]])


def test_a_class_without_a_prior_gets_none() -> None:
    with np.errstate(divide="ignore"):
        logs: Any = np.log(np.array([[0.3, 0.7, 0.0]] * 5))
    found = estimate_prior(["a", "b", "c"], logs, np.array([0.5, 0.5, 0.0]))
    assert found.prior["c"] == 0
    assert sum(found.prior.values()) == pytest.approx(1)
