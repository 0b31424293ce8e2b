"""Sizing: what is predicted of larger data by the smallest is what counting it sends."""

from math import log
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from banbury.distributed.plan import Plan
from banbury.distributed.sizing import Rates, sizes
from banbury.distributed.state import TextState, merge
from banbury.errors import InputError

PLAIN: dict[str, Any] = {"analyzer": "words", "likelihood": "multinomial", "smoothing": 1.0, "calibration": None}
N_SHARDS = 3


def counted(n_parts: int) -> tuple[int, float, int]:
    """What all parts shuffle, how many features a part has, and how many all of them have."""
    plan, states, shuffled = Plan.of(**PLAIN), [], 0
    for part in range(n_parts):
        ranks = np.random.default_rng(part).zipf(1.35, 30_000) % 100_000_000
        texts = [" ".join(f"w{rank}" for rank in several) for several in ranks.reshape(300, 100).tolist()]
        state = plan.count(part, [pa.record_batch({"text": texts, "label": ["a", "b"] * 150})])
        assert isinstance(state, TextState)
        shuffled += sum(len(shard.to_bytes()) for shard in state.shards(N_SHARDS))
        states.append(state)
    of_a_part = sum(state.tally.counts.n_features for state in states) / n_parts
    whole = merge(*states)
    assert isinstance(whole, TextState)
    return shuffled, of_a_part, whole.tally.counts.n_features


def test_bytes_of_eight_times_the_data_are_predicted_by_the_smallest() -> None:
    first = 2
    shuffled, of_a_part, n_features = counted(first)
    growth = log(n_features / of_a_part) / log(first)
    rates = Rates(growth=growth, bytes_per_feature=shuffled / first / of_a_part, sample_bytes=0)
    for times in (1, 2, 4, 8):
        expected_features = n_features * times**growth
        how: dict[str, Any] = {"n_parts": first * times, "n_shards": N_SHARDS, "n_executors": 2, "rates": rates}
        found, (measured, _, features) = sizes(1e6 * times, expected_features, **how), counted(first * times)
        assert found.shuffled_bytes == pytest.approx(measured, rel=0.05)
        assert expected_features == pytest.approx(features, rel=0.1)


def test_more_of_what_there_is_takes_less_of_each() -> None:
    how: dict[str, Any] = {"n_parts": 800, "n_shards": 800, "n_executors": 200}
    found = sizes(1e12, 1e9, **how)
    assert sizes(1e12, 1e9, **how | {"n_parts": 8000}).counting_memory < found.counting_memory
    assert sizes(1e12, 1e9, **how | {"n_parts": 8000}).shuffled_bytes > found.shuffled_bytes
    assert sizes(1e12, 1e9, **how | {"n_shards": 1600}).merging_memory < found.merging_memory
    assert sizes(1e12, 1e9, **how | {"n_executors": 400}).counting_seconds == found.counting_seconds / 2
    assert found.seconds == pytest.approx(
        found.counting_seconds + found.shuffling_seconds + found.merging_seconds + found.driver_seconds
    )


def test_nothing_can_be_sized_with_nothing() -> None:
    with pytest.raises(InputError, match="n_shards is 0; it has to be above 0"):
        sizes(1e12, 1e9, n_parts=8, n_shards=0, n_executors=2)
    with pytest.raises(InputError, match="n_features is nan"):
        sizes(1e12, float("nan"), n_parts=8, n_shards=1, n_executors=2)
