"""The report of training: the figures of an evaluation, and what was chosen."""

import json

from banbury import Classifier
from banbury.datasets import demo
from banbury.results.evaluation import evaluate


def test_the_report_of_training_has_the_same_figures() -> None:
    report = Classifier().fit(*demo()).report_
    assert report.predictions is not None
    again = evaluate(
        report.predictions.truth,
        log_probabilities=report.predictions.log_probabilities,
        classes=report.predictions.classes,
        weights=report.predictions.weights,
    )
    assert report.to_dict() == again.to_dict()
    assert type(report).from_settings(json.loads(json.dumps(report.settings()))).to_dict() == again.to_dict()
