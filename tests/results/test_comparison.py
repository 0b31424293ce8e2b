"""Two models compared: tests that keep their promises."""

import numpy as np
import pytest

from banbury.errors import InputError
from banbury.results.comparison import compare
from banbury.results.evaluation import Evaluation, evaluate


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
