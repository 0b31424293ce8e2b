"""Dropped files: names that harm nothing, nothing written over, rows as a model takes them."""

from pathlib import Path

import pytest
from hypothesis import given

from banbury.errors import InputError
from banbury.server.models import ServedModel
from banbury.server.page.files import Files, rows_for, safe_name
from banbury.server.problems import Problem
from hostile import hostile_texts

CABINS = (("first", "saved"), ("third", "lost"))


@given(hostile_texts())
def test_any_name_becomes_a_name_within_the_folder(text: str) -> None:
    name = safe_name(text)
    assert name == safe_name(name)
    assert 0 < len(name.encode()) <= 80
    assert not set(name) & set("/\\<>\"'&\0 ")
    assert not name.startswith((".", "-"))


def test_nothing_is_written_over_and_nothing_else_is_found(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.new("a.csv.gz").write_text("1")
    files.new("a.csv.gz").write_text("2")
    assert {one.name for one in files.list()} == {"a.csv.gz", "a-2.csv.gz"}
    (tmp_path / "secret").write_text("x")
    for name in ("../secret", "/etc/passwd", "", "a.csv", ".."):
        with pytest.raises(Problem, match="there is no file"):
            files.path(name)
    files.remove("a.csv.gz")
    assert [one.name for one in files.list()] == ["a-2.csv.gz"]


def test_without_a_folder_files_go_with_the_server() -> None:
    files = Files(None)
    path = files.new("a.csv")
    path.write_text("1")
    files.close()
    assert not path.exists()


def test_rows_are_read_as_the_model_takes_them(models: Path, tmp_path: Path) -> None:
    mood = ServedModel("mood", models / "mood.banbury")
    path = tmp_path / "rows.csv"
    path.write_text("text,label\nso happy,positive\nso sad,negative\n")
    found = rows_for(mood, path, most=1, with_labels=True)
    assert (found.documents, found.labels, found.is_cut) == (["so happy"], ["positive"], True)
    assert rows_for(mood, path, most=9, with_labels=False).labels is None
    passengers = ServedModel("passengers", models / "passengers.banbury")
    path.write_text("age,cabin,fare,label\n1.5,first,,saved\n")
    assert rows_for(passengers, path, most=9, with_labels=True).documents == {
        "age": [1.5], "cabin": ["first"], "fare": [None]
    }  # fmt: skip


@pytest.mark.parametrize(
    "content, message",
    [(b"", "no rows|no column"), (b"\x00\xff\x00", "rows.csv"), (b"text\nonly texts\n", "no column of labels")],
)
def test_a_bad_file_is_named_without_its_folder(models: Path, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        rows_for(ServedModel("mood", models / "mood.banbury"), path, most=9, with_labels=True)
    assert str(tmp_path) not in str(error.value)


def test_a_column_with_the_labels_of_the_model_is_found(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = "".join(f"{age}.5,{cabin},2.25,{label}\n" for age in range(20, 40) for cabin, label in CABINS)
    path.write_text(f"age,cabin,fare,outcome\n{rows}")
    model = ServedModel("passengers", models / "passengers.banbury")
    assert rows_for(model, path, most=2, with_labels=True).labels == ["saved", "lost"]
    path.write_text(f"age,cabin,fare,outcome\n{rows}41.5,third,2.25,sunk\n")
    with pytest.raises(InputError, match="no column of labels"):
        rows_for(model, path, most=2, with_labels=True)
