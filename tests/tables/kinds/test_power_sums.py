"""Power sums of columns: equal to fractions, the same bytes after learning and forgetting, and what files may say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import columns_reference as reference
from banbury.errors import CountError, FileFormatError, InputError
from banbury.tables.kinds import power_sums
from banbury.tables.kinds.statistics import Sums

VALUES = st.floats(-1e140, 1e140) | st.integers(-50, 50).map(float)
ROWS = st.lists(st.tuples(VALUES, st.sampled_from([1.0, 2.0, 0.1, 1e9])), max_size=8)


def counted(rows: list[tuple[float, float]]) -> Sums:
    values, weights = (np.array([row[at] for row in rows], dtype=float) for at in (0, 1))
    return power_sums.counted(values[:, None], np.zeros(len(rows), np.intp), weights, 1)


def written(sums: Sums) -> dict[str, list[list[float]]]:
    return {name: array.tolist() for name, array in sums.items()}


@given(ROWS)
def test_moments_are_those_of_fractions(rows: list[tuple[float, float]]) -> None:
    found = power_sums.moments_of(counted(rows))
    kept = [(value if abs(value) >= 1e-140 else 0.0, weight) for value, weight in rows]
    n, mean, spread = reference.moments(kept) if rows else (Fraction(0), Fraction(0), Fraction(0))
    assert found.n[0, 0] == pytest.approx(float(n), rel=1e-15)
    assert found.mean[0][0, 0] == pytest.approx(float(mean), rel=1e-14, abs=0)
    assert found.spread[0][0, 0] == pytest.approx(float(spread), rel=1e-14, abs=0)


@given(ROWS, ROWS)
def test_in_any_order_the_same_and_forgotten_without_a_trace(
    a: list[tuple[float, float]], b: list[tuple[float, float]]
) -> None:
    both = power_sums.combined(counted(a), counted(b), 1)
    assert written(both) == written(counted(b[::-1] + a[::-1]))
    rest = power_sums.combined(both, counted(b), -1)
    power_sums.check_possible(both, rest)
    assert written(rest) == written(counted(a))


@given(ROWS, ROWS)
def test_only_what_has_changed_is_computed_again(a: list[tuple[float, float]], b: list[tuple[float, float]]) -> None:
    old, new = counted(a), counted(b)
    again = power_sums.moments_of(new, (old, power_sums.moments_of(old)))
    fresh = power_sums.moments_of(new)
    assert all(np.array_equal(np.array(x), np.array(y)) for x, y in zip(again, fresh, strict=True))


@pytest.mark.parametrize("gone", [[9.0], [1.0, 2.0, 3.0], [0.1]])
def test_what_was_never_added_cannot_be_taken_away(gone: list[float]) -> None:
    sums = counted([(1.0, 1.0), (2.0, 1.0)])
    with pytest.raises(CountError, match="column 0 was never added"):
        power_sums.check_possible(sums, power_sums.combined(sums, counted([(value, 1.0) for value in gone]), -1))


def test_the_sums_of_a_file_are_checked() -> None:
    sums = counted([(1.5, 1.0), (2.25, 1.0)])
    arrays = power_sums.file_arrays(sums)
    shapes = dict.fromkeys(arrays, (1, 1))
    assert written(power_sums.from_file(shapes, arrays, (1, 1))) == written(sums)
    bad = {
        "no digit": {"mean": arrays["n+0"]},
        "does not fit": {"n+0": arrays["n+0"].astype(float)},
        "not those of any": {"squares+0": np.zeros((1, 1), np.uint32)},
        "'n' are larger": {"n+3": np.ones((1, 1), np.uint32)},
        "'mean' are larger": {"values+15": np.ones((1, 1), np.uint32), "squares+31": np.ones((1, 1), np.uint32)},
    }
    for message, changed in bad.items():
        given = {**arrays, **changed}
        with pytest.raises(FileFormatError, match=message):
            power_sums.from_file(dict.fromkeys(given, (1, 1)), given, (1, 1))
    with pytest.raises(FileFormatError, match="no 'n\\+0'"):
        power_sums.from_file({}, {}, (1, 1))


def test_a_weight_that_cannot_be_counted_is_refused() -> None:
    with pytest.raises(InputError, match="row 1 has weight 1e\\+20"):
        counted([(1.0, 1.0), (1.0, 1e20)])
