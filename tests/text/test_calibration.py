"""Calibrated plain likelihoods: by the length of a text, the prior for an empty one, as the formula says."""

import numpy as np
import pytest

from banbury import Analyzer, Classifier
from banbury.datasets import demo
from banbury.errors import NotAvailable
from banbury.text.calibration import Calibration

TEXTS, SIGNS = demo()
PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
ASKED = ["What a lovely day", "late again", "", "unheard-of"]


def test_without_calibration_it_is_the_plain_posterior() -> None:
    plain = Classifier(likelihood="multinomial", smoothing=1.0, calibration=None, analyzer=PAIRS).fit(TEXTS, SIGNS)
    textbook = Classifier.textbook(analyzer=PAIRS).fit(TEXTS, SIGNS)
    assert np.array_equal(plain.predict_proba(ASKED), textbook.predict_proba(ASKED))
    with pytest.raises(NotAvailable, match="no report"):
        _ = textbook.report_


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
