"""Sections of a report page on predictions: each shows the figures that it is given."""

import numpy as np

from banbury.display.html import piece
from banbury.report import evaluation_sections as sections
from banbury.report.class_words import Keyword
from banbury.results.evaluation import evaluate
from banbury.results.mistakes import Confused, WordAtFault
from hostile import HOSTILE, Look, assert_harmless

TRUTH = ["ham", "ham", "spam", "spam"]
LOGS = np.log([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.05, 0.95]])
EVALUATION = evaluate(TRUTH, log_probabilities=LOGS, classes=["ham", "spam"])


def test_the_cards_show_accuracy_in_per_cent_and_other_figures_in_full() -> None:
    texts = Look(sections.cards(EVALUATION).html).texts
    assert texts[:2] == ["accuracy", "75.0%"]
    assert f"{EVALUATION.log_loss:.3f}" in texts


def test_probabilities_are_drawn_only_where_there_are_any() -> None:
    assert sections.probabilities(evaluate(TRUTH, TRUTH)) is None
    drawing = sections.probabilities(EVALUATION)
    assert drawing is not None
    assert drawing.html.count("<svg") == 4
    shown = Look(drawing.html).text
    assert "ROC" in shown
    assert "Precision and recall" in shown
    rows = [text for text in Look(drawing.html).texts if text.endswith("%") and " to " in text]
    assert len(rows) == len(EVALUATION.reliability)


def test_groups_are_listed_with_their_share() -> None:
    assert sections.confused_groups([]) is None
    html = piece(sections.confused_groups([Confused(["a", "b", "c"], 12, 0.25)]))
    assert "a, b, c: 12 mistakes, 25.0% of all" in Look(html).text


def test_words_have_their_weights_and_counts() -> None:
    html = sections.class_words({"spam": [Keyword("free", 9, 1, 2.25)]}).html
    assert Look(html).texts[-2:] == ["free", " +2.2"]
    assert 'title="in 9 documents of the class and 1 others"' in html


def test_no_mistakes_are_said_to_be_none_and_words_at_fault_are_listed() -> None:
    assert "There are none." in piece(sections.mistakes([], []))
    html = piece(sections.table_at_fault([WordAtFault("so", 1.234, 3)]))
    assert Look(html).texts[-3:] == ["so", "3", "1.23"]


def test_hostile_words_and_labels_are_harmless() -> None:
    words = {text: [Keyword(text, 1, 0, 1.0)] for text in HOSTILE}
    assert_harmless(piece(sections.class_words(words), sections.confused_groups([Confused(HOSTILE, 1, 0.1)])))
