"""Histograms: edges that rise, bins that stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Histogram
from banbury.errors import InputError


def test_a_frequent_value_has_a_bin_of_its_own() -> None:
    values = np.array([0.0] * 80 + list(np.linspace(0.1, 5, 20)))[:, None]
    statistics = Histogram(bins=5).statistics(1, 1).add(values, [0] * 100)
    edges = statistics.edges[0]
    assert edges[0] < 0 < edges[1] < 0.1
    assert statistics.sums["counts"][0, 0, 1] == 80


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30), st.integers(1, 6))
def test_edges_rise_and_hold_all_values(values: list[float], bins: int) -> None:
    statistics = Histogram(bins=bins).statistics(1, 1).add(np.array(values)[:, None], [0] * len(values))
    edges = statistics.edges[0]
    assert (np.diff(edges) > 0).all()
    assert np.isfinite(statistics.log_probabilities(np.array(values)[:, None])).all()
    assert statistics.sums["counts"].sum() == len(values)


def test_bins_stay_what_they_were_and_others_cannot_be_merged() -> None:
    first = Histogram(bins=2).statistics(1, 1).add([[1.0], [2.0], [3.0], [4.0]], [0] * 4)
    edges = first.edges[0].tolist()
    first.add([[100.0], [200.0]], [0, 0])
    assert first.edges[0].tolist() == edges
    other = Histogram(bins=2).statistics(1, 1).add([[5.0], [7.0]], [0, 0])
    with pytest.raises(InputError, match=r"column 0 has other bins here and there.*empty\(\)"):
        first.merge(other)
    merged = first.empty().add([[5.0], [7.0]], [0, 0]).merge(first)
    assert merged.sums["counts"].sum() == 8
    fixed = Histogram(bins=(0.0, 1.0, 5.0)).statistics(1, 1).add([[0.5], [9.0]], [0, 0])
    assert fixed.sums["counts"].tolist() == [[[0.0, 1.0, 0.0, 1.0]]]
