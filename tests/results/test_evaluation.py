"""Figures of predictions: equal to their definitions, to scikit-learn's, and readable."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

import evaluation_reference as reference
from banbury import Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.results.comparison import compare
from banbury.results.evaluation import Evaluation, evaluate
from banbury.results.metrics import log_odds
from banbury.stats.intervals import at_most, chi_squared_tail, false_discoveries, least, most, wilson

LABELS = ["a", "b", "c", "d"]


@st.composite
def predictions(draw: st.DrawFn) -> tuple[list[str], list[str], np.ndarray[Any, Any]]:
    """Labels, the classes of a model that knows them all, and its probabilities as shares; many of them are equal."""
    classes = LABELS[: draw(st.integers(2, 4))]
    truth = draw(st.lists(st.sampled_from(classes), min_size=1, max_size=25))
    rows = st.lists(st.integers(1, 6), min_size=len(classes), max_size=len(classes))
    return truth, classes, np.array(draw(st.lists(rows, min_size=len(truth), max_size=len(truth))))


def _chances(shares: Any) -> Any:
    return shares / shares.sum(axis=1, keepdims=True)


@given(predictions())
def test_every_figure_is_what_its_definition_says(given: tuple[list[str], list[str], Any]) -> None:
    truth, classes, shares = given
    chances = _chances(shares)
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    assert found.predictions is not None
    guess, table = found.predictions.predicted, chances.tolist()
    assert found.accuracy == reference.accuracy(truth, guess)
    assert_allclose(found.accuracy_interval, reference.wilson(found.n_right, len(truth)), atol=1e-12)
    for row in found.rows():
        for name in ("precision", "recall", "f1"):
            expected = getattr(reference, name)(truth, guess, row["label"])
            assert row[name] == pytest.approx(expected)
        assert row["documents"] == truth.count(row["label"])
    f1s = [reference.f1(truth, guess, label) for label in found.classes]
    assert found.macro_f1 == pytest.approx(sum(f1s) / len(f1s))
    assert found.matthews == pytest.approx(reference.matthews(truth, guess), abs=1e-9)
    assert found.log_loss == pytest.approx(reference.log_loss(truth, classes, table))
    assert found.brier == pytest.approx(reference.brier(truth, classes, table))
    assert found.calibration_error == pytest.approx(reference.calibration_error(truth, guess, table), abs=1e-12)
    odds = [[Fraction(int(row[at]), int(row.sum() - row[at])) for row in shares] for at in range(len(classes))]
    aucs = [reference.roc_auc(column, [t == label for t in truth]) for column, label in zip(odds, classes, strict=True)]
    there = [auc for auc in aucs if auc is not None]
    assert found.roc_auc == (pytest.approx(sum(there) / len(there)) if there else None)


@given(predictions())
def test_coverage_keeps_the_surest_and_ends_with_all(given: tuple[list[str], list[str], Any]) -> None:
    truth, classes, shares = given
    chances = _chances(shares)
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    assert found.predictions is not None
    for one in found.coverage:
        expected = reference.kept(truth, found.predictions.predicted, chances.tolist(), one.threshold - 1e-12)
        assert (one.coverage, one.accuracy) == pytest.approx(expected)
    assert found.coverage[-1].coverage == 1
    assert found.coverage[-1].accuracy == pytest.approx(found.accuracy)
    assert sum(one.documents for one in found.reliability) == len(truth)


@given(predictions(), st.randoms())
def test_the_order_of_documents_does_not_matter(given: tuple[list[str], list[str], Any], random: Any) -> None:
    truth, classes, shares = given
    chances = _chances(shares)
    order = list(range(len(truth)))
    random.shuffle(order)
    one = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    other = evaluate([truth[i] for i in order], log_probabilities=np.log(chances)[order], classes=classes)
    assert one.confusion == other.confusion
    for name in ("log_loss", "brier", "roc_auc", "calibration_error"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))
    assert [kept.coverage for kept in one.coverage] == [kept.coverage for kept in other.coverage]


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_figures_are_those_of_scikit_learn(n_classes: int) -> None:
    random = np.random.default_rng(3)
    classes = [f"class {number}" for number in range(n_classes)]
    chances = random.dirichlet(np.ones(n_classes), 400)
    truth = [classes[random.choice(n_classes, p=0.5 * row + 0.5 / n_classes)] for row in chances]
    found = evaluate(truth, log_probabilities=np.log(chances), classes=classes)
    guess = [classes[at] for at in chances.argmax(axis=1)]
    scores = chances[:, 1] if n_classes == 2 else chances
    numbers = [classes.index(label) for label in truth]
    expected = {
        "accuracy": sk.accuracy_score(truth, guess),
        "macro-F1": sk.f1_score(truth, guess, average="macro"),
        "MCC": sk.matthews_corrcoef(truth, guess),
        "ROC AUC": sk.roc_auc_score(truth, scores, multi_class="ovr"),
        "log loss": sk.log_loss(truth, chances),
        "Brier score": sk.brier_score_loss(numbers, scores, **({} if n_classes == 2 else {"labels": range(n_classes)})),
    }
    values = {figure.name: figure.value for figure in found.figures()}
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert found.macro_precision == pytest.approx(sk.precision_score(truth, guess, average="macro"))
    assert found.macro_recall == pytest.approx(sk.recall_score(truth, guess, average="macro"))
    assert found.micro_f1 == pytest.approx(sk.f1_score(truth, guess, average="micro"))
    assert found.confusion == sk.confusion_matrix(truth, guess).tolist()
    assert found.predictions is not None
    shares, means = calibration_curve(found.predictions.is_right, found.predictions.confidence, n_bins=15)
    assert [one.accuracy for one in found.reliability] == pytest.approx(shares.tolist())
    assert [one.probability for one in found.reliability] == pytest.approx(means.tolist())
    for figure in found.figures():
        assert figure.interval is None or figure.interval.low <= figure.value <= figure.interval.high


def test_an_area_under_the_curve_does_not_drown_in_rounding() -> None:
    """As probabilities all four are 1; their logarithms still have an order."""
    logs = np.array([[-50.0, 0.0], [-60.0, 0.0], [-70.0, 0.0], [-80.0, 0.0]])
    found = evaluate(["no", "no", "yes", "yes"], log_probabilities=logs, classes=["no", "yes"])
    assert found.roc_auc == 1.0
    assert log_odds(np.array([[0.0, -np.inf]])).tolist() == [[np.inf, -np.inf]]


def test_a_label_that_the_model_does_not_know_is_a_mistake_and_is_named() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts[::2], labels[::2])
    report = model.evaluate([*texts[1::2], "made of wood", "so happy"], [*labels[1::2], "neutral", "neutral"])
    known = model.evaluate(texts[1::2], labels[1::2])
    assert report.unknown_labels == [("neutral", 2)]
    assert (report.n_documents, report.n_right) == (302, known.n_right)
    assert (report.log_loss, report.brier, report.roc_auc) == (known.log_loss, known.brier, known.roc_auc)
    assert "neutral (2)" in str(report)
    assert report.rows()[1]["recall"] == 0
    assert [mistake.label for mistake in report.mistakes(top=300)].count("neutral") == 2
    nothing_known = model.evaluate(["a"], ["neutral"])
    assert (nothing_known.accuracy, nothing_known.log_loss) == (0, None)


def test_labels_alone_give_the_figures_that_need_no_probabilities() -> None:
    found = evaluate([1, 2, 2], [1, 2, 1])
    assert [figure.name for figure in found.figures()] == ["accuracy", "macro-F1", "MCC"]
    assert found.to_dict()["confusion"] == [[1, 0], [1, 1]]


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


def test_plain_data_can_be_written_as_json() -> None:
    texts, labels = demo()
    report = Classifier.textbook().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
    assert json.loads(json.dumps(report.to_dict()))["right"] == report.n_right
    assert report._repr_html_().count("<table") == 3
    assert repr(report) == "<Report: 265 of 300 right, accuracy 0.8833>"


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((["a"],), {}, "nothing to evaluate"),
        ((["a"], ["a", "b"]), {}, "1 labels but 2 predictions"),
        (([], []), {}, "no documents to evaluate"),
        ((["a"], ["a"]), {"log_probabilities": np.zeros((1, 3)), "classes": ["a"]}, "shape"),
    ],
)
def test_evaluating_says_what_does_not_fit(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(*arguments, **options)


# Intervals and tests --------------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.data())
def test_a_binomial_tail_is_the_sum_of_its_terms(trials: int, data: st.DataObject) -> None:
    successes, chance = data.draw(st.integers(0, trials)), data.draw(st.floats(0.001, 0.999))
    assert at_most(successes, trials, chance) == pytest.approx(reference.at_most(successes, trials, chance), rel=1e-9)


def test_the_tails_and_bounds_are_those_of_scipy() -> None:
    from scipy import stats

    for successes, trials in ((0, 10), (3, 10), (10, 10), (500, 20_000)):
        interval = stats.binomtest(successes, trials).proportion_ci(0.9, "exact")
        assert (least(successes, trials, 0.05), most(successes, trials, 0.05)) == pytest.approx(tuple(interval))
        score = stats.binomtest(successes, trials).proportion_ci(0.95, "wilson")
        assert wilson(successes, trials) == pytest.approx((score.low, score.high), abs=1e-12)
        assert at_most(successes, trials, 0.03) == pytest.approx(stats.binom.cdf(successes, trials, 0.03), rel=1e-9)
    assert chi_squared_tail(7.5, 3) == pytest.approx(stats.chi2.sf(7.5, 3))
    p_values = np.array([1e-9, 1e-4, 0.002, 0.2])
    adjusted = stats.false_discovery_control(p_values, method="by")
    assert false_discoveries(p_values, 4, 0.05) == max(p_values[adjusted <= 0.05])


def test_an_accuracy_lies_in_its_interval_as_often_as_promised() -> None:
    random = np.random.default_rng(0)
    for chance in (0.1, 0.5, 0.97):
        inside = [
            interval.low <= chance <= interval.high
            for successes in random.binomial(80, chance, 1000)
            for interval in [wilson(int(successes), 80)]
        ]
        assert 0.92 < np.mean(inside) < 0.98


# Two models -----------------------------------------------------------------------------------------------------------


def _evaluation(truth: list[str], right: list[bool], sure: float = 0.8) -> Evaluation:
    other = {"x": "y", "y": "x"}
    guess = [label if is_right else other[label] for label, is_right in zip(truth, right, strict=True)]
    logs = np.log([[sure, 1 - sure] if label == "x" else [1 - sure, sure] for label in guess])
    return evaluate(truth, log_probabilities=logs, classes=["x", "y"])


def test_a_better_model_is_found_and_a_test_agrees_with_the_books() -> None:
    from scipy import stats

    truth = ["x", "y"] * 100
    first = _evaluation(truth, [at % 4 != 0 for at in range(200)])
    second = _evaluation(truth, [at % 4 != 0 or at % 8 == 0 for at in range(200)])
    found = compare(first, second)
    assert (found.only_first, found.only_second) == (0, 25)
    assert found.accuracy_p_value == pytest.approx(stats.binomtest(0, 25).pvalue)
    assert found.better == found.more_accurate == found.more_probable == "second"
    assert compare(second, first).better == "first"
    assert found.log_loss_gain is not None
    assert found.log_loss_gain.low > 0
    assert "the second is better" in str(found)


def test_equal_models_are_found_different_as_rarely_as_promised() -> None:
    random = np.random.default_rng(1)
    truth = ["x", "y"] * 30
    different = [0, 0]
    for _ in range(200):
        one, other = (_evaluation(truth, (random.random(60) < 0.8).tolist(), 0.7 + 0.1 * random.random()) for _ in "ab")
        found = compare(one, other)
        different[0] += found.more_accurate is not None
        different[1] += found.log_loss_p_value is not None and found.log_loss_p_value < 0.05
    assert different[0] <= 0.05 * 200  # the exact test is on the safe side
    assert compare(one, one).better is None
    assert compare(one, one).log_loss_p_value == 1


def test_a_permutation_test_agrees_with_that_of_scipy() -> None:
    from scipy import stats

    random = np.random.default_rng(5)
    truth = [("x", "y")[at] for at in random.integers(0, 2, 60)]
    logs = [np.log(random.dirichlet([3, 3], 60)) for _ in range(2)]
    one, other = (evaluate(truth, log_probabilities=each, classes=["x", "y"]) for each in logs)
    own = np.array([label == "y" for label in truth]).astype(int)
    gains = logs[1][np.arange(60), own] - logs[0][np.arange(60), own]
    expected = stats.permutation_test(
        (gains,), np.mean, permutation_type="samples", n_resamples=9999, rng=np.random.default_rng(0)
    ).pvalue
    assert compare(one, other).log_loss_p_value == pytest.approx(expected, abs=0.03)


def test_only_the_same_documents_can_be_compared() -> None:
    one, other = _evaluation(["x", "y"], [True, True]), _evaluation(["y", "y"], [True, True])
    with pytest.raises(InputError, match="document 0 has label 'x' in one evaluation and 'y' in the other"):
        compare(one, other)
    with pytest.raises(InputError, match="2 documents, the other 1"):
        compare(one, _evaluation(["x"], [True]))
    plain = evaluate(["x", "y"], ["x", "x"])
    assert compare(plain, one).log_losses is None
