"""Thresholds: half of the largest F1, the ratio of costs, what documents prove."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labels_reference as plain
from banbury.errors import InputError
from banbury.labels.evaluation import LabelPredictions, evaluate_labels
from banbury.labels.thresholds import (
    F1Thresholds,
    check_threshold,
    cost_threshold,
    f1_thresholds,
    promised_thresholds,
    thresholds_by_label,
)

CHOSEN = F1Thresholds((("a", 0.3), ("b", 0.4)), 0.35)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.5, 0.9])), min_size=1, max_size=12))
def test_the_common_threshold_is_half_of_the_largest_f1(rows: list[tuple[bool, float]]) -> None:
    truth, chances = [true for true, _ in rows], [chance for _, chance in rows]
    best = max(plain.f1(truth, [chance >= at for chance in chances]) for at in chances)
    found = f1_thresholds(["a"], np.array(truth)[:, None], np.array(chances)[:, None], np.ones(len(rows)))
    assert found.common == pytest.approx(best / 2)


def test_a_label_of_few_documents_has_nearly_the_common_threshold() -> None:
    # a: 100 documents, half of them with it, all told right; b: one document, told wrong.
    truth = np.array([[True, False], [False, False]] * 50)
    truth[0, 1] = True
    chances = np.where(truth, 0.9, 0.1)
    chances[0, 1] = 0.05
    found = dict(f1_thresholds(["a", "b"], truth, chances, np.ones(100)).by_label)
    common = f1_thresholds(["a", "b"], truth, chances, np.ones(100)).common
    assert found["a"] == pytest.approx((100 + 10 * 2 * common) / (100 + 10) / 2)
    assert 0.3 < found["b"] < common


def test_costs_give_their_ratio() -> None:
    assert cost_threshold(missed=1) == 0.5
    assert cost_threshold(missed=1, wrong=9) == 0.9
    for cost in (0, -1, float("nan"), float("inf"), True, "1"):
        with pytest.raises(InputError, match=r"missed is .*; a cost is a number above 0"):
            cost_threshold(missed=cost)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "threshold, expected",
    [
        ("f1", [0.3, 0.4, 0.35]),
        ("micro_f1", [0.35] * 3),
        (0.8, [0.8] * 3),
        ({"b": 0.9, "c": None}, [0.3, 0.9, float("inf")]),
    ],
)
def test_each_label_has_its_threshold(threshold: Any, expected: list[float]) -> None:
    assert thresholds_by_label(threshold, ["a", "b", "c"], CHOSEN) == expected


def test_without_a_fit_half_is_the_threshold() -> None:
    assert thresholds_by_label("f1", ["a"], None) == [0.5]


@pytest.mark.parametrize("threshold", ["f2", 1.5, -0.1, True, float("nan"), [0.5]])
def test_what_is_no_threshold_is_refused(threshold: Any) -> None:
    with pytest.raises(InputError, match="threshold is"):
        check_threshold(threshold)


def test_a_label_that_there_is_not_has_no_threshold() -> None:
    with pytest.raises(InputError, match="threshold names 'B'; did you mean 'b'"):
        thresholds_by_label({"B": 0.5}, ["a", "b"], CHOSEN)


def test_settings_give_the_same_thresholds_again() -> None:
    assert F1Thresholds.from_settings(CHOSEN.settings()) == CHOSEN


def test_a_promise_is_kept_on_other_documents_and_not_made_of_few() -> None:
    rng = np.random.default_rng(3)

    def drawn(n: int) -> Any:
        odds = rng.normal(0, 3, size=(n, 1))
        truth = rng.random((n, 1)) < 1 / (1 + np.exp(-odds))
        return evaluate_labels(LabelPredictions(["a"], truth, odds, odds > 0, np.ones(n), list(range(n)), str))

    threshold = promised_thresholds(drawn(4000), precision=0.9)["a"]
    assert threshold is not None
    assert 0.4 < threshold < 0.95
    new = drawn(4000).predictions
    taken = 1 / (1 + np.exp(-new.log_odds[:, 0])) >= threshold
    assert new.truth[taken, 0].mean() >= 0.9
    assert promised_thresholds(drawn(10), precision=0.9) == {"a": None}
    with pytest.raises(InputError, match="precision is 1; it must be between 0 and 1"):
        promised_thresholds(drawn(10), precision=1)
