"""What goes into a model of a table: any library, kinds given or found, and what is refused."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import banbury
from banbury import Bernoulli, Categorical, Classifier, Gaussian, Number, Poisson, Text
from banbury.errors import CountError, InputError, LabelError, NotFittedError
from banbury.tables.columns import found
from banbury.tables.values import column
from small_table import COLOURS, KINDS, LABELS, NOTES, ROWS, SIZES, TABLE, noisy, textbook


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda table: table, lambda table: ROWS])
def test_a_table_of_any_library_gives_the_same_model(make: Any) -> None:
    expected = Classifier().fit(TABLE, LABELS)
    model = Classifier().fit(make(TABLE), LABELS)
    assert model.columns_ == expected.columns_
    assert_allclose(model.predict_proba(make(TABLE)), expected.predict_proba(TABLE), rtol=1e-12)
    assert model.evaluate(make(TABLE), LABELS).accuracy == expected.evaluate(TABLE, LABELS).accuracy


@pytest.mark.parametrize(
    "values, kind",
    [
        ([True, False, None], Bernoulli),
        ([0.5, 1.25, 3.0], Number),
        ([31, 45, 28, 31, 77], Number),
        ([1, 2, 3] * 10, Categorical),
        ([1.5, 2.5, 3.5] * 10, Number),
        ([0] * 99 + [7688], Number),
        (["red", "blue"] * 3, Categorical),
        ([f"user{n}" for n in range(30)] * 10, Categorical),
        ([f"subject {n}" for n in range(100)], Text),
        ([f"a longer text of the kind {n % 30}" for n in range(300)], Text),
        ([1, "one"], Categorical),
        ([None, None], Categorical),
    ],
)
def test_kinds_are_found_in_the_values(values: list[Any], kind: type) -> None:
    assert isinstance(found(column("x", values)), kind)


def test_a_kind_can_be_given_by_its_class_its_name_or_left_open() -> None:
    columns = {"colour": "categorical", "size": Gaussian, "flag": "auto"}
    model = Classifier(columns=columns).fit(pd.DataFrame({**TABLE, "id": range(8)}), LABELS)
    assert [type(kind) for kind in model.columns_.values()] == [Categorical, Gaussian, Bernoulli]


@pytest.mark.parametrize(
    "columns, data, message",
    [
        ({"age": Gaussian()}, TABLE, "there is no column 'age'; this table has 'colour', 'size'"),
        ({"size": "normal"}, TABLE, "column 'size' is to be 'normal'; it can be 'auto', 'bernoulli'"),
        ({}, TABLE, "columns is {}"),
        (KINDS, {**TABLE, "size": ["x"] * 8}, "row 0, column 'size' is 'x'; a column of kind Gaussian needs numbers"),
        (KINDS, {**TABLE, "flag": [2] * 8}, "row 0, column 'flag' has 2"),
        (KINDS, {**TABLE, "note": [*NOTES[:7], 3]}, "row 7, column 'note' is 3, of type int; a text must be a str"),
        (KINDS, {**TABLE, "colour": [*COLOURS[:7], []]}, "row 7, column 'colour' is of type list"),
        ({"flag": Poisson()}, {"flag": [-1] * 8}, "row 0, column 'flag' has -1"),
        (KINDS, {name: values[:7] for name, values in TABLE.items()}, "7 rows but 8 labels"),
        (None, {"a": [], "b": []}, "0 rows but 8 labels"),
        (None, {}, "the table has no columns to learn from"),
    ],
)
def test_fit_says_what_is_wrong_with_a_table(columns: Any, data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier(columns=columns).fit(data, LABELS)


@pytest.mark.parametrize(
    "row, label, message",
    [
        ({"size": "large"}, "yes", "row 0, column 'size' is 'large'; a column of kind Gaussian needs numbers"),
        ({"size": float("inf")}, "yes", "row 0, column 'size' is inf"),
        ({"note": 3}, "yes", "row 0, column 'note' is 3"),
        ({"seize": 3.0}, "yes", "a row has 'seize', which this model does not know: it has 'colour', 'size'"),
        ({"size": 3.0}, 1, "label 1 is of type int"),
        ({"size": 3.0}, None, "document 0 has no label"),
    ],
)
def test_a_wrong_row_is_an_error_that_names_it_and_changes_nothing(row: Any, label: Any, message: str) -> None:
    model = Classifier(columns=KINDS).fit(TABLE, LABELS)
    before = pickle.dumps(model)
    for act in (model.learn, model.forget):
        with pytest.raises(InputError, match=message):
            act([row], [label])
        assert pickle.dumps(model) == before


def test_what_was_never_learned_cannot_be_forgotten() -> None:
    model = textbook().fit(TABLE, LABELS)
    before = pickle.dumps(model)
    for row, label, message in [
        ({"colour": "mauve"}, "yes", "was never added"),
        ({"note": "unheard-of"}, "yes", "nothing was changed"),
        ({"flag": False}, "yes", "was never added"),
        ({}, "maybe", "no row with label 'maybe'"),
    ]:
        with pytest.raises(CountError, match=message):
            model.forget([row], [label])
        assert pickle.dumps(model) == before
    with pytest.raises(CountError, match="there are not so many rows with label 'yes'"):
        model.forget([{}] * 5, ["yes"] * 5)


def test_models_of_other_columns_are_not_merged() -> None:
    model = textbook().fit(TABLE, LABELS)
    before = pickle.dumps(model)
    others = [
        (textbook(size=Gaussian()).fit({"size": SIZES}, LABELS), "the other 'size'"),
        (textbook(**{**KINDS, "size": Number()}).fit(TABLE, LABELS), "column 'size' is Gaussian"),
        (textbook(**{**KINDS, "note": Text(analyzer=banbury.Analyzer(lowercase=False))}).fit(TABLE, LABELS), "'note'"),
        (Classifier().fit(["so happy", "so sad"], ["yes", "no"]), "cannot be merged with a model of texts"),
        (textbook().fit(TABLE, [1, 1, 1, 1, 2, 2, 2, 2]), "label 1 is of type int"),
    ]
    for other, message in others:
        with pytest.raises(InputError, match=message):
            model.merge(other)
        assert pickle.dumps(model) == before
    with pytest.raises(InputError, match="cannot be merged with a model of a table"):
        Classifier().fit(["so happy", "so sad"], ["yes", "no"]).merge(model)


def test_everything_can_be_forgotten_and_learned_again() -> None:
    model = textbook().fit(TABLE, LABELS)
    expected = model.joint_log_likelihood(ROWS)
    model.forget(TABLE, LABELS)
    with pytest.raises(NotFittedError, match="has forgotten everything"):
        model.predict(ROWS)
    assert_allclose(model.learn(TABLE, LABELS).joint_log_likelihood(ROWS), expected, rtol=1e-12)


def test_a_new_class_can_come_and_settings_can_be_chosen_again() -> None:
    table, labels = noisy(200)
    model = Classifier().fit(table, labels)
    weights = [one.weight for one in model.report_.columns]
    model.learn(table, ["maybe"] * 200)
    assert model.predict_proba(table).shape == (200, 3)
    assert [one.weight for one in model.report_.columns] == weights
    model.forget(table, ["maybe"] * 200).refit_settings(table, labels)
    assert_allclose([one.weight for one in model.report_.columns], weights, rtol=1e-6)


def test_a_model_of_one_class_waits_for_the_second() -> None:
    model = Classifier(columns=KINDS).fit(TABLE, ["yes"] * 8)
    assert set(model.predict(ROWS)) == {"yes"}
    model.learn({name: values[:2] for name, values in TABLE.items()}, ["no"] * 2)
    assert_allclose(model.predict_proba(ROWS).sum(axis=1), 1)


def test_a_column_without_a_value_says_nothing() -> None:
    nothing = {**TABLE, "size": [None] * 8, "note": [None] * 8, "colour": [None] * 8}
    model = Classifier(columns=KINDS).fit(nothing, LABELS)
    assert np.isfinite(model.predict_proba(ROWS)).all()
    assert model.predict({"flag": True}) == "yes"
    assert model.sample(2, seed=0)[0][0]["note"] is None


def test_labels_are_checked_as_for_texts() -> None:
    with pytest.raises(LabelError, match="document 1 has no label"):
        Classifier().fit({"a": [1, 2], "b": [1, 2]}, ["yes", None])
    model = Classifier().fit(TABLE, [1, 1, 1, 0, 0, 1, 0, 0])
    assert model.predict(ROWS[0]) == 1


def test_scikit_learn_takes_it_for_a_classifier() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    table, labels = noisy(150)
    model = Classifier(columns={"good": "auto", "weak": Bernoulli()})
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, pd.DataFrame(table), labels, cv=3).mean() > 0.6
    assert cross_val_score(Classifier(), np.column_stack([table["good"], table["weak"]]), labels, cv=3).mean() > 0.6


def test_a_pixel_that_was_only_black_or_white_beside_grey_ones_is_a_grey_one() -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (200, 3)).astype(np.uint8)
    images[:, 1] = rng.integers(0, 2, 200)
    labels = np.where(images[:, 0] > 100, "bright", "dark").tolist()
    model = Classifier().fit(images, labels)
    assert "Bernoulli" not in {type(kind).__name__ for kind in model.columns_.values()}
    images[:, 1] = 96
    assert np.isfinite(model.predict_proba(images)).all()
    flags = Classifier().fit(images[:, :2] % 2, labels)
    assert {type(kind).__name__ for kind in flags.columns_.values()} == {"Bernoulli"}
