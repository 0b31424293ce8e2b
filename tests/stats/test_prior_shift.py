"""Prior shift: a prior that has moved is found by expectation maximisation, one that has not is left."""

from typing import Any

import numpy as np
import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.stats.prior_shift import estimate_prior

TEXTS, SIGNS = demo()


def test_a_prior_that_has_moved_is_found_and_one_that_has_not_is_left() -> None:
    model = Classifier().fit(TEXTS[:400], SIGNS[:400])
    rest = list(zip(TEXTS[400:], SIGNS[400:], strict=True))
    same = model.estimate_prior([text for text, _ in rest])
    assert same.prior["negative"] == pytest.approx(0.5, abs=0.12)
    assert not same.moved
    glad = [text for text, sign in rest if sign == "positive"]
    shifted = model.estimate_prior([*glad, *[text for text, sign in rest if sign == "negative"][:5]])
    assert shifted.moved
    assert shifted.prior["positive"] > 0.85
    assert sum(shifted.prior.values()) == pytest.approx(1)
    assert model.predict_proba([]).shape == (0, 2)
    with pytest.raises(InputError, match="no documents"):
        model.estimate_prior([])
    assert Classifier().fit(["a"], ["x"]).estimate_prior(["b"]).prior == {"x": 1}


def test_a_class_without_a_prior_gets_none() -> None:
    with np.errstate(divide="ignore"):
        logs: Any = np.log(np.array([[0.3, 0.7, 0.0]] * 5))
    estimate = estimate_prior(["a", "b", "c"], logs, np.array([0.5, 0.5, 0.0]))
    assert estimate.prior["c"] == 0
    assert sum(estimate.prior.values()) == pytest.approx(1)


def test_the_estimate_is_the_maximum_of_the_likelihood() -> None:
    had, chances = np.array([0.5, 0.5]), np.array([[0.9, 0.1]] * 7 + [[0.2, 0.8]] * 3)
    estimate = estimate_prior(["x", "y"], np.log(chances), had)
    shares = np.linspace(0.001, 0.999, 999)
    likelihoods = [np.log((chances / had * [share, 1 - share]).sum(axis=1)).sum() for share in shares]
    assert estimate.prior["x"] == pytest.approx(shares[int(np.argmax(likelihoods))], abs=1e-3)
