"""Rungs: what they are fitted to is what a model without each row says."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import banbury
from banbury import Classifier
from banbury.tables.columns import groups_of, kinds_of
from banbury.tables.frame import read
from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import Part
from banbury.tables.votes import CellChoice, CellVotes
from switches import exclusive_or, parity


def part_of(rows: Rows) -> Part:
    kinds = kinds_of(list(rows.table.columns), rows.table)
    learned = Learned([], [], groups_of(kinds, 0)).plus(rows)
    return Part(learned, rows, lambda places: np.zeros((len(places), 2, 0)), 1)


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("name", ["S", "G", "T"])
def test_scores_are_those_of_a_model_without_each_row(name: str, groups: bool) -> None:
    table, labels = exclusive_or(60)
    rows = Rows.of(read(table), labels, None, (np.arange(60) // 3).tolist() if groups else None)
    part = part_of(rows)
    fitted = part.fit(name)
    assert fitted is not None
    weights = [fitted.weights[unit] for unit in part.unit_of]
    read_by_kind = [unit for unit, is_cells in zip(part.unit_of, fitted.by_cells, strict=True) if not is_cells]
    together = rows.together()
    for row, place in list(enumerate(part.sample.places.tolist()))[:12]:
        others = np.flatnonzero(together != together[place])
        left = fitted.terms.counted(part.codes[:, others].copy(), part.class_ids[others], None, 2)
        documents = np.bincount(part.class_ids[others], minlength=2).tolist()
        votes = CellVotes(fitted.terms.with_counts(left), CellChoice.of(fitted), weights, labels[:2], documents)
        values = [group.values(rows.take(np.array([place])).table) for group in part.groups]
        expected = votes.scores(part.groups, values, 1)[0] + fitted.bias
        expected = expected + part.by_kinds[row][:, read_by_kind] @ fitted.weights[read_by_kind]
        assert_allclose(fitted.scores[row], expected, rtol=1e-4, atol=1e-4)


def test_a_rung_without_terms_is_none() -> None:
    part = part_of(Rows.of(read({"left": np.arange(60) / 7}), ["a", "b"] * 30, None))
    assert part.fit("P") is not None
    assert [part.fit(name) for name in ("G", "K", "T", "T+", "KT")] == [None] * 5


def test_the_best_effort_corrects_where_that_helps(tmp_path: Path) -> None:
    table, labels = parity(300)
    rng = np.random.default_rng(0)
    table = table.assign(d=rng.choice(list("xyz"), 300))
    model = Classifier(effort="best").fit(table, labels)
    assert any("corrected" in tried.name for tried in model.report_.tried)
    model.save(tmp_path / "model")
    assert (banbury.load(tmp_path / "model").predict_proba(table) == model.predict_proba(table)).all()
    explanation = model.explain({"a": "on", "b": "off", "c": "on", "d": "x"})
    assert_allclose(explanation.prior + sum(one.weight for one in explanation.evidence), explanation.score, rtol=1e-9)
