"""What each kind of column promises beyond the laws that all share."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import columns_reference as reference
from banbury import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, Number, Poisson
from banbury.errors import FileFormatError, InputError
from banbury.tables.kinds import kind_from_settings, statistics_from_parts
from banbury.tables.kinds.number import FORMS

# Probabilities sum to 1


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
def test_the_density_of_a_logarithm_and_the_share_of_zeros_sum_to_1(predictive: bool) -> None:
    kind = Gaussian(scale="log", predictive=predictive)
    statistics = kind.statistics(1, 3).add([[0.0], [1.0], [1.5], [4.0], [0.0], [7.0]], [0, 0, 0, 1, 1, 1])
    logs = np.linspace(-650, 650, 500_001)
    density = np.exp(statistics.log_probabilities(np.exp(logs)[:, None])[:, :, 0] + logs[:, None])
    zero = np.exp(statistics.log_probabilities([[0.0]])[0, :, 0])
    # With one row's worth of prior the tails of Student's t reach far beyond e^650.
    assert_allclose(density.sum(axis=0) * (logs[1] - logs[0]) + zero, 1, rtol=5e-3)


@pytest.mark.parametrize("predictive", [False, True])
def test_the_probabilities_of_all_sequences_of_counts_sum_to_1(predictive: bool) -> None:
    statistics = Multinomial(predictive=predictive).statistics(2, 1).add([[3, 1], [0, 1]], [0, 0])
    totals = [
        math.comb(4, first) * math.exp(float(statistics.scores([[first, 4 - first]])[0, 0])) for first in range(5)
    ]
    assert sum(totals) == pytest.approx(1, rel=1e-12)


# Digits


@settings(max_examples=40)
@given(
    st.lists(st.integers(-5000, 5000), min_size=2, max_size=12),
    st.sampled_from([0.0, 1e9, -1e9, 1e12]),
    st.sampled_from([1e-3, 1.0, 1e6]),
    st.data(),
)
def test_mean_and_spread_keep_their_digits(whole: list[int], offset: float, unit: float, data: st.DataObject) -> None:
    values = np.array(whole, dtype=float)[:, None] * unit + offset
    cut = data.draw(st.integers(1, len(values)))
    statistics = Gaussian().statistics(1, 1).add(values, [0] * len(values))
    other = statistics.empty().add(values[cut:], [0] * (len(values) - cut))
    statistics.remove(values[cut:], [0] * (len(values) - cut)).merge(other).remove(
        values[cut:], [0] * len(values[cut:])
    )
    n, mean, spread = reference.moments([(float(value), 1.0) for value in values[:cut, 0]])
    sums = {name: Fraction(float(array[0, 0])) for name, array in statistics.sums.items()}
    wide = max(float(spread / n) ** 0.5, unit)
    assert float(sums["mean"] + sums["mean_rest"] - mean) == pytest.approx(0, abs=1e-12 * wide)
    assert float(sums["spread"] + sums["spread_rest"]) == pytest.approx(float(spread), rel=1e-12, abs=1e-12 * wide**2)


def test_a_small_spread_around_a_large_mean_is_seen() -> None:
    values = 1e9 + np.array([0.0, 1e-3, 2e-3, 10e-3, 11e-3, 12e-3])[:, None]
    statistics = Gaussian().statistics(1, 2).add(values, [0, 0, 0, 1, 1, 1])
    assert statistics.scores(values).argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    exact = reference.gaussian(
        [(float(v), c, 1.0) for v, c in zip(values[:, 0], [0, 0, 0, 1, 1, 1], strict=True)], 0, 1e9
    )
    assert float(statistics.log_probabilities([[1e9]])[0, 0, 0]) == pytest.approx(exact, rel=1e-12)


@given(st.floats(1e-100, 1e100), st.floats(-1e100, 1e100))
def test_the_unit_of_a_column_does_not_matter(scale: float, value: float) -> None:
    rows, numbers = np.array([[1.0], [2.0], [4.0], [9.0]]), [0, 0, 1, 1]
    plain, scaled = (
        Gaussian().statistics(1, 2).add(rows, numbers),
        Gaussian().statistics(1, 2).add(rows * scale, numbers),
    )
    place = np.array([[value % 10]])
    difference = np.diff(plain.scores(place)), np.diff(scaled.scores(place * scale))
    assert_allclose(difference[0], difference[1], rtol=1e-6, atol=1e-9)


def test_the_biased_variance_is_that_of_the_rows() -> None:
    kind = Gaussian(variance="biased", smoothing=0)
    rows = np.random.default_rng(0).normal(size=(20, 3))
    statistics = kind.statistics(3, 2).add(rows, np.arange(20) % 2)
    for number in range(2):
        assert_allclose(statistics.posterior()["mean"].value[number], rows[number::2].mean(axis=0), rtol=1e-12)
        assert_allclose(statistics.posterior()["variance"].value[number], rows[number::2].var(axis=0), rtol=1e-12)


def test_one_row_for_each_class_is_enough() -> None:
    statistics = Gaussian().statistics(1, 3).add([[1.0], [2.0], [30.0]], [0, 1, 2])
    assert statistics.scores([[1.1], [2.2], [25.0]]).argmax(axis=1).tolist() == [0, 1, 2]


# Bins and forms


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


def test_the_form_of_numbers_is_that_which_tells_classes_apart() -> None:
    generator = np.random.default_rng(1)
    classes = np.arange(900) % 2
    bell = generator.normal(classes, 1)
    amounts = np.exp(generator.normal(classes * 2, 1))
    rings = np.where(
        classes == 0, generator.normal(size=900), generator.choice([-3, 3], 900) + generator.normal(size=900)
    )
    many_zeros = np.where(generator.random(900) < 0.3 + 0.4 * classes, 0.0, generator.choice([1.0, 2.0, 50.0], 900))
    rows = np.column_stack([bell, amounts, rings, many_zeros])
    statistics = Number().statistics(4, 2).add(rows, classes)
    assert [FORMS[number] for number in statistics.choice][:3] == ["gaussian", "log", "histogram"]
    assert FORMS[statistics.choice[3]] in ("log", "histogram")  # both have a place for zeros
    # A negative number has no logarithm: the column is read in the next best form until it goes.
    statistics.add([[0.0, -1.0, 0.0, 0.0]], [0])
    assert FORMS[statistics.choice[1]] in ("gaussian", "histogram")
    statistics.remove([[0.0, -1.0, 0.0, 0.0]], [0])
    assert FORMS[statistics.choice[1]] == "log"
    assert not statistics.log_probabilities([[0.0, -5.0, 0.0, 0.0]])[0, :, 1].any()


def test_the_order_of_many_rows_does_not_change_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banbury.tables.kinds.number.MOST_CHOICE_CELLS", 200)
    generator = np.random.default_rng(2)
    rows, classes = generator.normal(size=(500, 2)), np.arange(500) % 2
    order = generator.permutation(500)
    one, other = (
        Number().statistics(2, 2).add(rows, classes),
        Number().statistics(2, 2).add(rows[order], classes[order]),
    )
    assert_allclose(one.losses, other.losses, rtol=1e-9)


# New rows


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


def test_a_column_that_never_varied_is_drawn_as_it_is() -> None:
    statistics = Gaussian().statistics(1, 1).add([[7.0]] * 3, [0] * 3)
    assert statistics.sample(np.random.default_rng(0), 0, 3).tolist() == [[7.0]] * 3


def test_a_category_of_any_number_is_new_and_smoothed() -> None:
    statistics = Categorical().statistics(1, 2).add([[0], [1], [1]], [0, 0, 1])
    expected = np.log([1 / 4, 1 / 3])
    for code in (2, 1e18, 1e300):
        assert_allclose(statistics.scores([[code]])[0], expected)


def test_categories_that_are_only_known_to_exist_have_their_share() -> None:
    statistics = Categorical(categories=4).statistics(1, 1).add([[0], [0], [1]], [0, 0, 0])
    assert_allclose(statistics.posterior()["probability"].value, [[[3 / 7, 2 / 7, 1 / 7, 1 / 7]]])
    assert_allclose(np.exp(statistics.scores([[0], [1], [2], [3]])[:, 0]), [3 / 7, 2 / 7, 1 / 7, 1 / 7])


# Files


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda settings, arrays: arrays.update(counts=arrays["counts"][:, :, :2]), "shape"),
        (lambda settings, arrays: arrays.update(counts=-arrays["counts"]), "negative or not finite"),
        (lambda settings, arrays: arrays.update(counts=arrays["counts"] * np.nan), "negative or not finite"),
        (lambda settings, arrays: arrays.update(edges=arrays["edges"][::-1]), "not in order"),
        (lambda settings, arrays: arrays.update(edges=arrays["edges"][:-1]), "not those of its columns"),
        (lambda settings, arrays: settings.update(edges=[2, 2]), "not those of its columns"),
        (lambda settings, arrays: settings["kind"].update(kind="unheard of"), "no kind of column 'unheard of'"),
        (lambda settings, arrays: settings["kind"].update(colour="red"), "no setting 'colour'"),
        (lambda settings, arrays: settings["kind"].update(bins=-1), "cannot be so: bins is -1"),
    ],
)
def test_damaged_parts_are_refused(damage: Any, message: str) -> None:
    settings, arrays = Histogram(bins=2).statistics(1, 1).add([[1.0], [2.0], [3.0]], [0] * 3).parts()
    damage(settings, arrays)
    with pytest.raises(FileFormatError, match=message):
        statistics_from_parts(settings, arrays)


def test_kinds_are_values() -> None:
    kinds = [Bernoulli(smoothing=(1.0, 2.0)), Histogram(bins=(0.0, 1.0)), Gaussian(scale="log"), Number(bins=5)]
    for kind in kinds:
        assert kind_from_settings(kind.settings()) == kind
    assert len({*kinds, *kinds}) == 4


def test_pseudo_counts_can_differ_by_column() -> None:
    several = Multinomial(smoothing=(1.0, 2.0, 3.0)).statistics(3, 1)
    assert_allclose(several.posterior()["probability"].value, [[1 / 6, 2 / 6, 3 / 6]])
    one = Bernoulli(smoothing=(1.0, 3.0), absent_smoothing=1.0).statistics(2, 1)
    assert_allclose(one.posterior()["probability"].value, [[0.5, 0.75]])


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
