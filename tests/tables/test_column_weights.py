"""Weights of columns, fitted on evidence: what is right counts, what is repeated counts once, nothing below 0."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury.tables.column_weights import fit_weights, most_rows, universal_weight


def evidence(n: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Independent columns of one nat for the right class, three times out of four."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, 2, n)
    right = rng.random((n, columns)) < np.e / (1 + np.e)
    said = np.where(right, 0.5, -0.5)[:, None, :] * np.where(own[:, None] == np.arange(2), 1, -1)[:, :, None]
    return said, own


def test_independent_columns_that_are_right_count_about_once() -> None:
    said, own = evidence(5000, 3)
    fitted = fit_weights(said, own, np.ones(5000), [2500, 2500], threads=1)
    assert fitted.weights == pytest.approx([1, 1, 1], abs=0.12)


def test_a_column_three_times_counts_as_often_as_once() -> None:
    said, own = evidence(5000, 1)
    fitted = fit_weights(np.repeat(said, 3, axis=2), own, np.ones(5000), [2500, 2500], threads=1)
    assert sum(fitted.weights) == pytest.approx(1, abs=0.12)


def test_what_is_always_wrong_counts_nothing() -> None:
    said, own = evidence(2000, 2)
    said[:, :, 1] *= -1
    fitted = fit_weights(said, own, np.ones(2000), [1000, 1000], threads=1)
    assert fitted.weights[1] == 0
    assert fitted.weights[0] > 0.8


def test_threads_and_weights_of_rows_change_nothing_they_should_not() -> None:
    said, own = evidence(600, 70)  # more than are fitted at once
    one = fit_weights(said, own, np.ones(600), [300, 300], threads=1)
    assert fit_weights(said, own, np.ones(600), [300, 300], threads=3).weights == one.weights
    assert_allclose(np.exp(one.log_probabilities).sum(axis=1), 1)
    twice = fit_weights(np.concatenate([said, said]), np.tile(own, 2), np.full(1200, 0.5), [300, 300], threads=1)
    assert_allclose(twice.weights, one.weights, atol=1e-5)


def test_limits() -> None:
    assert universal_weight(4) == 0.5
    assert universal_weight(0) == 1.0
    assert most_rows(2, 10) == 10_000
    assert most_rows(10, 10_000) == 240
    assert most_rows(1000, 100_000) == 50
