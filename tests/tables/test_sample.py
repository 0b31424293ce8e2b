"""The sample that weights are fitted to: what leaves with each row, and what the others then say."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Classifier
from banbury.errors import InputError
from banbury.tables.columns import groups_of, kinds_of
from banbury.tables.frame import read
from banbury.tables.learned import Learned, Rows
from banbury.tables.sample import Sample


def some_rows(n: int = 30, *, groups: bool = False, weighted: bool = False) -> Rows:
    """Numbers, categories and counts, some missing, some rows repeated under other labels."""
    rng = np.random.default_rng(4)
    table: dict[str, Any] = {
        "x": rng.normal(size=n).round(1),
        "y": rng.choice(["a", "b", "c"], n),
        "z": rng.poisson(3, n).astype(float),
    }
    table["x"][3] = np.nan
    for values in table.values():
        values[-6:] = values[:6]
    labels = rng.choice(["no", "yes"], n).tolist()
    weights = rng.integers(1, 4, n).tolist() if weighted else None
    return Rows.of(read(table), labels, weights, rng.integers(0, 8, n).tolist() if groups else None)


def learned_from(rows: Rows, kinds: Any) -> Learned:
    return Learned([], [], groups_of(kinds, 0)).plus(rows).of_classes(["no", "yes"])


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_kinds_say_what_they_say_without_all_that_leaves_with_a_row(groups: bool, weighted: bool) -> None:
    rows = some_rows(groups=groups, weighted=weighted)
    kinds = kinds_of({"x": "gaussian", "y": "categorical", "z": "poisson"}, rows.table)
    learned = learned_from(rows, kinds)
    sample = Sample.of(rows, rows.numbers(learned.classes), 2, 100)
    values = [group.values(rows.table) for group in learned.groups]
    found = sample.kind_evidence(learned.groups, values)
    hashes = rows.hashes()
    for row, place in enumerate(sample.places.tolist()):
        leaves = hashes == hashes[place]
        if rows.groups is not None:
            leaves |= rows.groups == rows.groups[place]
        others = learned_from(rows.take(np.flatnonzero(~leaves)), kinds)
        logs = [group.statistics.log_probabilities(group.values(rows.table))[place] for group in others.groups]
        expected = np.concatenate([one - one.mean(axis=0) for one in logs], axis=1)
        # A category that only left rows have is not known without them: a value that nobody has had.
        assert_allclose(found[row], expected, rtol=1e-6, atol=1e-6)
        weights = np.ones(len(hashes)) if rows.weights is None else rows.weights
        gone = [weights[leaves & (sample.class_ids == class_id)].sum() for class_id in range(2)]
        assert sample.gone[row].tolist() == gone


def test_what_leaves_together_is_one_observation() -> None:
    rows = some_rows()
    twice = Rows.of(rows.table, rows.labels, [2] * len(rows.labels))
    once, doubled = (Sample.of(one, one.numbers(["no", "yes"]), 2, 100) for one in (rows, twice))
    assert_allclose(doubled.observations, once.observations)
    assert_allclose(doubled.trusted, once.trusted)


def test_a_note_says_what_was_left_out_together() -> None:
    rows = some_rows()
    assert Sample.of(rows, rows.numbers(["no", "yes"]), 2, 100).note.startswith("6 of 30 rows repeat others: copies")
    grouped = some_rows(groups=True)
    assert "8 groups of 30 rows" in Sample.of(grouped, grouped.numbers(["no", "yes"]), 2, 100).note


# Whole models


def patients(seed: int, n: int = 120) -> tuple[dict[str, Any], list[str], list[int]]:
    """Five rows of each patient, whose label is the toss of a coin, and whom a number gives away."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 5)
    label = rng.choice(["ill", "well"], n)[who]
    blood = rng.normal(size=n)[who] + rng.normal(0, 0.001, len(who))
    return {"blood": blood, "age": rng.integers(20, 80, n)[who]}, label.tolist(), who.tolist()


def test_groups_make_a_report_say_how_new_groups_are_predicted() -> None:
    table, labels, who = patients(0)
    alone, grouped = Classifier().fit(table, labels), Classifier().fit(table, labels, groups=who)
    assert alone.report_.accuracy > 0.8
    assert grouped.report_.accuracy < 0.62
    assert "120 groups of 600 rows" in grouped.report_.note
    new, new_labels, _ = patients(1)
    assert grouped.score(new, new_labels) < 0.6


def test_rows_twice_or_of_weight_two_give_the_same_model() -> None:
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=300), "y": rng.choice(list("abcd"), 300)}
    labels = np.where(table["x"] + (table["y"] == "a") + rng.normal(size=300) > 0, "p", "q").tolist()
    once = Classifier().fit(table, labels)
    twice = Classifier().fit({name: np.concatenate([values] * 2) for name, values in table.items()}, labels * 2)
    heavy = Classifier().fit(table, labels, [2] * 300)
    for model in (twice, heavy):
        assert abs(model.report_.accuracy - once.report_.accuracy) < 0.03
        assert_allclose(model.predict_proba(table), once.predict_proba(table), atol=0.08)


def test_groups_that_do_not_fit_are_refused_and_change_nothing() -> None:
    table, labels, who = patients(0)
    model = Classifier().fit(table, labels)
    expected = model.predict_proba(table)
    for groups, message in (
        (who[:-1], "600 documents but 599 groups"),
        ([None, *who[1:]], "document 0 has group None"),
    ):
        with pytest.raises(InputError, match=message):
            model.fit(table, labels, groups=groups)
        with pytest.raises(InputError, match=message):
            model.refit_settings(table, labels, groups=groups)
    assert (model.predict_proba(table) == expected).all()


def test_one_group_of_everything_still_learns() -> None:
    table, labels, _ = patients(0)
    model = Classifier().fit(table, labels, groups=["all"] * len(labels))
    assert np.isfinite(model.predict_proba(table)).all()
    assert np.isfinite(model.report_.log_loss)


def test_texts_in_a_table_leave_with_their_groups() -> None:
    table, labels, who = patients(3, 60)
    table["note"] = [f"patient {name} number{name}" for name in who]
    model = Classifier(columns={"blood": "number", "note": "text"}).fit(table, labels, groups=who)
    most = max(labels.count("ill"), labels.count("well")) / len(labels)
    assert model.report_.accuracy < most + 0.05
    assert Classifier(columns={"blood": "number", "note": "text"}).fit(table, labels).report_.accuracy > most + 0.15
