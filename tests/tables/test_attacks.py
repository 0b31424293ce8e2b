"""Attacks on models whose columns count together, texts among them: whatever is done and undone leaves no trace."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import banbury
from banbury import Classifier, storage
from banbury.errors import CountError, FileFormatError, InputError

KINDS = {"left": "histogram", "right": "categorical", "third": "categorical", "size": "number", "note": "text"}
WORDS = ["lamp", "on", "off", "dark", "bright"]
VALUES: dict[str, list[Any]] = {
    "left": [-2.0, -0.5, 0.25, 3.0, None],
    "size": [-2.0, 0.1, 0.0, 1e9 + 0.3, 7e-30, None],
    "right": ["up", "down", "gone", None],
    "third": ["a", "b", None],
}
NOTES = st.one_of(st.none(), st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join))
ROW = st.fixed_dictionaries({**{name: st.sampled_from(values) for name, values in VALUES.items()}, "note": NOTES})
LABELLED = st.lists(st.tuples(ROW, st.sampled_from(["no", "yes", "maybe"])), min_size=1, max_size=5)


def lamps(n: int = 300) -> tuple[dict[str, Any], list[str]]:
    """A label that two columns tell together, one of which a text repeats now and then."""
    rng = np.random.default_rng(5)
    left, right, third = rng.normal(size=n), rng.choice(["up", "down"], n), rng.choice(["a", "b"], n)
    is_yes = (left > 0) ^ (right == "up") ^ (third == "a") ^ (rng.random(n) < 0.05)
    notes = [f"{rng.choice(WORDS)} {'bright' if yes and rng.random() < 0.4 else 'lamp'}" for yes in is_yes]
    size = rng.lognormal(0, 3, n)
    return {"left": left, "right": right, "third": third, "size": size, "note": notes}, np.where(
        is_yes, "yes", "no"
    ).tolist()


@pytest.fixture(scope="module")
def model() -> Classifier:
    fitted = Classifier(columns=KINDS).fit(*lamps())
    assert "triples" in fitted.report_.chosen
    return fitted


def contents(model: Classifier) -> bytes:
    with TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        return (Path(folder) / "model").read_bytes()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["learn", "merge", "reload"]), LABELLED), max_size=4))
def test_what_is_learned_in_any_way_and_forgotten_leaves_the_same_bytes(
    model: Classifier, steps: list[tuple[str, Any]]
) -> None:
    before = contents(model)
    with TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        one = banbury.load(Path(folder) / "model")
        for step, rows in steps:
            data, labels = [row for row, _ in rows], [label for _, label in rows]
            if step == "merge":
                one.merge(one.empty().learn(data, labels, new_labels="allow"))
            else:
                one.learn(data, labels, new_labels="allow")
            if step == "reload":
                one.save(Path(folder) / "again")
                one = banbury.load(Path(folder) / "again")
        assert sum(one.model_.documents) == 300 + sum(len(rows) for _, rows in steps)
        assert np.isfinite(one.predict_proba(lamps()[0])).all()
        for _, rows in steps[::-1]:
            one.forget([row for row, _ in rows], [label for _, label in rows])
    assert contents(one) == before


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LABELLED)
def test_what_was_never_learned_is_not_forgotten(model: Classifier, rows: Any) -> None:
    before = contents(model)
    strange = [{**row, "left": 1e9, "note": "never"} for row, _ in rows]
    with pytest.raises(CountError):
        model.forget(strange, ["yes"] * len(rows))
    with pytest.raises((CountError, InputError)):
        model.forget(strange, ["nobody"] * len(rows))
    assert contents(model) == before


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ROW, min_size=1, max_size=6))
def test_any_row_is_predicted_explained_and_summed_up(model: Classifier, rows: list[dict[str, Any]]) -> None:
    chances = model.predict_proba(rows)
    assert_allclose(chances.sum(axis=1), 1)
    one_by_one = np.concatenate([model.predict_proba([row]) for row in rows])
    assert_allclose(one_by_one, chances, rtol=1e-12)
    explanation = model.explain(rows[0])
    total = explanation.prior + sum(one.weight for one in explanation.evidence)
    assert_allclose(total, explanation.score, rtol=1e-9, atol=1e-9)


def test_new_rows_are_of_the_kinds_of_the_columns(model: Classifier) -> None:
    rows, labels = model.sample(20, seed=3)
    assert set(rows[0]) == set(KINDS)
    assert np.isfinite(model.predict_proba(rows)).all()
    assert set(labels) <= {"no", "yes"}
    assert "one by one" in (Classifier.sample.__doc__ or "")


@pytest.mark.parametrize(
    "name, value, message", [("values+0", 2**20, "any numbers"), ("squares+0", 0, "any numbers"), ("n+2", 3, "'n'")]
)
def test_sums_that_no_rows_have_are_refused(tmp_path: Path, name: str, value: int, message: str) -> None:
    Classifier(columns={"x": "gaussian"}).fit({"x": [1.0, 2.0, 8.0, 9.0]}, ["a", "a", "b", "b"]).save(
        tmp_path / "model"
    )
    file = storage.read(tmp_path / "model")
    (key,) = [key for key in file.arrays if key.endswith(".n+0")]
    key, settings = key.removesuffix("n+0") + name, json.loads(json.dumps(file.settings))
    array = np.full((2, 1), value, dtype=np.uint32)
    shapes = next(group for group in settings["groups"])["statistics"]["shapes"]
    shapes[name] = [2, 1]
    storage.write(tmp_path / "bad", settings, {**file.arrays, key: array})
    with pytest.raises(FileFormatError, match=message):
        banbury.load(tmp_path / "bad")
