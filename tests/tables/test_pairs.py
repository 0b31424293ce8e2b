"""Models whose columns count together: what they find, the laws that they keep, and what can be seen in them."""

import pickle
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import banbury
import banbury.storage
from banbury import Classifier, Gaussian
from banbury.errors import CountError, FileFormatError, InputError
from banbury.tables.terms import Terms
from switches import exclusive_or, parity


@pytest.fixture(scope="module")
def fitted() -> tuple[Classifier, pd.DataFrame, list[str]]:
    table, labels = exclusive_or()
    return Classifier().fit(table, labels), table, labels


def test_what_two_columns_tell_together_is_learned() -> None:
    table, labels = exclusive_or()
    test, test_labels = exclusive_or(seed=1)
    model = Classifier().fit(table, labels)
    assert model.score(test, test_labels) > 0.88
    assert Classifier(likelihood="multinomial", calibration=None).fit(table, labels).score(test, test_labels) < 0.65
    assert "pairs" in model.report_.chosen
    assert abs(model.report_.accuracy - model.score(test, test_labels)) < 0.06


def test_what_three_columns_tell_together_is_learned() -> None:
    model = Classifier().fit(*parity())
    assert "triples" in model.report_.chosen
    rows = [dict(zip("abc", values, strict=True)) for values in product(["on", "off"], repeat=3)]
    expected = ["odd" if list(row.values()).count("on") % 2 else "even" for row in rows]
    assert model.predict(rows).tolist() == expected


def test_columns_that_do_not_need_each_other_stay_alone() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 600)
    table = {f"x{at}": rng.normal(labels == "a", 1.5) for at in range(5)}
    assert Classifier().fit(table, labels.tolist()).report_.chosen in ("a weight for each column", "columns by cells")


# Laws


@pytest.mark.parametrize("kind", ["auto", "histogram", "gaussian", "number"])
def test_learning_and_forgetting_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    table, labels = exclusive_or()
    model = Classifier(columns={"left": kind, "right": "auto", "other": "auto"}).fit(table, labels)
    more, more_labels = exclusive_or(200, seed=2)
    model.save(tmp_path / "before")
    model.learn(more, more_labels)
    changed = model.predict_proba(more)
    model.forget(more, more_labels).save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert (model.predict_proba(more) != changed).any()
    loaded = banbury.load(tmp_path / "after")
    assert (loaded.predict_proba(more) == model.predict_proba(more)).all()
    assert (pickle.loads(pickle.dumps(model)).predict_proba(more) == model.predict_proba(more)).all()


def test_parts_that_start_from_one_model_merge_to_the_whole(fitted: Any) -> None:
    model, table, labels = fitted
    parts = [model.empty().learn(table[at::3], labels[at::3]) for at in range(3)]
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert merged.documents_ == model.documents_
    assert_allclose(merged.predict_proba(table), model.predict_proba(table), rtol=1e-9)
    other = Classifier().fit(*exclusive_or(seed=3))
    expected = model.predict_proba(table)
    with pytest.raises(InputError, match=r"empty\(\)"):
        model.merge(other)
    assert (model.predict_proba(table) == expected).all()


def test_a_new_label_and_one_that_goes_change_only_themselves(fitted: Any) -> None:
    model, table, _ = fitted
    expected = model.predict_proba(table)
    model.learn(table[:5], ["maybe"] * 5)
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert np.isfinite(model.predict_proba(table)).all()
    model.forget(table[:5], ["maybe"] * 5)
    assert (model.predict_proba(table) == expected).all()
    with pytest.raises(CountError):
        model.forget(table[:1].assign(left=1e9), ["yes"])
    assert (model.predict_proba(table) == expected).all()


def test_the_model_depends_on_no_order_no_threads_and_no_batches() -> None:
    table, labels = exclusive_or(400)
    model = Classifier(threads=1).fit(table, labels)
    expected = model.predict_proba(table)
    assert (Classifier(threads=3).fit(table, labels).predict_proba(table) == expected).all()
    turned = Classifier().fit(table[::-1], labels[::-1]).predict_proba(table)
    assert_allclose(turned, expected, rtol=1e-4, atol=1e-6)
    one_by_one = np.concatenate([model.predict_proba(table[at : at + 1]) for at in range(20)])
    assert (one_by_one == expected[:20]).all()


def test_a_row_of_weight_three_counts_as_three_rows() -> None:
    table, labels = exclusive_or(300)
    weights = np.random.default_rng(0).integers(0, 4, 300)
    repeated = np.repeat(np.arange(300), weights)
    one = Classifier().fit(table, labels, weights.tolist())
    many = Classifier().fit(table.iloc[repeated], [labels[row] for row in repeated])
    assert one.documents_ == many.documents_
    terms: list[Terms] = [model.model_.learned.terms for model in (one, many)]  # type: ignore[attr-defined]
    assert all(terms)
    assert (terms[0].counts[: terms[1].layout.firsts()[3]] == terms[1].counts[: terms[1].layout.firsts()[3]]).all()


def test_a_missing_or_unheard_of_value_says_nothing(fitted: Any) -> None:
    model, *_ = fitted
    row = {"left": 1.0, "right": "up", "other": "a"}
    for name in row:
        silent = model.explain({**row, name: None})
        assert name not in " ".join(one.name for one in silent.evidence)
    assert_allclose(
        model.predict_proba({**row, "other": "never"}), model.predict_proba({**row, "other": None}), rtol=1e-12
    )


# What can be seen


def test_an_explanation_names_cells_and_sums_to_the_score(fitted: Any) -> None:
    model, *_ = fitted
    explanation = model.explain({"left": 1.0, "right": "up", "other": "a"})
    assert_allclose(explanation.prior + sum(one.weight for one in explanation.evidence), explanation.score, rtol=1e-9)
    together = [one for one in explanation.evidence if one.kind == "together"]
    strongest = max(together, key=lambda one: abs(one.weight))
    assert strongest.column == "left & right"
    assert strongest.name.startswith("left ")
    assert strongest.name.endswith("& right = up")
    assert "–" in strongest.name or "or more" in strongest.name
    note = "a & b: what the columns say together, beyond what each says alone"
    assert note in str(explanation)
    assert "&amp; b: what the columns say together" in explanation._repr_html_()
    assert "beyond what" not in str(Classifier().fit(["good", "bad"] * 5, ["a", "b"] * 5).explain("good"))


def test_texts_and_pairs_live_in_one_model(tmp_path: Path) -> None:
    table, labels = exclusive_or(200)
    words = np.random.default_rng(3).choice(["early", "late"], len(labels), p=[0.7, 0.3])
    table["note"] = [f"{word} {'good' if label == 'yes' else 'bad'}" for word, label in zip(words, labels, strict=True)]
    table.loc[::3, "note"] = None
    model = Classifier(columns={"left": "number", "right": "categorical", "note": "text"}).fit(table, labels)
    assert "pairs" in model.report_.chosen
    row = {"left": 1.0, "right": "down", "note": "good"}
    explanation = model.explain(row)
    assert {item.kind for item in explanation.evidence} >= {"value", "together", "word"}
    assert_allclose(explanation.prior + sum(item.weight for item in explanation.evidence), explanation.score, rtol=1e-9)
    model.save(tmp_path / "model")
    assert (banbury.load(tmp_path / "model").predict_proba(table) == model.predict_proba(table)).all()
    before = model.predict_proba(table)
    model.learn(table[:50], labels[:50]).forget(table[:50], labels[:50])
    assert (model.predict_proba(table) == before).all()


def test_a_distribution_that_was_asked_for_stays() -> None:
    table, labels = exclusive_or()
    model = Classifier(columns={"left": Gaussian(), "right": "auto"}).fit(table, labels)
    uses = {one.name: one.kind for one in model.report_.columns}
    assert uses["left"] == "Gaussian"
    assert "cells" in uses["right"]


def test_a_file_whose_cells_do_not_fit_is_refused(fitted: Any, tmp_path: Path) -> None:
    model, *_ = fitted
    model.save(tmp_path / "model")
    file = banbury.storage.read(tmp_path / "model")
    bad_terms: list[dict[str, Any]] = [{"pairs": [[1, 0]]}, {"n_classes": 3}, {"names": ["left", "right", "nobody"]}]
    for change in bad_terms:
        settings = {**file.settings, "terms": {**file.settings["terms"], **change}}
        banbury.storage.write(tmp_path / "bad", settings, file.arrays)
        with pytest.raises(FileFormatError):
            banbury.load(tmp_path / "bad")
    for name, value in (("by_cells", [True]), ("silent", [999]), ("pair_trust", [1.0])):
        settings = {**file.settings, "cells": {**file.settings["cells"], name: value}}
        banbury.storage.write(tmp_path / "bad", settings, file.arrays)
        with pytest.raises(FileFormatError):
            banbury.load(tmp_path / "bad")


# Bad input


@pytest.mark.parametrize(
    "column",
    [[1.0] * 100, [None] * 100, [f"v{at}" for at in range(100)], [1e308, -1e308] * 50, ["a"] * 99 + ["b"]],
    ids=["one value", "all missing", "all different", "the largest numbers", "one other"],
)
def test_a_column_that_tells_nothing_does_no_harm(column: list[Any]) -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 100)
    table = {"odd": column, "good": rng.normal(labels == "a", 0.3)}
    model = Classifier().fit(table, labels.tolist())
    assert np.isfinite(model.predict_proba(table)).all()
    assert model.score(table, labels.tolist()) > 0.8


def test_many_columns_and_many_categories_are_learned_in_bounded_memory() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 60).tolist()
    model = Classifier().fit(rng.normal(size=(60, 2500)), labels)
    assert model.report_.chosen == "a weight for each column"
    n = 20_000
    table = {"city": [f"c{at}" for at in rng.integers(0, 15_000, n)], "x": rng.normal(size=n)}
    crowd = Classifier(columns={"city": "categorical", "x": "number"}).fit(table, rng.choice(["a", "b"], n).tolist())
    assert np.isfinite(crowd.predict_proba({"city": ["c1", "nowhere"], "x": [0.0, 1.0]})).all()


def test_infinity_is_refused_where_it_stands() -> None:
    with pytest.raises(InputError, match="row 1, column 'x' is inf"):
        Classifier().fit({"x": [1.0, np.inf]}, ["a", "b"])
