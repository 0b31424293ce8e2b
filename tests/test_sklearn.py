"""banbury.sklearn: scikit-learn's contract, its numbers where they are right, and what it gets wrong."""

import gzip
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("sklearn")

import sklearn.naive_bayes as theirs
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import banbury.sklearn as ours
from banbury import Bernoulli, Categorical, Gaussian, Multinomial, Poisson
from banbury.datasets import demo
from banbury.errors import InputError, LabelError

EVERY = [getattr(ours, name) for name in ours.__all__ if name.endswith("NB")]
COUNTS = np.random.default_rng(0).poisson(1.5, (60, 5)).astype(float)
LABELS = np.array(["ham", "spam", "other"])[np.random.default_rng(1).integers(0, 3, 60)]
WEIGHTS = np.random.default_rng(2).integers(0, 3, 60).astype(float)


@parametrize_with_checks([estimator() for estimator in EVERY])  # type: ignore[untyped-decorator]
def test_scikit_learn_finds_nothing_to_object_to(estimator: Any, check: Any) -> None:
    check(estimator)


# The same numbers


@pytest.mark.parametrize(
    "name, options",
    [
        ("MultinomialNB", {}),
        ("MultinomialNB", {"alpha": 0.1, "fit_prior": False}),
        ("MultinomialNB", {"alpha": [0.1, 1, 2, 3, 4]}),
        ("BernoulliNB", {"binarize": 1.0}),
        ("BernoulliNB", {"alpha": 0.3, "class_prior": [0.2, 0.3, 0.5]}),
        ("ComplementNB", {}),
        ("ComplementNB", {"norm": True, "alpha": 0.5}),
        ("CategoricalNB", {"min_categories": 12}),
        ("CategoricalNB", {"min_categories": [12, 12, 11, 12, 13], "alpha": 0.2}),
        ("GaussianNB", {}),
        ("GaussianNB", {"priors": [0.2, 0.3, 0.5], "var_smoothing": 1e-6}),
    ],
)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_numbers_are_those_of_scikit_learn(name: str, options: dict[str, Any], weights: Any) -> None:
    mine = getattr(ours, name)(**options).fit(COUNTS, LABELS, sample_weight=weights)
    other = getattr(theirs, name)(**options).fit(COUNTS, LABELS, sample_weight=weights)
    rtol = 1e-5 if name == "GaussianNB" else 1e-9  # there all columns share one ε
    assert_allclose(mine.predict_joint_log_proba(COUNTS), other.predict_joint_log_proba(COUNTS), rtol=rtol)
    assert_allclose(mine.predict_log_proba(COUNTS), other.predict_log_proba(COUNTS), rtol=rtol, atol=1e-9)
    assert_allclose(mine.predict_proba(COUNTS), other.predict_proba(COUNTS), rtol=rtol, atol=1e-9)
    assert_array_equal(mine.predict(COUNTS), other.predict(COUNTS))
    assert_allclose(mine.class_count_, other.class_count_)
    if hasattr(other, "class_log_prior_"):
        assert_allclose(mine.class_log_prior_, other.class_log_prior_, rtol=1e-9)
    for attribute in ("feature_log_prob_", "feature_count_", "theta_", "var_"):
        if hasattr(other, attribute) and name != "CategoricalNB":
            assert_allclose(getattr(mine, attribute), getattr(other, attribute), rtol=rtol)


def test_categories_and_their_probabilities_are_those_of_scikit_learn() -> None:
    codes = OrdinalEncoder().fit_transform(COUNTS)
    mine, other = ours.CategoricalNB().fit(codes, LABELS), theirs.CategoricalNB().fit(codes, LABELS)
    for column in range(codes.shape[1]):
        width = other.category_count_[column].shape[1]
        assert_allclose(mine.category_count_[column][:, :width], other.category_count_[column])
        assert_allclose(mine.feature_log_prob_[column][:, :width], other.feature_log_prob_[column], rtol=1e-12)


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
def test_a_sparse_matrix_is_read_like_a_dense_one(estimator: Any, form: Any) -> None:
    dense = estimator().fit(COUNTS, LABELS)
    from_sparse = estimator().fit(form(COUNTS), LABELS)
    assert_allclose(from_sparse.predict_proba(form(COUNTS)), dense.predict_proba(COUNTS), rtol=1e-9)
    assert_allclose(dense.predict_proba(form(COUNTS)), dense.predict_proba(COUNTS), rtol=1e-9)


@pytest.mark.parametrize("estimator", [one for one in EVERY if one is not ours.MixedNB])
@settings(max_examples=15)
@given(st.lists(st.integers(0, 60), max_size=4))
def test_batches_give_what_one_fit_gives(estimator: Any, cuts: list[int]) -> None:
    whole = estimator().fit(COUNTS, LABELS, sample_weight=WEIGHTS + 1)
    model, edges = estimator(), [0, *sorted(cuts), 60]
    for start, end in pairwise(edges):
        if end > start:
            rows = slice(start, end)
            model.partial_fit(COUNTS[rows], LABELS[rows], classes=np.unique(LABELS), sample_weight=WEIGHTS[rows] + 1)
    assert_allclose(model.predict_log_proba(COUNTS), whole.predict_log_proba(COUNTS), rtol=1e-9, atol=1e-12)


# What scikit-learn gets wrong


@pytest.mark.parametrize("estimator", EVERY)
def test_an_unknown_label_is_an_error_and_changes_nothing(estimator: Any) -> None:
    model = estimator().partial_fit(COUNTS, LABELS, classes=["ham", "other", "spam"])
    before = model.predict_proba(COUNTS)
    with pytest.raises(LabelError, match=r"row 1 has label .*'news'.*the classes are 'ham', 'other', 'spam'"):
        model.partial_fit(COUNTS[:2], ["ham", "news"])
    with pytest.raises(LabelError, match="the first call said"):
        model.partial_fit(COUNTS[:1], ["ham"], classes=["ham", "spam"])
    assert_array_equal(model.predict_proba(COUNTS), before)
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        estimator().partial_fit(COUNTS, LABELS)


def test_an_unseen_category_is_smoothed() -> None:
    codes = np.array([[0], [0], [0], [1]])
    model = ours.CategoricalNB().fit(codes, ["a", "a", "b", "b"])
    with pytest.raises(IndexError):
        theirs.CategoricalNB().fit(codes, ["a", "a", "b", "b"]).predict([[5]])
    assert_allclose(model.predict_proba([[5]]), [[0.5, 0.5]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("estimator", [one for one in EVERY if "alpha" in one().get_params()])
def test_without_smoothing_probabilities_are_still_numbers(estimator: Any) -> None:
    rows = np.array([[3.0, 0, 0], [0, 2, 0], [0, 0, 0]])
    model = estimator(alpha=0).fit(rows, ["a", "b", "c"])
    chances = model.predict_proba([[1.0, 1, 1], [0, 0, 0], [9, 0, 0], [0, 0, 9]])
    assert_allclose(chances.sum(axis=1), 1)
    assert np.isfinite(model.predict_log_proba(rows)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "column",
    [
        [1e300, 1e300, -1e300, -1e300, 1e290, 5.0],
        [7.0, 7, 7, 7, 7, 7],
        [0.0, 0, 0, 0, 0, 0],
        [0.0, 0, 0, 1, 1, 1],
        [1e-200, 2e-200, 3e-200, 4e-200, 5e-200, 6e-200],
        [np.nan] * 6,
        [1e9, 1e9 + 1e-3, 1e9, 1e9 + 3e-3, 1e9 + 4e-3, 1e9 + 3e-3],
    ],
)
@pytest.mark.parametrize("estimator", [ours.GaussianNB, ours.MixedNB, ours.BernoulliNB])
def test_huge_tiny_and_constant_columns_give_numbers(estimator: Any, column: list[float]) -> None:
    rows = np.array(column)[:, None]
    labels = ["a", "a", "a", "b", "b", "b"]
    model = estimator().fit(rows, labels)
    is_binary = estimator is ours.MixedNB and model.kinds_ == [Bernoulli()]
    for more in (rows, [[0.0]], [[np.nan]], *([] if is_binary else [[[1e308]], [[-1e308]]])):
        chances = model.predict_proba(more)
        assert np.isfinite(chances).all()
        assert_allclose(chances.sum(axis=1), 1)


def test_a_column_that_never_varied_decides_nothing() -> None:
    rows = np.array([[7.0, 1], [7, 2], [7, 9], [7, 8], [7, 7]])
    labels = ["a", "a", "b", "b", "b"]
    for options in ({}, {"var_smoothing": 0}):
        model = ours.GaussianNB(**options)
        with_it = model.fit(rows, labels).predict_proba(np.array([[7, 3], [1e6, 3]]))
        without = model.fit(rows[:, 1:], labels).predict_proba([[3], [3]])
        assert_allclose(with_it, without, rtol=1e-9)


def test_a_small_column_counts_beside_a_large_one() -> None:
    generator = np.random.default_rng(0)
    labels = np.repeat([0, 1], 200)
    rows = np.column_stack([generator.normal(size=400) * 1e6, (labels + generator.normal(size=400) * 0.1) * 1e-6])
    assert theirs.GaussianNB().fit(rows, labels).score(rows, labels) < 0.6
    assert ours.GaussianNB().fit(rows, labels).score(rows, labels) > 0.99


def test_the_variance_does_not_depend_on_the_last_batch() -> None:
    rows, labels = load_iris(return_X_y=True)
    order = np.argsort(rows[:, 0], kind="stable")  # so that the batches are not alike
    rows, labels = rows[order], labels[order]
    model = ours.GaussianNB(var_smoothing=0.1)
    for part in np.array_split(np.arange(len(rows)), 5):
        model.partial_fit(rows[part], labels[part], classes=[0, 1, 2])
    assert_allclose(model.var_, ours.GaussianNB(var_smoothing=0.1).fit(rows, labels).var_, rtol=1e-12)


# What scikit-learn has not


def test_missing_values_add_nothing() -> None:
    rows = np.where(np.random.default_rng(3).random(COUNTS.shape) < 0.2, np.nan, COUNTS)
    for estimator in EVERY:
        model = estimator().fit(rows, LABELS)
        prior = np.full(3, 1 / 3) if estimator is ours.ComplementNB else np.exp(model.class_log_prior_)
        assert_allclose(model.predict_proba(np.full((1, 5), np.nan))[0], prior, rtol=1e-9)
        assert np.isfinite(model.predict_proba(rows)).all()


def test_columns_have_kinds_of_their_own() -> None:
    generator = np.random.default_rng(4)
    labels = generator.integers(0, 2, 300)
    rows = np.column_stack(
        [
            generator.integers(0, 4, 300),
            generator.normal(labels, 1),
            generator.poisson(1 + 2 * labels),
            generator.integers(0, 2, 300),
            *generator.multinomial(20, [0.5, 0.3, 0.2], 300).T,
        ]
    )
    kinds = [Categorical(), Gaussian(), Poisson(), Bernoulli(), *[Multinomial()] * 3]
    model = ours.MixedNB(kinds=kinds).fit(rows, labels)
    assert model.kinds_ == kinds
    by_hand = sum(
        kind.statistics(len(columns), 2).add(rows[:, columns], labels).scores(rows[:, columns])
        for kind, columns in zip([*kinds[:4], Multinomial()], [[0], [1], [2], [3], [4, 5, 6]], strict=True)
    )
    assert_allclose(model.transform(rows), by_hand, rtol=1e-9)
    assert model.score(rows, labels) > 0.8
    with pytest.raises(InputError, match="kinds has 2 kinds, for 7 columns"):
        ours.MixedNB(kinds=[Gaussian()] * 2).fit(rows, labels)
    with pytest.raises(InputError, match="kinds speaks of column 'age'"):
        ours.MixedNB(kinds={"age": Gaussian()}).fit(rows, labels)
    with pytest.raises(InputError, match="column 0 has kind 'gaussian'"):
        ours.MixedNB(kinds={0: "gaussian"}).fit(rows, labels)
    with pytest.raises(InputError, match=r"row 0, column 1 has .*Poisson column has whole numbers"):
        ours.MixedNB(kinds={1: Poisson()}).fit(np.abs(rows), labels)


def test_columns_of_a_data_frame_are_known_by_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COUNTS, columns=[*"abcde"])
    model = ours.MixedNB(kinds={"c": Poisson()}).fit(frame, LABELS)
    assert model.feature_names_in_.tolist() == [*"abcde"]
    assert model.n_features_in_ == 5
    assert model.kinds_[2] == Poisson()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="column 'c' has"):
        model.partial_fit(frame + 0.5, LABELS)


def test_the_output_of_transform_can_be_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    model = ours.PoissonNB().set_output(transform="pandas").fit(COUNTS, LABELS)
    found = model.transform(COUNTS)
    assert isinstance(found, pandas.DataFrame)
    assert list(found.columns) == ["ham", "other", "spam"]
    assert_allclose(found + model.class_log_prior_, model.predict_joint_log_proba(COUNTS))
    pipeline = make_pipeline(StandardScaler(), ours.GaussianNB()).set_output(transform="pandas").fit(COUNTS, LABELS)
    assert isinstance(pipeline.predict_proba(COUNTS), np.ndarray)
    assert pipeline[-1].feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]


def test_it_can_be_searched_and_stacked() -> None:
    search = GridSearchCV(ours.MultinomialNB(), {"alpha": [0.1, 1.0]}, cv=3, scoring="neg_log_loss").fit(COUNTS, LABELS)
    assert search.best_params_["alpha"] in (0.1, 1.0)
    parts = ColumnTransformer([("counts", ours.PoissonNB(), [0, 1, 2]), ("yes", ours.BernoulliNB(), [3, 4])])
    model = make_pipeline(parts, ours.GaussianNB()).fit(COUNTS, LABELS)
    assert model[:-1].get_feature_names_out().tolist()[:2] == ["counts__ham", "counts__other"]


@pytest.mark.parametrize(
    "model, message",
    [
        (ours.MultinomialNB(alpha=-1), "smoothing is -1"),
        (ours.MultinomialNB(alpha=[1, 2]), r"alpha has shape \(2,\)"),
        (ours.MultinomialNB(class_prior=[0.5, 0.5]), "the prior has 2 probabilities, for 3 classes"),
        (ours.GaussianNB(priors=[0.5, 0.4, 0.3]), "sum to 1"),
        (ours.BernoulliNB(binarize=None), "a Bernoulli column has 1 for yes and 0 for no"),
        (ours.CategoricalNB(min_categories=[1, 2]), "min_categories has 2 numbers, for 5 columns"),
        (ours.GaussianNB(var_smoothing=-1), "smoothing is"),
        (ours.PoissonNB(alpha=-1), "rows is -1"),
    ],
)
def test_a_wrong_parameter_is_named(model: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.fit(COUNTS, LABELS)


def test_zeros_of_a_sparse_matrix_cannot_be_ones() -> None:
    with pytest.raises(InputError, match="below 0, the zeros of a sparse matrix would be ones"):
        ours.BernoulliNB(binarize=-1).fit(sparse.csr_array(COUNTS), LABELS)


def test_without_scikit_learn_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None\nimport banbury.sklearn"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra: banbury.sklearn needs scikit-learn" in run.stderr
    assert "pip install 'banbury[sklearn]'" in run.stderr


# Bitmaps of digits


def digits(folder: Path, split: str) -> tuple[Any, Any]:
    def read(name: str, start: int) -> Any:
        path = folder / "mnist" / f"{split}-{name}-ubyte.gz"
        if not path.exists():
            pytest.skip("BANBURY_DATA has no mnist")
        return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8)[start:]

    labels = read("labels-idx1", 8)
    return read("images-idx3", 16).reshape(len(labels), -1) >= 128, labels


def test_zeros_and_ones_are_told_apart(data_folder: Path) -> None:
    (rows, labels), (more, truth) = digits(data_folder, "train"), digits(data_folder, "t10k")
    model = ours.BernoulliNB().fit(rows[labels < 2], labels[labels < 2])
    assert model.score(more[truth < 2], truth[truth < 2]) >= 0.996


def test_ten_digits_are_read_as_scikit_learn_reads_them(data_folder: Path) -> None:
    (rows, labels), (more, truth) = digits(data_folder, "train"), digits(data_folder, "t10k")
    mine = ours.BernoulliNB().fit(sparse.csr_array(rows), labels)
    other = theirs.BernoulliNB().fit(sparse.csr_array(rows), labels)
    some = sparse.csr_array(more)
    assert_array_equal(mine.predict(some), other.predict(some))
    assert mine.score(some, truth) == pytest.approx(0.8427, abs=5e-5)


def test_a_term_counter_is_the_first_step_of_a_pipeline() -> None:
    texts, labels = demo()
    pipeline = make_pipeline(ours.TermCounter(analyzer="python"), ours.MultinomialNB())
    usual = make_pipeline(CountVectorizer(), ours.MultinomialNB())
    found = clone(pipeline).fit(texts[::2], labels[::2]).predict(texts[1::2])
    assert found.tolist() == usual.fit(texts[::2], labels[::2]).predict(texts[1::2]).tolist()
    counter = ours.TermCounter(binary=True, min_documents=2)
    assert (counter.fit_transform(texts) != counter.fit(texts).transform(texts)).nnz == 0
    assert counter.get_feature_names_out().tolist() == counter.names_
    assert counter.transform(texts).max() == 1
