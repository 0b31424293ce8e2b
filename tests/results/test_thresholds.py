"""Thresholds: counted one by one, and with scikit-learn's curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_curve

from banbury.errors import InputError
from banbury.results.thresholds import Thresholds

ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]), st.booleans()), min_size=1, max_size=30
)


@given(ROWS, st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0]))
def test_a_threshold_counts_the_documents_at_or_above_it(rows: list[tuple[float, bool]], threshold: float) -> None:
    chances, truths = zip(*rows, strict=True)
    found = Thresholds.of(chances, truths).at(threshold)
    assert found.caught == sum(chance >= threshold and truth for chance, truth in rows)
    assert found.missed == sum(chance < threshold and truth for chance, truth in rows)
    assert found.false_alarms == sum(chance >= threshold and not truth for chance, truth in rows)
    assert found.passed == sum(chance < threshold and not truth for chance, truth in rows)


@given(ROWS.filter(lambda rows: 0 < sum(truth for _, truth in rows) < len(rows)))
def test_the_curves_are_those_of_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    chances, truth = zip(*rows, strict=True)
    thresholds = Thresholds.of(chances, truth)
    false_rate, true_rate, _ = roc_curve(truth, chances, drop_intermediate=False)
    np.testing.assert_allclose(thresholds.roc(), np.column_stack([false_rate, true_rate]))
    precision, recall, _ = precision_recall_curve(truth, chances)
    np.testing.assert_allclose(thresholds.precision_recall(), np.column_stack([recall, precision])[-2::-1])


def test_many_points_are_thinned_and_keep_their_ends() -> None:
    thresholds = Thresholds.of(np.linspace(0, 1, 5000), np.arange(5000) % 2 == 0)
    roc, _ = thresholds.drawings(0.5)
    assert roc.html.count("<circle") < 220


def test_lengths_that_differ_are_an_error() -> None:
    with pytest.raises(InputError, match="2 probabilities but 1 labels"):
        Thresholds.of([0.5, 0.5], [True])
