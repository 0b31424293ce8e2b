"""`banbury tree`: labels in a hierarchy, on the command line."""

import json
from pathlib import Path

import pytest

from banbury import HierarchicalClassifier
from commands import Here, json_rows
from tree_texts import LABELS, TEXTS


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "new.csv").write_text("text\na goal of the team\nleague match win team\n", encoding="utf-8")
    return Here(tmp_path, monkeypatch)


@pytest.fixture
def trained(run: Here) -> Here:
    assert run("tree", "train", "rows.jsonl", "-o", "model").code == 0
    return run


def test_train_prints_the_report_by_level(run: Here) -> None:
    result = run("tree", "train", "rows.jsonl", "-o", "model")
    assert "level  nodes  accuracy" in result.out
    assert "model: 96 documents, 6 labels on 2 levels" in result.err
    plain = json.loads(run("tree", "train", "rows.jsonl", "-o", "model", "--json").out)
    assert plain["documents"] == 96
    assert [row["level"] for row in plain["levels"]] == [1, 2]
    assert list(plain["level_weights"]) == ["level 1", "labels"]


def test_predict_stops_where_it_is_no_longer_sure(trained: Here) -> None:
    model = HierarchicalClassifier.load(trained.folder / "model")
    chances = model.probabilities("league match win team")
    assert (
        trained("tree", "predict", "model", "league match win team", "--sure", "0.8").out
        == f"sport {chances['sport']:.4f}\n"
    )
    assert trained("tree", "predict", "model", "", "--sure", "1").out == "- 1.0000\n"
    rows = json_rows(trained("tree", "predict", "model", "new.csv", "--to", "jsonl").out)
    assert rows[0] == {
        "text": "a goal of the team",
        "predicted": "sport/football",
        "probability": model.probabilities("a goal of the team")["sport/football"],
    }
    lines = trained("tree", "predict", "model", "new.csv", "--prefix", "its ").out.splitlines()
    assert lines[0] == "text,its predicted,its probability"


def test_evaluate_explain_learn_and_forget(trained: Here) -> None:
    before = (trained.folder / "model").read_bytes()
    report = json.loads(trained("tree", "evaluate", "model", "rows.jsonl", "--json", "--sure", "0.5").out)
    assert report["levels"][0]["accuracy"] > 0.9
    assert "mean distance" in trained("tree", "evaluate", "model", "rows.jsonl").out
    explained = trained("tree", "explain", "model", "a goal", "--label", "sport")
    assert "sport" in explained.out
    assert "P(sport) = " in explained.err
    steps = json.loads(trained("tree", "explain", "model", "a goal of the team", "--json").out)
    assert [step["node"] for step in steps] == ["sport", "sport/football"]
    (trained.folder / "more.jsonl").write_text('{"text": "an ode", "label": "poem/ode"}\n')
    assert "97 documents, 7 labels" in trained("tree", "learn", "model", "more.jsonl").err
    assert "96 documents, 6 labels" in trained("tree", "forget", "model", "more.jsonl").err
    assert (trained.folder / "model").read_bytes() == before


def test_a_label_that_is_leaf_and_parent_is_an_error_and_the_model_stays(trained: Here) -> None:
    before = (trained.folder / "model").read_bytes()
    (trained.folder / "bad.jsonl").write_text('{"text": "so", "label": "sport"}\n')
    result = trained("tree", "learn", "model", "bad.jsonl")
    assert result.code == 3
    assert "'sport' is a leaf and the parent" in result.err
    assert (trained.folder / "model").read_bytes() == before
