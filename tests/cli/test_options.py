"""What commands share: texts told from files, labels as they are written, priors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from banbury import Classifier
from banbury.cli import options
from banbury.cli.declared import BadParameter, UsageError
from banbury.errors import InputError
from commands import LABELS, TEXTS, Here, write_rows
from letters import letters, write_pairs


@pytest.mark.parametrize(
    "name", ["no.jsonl", "no.csv.gz", "no.TSV.zstd", "no.txt", "no.json", "./no", "/no/such/thing"]
)
def test_what_is_called_like_a_file_and_is_none_is_a_mistake(name: str) -> None:
    with pytest.raises(InputError, match=r"there is no such file \(if it is a text, say --texts\)"):
        options.texts_or_files((name,), None)


def test_what_exists_is_a_file_and_all_else_a_text(tmp_path: Path) -> None:
    path = tmp_path / "so happy"
    path.write_text("x")
    assert options.texts_or_files((str(path), "-"), None) == ([], (str(path), "-"))
    assert options.texts_or_files(("so happy", "see a.b c"), None) == (["so happy", "see a.b c"], ())
    assert options.texts_or_files((str(path),), "texts") == ([str(path)], ())
    with pytest.raises(UsageError, match="give files or texts"):
        options.texts_or_files((str(path), "so happy"), None)


@pytest.mark.parametrize(
    "labels, classes, expected",
    [
        (["1", "2"], [1, 2, 3], [1, 2]),
        (["7"], [1, 2], [7]),
        (["true", "0"], [False, True], [True, False]),
        (["a"], ["a", "b"], ["a"]),
        ([3], [1, 2], [3]),
        (["new"], [], ["new"]),
    ],
)
def test_labels_of_text_files_have_the_kind_of_the_model(
    labels: list[object], classes: list[object], expected: list[object]
) -> None:
    assert options.of_kind(labels, classes) == expected


def test_a_label_of_another_kind_is_an_error() -> None:
    with pytest.raises(InputError, match="labels are of type int"):
        options.of_kind(["spam"], [1, 2])
    with pytest.raises(InputError, match="there is no class 'eggs'; this model knows 'ham', 'spam'"):
        options.label_of("eggs", ["ham", "spam"])


def test_a_prior_names_all_shares_or_all_but_one() -> None:
    assert options.shares("spam=0.25", ["ham", "spam"]) == {"spam": 0.25, "ham": 0.75}
    assert options.shares("uniform", ["ham", "spam"]) == "uniform"
    assert options.shares("1=0.5,2=0.5", [1, 2]) == {1: 0.5, 2: 0.5}
    with pytest.raises(BadParameter, match="'spam=lots' is not LABEL=SHARE"):
        options.shares("spam=lots", ["ham", "spam"])


def test_limits_are_numbers_by_name() -> None:
    with pytest.raises(BadParameter, match="'row=x' is not NAME=N with one of row, expanded, ratio, parquet"):
        options.reader_of((), {"limit": ("row=x",)})


def test_bad_rows_fail_or_are_skipped_and_counted(here: Here) -> None:
    good = b'{"text": "so happy", "label": "a"}\n{"text": "so sad", "label": "b"}\n'
    (here.folder / "rows.jsonl").write_bytes(good * 3 + b"{}\n" + good)
    result = here("train", "rows.jsonl", "-o", "x.banbury")
    assert result.code == 3
    assert "rows.jsonl, line 7: it has no text (--bad-rows skip leaves such rows out)" in result.err
    assert not (here.folder / "x.banbury").exists()
    result = here("train", "rows.jsonl", "-o", "x.banbury", "--bad-rows", "skip")
    assert (result.code, "1 bad row skipped, 8 read; the first: rows.jsonl, line 7" in result.err) == (0, True)


def test_numbers_as_labels_meet_a_csv(here: Here) -> None:
    (here.folder / "rows.jsonl").write_text(
        "".join(f'{{"text": "{text}", "label": {n}}}\n' for n, text in enumerate(["so happy", "so sad"]) for _ in "123")
    )
    assert here("train", "rows.jsonl", "-o", "x.banbury", "--plain").code == 0
    (here.folder / "test.csv").write_text("text,label\nhappy,0\nsad,1\nsad,0\n")
    assert json.loads(here("evaluate", "x.banbury", "test.csv", "--json").out)["n_right"] == 2
    assert here("learn", "x.banbury", "test.csv").code == 0
    assert here("words", "x.banbury", "1").code == 0
    (here.folder / "test.csv").write_text("text,label\nhappy,yes\n")
    result = here("evaluate", "x.banbury", "test.csv")
    assert (result.code, "labels are of type int" in result.err) == (3, True)


def test_a_folder_that_cannot_be_written_to_is_named_before_the_work(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pairs(here.folder / "rows.jsonl", letters())
    folder = here.folder / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    if os.access(folder, os.W_OK):  # root may write anywhere: it gets the answer that anybody else gets
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path).resolve() != folder.resolve())
    for arguments in (["train", "rows.jsonl"], ["rank", "rows.jsonl", "-q", "x"]):
        result = here(*arguments, "-o", "closed/x")
        assert (result.code, "nothing can be written to the folder of 'closed/x'" in result.err) == (2, True)


def fitted() -> Classifier:
    return Classifier.textbook().fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "command",
    [
        "train rows.jsonl -o rows.jsonl",
        "train rows.jsonl -o link.jsonl",
        "predict model rows.jsonl -o rows.jsonl",
        "predict model rows.jsonl -o model",
        "filter model rows.jsonl --keep positive -o rows.jsonl",
        "rank rows.jsonl --query so -o rows.jsonl",
        "rank rows.jsonl --query so --save rows.jsonl",
        "report model rows.jsonl -o rows.jsonl",
        "label rows.jsonl --labels a,b -o rows.jsonl",
        "learn model rows.jsonl -o rows.jsonl",
        "forget model rows.jsonl -o rows.jsonl",
    ],
)
def test_a_file_that_is_read_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    here = Here(tmp_path, monkeypatch)
    write_rows(here.folder / "rows.jsonl", TEXTS[:40], LABELS[:40])
    (here.folder / "link.jsonl").symlink_to("rows.jsonl")
    fitted().save(here.folder / "model")
    before = {path.name: path.read_bytes() for path in here.folder.iterdir()}
    result = here(*command.split())
    assert result.code == 2, result
    assert "is read and would be overwritten" in result.err
    assert {path.name: path.read_bytes() for path in here.folder.iterdir()} == before


def test_a_file_that_comes_by_standard_input_is_not_overwritten(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", TEXTS[:40], LABELS[:40])
    before = (tmp_path / "rows.jsonl").read_bytes()
    command = [sys.executable, "-m", "banbury", "train", "-", "-o", "rows.jsonl"]
    with open(tmp_path / "rows.jsonl", "rb") as rows:
        done = subprocess.run(command, stdin=rows, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "would be overwritten" in done.stderr) == (2, True)
    assert (tmp_path / "rows.jsonl").read_bytes() == before


def test_a_model_that_is_changed_is_written_where_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(tmp_path, monkeypatch)
    write_rows(here.folder / "rows.jsonl", TEXTS[:40], LABELS[:40])
    fitted().save(here.folder / "model")
    for command in ("learn model rows.jsonl -o model", "forget model rows.jsonl -o model", "merge model -o model"):
        assert here(*command.split()).code == 0
