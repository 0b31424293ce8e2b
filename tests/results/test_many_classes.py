"""ManyClassEvaluation: the figures of an Evaluation, without its tables."""

import numpy as np
import pytest

from banbury import Classifier
from banbury.errors import InputError
from banbury.results import many_classes
from banbury.results.evaluation import evaluate
from banbury.results.many_classes import evaluate_many
from banbury.stats.softmax import log_softmax

CLASSES = ["a", "b", "c", "d"]


def some(n: int = 60) -> tuple[np.ndarray, list[str], np.ndarray]:
    random = np.random.default_rng(4)
    scores = random.normal(size=(n, 4)) * 2
    labels = [CLASSES[place] for place in random.integers(0, 4, n)]
    return scores, labels, random.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_figures_are_those_of_an_evaluation_in_parts_of_any_size(size: int) -> None:
    scores, labels, weights = some()
    parts = [scores[start : start + size] for start in range(0, len(scores), size)]
    made = evaluate_many(parts, CLASSES, labels, weights)
    expected = evaluate(labels, log_probabilities=log_softmax(scores), classes=CLASSES, weights=weights)
    assert made.accuracy == pytest.approx(expected.accuracy)
    assert made.log_loss == pytest.approx(expected.log_loss)
    assert made.brier == pytest.approx(expected.brier)
    assert made.macro_f1 == pytest.approx(expected.macro_f1)
    assert made.calibration_error == pytest.approx(expected.calibration_error)
    row, column = (CLASSES.index(label) for label in made.confused[0][:2])
    off_diagonal = np.array(expected.confusion) * (1 - np.eye(4))
    assert made.confused[0].documents == off_diagonal.max() == off_diagonal[row, column]


def test_ranks_by_hand() -> None:
    scores = np.array([[3.0, 2.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    made = evaluate_many([scores], CLASSES, ["a", "c", "b"], np.ones(3))
    assert made.mean_reciprocal_rank == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert made.top_accuracies == {1: pytest.approx(1 / 3), 5: 1.0, 10: 1.0}


def test_a_label_that_the_model_does_not_know_is_a_mistake_and_nothing_else() -> None:
    scores, labels, _ = some(10)
    known = evaluate_many([scores], CLASSES, labels, np.ones(10))
    made = evaluate_many([scores, scores[:1]], CLASSES, [*labels, "z"], np.ones(11))
    assert made.unknown_labels == [("z", 1)]
    assert made.log_loss == pytest.approx(known.log_loss)
    assert made.accuracy == pytest.approx(known.accuracy * 10 / 11)
    assert "1 documents have one of 1 labels" in str(made)
    assert "4 classes" in made._repr_html_()
    assert made.to_dict()["confused"][0].keys() == {"label", "predicted", "documents"}


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(InputError, match="no documents"):
        evaluate_many([], CLASSES, [], np.ones(0))
    with pytest.raises(InputError, match="all weights are 0"):
        evaluate_many([np.ones((1, 4))], CLASSES, ["a"], np.zeros(1))


def test_a_classifier_evaluates_without_tables_and_refuses_what_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts, labels = ["so happy", "so sad", "happy joy", "sad tears"], ["yes", "no", "yes", "no"]
    model = Classifier().fit(texts, labels)
    monkeypatch.setattr(many_classes, "MOST_SCORES_AT_ONCE", 4)  # two documents at a time
    made, expected = model.evaluate_many(texts, labels, [1, 2, 1, 1]), model.evaluate(texts, labels, [1, 2, 1, 1])
    assert made.log_loss == pytest.approx(expected.log_loss)
    assert made.accuracy == expected.accuracy
    monkeypatch.setattr(many_classes, "MOST_EVALUATED", 7)
    with pytest.raises(InputError, match=r"2 classes are too many for a report on 4 documents.*evaluate_many"):
        model.evaluate(texts, labels)
