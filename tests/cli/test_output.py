"""Rows written to files: whole or not at all, and nothing a spreadsheet would run."""

from math import nan
from typing import Any

import banbury
from banbury.cli import output
from commands import LABELS, TEXTS, Here, json_rows, run, write_rows


def test_nothing_half_written_is_left_behind(mood: Here) -> None:
    (mood.folder / "bad.jsonl").write_bytes(b'{"text": "fine"}\n' * 2000 + b"nonsense\n")
    (mood.folder / "out.jsonl").write_text("before")
    before = sorted(path.name for path in mood.folder.iterdir())
    result = mood("predict", "mood.banbury", "bad.jsonl", "-o", "out.jsonl")
    assert result.code == 3
    assert (mood.folder / "out.jsonl").read_text() == "before"
    assert sorted(path.name for path in mood.folder.iterdir()) == before


def test_long_output_is_whole_also_unbuffered(mood: Here) -> None:
    write_rows(mood.folder / "many.jsonl", TEXTS * 40, LABELS * 40)
    result = run("predict", "mood.banbury", "many.jsonl", folder=mood.folder, PYTHONUNBUFFERED="1")
    assert len(json_rows(result.out)) == 40 * len(TEXTS)


def test_cells_that_a_spreadsheet_would_run_are_escaped(mood: Here) -> None:
    (mood.folder / "odd.csv").write_text("text\n=1+1\n-5\n'tis\n＝1+1\n", encoding="utf-8")
    rows = mood("predict", "mood.banbury", "odd.csv", "--to", "csv").out.splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["'=1+1", "-5", "'tis", "'＝1+1"]


def test_any_rows_make_a_parquet_file_and_nothing_is_left_beside_it(here: Here) -> None:
    rows: list[list[dict[str, Any]]] = [
        [{"a": 1, "b": True, "c": 1, "d": "x"}, {"a": 2.5, "b": None, "c": "=", "d": None}],
        [{"a": nan, "b": False, "c": [1], "d": "\ud800", "e": 2**70}],
    ]
    output.write("x.parquet", "parquet", iter(rows))
    found = banbury.read(here.folder / "x.parquet", text=False, label=False).whole().rows()
    assert found == [
        {"a": 1.0, "b": True, "c": "1", "d": "x", "e": None},
        {"a": 2.5, "b": None, "c": "=", "d": None, "e": None},
        {"a": None, "b": False, "c": "[1]", "d": "\ud800".encode("utf-8", "replace").decode(), "e": str(2**70)},
    ]
    assert [path.name for path in here.folder.iterdir()] == ["x.parquet"]
