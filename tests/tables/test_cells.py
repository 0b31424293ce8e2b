"""Cells of columns, and what the kernel counts and says of them, against the plain formulas."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import cells_reference as reference
from banbury import _kernel
from banbury.errors import FileFormatError, InputError
from banbury.tables.cells import DEPTH, NO_CELL, CategoryCells, NumberCells, cells_from_settings

SIZES = [0, 3, 0, 2]
SMOOTHING = [(2.0, 1.0), (5.0, 2.0), (5.0, 3.5), (30.0, 1.0)]
N_CLASSES = 3
TERMS = [*combinations(range(4), 1), *combinations(range(4), 2), *combinations(range(4), 3)]
PAIRS, TRIPLES = ([list(term) for term in TERMS if len(term) == n] for n in (2, 3))


def some_rows() -> st.SearchStrategy[list[reference.Row]]:
    numbers = st.sampled_from([None, 0, 1, 16, 40, 41, 63])
    codes = st.tuples(*(st.sampled_from([None, *range(size)]) if size else numbers for size in SIZES))
    return st.lists(st.tuples(codes, st.integers(0, N_CLASSES - 1), st.integers(1, 3)), min_size=1, max_size=12)


def kernel_rows(rows: list[reference.Row], **left_out: Any) -> Any:
    codes = np.array([[NO_CELL if code is None else code for code in codes] for codes, _, _ in rows], np.uint8)
    own = np.array([own for _, own, _ in rows], np.uint32)
    return _kernel.CellRows(np.ascontiguousarray(codes.T).ravel(), len(rows), N_CLASSES, own, **left_out)


def evidence_of(rows: list[reference.Row], threads: int = 1) -> Any:
    layout = _kernel.CellLayout(SIZES, PAIRS, TRIPLES)
    weights = np.array([weight for _, _, weight in rows], np.int64)
    counts = np.asarray(layout.count(kernel_rows(rows), weights, N_CLASSES, threads))
    totals = [float(sum(weight for _, own, weight in rows if own == c)) for c in range(N_CLASSES)]
    return _kernel.CellEvidence(layout, counts.ravel(), totals, SMOOTHING)


@settings(max_examples=30)
@given(some_rows())
def test_evidence_is_that_of_the_plain_formulas(rows: list[reference.Row]) -> None:
    found = np.asarray(evidence_of(rows).evidence(list(range(len(TERMS))), kernel_rows(rows)))
    for row, (codes, _, _) in enumerate(rows):
        for number, term in enumerate(TERMS):
            expected = reference.evidence(rows, codes, term, SIZES, SMOOTHING, N_CLASSES)
            assert_allclose(found[row, number], expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=30)
@given(some_rows())
def test_leaving_equal_rows_out_equals_learning_the_others(rows: list[reference.Row]) -> None:
    evidence, terms = evidence_of(rows), list(range(len(TERMS)))
    gone = np.zeros((len(rows), N_CLASSES))
    for row, (codes, _, _) in enumerate(rows):
        for others, own, weight in rows:
            gone[row, own] += weight * (others == codes)
    patterns = np.arange(len(rows), dtype=np.uint32)
    found = np.asarray(evidence.evidence(terms, kernel_rows(rows, patterns=patterns, gone=gone.ravel())))
    for row, (codes, _, _) in enumerate(rows):
        rest = [one for one in rows if one[0] != codes]
        if rest:
            expected = np.asarray(evidence_of(rest).evidence(terms, kernel_rows([rows[row]])))
            assert_allclose(found[row], expected[0], rtol=1e-9, atol=1e-9)


@settings(max_examples=30)
@given(some_rows(), st.data())
def test_leaving_a_group_out_equals_learning_the_others(rows: list[reference.Row], data: st.DataObject) -> None:
    groups = sorted(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))))
    evidence, terms = evidence_of(rows), list(range(len(TERMS)))
    # Each member leaves the cells that it is in itself, and copies of the row in other groups leave too.
    gone = np.zeros((len(rows), N_CLASSES))
    for row, (codes, _, _) in enumerate(rows):
        for number, (others, own, weight) in enumerate(rows):
            gone[row, own] += weight * (others == codes and groups[number] != groups[row])
    bounds = [[groups.index(group), len(groups) - groups[::-1].index(group)] for group in groups]
    weights = np.array([weight for _, _, weight in rows], np.uint32)
    left_out = kernel_rows(
        rows,
        patterns=np.arange(len(rows), dtype=np.uint32),
        gone=gone.ravel(),
        groups=(kernel_rows(rows), weights, np.array(bounds, np.uint32).ravel()),
    )
    found = np.asarray(evidence.evidence(terms, left_out))
    for row, (codes, _, _) in enumerate(rows):
        rest = [one for one, group in zip(rows, groups, strict=True) if group != groups[row] and one[0] != codes]
        if rest:
            expected = np.asarray(evidence_of(rest).evidence(terms, kernel_rows([rows[row]])))
            assert_allclose(found[row], expected[0], rtol=1e-9, atol=1e-9)
    pairs = [number for number, term in enumerate(TERMS) if len(term) > 1]
    sums = np.asarray(evidence.sums(pairs, left_out, 2)[0])
    expected = np.zeros(sums.shape)
    for number in pairs:
        for column in TERMS[number]:
            expected[:, :, column] += found[:, number]
    assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)


@settings(max_examples=30)
@given(some_rows(), st.integers(1, 4))
def test_sums_and_scores_are_those_of_single_terms(rows: list[reference.Row], threads: int) -> None:
    evidence, given_rows = evidence_of(rows, threads), kernel_rows(rows)
    terms = np.asarray(evidence.evidence(list(range(len(TERMS))), given_rows))
    of = [number for number, term in enumerate(TERMS) if len(term) == 2]
    sums, gains = evidence.sums(of, given_rows, threads)
    expected = np.zeros((len(rows), N_CLASSES, len(SIZES)))
    for number in of:
        for column in TERMS[number]:
            expected[:, :, column] += terms[:, number]
    assert_allclose(np.asarray(sums), expected, rtol=1e-5, atol=1e-5)
    assert gains == [0.0] * len(of)
    weights = np.linspace(0, 1, len(TERMS))
    reading = _kernel.CellReading(evidence, weights.tolist(), [], None)
    scores = np.asarray(reading.scores(given_rows, threads))
    assert_allclose(scores, np.einsum("rtc,t->rc", terms, weights), rtol=1e-9, atol=1e-12)
    many = kernel_rows(rows * 200)
    assert_array_equal(np.asarray(reading.scores(many, threads))[: len(rows)], scores)  # by tables, to the bit
    assert_array_equal(np.asarray(reading.scores(given_rows, threads)), scores)
    (number, said), *_ = reading.terms(kernel_rows(rows[:1]))
    assert_allclose(said, weights[number] * terms[0, number], rtol=1e-12)


def test_a_gain_is_what_the_best_step_gains() -> None:
    rng = np.random.default_rng(0)
    rows: list[reference.Row] = [
        ((int(a), None, None, int(b)), int(a > 31) ^ int(b), 1)
        for a, b in zip(rng.integers(0, 64, 300), rng.integers(0, 2, 300), strict=True)
    ]
    evidence, given_rows = evidence_of(rows), kernel_rows(rows)
    number = TERMS.index((0, 3))
    said = np.asarray(evidence.evidence([number], given_rows))[:, 0]
    chances = np.full((300, N_CLASSES), 1 / 3)
    _, (gain,) = evidence.sums([number], given_rows, 1, probabilities=chances.ravel(), row_weights=np.ones(300))
    own = np.array([own for _, own, _ in rows])
    slope = sum(said[np.arange(300), own] - said.mean(axis=1))
    assert_allclose(gain, slope**2 / (2 * said.var(axis=1).sum() + 1e-9), rtol=1e-9)
    assert gain > 50
    assert evidence.gains([number], given_rows, chances.ravel(), np.ones(300), 1) == [gain]


def test_what_does_not_fit_is_refused() -> None:
    layout = _kernel.CellLayout([2], [], [])
    with pytest.raises(InputError, match="fit"):
        layout.count(_kernel.CellRows(np.array([2], np.uint8), 1, 2), None, 2, 1)
    with pytest.raises(InputError, match="fit"):
        _kernel.CellLayout([2, 2], [[1, 0]], [])
    rows = _kernel.CellRows(np.array([0], np.uint8), 1, 1)
    one, zero = np.ones(1, np.uint32), np.zeros(1, np.uint32)
    for weights, bounds in ((one, [0, 2]), (one, [1, 0]), (one, []), (np.ones(2, np.uint32), [0, 1])):
        groups = rows, weights, np.array(bounds, np.uint32)
        with pytest.raises(InputError, match="fit"):
            _kernel.CellRows(np.array([0], np.uint8), 1, 1, zero, zero, np.zeros(1), groups)
    layout = _kernel.CellLayout([2, 2, 2], [[0, 1]], [[0, 1, 2]])
    with pytest.raises(InputError, match="three pairs"):
        _kernel.CellEvidence(layout, np.zeros(layout.n_cells, np.int64), [1.0], [(1.0, 1.0)] * 3)


# Trees


@given(st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 5)), min_size=1, max_size=60))
def test_a_tree_halves_the_rows_at_every_step(pairs: list[tuple[int, int]]) -> None:
    values, weights = (np.array(one, float) for one in zip(*pairs, strict=True))
    paths = reference.tree([(float(value), weight) for value, weight in pairs])
    found = NumberCells.of(values, weights).encoded(values)
    assert [format(code, "06b") for code in found.tolist()] == [paths[value] for value in values.tolist()]


def test_neighbouring_floats_have_cells_of_their_own() -> None:
    values = np.array([1.0, np.nextafter(1.0, 2), -1e308, 1e308, np.nan])
    codes = NumberCells.of(values).encoded(values)
    assert len(set(codes.tolist())) == 5
    assert codes[-1] == NO_CELL


def test_an_interval_holds_the_values_of_its_cell() -> None:
    values = np.random.default_rng(0).normal(size=500)
    cells = NumberCells.of(values)
    codes = cells.encoded(values)
    for level in range(1, DEPTH + 1):
        for value, code in zip(values[:50].tolist(), codes[:50].tolist(), strict=True):
            low, high = cells.interval(code, level)
            assert low <= value < high
            inside = (values >= low) & (values < high)
            assert_array_equal(inside, codes >> (DEPTH - level) == code >> (DEPTH - level))


def test_frequent_categories_have_cells_and_the_others_share_one() -> None:
    numbers = np.array([*range(70), *range(10, 70), np.nan])
    names = [f"c{number}" for number in range(70)]
    cells = CategoryCells.of(names, numbers)
    assert len(cells.values) == 63
    assert set(names[10:]) <= set(cells.values)
    later = {name: number for number, name in enumerate([*names, "later"])}
    codes = cells.encoded(np.array([0.0, 70, 71, 1e9, np.nan]), later)
    assert codes.tolist() == [0, 63, NO_CELL, NO_CELL, NO_CELL]
    assert cells.shown(63) == "another"


def test_one_value_has_the_code_that_it_has_among_others() -> None:
    rng = np.random.default_rng(0)
    values = np.append(rng.normal(size=200).round(1), np.nan)
    cells = NumberCells.of(values)
    for numbers in (values, cells.edges, np.nextafter(cells.edges, -np.inf)):
        assert [cells.code(value) for value in numbers.tolist()] == cells.encoded(numbers).tolist()
    names = {name: number for number, name in enumerate("abcd")}
    categories, numbers = CategoryCells(("a", "c")), np.array([0.0, 1, 2, 3, 4, 9, np.nan])
    for some in (names, {**names, "e": 4}, names):
        codes = categories.encoded(numbers, some).tolist()
        assert [categories.code(number, some) for number in numbers.tolist()] == codes
    truths = np.array([0.0, 1, 2, -1, np.nan])
    assert [CategoryCells((0, 1)).code(one, None) for one in truths.tolist()] == [0, 1, NO_CELL, 0, NO_CELL]
    assert CategoryCells((0, 1)).encoded(truths, None).tolist() == [0, 1, NO_CELL, 0, NO_CELL]


def test_cells_come_back_from_plain_data() -> None:
    for cells in (NumberCells.of(np.array([1.0, 2, 2, 3])), CategoryCells(("a", 1))):
        assert cells.same(cells_from_settings(cells.settings()))
    for bad in ({"values": ["a", "a"]}, {"edges": [2, 1], "codes": [0, 1, 2]}, {"edges": [], "codes": [64]}):
        with pytest.raises(FileFormatError):
            cells_from_settings(bad)
