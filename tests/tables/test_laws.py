"""The laws of models of tables: forgetting, merging, order, weights, threads, copies, files."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import banbury
from banbury import Classifier, Gaussian, Histogram, Number, Poisson, storage
from banbury.errors import FileFormatError
from small_table import KINDS, LABELS, ROWS, SIZES, TABLE, some_rows, textbook, unzipped


@settings(max_examples=25)
@given(some_rows(min_size=1), some_rows())
def test_forgetting_undoes_learning(some: list[Any], more: list[Any]) -> None:
    model = textbook().fit(*unzipped(some))
    expected = model.joint_log_likelihood(ROWS)
    classes = model.classes_.tolist()
    model.learn(*unzipped(more)).forget(*unzipped(more))
    assert model.classes_.tolist() == classes
    assert_allclose(model.joint_log_likelihood(ROWS), expected, rtol=1e-12, atol=1e-12)


def test_a_column_of_zeros_is_one_again_when_other_numbers_are_forgotten() -> None:
    model = textbook(size=Gaussian()).fit({"size": [0.0, 0.0]}, ["a", "b"])
    expected = model.joint_log_likelihood({"size": [0.0, 1.0]})
    others = {"size": [0.0, 1.0]}, ["b", "b"]
    assert_allclose(model.learn(*others).forget(*others).joint_log_likelihood({"size": [0.0, 1.0]}), expected)


@settings(max_examples=25)
@given(some_rows(min_size=1), some_rows(min_size=1))
def test_the_parts_merged_are_the_whole(some: list[Any], more: list[Any]) -> None:
    whole = textbook().fit(*unzipped(some + more))
    parts = textbook().fit(*unzipped(some)).merge(textbook().fit(*unzipped(more)))
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert_allclose(parts.joint_log_likelihood(ROWS), whole.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=25)
@given(some_rows(min_size=1), st.randoms())
def test_the_order_of_rows_and_columns_does_not_matter(some: list[Any], random: Any) -> None:
    model = textbook().fit(*unzipped(some))
    random.shuffle(some)
    turned = textbook(**dict(reversed(KINDS.items()))).fit(*unzipped(some))
    assert_allclose(turned.joint_log_likelihood(ROWS), model.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=25)
@given(some_rows(min_size=1), st.data())
def test_a_row_of_weight_three_is_three_rows(some: list[Any], data: st.DataObject) -> None:
    rows, labels = unzipped(some)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    if not any(weights):
        weights[0] = 1
    repeated = [pair for pair, weight in zip(some, weights, strict=True) for _ in range(weight)]
    weighted = textbook().fit(rows, labels, weights)
    expected = textbook().fit(*unzipped(repeated))
    assert weighted.classes_.tolist() == expected.classes_.tolist()
    assert_allclose(weighted.joint_log_likelihood(ROWS), expected.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=10)
@given(some_rows(min_size=2))
def test_the_automatic_model_is_one_for_any_order_and_any_number_of_threads(some: list[Any]) -> None:
    rows, labels = unzipped(some)
    model = Classifier(threads=1).fit(rows, labels)
    expected = model.predict_proba(rows)
    assert_allclose(expected.sum(axis=1), 1)
    assert np.isfinite(expected).all()
    assert (Classifier(threads=3).fit(rows, labels).predict_proba(rows) == expected).all()
    turned = Classifier().fit(rows[::-1], labels[::-1])
    assert_allclose(turned.predict_proba(rows), expected, rtol=1e-6, atol=1e-9)
    assert_allclose(np.concatenate([model.predict_proba([row]) for row in rows]), expected, rtol=1e-12)


@settings(max_examples=10)
@given(some_rows(min_size=2))
def test_a_copy_of_any_kind_predicts_the_same(some: list[Any]) -> None:
    rows, labels = unzipped(some)
    model = Classifier(columns={**KINDS, "size": Number()}).fit(rows, labels)
    expected = model.predict_proba(ROWS)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(ROWS) == expected).all()


def test_a_saved_model_is_the_same_and_goes_on_learning(tmp_path: Path) -> None:
    kinds = {**KINDS, "size": Number(), "n": Poisson(), "x": Histogram(bins=3)}
    table = {**TABLE, "n": [0, 1, 0, 5, 4, None, 3, 6], "x": SIZES}
    model = Classifier(columns=kinds, prior={"no": 0.3, "yes": 0.7}).fit(table, LABELS)
    model.save(tmp_path / "model.banbury")
    loaded = banbury.load(tmp_path / "model.banbury")
    assert loaded.columns_ == model.columns_ == kinds
    assert (loaded.predict_proba(table) == model.predict_proba(table)).all()
    assert str(loaded.report_).split("doubtful")[0] == str(model.report_).split("doubtful")[0]
    for one in (model, loaded):
        one.learn(table, LABELS[::-1]).forget(table, LABELS)
    assert (loaded.predict_proba(table) == model.predict_proba(table)).all()
    loaded.save(tmp_path / "again.banbury")
    model.save(tmp_path / "other.banbury")
    assert (tmp_path / "again.banbury").read_bytes() == (tmp_path / "other.banbury").read_bytes()


def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path: Path) -> None:
    textbook().fit(TABLE, LABELS).save(tmp_path / "model.banbury")
    file = storage.read(tmp_path / "model.banbury")
    changes: list[dict[str, Any]] = [
        {"classes": ["a"]},
        {"documents": [1]},
        {"groups": []},
        {"columns": []},
        {"weights": 3},
    ]
    for change in changes:
        storage.write(tmp_path / "bad.banbury", {**file.settings, **change}, file.arrays)
        with pytest.raises(FileFormatError, match=r"bad\.banbury"):
            banbury.load(tmp_path / "bad.banbury")
