"""Screening: the best of many pairs are those that gain most for rows that are not weighed."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury.tables import rungs, screening
from banbury.tables.columns import groups_of, kinds_of
from banbury.tables.fit import softmax
from banbury.tables.frame import read
from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import Part


def part_of(n_rows: int, n_columns: int, *, seed: int = 0) -> Part:
    """Columns of noise, the last of which never varies; the label is the exclusive or of the first two."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, n_columns)).round(2)
    numbers[:, -1] = 7.0
    labels = np.where((numbers[:, 0] > 0) ^ (numbers[:, 1] > 0), "odd", "even").tolist()
    table = read({f"c{at:02}": numbers[:, at] for at in range(n_columns)})
    rows = Rows.of(table, labels, None)
    learned = Learned([], [], groups_of(kinds_of(None, table), 0)).plus(rows)
    return Part(learned, rows, lambda places: np.zeros((len(places), 2, 0)), 1)


def test_tiles_have_every_pair_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "TILE", 3)
    columns = [0, 2, 3, 5, 6, 7, 9]
    pairs = [pair for tile in screening.tiles(columns) for pair in tile]
    assert sorted(pairs) == list(combinations(columns, 2))


def test_the_best_of_many_pairs_are_those_that_gain_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "TILE", 3)
    part = part_of(200, 8)
    fitted = part.fit("S")
    assert fitted is not None
    # All rows choose and are weighed, as they are few: so the gains are those of the sample.
    pairs = list(combinations(range(7), 2))
    gains = part.summed(part.counts_of(pairs), 2, softmax(fitted.scores))[2]
    by_gain = [pair for _, pair in sorted(zip([-gain for gain in gains], pairs, strict=True))]
    for n_kept in (1, 5, 100):
        assert screening.best_of_many(part, n_kept) == sorted(by_gain[:n_kept])
    assert by_gain[0] == (0, 1)


def test_rows_that_choose_are_others_than_those_that_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    for n_rows, n_shared in ((300, 0), (150, 50), (80, 80)):
        monkeypatch.setattr(rungs, "most_rows", lambda *_: 100)
        part = part_of(n_rows, 4)
        assert len(set(part.judges.places) & set(part.sample.places)) == n_shared


def test_evidence_of_columns_is_the_same_for_any_sample() -> None:
    part = part_of(60, 4)
    assert_allclose(part.column_evidence(part.sample, part.kernel_rows), part.by_columns)


def test_columns_that_move_the_scores_most_are_looked_at_where_there_is_too_much_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = part_of(200, 8)
    assert screening.screened(part) == list(range(7))  # the last one never varies
    monkeypatch.setattr(screening, "MOST_WORK", 200 * 10)
    assert len(screening.screened(part)) <= 5


def test_chance_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,711 pairs of noise the best seem to say something to the rows that have chosen them, and to them alone."""
    monkeypatch.setattr(rungs, "most_rows", lambda *_: 300)
    monkeypatch.setattr(rungs, "MOST_PAIRS", 1000)

    def trust(judges: str) -> float:
        part = part_of(600, 60, seed=1)
        rng = np.random.default_rng(2)
        part.class_ids[:] = rng.permutation(part.class_ids)
        part.sample.__dict__.pop("own", None)
        if judges == "the same rows":
            part.__dict__["judges"] = part.sample
        fitted = part.fit("K")
        assert fitted is not None
        return float(fitted.pair_trust.mean())

    assert trust("other rows") < 0.5 * trust("the same rows")
