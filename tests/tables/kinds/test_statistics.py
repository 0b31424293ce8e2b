"""What all kinds share: probabilities that sum to 1, new rows, sparse rows."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from banbury import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, Number, Poisson
from banbury.errors import InputError


@pytest.mark.parametrize(
    "kind, support",
    [
        (Bernoulli(smoothing=0.2, absent_smoothing=3), range(2)),
        (Categorical(smoothing=0.3), range(3)),
        (Poisson(), range(200)),
        (Poisson(predictive=True), range(3000)),
    ],
)
def test_the_probabilities_of_all_values_sum_to_1(kind: Any, support: range) -> None:
    statistics = kind.statistics(1, 3).add([[0], [1], [1], [2 if len(support) > 2 else 0]], [0, 0, 1, 1])
    logs = statistics.log_probabilities(np.array(support, dtype=float)[:, None])
    assert_allclose(np.exp(logs[:, :, 0]).sum(axis=0), 1, rtol=1e-6)


@pytest.mark.parametrize(
    "kind", [Gaussian(), Gaussian(predictive=True), Gaussian(variance="biased"), Histogram(bins=3)]
)
def test_the_density_of_a_number_integrates_to_1(kind: Any) -> None:
    statistics = kind.statistics(1, 3).add([[0.0], [1.0], [1.5], [4.0], [-2.0]], [0, 0, 0, 1, 1])
    # In steps that widen: the predictive density has long tails.
    places = np.sinh(np.linspace(-30, 30, 400_001))
    middle, width = (places[1:] + places[:-1]) / 2, np.diff(places)
    density = np.exp(statistics.log_probabilities(middle[:, None])[:, :, 0])
    assert_allclose((density * width[:, None]).sum(axis=0), 1, rtol=2e-3)


@pytest.mark.parametrize("predictive", [False, True])
def test_new_rows_are_like_those_learned(predictive: bool) -> None:
    generator = np.random.default_rng(3)
    n = 4000
    kinds = [
        (Bernoulli(predictive=predictive), generator.random((n, 1)) < 0.3),
        (Categorical(predictive=predictive), generator.choice(3, (n, 1), p=[0.2, 0.5, 0.3])),
        (Gaussian(predictive=predictive), generator.normal(5, 2, (n, 1))),
        (Gaussian(scale="log", predictive=predictive), np.exp(generator.normal(0, 0.3, (n, 1)))),
        (Histogram(predictive=predictive), generator.uniform(0, 9, (n, 1))),
        (Number(predictive=predictive), generator.normal(5, 2, (n, 1))),
        (Poisson(predictive=predictive), generator.poisson(4, (n, 1))),
        (Multinomial(predictive=predictive), generator.multinomial(10, [0.2, 0.8], n)),
    ]
    for kind, values in kinds:
        statistics = kind.statistics(values.shape[1], 1).add(values, [0] * n)
        drawn = statistics.sample(generator, 0, n)
        error = 5 * values.std(axis=0) / math.sqrt(n) + 0.05
        assert (np.abs(drawn.mean(axis=0) - values.mean(axis=0)) < error).all(), kind
        if not isinstance(kind, (Histogram, Multinomial)):  # its tails reach farther; its totals vary
            assert_allclose(drawn.std(axis=0), values.std(axis=0), rtol=0.12, err_msg=repr(kind))


def test_sparse_rows_are_read_like_dense_ones() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.random.default_rng(0).poisson(0.7, (30, 4)).astype(float)
    numbers = np.arange(30) % 3
    kinds = [
        Multinomial(),
        Multinomial(predictive=True),
        Poisson(),
        Poisson(predictive=True),
        Gaussian(),
        Categorical(),
    ]
    for kind in [*kinds, Histogram(bins=3), Number()]:
        dense = kind.statistics(4, 3).add(rows, numbers)
        thin = kind.statistics(4, 3).add(sparse.csr_array(rows), numbers)
        assert_allclose(thin.scores(sparse.csr_array(rows), [1, 2, 0, 1]), dense.scores(rows, [1, 2, 0, 1]), rtol=1e-9)
        assert_array_equal(thin.log_probabilities(rows), dense.log_probabilities(rows))
    with pytest.raises(InputError, match="row 1, column 2 has -1"):
        Poisson().statistics(4, 1).add(sparse.csr_array([[0, 0, 0, 1], [0, 0, -1, 0]]), [0, 0])
