"""`banbury stream`: rows that carry a time, on the command line."""

import json
from pathlib import Path

import pytest

from banbury import StreamClassifier
from commands import Here, json_rows
from stream_texts import DATES, LABELS, TEXTS, TIMES


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    rows = [
        {"text": text, "label": label, "date": date} for text, label, date in zip(TEXTS, LABELS, DATES, strict=True)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    cells = "".join(f"{text},{label},{time}\n" for text, label, time in zip(TEXTS, LABELS, TIMES, strict=True))
    (tmp_path / "rows.csv").write_text(f"text,label,step\n{cells}", encoding="utf-8")
    (tmp_path / "new.csv").write_text("text\ncoins and a token\n", encoding="utf-8")
    return Here(tmp_path, monkeypatch)


@pytest.fixture
def trained(run: Here) -> Here:
    assert run("stream", "train", "rows.jsonl", "-o", "model", "--half-life", "2").code == 0
    return run


def test_train_prints_how_each_period_was_predicted(run: Here) -> None:
    result = run("stream", "train", "rows.jsonl", "-o", "model", "--half-life", "none")
    assert "2026-05" in result.out
    assert "drift" in result.out
    assert "model: 240 documents, 8 periods, 2026-01 to 2026-08; nothing ages" in result.err
    plain = json.loads(
        run("stream", "train", "rows.csv", "--time", "step", "--period", "2", "-o", "model", "--json").out
    )
    assert plain["documents"] == 240
    assert [row["period"] for row in plain["periods"]] == ["2", "4", "6"]
    assert "none" in plain["half_lives"]


def test_predict_explain_and_drift(trained: Here) -> None:
    model = StreamClassifier.load(trained.folder / "model")
    chance = model.probabilities("coins and a token")["spam"]
    assert trained("stream", "predict", "model", "coins and a token").out == f"spam {chance:.4f}\n"
    rows = json_rows(trained("stream", "predict", "model", "new.csv", "--to", "jsonl").out)
    assert rows == [{"text": "coins and a token", "predicted": "spam", "probability": pytest.approx(chance)}]
    assert "rather than" in trained("stream", "explain", "model", "coins", "--label", "ham").out
    assert json.loads(trained("stream", "explain", "model", "coins", "--json").out)["label"] == "spam"
    assert "half-life: 2 periods" in trained("stream", "drift", "model").out
    drift = json.loads(trained("stream", "drift", "model", "--json", "--top", "3").out)
    assert [row["period"] for row in drift["periods"] if row["has_drifted"]][:1] == ["2026-05"]


def test_learn_forget_and_forget_before(trained: Here) -> None:
    before = (trained.folder / "model").read_bytes()
    (trained.folder / "more.jsonl").write_text('{"text": "an airdrop", "label": "spam", "date": "2026-09-01"}\n')
    assert "241 documents, 9 periods" in trained("stream", "learn", "model", "more.jsonl").err
    assert "240 documents, 8 periods" in trained("stream", "forget", "model", "more.jsonl").err
    assert (trained.folder / "model").read_bytes() == before
    assert (
        "60 documents, 2 periods, 2026-07 to 2026-08" in trained("stream", "forget-before", "model", "2026-07-01").err
    )


def test_what_cannot_be_used_is_said_and_the_model_stays(trained: Here) -> None:
    before = (trained.folder / "model").read_bytes()
    (trained.folder / "bad.jsonl").write_text('{"text": "so", "label": "spam", "date": null}\n')
    result = trained("stream", "learn", "model", "bad.jsonl")
    assert (result.code, "bad.jsonl, line 1 has no time" in result.err) == (3, True)
    assert (trained.folder / "model").read_bytes() == before
    result = trained("stream", "train", "rows.csv", "-o", "other")
    assert (result.code, "which column has the times? Say --time NAME" in result.err) == (3, True)
    assert trained("stream", "train", "rows.jsonl", "-o", "other", "--half-life", "long").code == 2
