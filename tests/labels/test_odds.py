"""Log-odds: of shares, and as probabilities."""

import math

import numpy as np
import pytest

from banbury.labels.odds import log_odds_of_shares, probabilities_of


def test_two_documents_are_added_inside_and_outside() -> None:
    assert log_odds_of_shares([0, 3, 6], 6) == pytest.approx([math.log(2 / 8), 0.0, math.log(8 / 2)])


def test_probabilities_are_finite_for_any_log_odds() -> None:
    found = probabilities_of(np.array([-np.inf, -1e9, 0.0, math.log(3), 1e9, np.inf]))
    np.testing.assert_allclose(found, [0, 0, 0.5, 0.75, 1, 1], atol=1e-300)
