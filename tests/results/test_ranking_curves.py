"""ROC and precision–recall curves: each point by its definition, areas by those of scikit-learn."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluation_reference as reference
from banbury.errors import InputError
from banbury.results.evaluation import Evaluation, evaluate
from banbury.results.ranking_curves import ranking_curves
from banbury.results.thresholds import MOST_POINTS

CLASSES = ["ham", "spam"]


def evaluated(chances: list[float], is_spam: list[bool], weights: Any = None) -> Evaluation:
    logs = np.log([[1 - chance, chance] for chance in chances])
    truth = [CLASSES[spam] for spam in is_spam]
    return evaluate(truth, log_probabilities=logs, classes=CLASSES, weights=weights)


ranked = st.lists(st.tuples(st.sampled_from([0.1, 0.25, 0.5, 0.625, 0.9]), st.booleans()), min_size=2, max_size=12)


@given(ranked.filter(lambda rows: len({spam for _, spam in rows}) == 2))
def test_every_point_is_what_its_definition_says(rows: list[tuple[float, bool]]) -> None:
    chances, is_spam = [chance for chance, _ in rows], [spam for _, spam in rows]
    (curve,) = ranking_curves(evaluated(chances, is_spam).predictions)
    assert (curve.recalls[0], curve.false_positive_rates[0], curve.precisions[0]) == (0, 0, 1)
    points = zip(curve.recalls, curve.false_positive_rates, curve.precisions, strict=True)
    for threshold, point in zip(sorted(set(chances), reverse=True), list(points)[1:], strict=True):
        assert point == pytest.approx(reference.rates(chances, is_spam, threshold))
    assert curve.area == pytest.approx(reference.roc_auc(chances, is_spam))
    assert curve.thresholds[1:] == pytest.approx(sorted(set(chances), reverse=True))


def test_areas_are_those_of_scikit_learn_also_with_weights() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    is_spam = rng.random(500) < 0.3
    chances = np.clip(0.3 + 0.3 * is_spam + rng.normal(0, 0.2, 500), 0.01, 0.99)
    weights = rng.integers(1, 4, 500).astype(float)
    (curve,) = ranking_curves(evaluated(chances.tolist(), is_spam.tolist(), weights).predictions)
    assert curve.area == pytest.approx(metrics.roc_auc_score(is_spam, chances, sample_weight=weights))
    expected = metrics.average_precision_score(is_spam, chances, sample_weight=weights)
    assert curve.average_precision == pytest.approx(expected)
    assert len(curve.recalls) == MOST_POINTS + 1
    assert (curve.recalls[-1], curve.false_positive_rates[-1]) == (1, 1)
    assert curve.share == pytest.approx(weights[is_spam].sum() / weights.sum())


def test_many_classes_have_a_curve_each_and_one_without_documents_has_none() -> None:
    logs = np.log([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1], [0.5, 0.4, 0.1]])
    found = evaluate(["a", "b", "b", "strange"], log_probabilities=logs, classes=["a", "b", "c"])
    assert [curve.label for curve in found.curves()] == ["a", "b"]
    assert ranking_curves(evaluated([0.5], [True]).predictions) == []


def test_pictures_show_the_curves_of_the_largest_classes() -> None:
    pytest.importorskip("matplotlib")
    found = evaluated([0.1, 0.6, 0.8], [False, False, True])
    ax = found.plot_roc()
    assert ax.get_xlabel() == "false positive rate"
    assert ax.get_legend_handles_labels()[1] == ["spam: 1.0000"]
    assert found.plot_precision_recall().get_ylabel() == "precision"


def test_labels_alone_have_no_curves() -> None:
    with pytest.raises(InputError, match="curves need the probabilities of single documents"):
        evaluate(["a"], ["a"]).plot_roc()
