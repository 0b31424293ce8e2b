"""Statistics of typed columns: the laws that hold for every kind, and the formulas of each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import columns_reference as reference
from banbury import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, Number, Poisson
from banbury.errors import CountError, InputError
from banbury.tables.kinds import kind_from_settings, statistics_from_parts

CLASSES = 3
KINDS = {
    "bernoulli": Bernoulli(),
    "bernoulli, unsmoothed": Bernoulli(smoothing=0),
    "bernoulli, one more document": Bernoulli(smoothing=1, absent_smoothing=0),
    "categorical": Categorical(),
    "categorical, unsmoothed": Categorical(smoothing=0),
    "categorical, eight at least": Categorical(smoothing=0.3, categories=8),
    "gaussian": Gaussian(),
    "gaussian, predictive": Gaussian(predictive=True),
    "gaussian, biased": Gaussian(variance="biased"),
    "gaussian, log": Gaussian(scale="log"),
    "gaussian, log, predictive": Gaussian(scale="log", predictive=True),
    "histogram": Histogram(bins=3),
    "multinomial": Multinomial(),
    "multinomial, predictive": Multinomial(predictive=True),
    "multinomial, unsmoothed": Multinomial(smoothing=0),
    "number": Number(bins=3),
    "poisson": Poisson(),
    "poisson, predictive": Poisson(predictive=True),
    "poisson, given prior": Poisson(rows=2, events=1),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


@dataclass(frozen=True)
class Rows:
    values: Any
    numbers: Any
    weights: Any

    def pick(self, which: Any) -> "Rows":
        return Rows(self.values[which], self.numbers[which], self.weights[which])


def cells(kind: Any) -> st.SearchStrategy[float]:
    """Values of a kind, few and far apart enough that they meet; some missing."""
    match kind:
        case Bernoulli():
            known: Any = st.sampled_from([0.0, 1.0])
        case Categorical():
            known = st.integers(0, 4).map(float)
        case Poisson() | Multinomial():
            known = st.integers(0, 9).map(float)
        case Gaussian(scale="log"):
            known = st.one_of(st.just(0.0), st.floats(1e-6, 1e6), st.sampled_from([1.0, 2.0, 1e-30, 1e30]))
        case _:
            known = st.one_of(st.integers(-3, 3), st.integers(-(10**6), 10**6)).map(lambda number: number / 1000)
    return st.one_of(known, st.just(float("nan"))) if not isinstance(kind, Multinomial) else known


def tables(kind: Any, min_size: int = 1, columns: int = 2) -> st.SearchStrategy[Rows]:
    row = st.tuples(
        st.lists(cells(kind), min_size=columns, max_size=columns), st.integers(0, CLASSES - 1), st.integers(1, 3)
    )
    offsets = st.sampled_from([0.0, 1e9]) if isinstance(kind, Gaussian) and kind.scale == "linear" else st.just(0.0)

    def built(rows: list[Any], offset: float) -> Rows:
        values = np.array([row[0] for row in rows], dtype=float).reshape(-1, columns) + offset
        return Rows(
            values, np.array([row[1] for row in rows], dtype=np.intp), np.array([row[2] for row in rows], float)
        )

    return st.builds(built, st.lists(row, min_size=min_size, max_size=8), offsets)


def learned(kind: Any, rows: Rows, start: Any = None) -> Any:
    """Statistics of these rows; with `start` in its bins and forms."""
    empty = kind.statistics(rows.values.shape[1], CLASSES) if start is None else start.empty()
    return empty.add(rows.values, rows.numbers, rows.weights)


def assert_same(mine: Any, theirs: Any, values: Any, rtol: float = 1e-9) -> None:
    assert_allclose(mine.log_probabilities(values), theirs.log_probabilities(values), rtol=rtol, atol=rtol)


# Laws of every kind


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_leaving_a_row_out_equals_learning_the_others(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    found = whole.leave_one_out(rows.values, rows.numbers, rows.weights)
    for i in range(len(rows.values)):
        others = learned(kind, rows.pick(np.arange(len(rows.values)) != i), whole)
        if isinstance(kind, Number):
            assert others.choice.tolist() == whole.choice.tolist() or (rows.values[i] < 0).any()
            if others.choice.tolist() != whole.choice.tolist():
                continue
        assert_allclose(found[i], others.log_probabilities(rows.values[i : i + 1])[0], rtol=1e-9, atol=1e-9)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_leaving_all_copies_of_a_row_out_equals_learning_the_others(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    # The first row three times, once in another class.
    again = [*range(len(rows.values)), 0, 0]
    rows = rows.pick(again)
    rows.numbers[-1] = (rows.numbers[0] + 1) % CLASSES
    whole = learned(kind, rows)
    is_copy = np.array([np.array_equal(values, rows.values[0], equal_nan=True) for values in rows.values])
    copies = np.bincount(rows.numbers[is_copy], rows.weights[is_copy], minlength=CLASSES)[None]
    found = whole.leave_copies_out(rows.values[:1], copies)
    others = learned(kind, rows.pick(~is_copy), whole)
    if not isinstance(kind, Number) or others.choice.tolist() == whole.choice.tolist():
        assert_allclose(found[0], others.log_probabilities(rows.values[:1])[0], rtol=1e-9, atol=1e-9)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_what_is_removed_was_never_there(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    both = learned(kind, rows)
    cut = data.draw(st.integers(0, len(rows.values)))
    more = rows.pick(slice(cut, None))
    first = learned(kind, rows.pick(slice(cut)), both)
    both.remove(more.values, more.numbers, more.weights)
    assert_same(both, first, rows.values, rtol=1e-12)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_the_parts_merged_are_the_whole_in_any_order(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    cut = data.draw(st.integers(0, len(rows.values)))
    order = np.array(data.draw(st.permutations(range(len(rows.values)))), dtype=np.intp)
    one, other = learned(kind, rows.pick(order[:cut]), whole), learned(kind, rows.pick(order[cut:]), whole)
    assert_same(one.copy().merge(other), whole, rows.values, rtol=1e-12)
    assert_same(other.merge(one), whole, rows.values, rtol=1e-12)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_a_row_of_weight_three_counts_as_three(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    repeated = rows.pick(np.repeat(np.arange(len(rows.values)), rows.weights.astype(int)))
    plain = whole.empty().add(repeated.values, repeated.numbers)
    assert_same(plain, whole, rows.values, rtol=1e-12)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_what_is_missing_adds_nothing(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    nothing = np.full_like(rows.values, np.nan)
    assert not whole.log_probabilities(nothing).any()
    assert not whole.scores(nothing).any()
    if not isinstance(kind, Multinomial):
        assert_same(whole.copy().add(nothing, rows.numbers), whole, rows.values, rtol=1e-15)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_scores_are_the_weighted_sum_of_the_log_probabilities(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    logs = whole.log_probabilities(rows.values)
    assert np.isfinite(logs).all()
    assert_allclose(whole.scores(rows.values), logs.sum(axis=2), rtol=1e-12, atol=1e-9)
    weighted = whole.scores(rows.values, feature_weights=[0.25, 2.0])
    assert_allclose(weighted, logs[:, :, 0] * 0.25 + logs[:, :, 1] * 2, rtol=1e-12, atol=1e-9)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_what_is_stored_comes_back_to_the_bit(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind, min_size=0))
    whole = learned(kind, rows)
    settings, arrays = whole.parts()
    back = statistics_from_parts(settings, {name: np.ascontiguousarray(array) for name, array in arrays.items()})
    assert kind_from_settings(settings["kind"]) == kind
    assert_array_equal(back.log_probabilities(rows.values), whole.log_probabilities(rows.values))
    more = data.draw(tables(kind))
    for statistics in (whole, back):
        statistics.add(more.values, more.numbers, more.weights)
    assert_array_equal(back.log_probabilities(more.values), whole.log_probabilities(more.values))


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_classes_can_be_renumbered(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    wide = whole.copy().renumber([3, 0, 1], 4)
    logs, moved = whole.log_probabilities(rows.values), wide.log_probabilities(rows.values)
    assert_array_equal(moved[:, [3, 0, 1]], logs)
    assert_array_equal(wide.renumber([1, 2, None, 0], 3).log_probabilities(rows.values), logs)


@every_kind
@settings(max_examples=12)
@given(st.data())
def test_one_row_is_scored_as_in_any_batch(kind: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind))
    whole = learned(kind, rows)
    one_by_one = [whole.scores(rows.values[i : i + 1])[0] for i in range(len(rows.values))]
    assert_array_equal(np.array(one_by_one), whole.scores(rows.values))


@every_kind
def test_a_new_row_can_be_drawn_and_learned(kind: Any) -> None:
    generator = np.random.default_rng(0)
    values = generator.integers(0, 2, (40, 2)).astype(float)
    whole = learned(kind, Rows(values, np.arange(40) % CLASSES, np.ones(40)))
    for number in range(CLASSES):
        drawn = whole.sample(generator, number, 25)
        assert drawn.shape == (25, 2)
        whole.add(drawn, [number] * 25)


# What is promised of bad input


@pytest.mark.parametrize(
    "kind, bad, message",
    [
        (Bernoulli(), 2, "row 1, column 0 has 2; a Bernoulli column has 1 for yes"),
        (Categorical(), -1, "row 1, column 0 has -1; a Categorical column"),
        (Categorical(), 0.5, "has 0.5; a Categorical column has the numbers of its categories"),
        (Categorical(), 1e12, "number them 0, 1, 2"),
        (Poisson(), 0.5, "has 0.5; a Poisson column has whole numbers, 0 or more"),
        (Poisson(), -1, "has -1; a Poisson column has whole numbers"),
        (Poisson(fractions=True), -0.5, "has -0.5; a Poisson column has numbers, 0 or more"),
        (Multinomial(), 0.5, "has 0.5; a Multinomial column has whole numbers"),
        (Gaussian(), np.inf, "has inf; a Gaussian column has finite numbers"),
        (Gaussian(scale="log"), -1, "has -1; a Gaussian column has finite numbers, 0 or more for a logarithm"),
        (Histogram(), -np.inf, "has -inf; a Histogram column"),
        (Number(), np.inf, "has inf; a Number column has finite numbers"),
    ],
)
def test_a_bad_value_is_named_and_changes_nothing(kind: Any, bad: float, message: str) -> None:
    statistics = kind.statistics(1, 2).add([[1.0], [0.0], [1.0]], [0, 0, 1])
    before = statistics.log_probabilities([[1.0]])
    with pytest.raises(InputError, match=message):
        statistics.add([[1.0], [bad]], [0, 1])
    assert_array_equal(statistics.log_probabilities([[1.0]]), before)


def test_names_of_columns_are_in_the_message() -> None:
    statistics = Poisson().statistics(2, 1)
    statistics.names = ["links", "visits"]
    with pytest.raises(InputError, match="row 0, column 'visits' has -1"):
        statistics.add([[0, -1]], [0])


@every_kind
def test_what_was_never_learned_cannot_be_forgotten(kind: Any) -> None:
    statistics = kind.statistics(2, CLASSES).add([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    before = statistics.log_probabilities([[1.0, 0.0]])
    with pytest.raises(CountError, match="was never added; nothing was changed"):
        statistics.remove([[1.0, 0.0], [1.0, 0.0]], [2, 2])
    assert_array_equal(statistics.log_probabilities([[1.0, 0.0]]), before)


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda: Bernoulli().statistics(1, 1).add([[1]], [0, 0]), "1 rows, but 2 classes"),
        (lambda: Bernoulli().statistics(1, 1).add([[1]], [1]), "a row has class 1"),
        (lambda: Bernoulli().statistics(1, 1).add([[1, 0]], [0]), r"shape \(1, 2\)"),
        (lambda: Bernoulli().statistics(1, 1).add([[1]], [0], [-1]), "row 0 has weight -1"),
        (lambda: Bernoulli().statistics(1, 1).add([[1]], [0], [1, 1]), "weights of shape"),
        (lambda: Bernoulli().statistics(1, 1).add([["yes"]], [0]), "values must be numbers"),
        (lambda: Bernoulli().statistics(2, 1).scores([[1, 0]], [1]), "a finite number for each of 2 columns"),
        (lambda: Number().statistics(2, 1).scores([[1, 0]], [1, np.nan]), "a finite number for each of 2 columns"),
        (lambda: Bernoulli(smoothing=-1), "smoothing is -1"),
        (lambda: Gaussian(variance="none"), "variance is 'none'"),
        (lambda: Gaussian(scale="square"), "scale is 'square'"),
        (lambda: Gaussian(variance="biased", predictive=True), "no posterior to predict from"),
        (lambda: Gaussian(variance_rows=0), "must be above 0"),
        (lambda: Poisson(rows=0), "rows is 0"),
        (lambda: Poisson(events=0), "events is 0"),
        (lambda: Histogram(bins=0), "bins is 0"),
        (lambda: Histogram(bins=(1, 1)), "that rise"),
        (lambda: Bernoulli().statistics(1, 1).merge(Poisson().statistics(1, 1)), "different kinds"),
    ],
)
def test_what_cannot_be_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


# The formulas


def as_rows(rows: Rows, column: int) -> list[reference.Row]:
    values = [None if np.isnan(value) else float(value) for value in rows.values[:, column]]
    return list(zip(values, rows.numbers.tolist(), rows.weights.tolist(), strict=True))


@pytest.mark.parametrize(
    "kind, formula, options",
    [
        (Bernoulli(), reference.bernoulli, {}),
        (Bernoulli(smoothing=0), reference.bernoulli, {"smoothing": 0}),
        (Categorical(), reference.categorical, {}),
        (Categorical(smoothing=0), reference.categorical, {"smoothing": 0}),
        (Poisson(), reference.poisson, {}),
        (Poisson(predictive=True), reference.poisson, {"predictive": True}),
        (Gaussian(), reference.gaussian, {}),
        (Gaussian(predictive=True), reference.gaussian, {"predictive": True}),
        (Gaussian(variance="biased"), reference.gaussian, {"variance": "biased"}),
        (Gaussian(scale="log"), reference.log_gaussian, {}),
    ],
)
@settings(max_examples=25)
@given(st.data())
def test_the_statistics_equal_the_reference(kind: Any, formula: Any, options: Any, data: st.DataObject) -> None:
    rows = data.draw(tables(kind, columns=1))
    logs = learned(kind, rows).log_probabilities(rows.values)
    for i, value in enumerate(rows.values[:, 0]):
        for number in range(CLASSES):
            expected = 0.0 if np.isnan(value) else formula(as_rows(rows, 0), number, float(value), **options)
            assert logs[i, number, 0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(tables(Histogram()), st.integers(1, 5))
def test_a_histogram_equals_the_reference(rows: Rows, bins: int) -> None:
    statistics = learned(Histogram(bins=bins), rows)
    logs = statistics.log_probabilities(rows.values)
    for column, edges in enumerate(statistics.edges):
        for i, value in enumerate(rows.values[:, column]):
            for number in range(CLASSES):
                expected = 0.0
                if not np.isnan(value):
                    expected = reference.histogram(as_rows(rows, column), number, float(value), edges.tolist())
                assert logs[i, number, column] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize("smoothing", [1.0, 0.0])
@given(tables(Multinomial(), columns=3))
def test_a_multinomial_equals_the_reference(smoothing: float, predictive: bool, rows: Rows) -> None:
    kind = Multinomial(smoothing=smoothing, predictive=predictive)
    scores = learned(kind, rows).scores(rows.values)
    plain = list(zip(rows.values.tolist(), rows.numbers.tolist(), rows.weights.tolist(), strict=True))
    for i, values in enumerate(rows.values.tolist()):
        for number in range(CLASSES):
            expected = reference.multinomial(plain, number, values, smoothing, predictive=predictive)
            assert scores[i, number] == pytest.approx(expected, rel=1e-9, abs=1e-9)
