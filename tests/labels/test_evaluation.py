"""Evaluation of label sets: the figures are those of scikit-learn and of the definitions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import labels_reference as plain
from banbury.errors import InputError
from banbury.labels.evaluation import (
    LabelEvaluation,
    LabelPredictions,
    average_precision,
    evaluate_labels,
    ranking_measures,
)

TEXTS = ["first", "second <b>", "third"]


def predicted(truth: Any, odds: Any, **options: Any) -> LabelPredictions:
    truth, odds = np.array(truth, bool), np.array(odds, float)
    labels = options.pop("labels", [f"l{place}" for place in range(truth.shape[1])])
    decided = options.pop("decided", odds > 0)
    weights = options.pop("weights", np.ones(len(truth)))
    return LabelPredictions(labels, truth, odds, decided, weights, list(range(len(truth))), TEXTS.__getitem__)


matrices = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.tuples(
            st.lists(st.booleans(), min_size=width, max_size=width),
            st.lists(st.sampled_from([-2.0, -0.5, 0.5, 1.0]), min_size=width, max_size=width),
        ),
        min_size=1,
        max_size=6,
    )
)


@given(matrices)
def test_the_figures_are_those_of_scikit_learn(rows: list[tuple[list[bool], list[float]]]) -> None:
    truth, odds = np.array([row for row, _ in rows]), np.array([row for _, row in rows])
    found = evaluate_labels(predicted(truth, odds))
    decided = odds > 0
    how: dict[str, Any] = {"zero_division": 0}
    assert found.micro_f1 == pytest.approx(metrics.f1_score(truth, decided, average="micro", **how))
    assert found.macro_f1 == pytest.approx(metrics.f1_score(truth, decided, average="macro", **how))
    assert found.micro_precision == pytest.approx(metrics.precision_score(truth, decided, average="micro", **how))
    assert found.micro_recall == pytest.approx(metrics.recall_score(truth, decided, average="micro", **how))
    assert found.subset_accuracy == pytest.approx(metrics.accuracy_score(truth, decided))
    assert found.hamming_loss == pytest.approx(metrics.hamming_loss(truth, decided))
    assert found.ranking_loss == pytest.approx(metrics.label_ranking_loss(truth, odds))
    assert found.coverage_error == pytest.approx(metrics.coverage_error(truth, odds))
    precision = metrics.label_ranking_average_precision_score(truth, odds)
    assert found.ranking_precision == pytest.approx(precision)
    chances = 1 / (1 + np.exp(-odds))
    assert found.log_loss == pytest.approx(-np.log(np.where(truth, chances, 1 - chances)).mean())
    by_hand = np.mean([plain.ranking(*row) for row in rows], axis=0)
    assert [found.ranking_loss, found.ranking_precision, found.coverage_error] == pytest.approx(by_hand.tolist())
    for place, row in enumerate(found.labels):
        if truth[:, place].any():
            expected = metrics.average_precision_score(truth[:, place], odds[:, place])
            assert row.average_precision == pytest.approx(expected)
        else:
            assert row.average_precision is None


def test_a_weight_is_so_many_documents() -> None:
    truth, odds = [[True, False], [False, True], [True, True]], [[1.0, 2.0], [-1.0, 0.5], [0.3, -0.2]]
    weighted = evaluate_labels(predicted(truth, odds, weights=np.array([2.0, 0.0, 1.0])))
    repeated = evaluate_labels(predicted([truth[0], truth[0], truth[2]], [odds[0], odds[0], odds[2]]))
    for (name, value, _), (_, expected, _) in zip(weighted.figures(), repeated.figures(), strict=True):
        assert value == pytest.approx(expected), name


def test_a_label_that_the_model_does_not_know_is_missed_and_has_no_probability() -> None:
    made = predicted([[True, True]], [[2.0, -np.inf]], labels=["a", "new"])
    found = evaluate_labels(made, n_known=1)
    assert found.unknown_labels == [("new", 1)]
    assert (found.micro_recall, found.subset_accuracy, found.macro_f1) == (0.5, 0.0, 0.5)
    assert found.log_loss == pytest.approx(np.log1p(np.exp(-2)))
    assert found.labels[1].log_loss is None
    assert found.ranking_loss == 0
    assert "the model does not know 'new', which 1 documents have" in str(found)


def test_doubtful_labels_are_improbable_and_missing_ones_probable() -> None:
    found = evaluate_labels(predicted([[True, True], [True, False], [False, False]], [[-3, 1], [-1, 2], [4, -1]]))
    assert [(one.index, one.label, one.text) for one in found.doubtful()] == [
        (0, "l0", "first"),
        (1, "l0", "second <b>"),
    ]
    assert [(one.index, one.label) for one in found.missing()] == [(2, "l0"), (1, "l1")]
    assert found.missing(top=1)[0].probability == pytest.approx(1 / (1 + np.exp(-4)))
    with pytest.raises(InputError, match="top is 0"):
        found.missing(top=0)


def test_it_is_shown_and_saved_and_what_is_in_a_text_is_no_markup(tmp_path: Path) -> None:
    found = evaluate_labels(predicted([[True, True], [True, False]], [[-3, 1], [-1, 2]], labels=["<i>", "b"]))
    assert "micro F1          0.4000" in str(found)
    assert "<i>" not in found._repr_html_()
    assert "&lt;i&gt;" in found._repr_html_()
    found.save(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    assert "second &lt;b&gt;" in html
    assert "Missing labels" in html
    assert "<script" not in html
    assert html == found.html()
    assert "Missing labels" not in found.html(documents=0)
    assert "Reliability diagram" in html
    assert "documents × labels" in html
    assert [row["label"] for row in found.rows()] == ["<i>", "b"]


@given(matrices)
def test_the_calibration_error_is_that_of_the_bins_of_the_page(rows: list[tuple[list[bool], list[float]]]) -> None:
    found = evaluate_labels(predicted([row for row, _ in rows], [row for _, row in rows]))
    bins = found.reliability()
    n = sum(one.documents for one in bins)
    assert n == len(rows) * len(found.labels)
    expected = sum(one.documents * abs(one.accuracy - one.probability) for one in bins) / n
    assert found.calibration_error == pytest.approx(expected)


def test_labels_that_the_model_does_not_know_have_no_probabilities_to_believe() -> None:
    odds = [[1.0, -np.inf], [-1.0, -np.inf]]
    found = evaluate_labels(predicted([[True, True], [False, False]], odds), n_known=1)
    assert sum(one.documents for one in found.reliability()) == 2


def test_settings_give_the_same_figures_again_without_the_documents() -> None:
    found = evaluate_labels(predicted([[True, True], [True, False]], [[-3, 1], [-1, 2]]), note="a note")
    loaded = LabelEvaluation.from_settings(found.settings())
    assert (loaded.reliability(), "Reliability" in loaded.html(), "Figures" in loaded.html()) == ([], False, True)
    again = LabelEvaluation.from_settings(found.settings())
    assert again == found
    assert again.predictions is None
    with pytest.raises(InputError, match="single documents are not kept"):
        again.doubtful()


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(InputError, match="no documents"):
        evaluate_labels(predicted(np.zeros((0, 1)), np.zeros((0, 1))))
    with pytest.raises(InputError, match="all weights are 0"):
        evaluate_labels(predicted([[True]], [[1.0]], weights=np.zeros(1)))
    assert average_precision(np.array([False]), np.array([1.0]), np.ones(1)) is None


def test_many_labels_are_ranked_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    truth, scores = random.random((40, 9)) < 0.3, random.integers(-3, 4, (40, 9)).astype(float)  # with ties
    few = ranking_measures(truth, scores, np.ones(40))
    monkeypatch.setattr("banbury.labels.evaluation.FEW_RANKED", 2)
    assert ranking_measures(truth, scores, np.ones(40)) == pytest.approx(few)
    by_hand = np.mean([plain.ranking(*row) for row in zip(truth.tolist(), scores.tolist(), strict=True)], axis=0)
    assert list(few.values()) == pytest.approx(by_hand.tolist())
