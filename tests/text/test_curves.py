"""The fit of trust curves: what the regression says of documents is what leave-one-out says of them."""

from random import Random
from typing import Any

import numpy as np
import pytest

from banbury import Analyzer, Classifier, Counts, _kernel
from banbury.datasets import demo
from banbury.text import curves
from banbury.text.curves import LEVEL_SD, MULTIPLIER_SD, level_precision
from banbury.text.documents import class_numbers
from banbury.text.trust import Trust, universal_curves

TEXTS, SIGNS = demo()
COMMON = [f"common{i}" for i in range(20)]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_multipliers_of_blocks_have_a_deviation_of_their_own_and_one_in_common(n: int) -> None:
    covariance = np.eye(n) * MULTIPLIER_SD**2 + LEVEL_SD**2
    np.testing.assert_allclose(np.reshape(level_precision(n), (n, n)) @ covariance, np.eye(n), atol=1e-9)


def test_the_report_has_figures_by_length() -> None:
    found = Classifier().fit(TEXTS, SIGNS).report_
    lengths = [one.least for one in found.by_length]
    assert lengths == sorted(lengths)
    assert lengths[0] == 1
    assert found.by_length[-1].accuracy > found.by_length[0].accuracy
    assert "words of a text" in str(found)


def test_many_classes_are_fitted_on_lists_of_some() -> None:
    random = Random(5)
    texts = [" ".join(random.choices([f"w{i}", f"v{i}", *COMMON], k=12)) for _ in range(20) for i in range(30)]
    labels = [i for _ in range(20) for i in range(30)]
    model = Classifier(analyzer=Analyzer()).fit(texts, labels)
    new = [" ".join(random.choices([f"w{i}", f"v{i}", *COMMON], k=12)) for i in range(30) for _ in range(100)]
    evaluation = model.evaluate(new, [i for i in range(30) for _ in range(100)])
    assert evaluation.accuracy > 0.6
    assert abs(evaluation.accuracy - model.report_.accuracy) < 0.05
    assert (evaluation.calibration_error or 1) < 0.08


def test_the_report_of_many_classes_has_the_first_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    texts = [" ".join(random.choices([f"w{i}", *COMMON], k=12)) for _ in range(8) for i in range(30)]
    counts = Counts().add(texts, labels := [i for _ in range(8) for i in range(30)])
    given = (counts, texts, class_numbers(labels, counts.classes), None)
    # Few enough numbers that the basis is of lists, not of all classes.
    trust, _, whole = curves.fit_curves(*given, most_numbers=250_000, threads=1)
    monkeypatch.setattr(curves, "MOST_REPORTED_SCORES", 30 * 100)
    same, _, part = curves.fit_curves(*given, most_numbers=250_000, threads=2)
    assert same == trust
    assert (len(whole.rows), len(part.rows)) == (240, 100)
    assert list(part.rows) == list(whole.rows[:100])
    np.testing.assert_array_equal(part.log_probabilities, whole.log_probabilities[:100])
    np.testing.assert_array_equal(part.class_ids, whole.class_ids[:100])
    assert "a fixed sample of 100 of 240 documents" in part.note


def test_a_basis_of_all_classes_gives_what_one_of_lists_gives_and_all_scores() -> None:
    random = Random(5)
    texts = [" ".join(random.choices([f"w{i}", *COMMON], k=12)) for _ in range(8) for i in range(30)]
    counts = Counts().add(texts, labels := [i for _ in range(8) for i in range(30)])
    class_ids = class_numbers(labels, counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, class_ids, None, 200, 1, windows=True)
    fit = curves.CurveFit(documents, counts, threads=2)
    assert fit.is_whole
    assert fit.lists is not None
    numbers = [random.random() for _ in curves.curve_columns(universal_curves(counts.analyzer)[0], 30)]
    fits = [(numbers, [random.random() for _ in range(30)])]
    turns = np.zeros(2 * len(fit.class_ids), np.uint32)
    whole = fit.regression(0.5)
    fit.basis = documents.basis(2, fit.lists.classes.ravel())
    listed = fit.regression(0.5)
    assert listed.size(numbers) == pytest.approx(whole.size(numbers), rel=1e-12)
    logs = [np.asarray(one.log_probabilities(fits, turns, 1)) for one in (listed, whole)]
    np.testing.assert_allclose(logs[0], logs[1], rtol=1e-9, atol=1e-12)

    left_out = np.asarray(documents.scores([numbers], fit.caps.tolist(), 1).scores)
    scores = np.asarray(documents.basis(1).scores([numbers], fit.caps.tolist(), turns))
    np.testing.assert_allclose(scores, left_out - left_out.mean(axis=1, keepdims=True), rtol=1e-9, atol=1e-9)


def test_a_basis_says_what_does_not_fit_it() -> None:
    counts = Counts().add(TEXTS, SIGNS)
    class_ids = class_numbers(SIGNS, counts.classes)
    documents = _kernel.Documents(counts.kernel, TEXTS, class_ids, None, 9, 1)
    basis, n = documents.basis(1), len(documents.rows)
    numbers = list(Trust.universal(counts.analyzer).curves)
    for turns in (np.zeros(n + 1, np.uint32), np.ones(n, np.uint32)):
        with pytest.raises(ValueError, match="not those of these counts"):
            basis.scores([numbers], [9.0, 9.0], turns)
    ones = np.ones(n)
    with pytest.raises(ValueError, match="do not fit each other"):
        basis.regression([9.0, 9.0], np.zeros(n, np.uint32), ones, 2, np.zeros(2 * n), ones, np.full(n, 7, np.uint32))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_regression_says_what_leave_one_out_says(n_classes: int) -> None:
    labels = SIGNS if n_classes == 2 else [*SIGNS[:-60], *["neutral"] * 60]
    counts = Counts(Analyzer(ngrams=(1, 2))).add(TEXTS, labels)
    class_ids = class_numbers(labels, counts.classes)
    documents = _kernel.Documents(counts.kernel, TEXTS, class_ids, None, 300, 1, windows=True)
    fit: Any = curves.CurveFit(documents, counts, 1)
    blocks, prior = universal_curves(counts.analyzer)
    regression = fit.regression(prior)
    _, by_fold = fit.fitted(regression, blocks)
    for columns, shifts in ((curves.curve_columns(blocks, n_classes), [0.0] * n_classes), by_fold[3]):
        unified = columns if n_classes == 3 else curves.unified(columns, [x for block in blocks for x in block], blocks)
        shift = tuple(zip(counts.classes, shifts, strict=True))
        trust = Trust(tuple(unified), prior, shift, tuple(fit.caps), tuple(fit.typical))
        left_out = documents.scores([list(trust.curves)], list(trust.caps), 1)
        scores = curves.of_all_classes(np.asarray(left_out.scores), n_classes)
        share = np.asarray(left_out.lengths) / (np.asarray(left_out.lengths) + 16.0)
        growth = np.array(trust.growth(counts.classes, counts.documents))
        scores = fit.log_prior + share[:, None] * growth + scores
        logs = regression.log_probabilities([(columns, shifts)], np.zeros(len(scores), np.uint32), 1)
        np.testing.assert_allclose(logs, scores - np.logaddexp.reduce(scores, axis=1)[:, None], atol=1e-9)


def test_curves_of_two_classes_are_kept_in_the_form_for_more() -> None:
    blocks, _ = universal_curves(Analyzer(ngrams=(1, 2)))
    around = [2.0 * number for block in blocks for number in block]
    columns = [number + 0.1 * place for place, number in enumerate(curves.curve_columns(blocks, 2))]
    unified = curves.unified(columns, around, blocks)
    again = [unified[: len(blocks[0])], unified[len(blocks[0]) :]]
    assert curves.curve_columns(again, 2) == pytest.approx(columns)
    assert curves.curve_columns(again, 3) == unified


def test_figures_by_length_leave_out_what_is_rare() -> None:
    lengths = np.array([1.0] * 40 + [3.0] * 10 + [300.0] * 30)
    logs = np.log(np.tile([0.8, 0.2], (80, 1)))
    found = curves.figures_by_length(lengths, np.zeros(80, np.intp), logs)
    assert [(entry.least, entry.most, entry.texts, entry.accuracy) for entry in found] == [
        (1, 1, 40, 1.0),
        (250, None, 30, 1.0),
    ]
    assert found[0].log_loss == pytest.approx(-np.log(0.8))
