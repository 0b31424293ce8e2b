"""The ladder: rows that are held out, and which rung is climbed to."""

import numpy as np

from banbury import Classifier
from banbury.tables.frame import read
from banbury.tables.ladder import folds
from banbury.tables.learned import Rows
from switches import exclusive_or, parity


def test_folds_hold_every_row_out_once_in_any_order() -> None:
    table, labels = exclusive_or(200)
    rows = Rows.of(read(table), labels, None)
    own = rows.numbers(["no", "yes"])
    held = np.concatenate(list(folds(rows, own)))
    assert sorted(held) == list(range(200))
    turned = Rows.of(read(table[::-1]), labels[::-1], None)
    again = next(folds(turned, turned.numbers(["no", "yes"])))
    assert sorted(199 - again) == sorted(next(folds(rows, own)))


def test_rows_that_belong_together_are_held_out_together() -> None:
    table, labels = exclusive_or(200)
    copies = Rows.of(
        read({name: [*values, *values[:80]] for name, values in table.items()}), labels + labels[:80], None
    )
    grouped = Rows.of(read(table), labels, None, (np.arange(200) % 40).tolist())
    for rows in (copies, grouped):
        together = rows.together()
        held = list(folds(rows, rows.numbers(["no", "yes"])))
        assert sorted(np.concatenate(held)) == list(range(len(rows.labels)))
        keys = [set(together[part].tolist()) for part in held]
        assert sum(map(len, keys)) == len(set(together.tolist()))


def test_more_rows_have_fewer_parts_and_many_columns_one() -> None:
    rng = np.random.default_rng(0)
    for n, n_columns, n_parts in ((500, 2, 5), (2000, 2, 3), (5000, 2, 2), (7000, 2, 1), (500, 300, 1)):
        rows = Rows.of(read({"x": rng.normal(size=n)}), rng.choice(["a", "b"], n).tolist(), None)
        parts = list(folds(rows, rows.numbers(["a", "b"]), n_columns))
        assert len(parts) == n_parts
        if n_parts < 3:
            assert abs(len(parts[0]) - n // 5) <= 2


def test_all_of_one_group_cannot_be_held_out() -> None:
    table, labels = exclusive_or(100)
    rows = Rows.of(read(table), labels, None, ["one"] * 100)
    assert list(folds(rows, rows.numbers(["no", "yes"]))) == []


def test_a_report_says_how_every_rung_did() -> None:
    report = Classifier().fit(*parity(300)).report_
    tried = [one.name for one in report.tried if one.name.startswith("held out")]
    assert tried == [
        "held out: a weight for each column",
        "held out: columns by cells",
        "held out: all pairs of columns",
        "held out: all triples of columns",
    ]
    assert report.chosen == "all triples of columns"
