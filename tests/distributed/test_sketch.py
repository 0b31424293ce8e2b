"""Sketches: any partition, order and tree of merges gives the same bytes; thresholds are as near as is said."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from banbury import storage
from banbury.distributed.sketch import MOST_NATS, RESOLUTION, Sketch, bins_of, lowest_of
from banbury.errors import FileFormatError, InputError

SCORES = st.floats(allow_nan=False) | st.integers(-9, 9).map(float) | st.floats(-40, 40)
LISTS = st.lists(SCORES, max_size=40)


def exact_threshold(scores: list[float], share: float) -> float:
    """The lowest score that is kept, by sorting all of them."""
    wanted = int(share * len(scores) + 0.5)
    return sorted(scores, reverse=True)[wanted - 1] if wanted else math.inf


@given(LISTS, st.lists(st.integers(0, 40), max_size=5), st.data())
def test_any_partition_order_and_tree_of_merges_gives_the_same_bytes(
    scores: list[float], places: list[int], draw: st.DataObject
) -> None:
    shuffled = draw.draw(st.permutations(scores))
    ends = [0, *sorted(min(place, len(scores)) for place in places), len(scores)]
    parts = [Sketch.of(shuffled[start:end]).to_bytes() for start, end in pairwise(ends)]
    while len(parts) > 1:
        first, second = (parts.pop(draw.draw(st.integers(0, len(parts) - 1))) for _ in range(2))
        parts.append(Sketch.from_bytes(first).merge(Sketch.from_bytes(second)).to_bytes())
    assert parts == [Sketch.of(scores).to_bytes()]


@given(st.lists(SCORES, min_size=1, max_size=40), st.floats(0.001, 1))
@example([0.0, -0.0, 5e-324, -5e-324], 0.5)
@example([math.inf, -math.inf, 1e300], 1.0)
def test_a_threshold_is_in_the_bin_of_the_exact_one(scores: list[float], share: float) -> None:
    sketch = Sketch.of(scores)
    threshold, exact = sketch.threshold(share), exact_threshold(scores, share)
    wanted, kept = int(share * len(scores) + 0.5), sum(score >= threshold for score in scores)
    assert threshold <= exact
    assert kept == sketch.n_at_least(threshold)
    if not wanted:
        assert (threshold, kept) == (math.inf, 0)
        return
    if abs(exact) < MOST_NATS:
        assert exact - threshold <= RESOLUTION * max(abs(exact), abs(threshold), 1.0 if abs(exact) < RESOLUTION else 0)
    in_its_bin = sum(bins_of(np.array(scores)) == bins_of(np.array([exact]))[0])
    assert wanted <= kept < wanted + in_its_bin


@given(SCORES, SCORES)
def test_bins_are_in_the_order_of_scores(first: float, second: float) -> None:
    one, other = bins_of(np.array([min(first, second), max(first, second)])).tolist()
    assert one <= other
    for bin in (one, other):
        lowest = lowest_of(bin)
        assert bins_of(np.array([lowest]))[0] == bin
        if lowest != -math.inf:
            assert bins_of(np.array([math.nextafter(lowest, -math.inf)]))[0] == bin - 1
    assert lowest_of(one) <= min(first, second)


def test_a_million_scores_are_few_bins_and_the_best_tenth_is_a_tenth() -> None:
    scores = np.random.default_rng(7).normal(-3, 6, 1_000_000)
    sketch = Sketch.of(scores)
    kept = sketch.n_at_least(sketch.threshold(0.1))
    assert kept == int((scores >= sketch.threshold(0.1)).sum())
    assert 100_000 <= kept < 100_100  # a bin at 4.7 nats is 0.001 wide, and has some 30 of these scores
    assert sketch.n_bins < 2 * 131_074
    assert len(sketch.to_bytes()) < 12 * sketch.n_bins + 1_000


def test_bad_scores_shares_and_bytes_are_refused() -> None:
    with pytest.raises(InputError, match="score 1 is not a number"):
        Sketch.of([0.0, math.nan])
    for share in (0.0, -0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="a share of"):
            Sketch.of([1.0]).threshold(share)
    assert Sketch().threshold(0.5) == math.inf
    data = Sketch.of([1.0, 2.0]).to_bytes()
    for damaged in (b"", data[:-1], data[:-1] + bytes([data[-1] ^ 1])):
        with pytest.raises(FileFormatError):
            Sketch.from_bytes(damaged)
    with pytest.raises(FileFormatError, match="not a sketch of scores"):
        Sketch.from_bytes(storage.to_bytes({"kind": "state of texts"}, {}))
    wrong = {"bins": np.array([2, 1], np.uint32), "counts": np.array([1, 1], np.uint64)}
    with pytest.raises(FileFormatError, match="not in order"):
        Sketch.from_bytes(storage.to_bytes({"kind": "sketch of scores"}, wrong))
