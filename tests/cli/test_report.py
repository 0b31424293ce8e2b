"""What `train` says: figures, choices, words, rows worth a second look. And Parquet out of any rows."""

import json
import os
import re
from math import nan
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury.cli import findings, output
from banbury.cli.blocks import Block, Blocks
from banbury.cli.checks import FIGURES
from commands import Here


def write_rows(path: Path, rows: list[tuple[str, str]]) -> None:
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


def letters() -> list[tuple[str, str]]:
    """Two classes that are easily told apart, and one row with the wrong label."""
    rows = [(f"letter {n} from sender@example.org", "a") for n in range(90)]
    rows += [(f"letter {n} by nobody", "b") for n in range(90)]
    return [*rows, ("letter 1 by nobody", "a")]


def test_the_report_of_training_fits_two_screens_and_names_what_may_be_wrong(here: Here) -> None:
    write_rows(here.folder / "rows.jsonl", letters())
    result = here("train", "rows.jsonl", "-o", "x.banbury")
    assert result.code == 0
    assert len(result.out.split("\n")) < 48
    assert "sender@example.org (a)" in result.out
    assert re.search(r"duplicates +of rows before them: 1 exact, \d+ near; groups with different labels: ", result.out)
    assert re.search(r"^  line 181  a  +\d+\.\d%  letter 1 by nobody$", result.out, re.MULTILINE)
    assert re.search(r"^  .* curves +0\.\d{4} +0\.\d{4}  chosen$", result.out, re.MULTILINE)
    assert "Next: banbury predict x.banbury" in result.err


def test_doubtful_rows_are_named_by_their_lines_also_where_others_were_skipped(here: Here) -> None:
    write_rows(here.folder / "rows.jsonl", letters())
    with open(here.folder / "rows.jsonl", "r+") as file:
        whole = file.read()
        file.seek(0)
        file.write("nonsense\n\n" + whole)
    result = here("train", "rows.jsonl", "-o", "x.banbury", "--bad-rows", "skip", "--json")
    found = json.loads(result.out)
    assert (found["skipped"], found["doubtful labels"][0]["line"]) == (1, 183)
    assert found["doubtful labels"][0]["text"] == "letter 1 by nobody"
    write_rows(here.folder / "more.jsonl", letters())
    found = json.loads(here("train", "more.jsonl", "more.jsonl", "-o", "x.banbury", "--json").out)
    assert all("line" not in one for one in found["doubtful labels"])  # of which file would it be?


def test_the_strongest_words_of_many_documents_are_no_rare_ones() -> None:
    texts = [f"good x{n // 2}" if n % 2 else f"bad y{n // 2}" for n in range(60_000)]
    model = banbury.Classifier.textbook().fit(texts, ["pos" if n % 2 else "neg" for n in range(60_000)])
    assert findings.strongest_words(model) == {"neg": ["bad"], "pos": ["good"]}


def test_every_figure_can_be_checked(here: Here) -> None:
    write_rows(here.folder / "rows.jsonl", letters())
    assert here("train", "rows.jsonl", "-o", "x.banbury").code == 0
    known = banbury.load(here.folder / "x.banbury").report_
    assert [one.name.lower().replace(" ", "-") for one in known.figures()] == list(FIGURES)
    for name in FIGURES:
        assert here("evaluate", "x.banbury", "rows.jsonl", "--fail-under", f"{name}=-9").code == 0
        assert here("evaluate", "x.banbury", "rows.jsonl", "--fail-under", f"{name}=9").code == 1


def test_columns_can_be_left_out_of_a_table(here: Here) -> None:
    lines = [f"{'x' if n % 2 else 'y'},{n % 2},{n},{'a' if n % 2 else 'b'}" for n in range(60)]
    (here.folder / "rows.csv").write_text("one,two,id,label\n" + "\n".join(lines))
    assert here("train", "rows.csv", "--without", "id", "-o", "x.banbury").code == 0
    assert list(json.loads(here("inspect", "x.banbury", "--json").out)["columns"]) == ["one", "two"]
    wrong = here("train", "rows.csv", "--without", "id", "--columns", "one", "-o", "y.banbury")
    assert (wrong.code, "not both" in wrong.err) == (2, True)
    assert "no column 'three'" in here("train", "rows.csv", "--without", "three", "-o", "y.banbury").err
    assert "it knows no words" in here("words", "x.banbury", "a").err


def test_cells_stand_in_columns_and_nothing_moves_the_cursor() -> None:
    blocks = Blocks([Block("h\x1b[2J", [("漢", "1", "one"), ("ab\x07c", "22", "two")], right=(1,))])
    assert str(blocks) == "h␛[2J\n  漢     1  one\n  ab␇c  22  two"


def test_a_folder_that_cannot_be_written_to_is_named_before_the_work(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(here.folder / "rows.jsonl", letters())
    folder = here.folder / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    if os.access(folder, os.W_OK):  # root may write anywhere: it gets the answer that anybody else gets
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path).resolve() != folder.resolve())
    for arguments in (["train", "rows.jsonl"], ["rank", "rows.jsonl", "-q", "x"]):
        result = here(*arguments, "-o", "closed/x")
        assert (result.code, "nothing can be written to the folder of 'closed/x'" in result.err) == (2, True)


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
