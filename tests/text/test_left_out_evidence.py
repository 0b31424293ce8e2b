"""Left-out evidence: leaving a document out is forgetting it."""

import numpy as np
from hypothesis import given, settings
from numpy.testing import assert_allclose

from banbury import Analyzer, Classifier
from banbury.text.calibration import Calibration
from banbury.text.left_out_evidence import LeftOutEvidence
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


def test_the_evidence_of_an_empty_text_is_nothing_and_its_score_the_start() -> None:
    evidence = LeftOutEvidence(np.array([[-2.0, -3.0]]), np.array([[-2.0, -3.0]]), np.array([0.0]))
    assert evidence.evidence().tolist() == [[0.0, 0.0]]
    start, calibration = np.log([0.25, 0.75]), Calibration(0.5, 8.0, (("x", 0.5), ("y", -0.5)), 4.0)
    assert_allclose(evidence.scores(calibration, start, ["x", "y"]), [start])
    assert evidence.first(0).logs.shape == (0, 2)


def test_a_calibrated_score_is_scaled_by_length_and_shifted() -> None:
    evidence = LeftOutEvidence(np.array([[-1.0, -3.0]]), np.zeros((1, 2)), np.array([16.0]))
    calibration = Calibration(0.9, 8.0, (("x", 0.5), ("y", -0.5)), 4.0)
    # 0.9 / (1 + 16 / 8) = 0.3 times ±1, and half of the shifts: 16 / (16 + 16).
    assert_allclose(evidence.scores(calibration, np.zeros(2), ["x", "y"]), [[0.55, -0.55]])
    assert_allclose(evidence.scores(None, np.array([1.0, 2.0]), ["x", "y"]), [[0.0, -1.0]])
    assert evidence.is_finite(np.zeros(2))
    assert not evidence.is_finite(np.array([-np.inf, 0.0]))
