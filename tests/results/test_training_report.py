"""The report of training: the figures of an evaluation, and what was chosen."""

import json

import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.results.evaluation import evaluate
from hostile import Look


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


@pytest.mark.parametrize("rows", [True, False])
def test_a_notebook_shows_as_much_as_is_printed(rows: bool) -> None:
    texts, labels = demo()
    table = {"words": [len(text.split()) for text in texts], "text": texts}
    report = Classifier().fit(table if rows else [*texts, texts[0]], labels if rows else [*labels, labels[0]]).report_
    shown = " ".join(" ".join(Look(report._repr_html_()).texts).split())
    assert report.chosen in shown
    assert (report.note in shown) or not report.note
    for tried in report.tried:
        assert f"{tried.name} {tried.log_loss:.4f} {tried.accuracy:.4f}" in shown or len(report.tried) == 1
    for entry in report.by_length:
        assert f"{entry.texts} {entry.accuracy:.4f} {entry.log_loss:.4f}" in shown
    assert [entry.name in shown for entry in report.columns] == [True] * len(report.columns)
    assert [" ".join(entry.text.split())[:40] in shown for entry in report.doubtful] == [True] * len(report.doubtful)
    assert rows == bool(report.columns)
