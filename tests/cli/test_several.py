"""`banbury several`: rows with several labels each, on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from banbury import MultiLabelClassifier
from commands import Here, json_rows
from label_sets import some_documents

GIVEN = some_documents()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [{"text": text, "labels": list(labels)} for text, labels in zip(GIVEN.texts, GIVEN.sets, strict=True)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    cells = "".join(f"{text},{'|'.join(labels)}\n" for text, labels in zip(GIVEN.texts, GIVEN.sets, strict=True))
    (tmp_path / "rows.csv").write_text(f"text,tags\n{cells}", encoding="utf-8")
    (tmp_path / "new.csv").write_text("text\na joke\nnothing of it\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(files: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    return Here(files, monkeypatch)


@pytest.fixture
def trained(run: Here) -> Here:
    assert run("several", "train", "rows.jsonl", "-o", "model").code == 0
    return run


def test_train_prints_the_report_and_every_format_gives_the_same_model(run: Here) -> None:
    result = run("several", "train", "rows.jsonl", "-o", "model")
    assert result.code == 0
    assert "micro F1" in result.out
    assert "model: 60 documents, 3 labels" in result.err
    assert run("several", "train", "rows.csv", "--separator", "|", "-o", "other").code == 0
    assert (run.folder / "model").read_bytes() == (run.folder / "other").read_bytes()
    plain = json.loads(run("several", "train", "rows.jsonl", "-o", "model", "--json").out)
    assert plain["documents"] == 60
    assert plain["micro_f1"] > 0.9
    assert [row["label"] for row in plain["labels"]] == ["comic", "drama", "short"]


def test_predict_gives_the_labels_in_the_form_that_is_asked_for(trained: Here) -> None:
    model = MultiLabelClassifier.load(trained.folder / "model")
    chances = model.probabilities("a joke")
    text = trained("several", "predict", "model", "a joke", "nothing of it").out
    assert text == f"comic {chances['comic']:.4f}\nnone\n"
    rows: list[Any] = json_rows(trained("several", "predict", "model", "new.csv", "--to", "jsonl").out)
    assert rows[0] == {"text": "a joke", "predicted": ["comic"], "probabilities": {"comic": chances["comic"]}}
    assert rows[1]["predicted"] == []
    table = trained("several", "predict", "model", "new.csv", "--top", "2", "--separator", "+").out.splitlines()
    best = list(chances)[:2]
    assert table[0] == "text,predicted,probabilities"
    assert table[1] == f"a joke,{'+'.join(best)},{chances[best[0]]:.6g}+{chances[best[1]]:.6g}"
    lines = trained("several", "predict", "model", "new.csv", "--to", "fasttext").out
    assert lines == f"__label__comic {chances['comic']:.6g}\n\n"
    assert trained("several", "predict", "model", "a joke", "--threshold", "1").out == "none\n"


def test_evaluate_explain_learn_and_forget(trained: Here) -> None:
    before = (trained.folder / "model").read_bytes()
    report = json.loads(trained("several", "evaluate", "model", "rows.jsonl", "--json", "-o", "page.html").out)
    assert report["micro_f1"] > 0.95
    assert "Missing labels" in (trained.folder / "page.html").read_text()
    assert "micro F1" in trained("several", "evaluate", "model", "rows.csv", "--separator", "|").out
    explained = trained("several", "explain", "model", "a joke", "--label", "comic").out
    assert "rather than not comic" in explained
    assert json.loads(trained("several", "explain", "model", "a joke", "--json").out)["label"] == "comic"
    (trained.folder / "more.jsonl").write_text('{"text": "an ode", "labels": ["poem"]}\n')
    assert "61 documents, 4 labels" in trained("several", "learn", "model", "more.jsonl").err
    assert "60 documents, 3 labels" in trained("several", "forget", "model", "more.jsonl").err
    assert (trained.folder / "model").read_bytes() == before


@pytest.mark.parametrize(
    "rows, message",
    [
        (
            [("a", ["comic"]), ("b", [1])],
            "rows2.jsonl, line 2 has label 1, of type int, but rows2.jsonl, line 1 has",
        ),
        ([("a", ["comic"]), ("b", None)], "rows2.jsonl, line 2: it has no 'labels'; an empty list says"),
        ([("a", []), ("b", [])], "no document has a label: there is nothing to learn"),
    ],
)
def test_rows_that_cannot_be_used_are_named_by_file_and_line(
    run: Here, rows: list[tuple[str, object]], message: str
) -> None:
    lines = [json.dumps({"text": text, "labels": labels}) for text, labels in rows]
    (run.folder / "rows2.jsonl").write_text("\n".join(lines))
    result = run("several", "train", "rows2.jsonl", "-o", "other")
    assert (result.code, message in result.err) == (3, True)
    assert not (run.folder / "other").exists()


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (("train", "new.csv", "-o", "m"), 3, "which column has the labels? Say --label NAME; there are 'text'"),
        (("train", "rows.jsonl", "-o", "m", "--threshold", "high"), 2, "'high' is no probability"),
        (("train", "rows.jsonl", "-o", "m", "--threshold", "7"), 3, "threshold is 7.0"),
        (("predict", "rows.jsonl", "a"), 3, "rows.jsonl"),
        (("explain", "model", "a", "--label", "none"), 3, "there is no class 'none'"),
        (("forget", "model", "rows.csv"), 3, "no document with label"),
        (("predict", "model", "rows.jsonl", "--prefix", "", "--to", "csv", "--threshold", "x"), 2, "no probability"),
    ],
)
def test_what_cannot_be_used_is_said(trained: Here, arguments: tuple[str, ...], code: int, message: str) -> None:
    result = trained("several", *arguments)
    assert result.code == code
    assert message in result.err
