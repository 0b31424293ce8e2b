"""Rows are scored by sums, one term for each value."""

import numpy as np
import pytest

from banbury import Classifier
from banbury.tables.scoring import aligned

TABLE = {"legs": [2, 4, 4, 6] * 5, "note": ["sings well", "purrs", "sleeps a lot", "works hard"] * 5}
LABELS = ["bird", "cat", "cat", "ant"] * 5
KINDS = {"legs": "poisson", "note": "text"}


@pytest.mark.parametrize("model", [Classifier(columns=KINDS), Classifier.textbook(columns=KINDS)])
def test_the_start_and_the_terms_of_a_row_sum_to_its_scores(model: Classifier) -> None:
    reading = model.fit(TABLE, LABELS).model_.reading(model.settings)
    for row in ({"legs": 4, "note": "sings a lot"}, {"legs": 2}, {"note": "purrs"}, {}):
        start, terms = reading.terms(row)
        total = np.array(start) + sum((np.array(term.weights) for term in terms if term.weights), np.zeros(3))
        scores = np.array(reading.scores_of(row))
        assert total - total[0] == pytest.approx(scores - scores[0], abs=1e-9)
        assert reading.best_one(row) == int(scores.argmax())


def test_evidence_on_other_classes_gives_a_class_it_does_not_know_its_mean() -> None:
    assert aligned([[1.0, 3.0]], ["a", "b"], ["a", "b"]).tolist() == [[1.0, 3.0]]
    assert aligned([[1.0, 3.0]], ["a", "c"], ["a", "b", "c"]).tolist() == [[1.0, 2.0, 3.0]]
