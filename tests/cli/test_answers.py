"""Answers: labels and probabilities as new columns, of texts and of files in every format."""

import json
from pathlib import Path
from typing import Any

import pytest

from banbury.cli.answers import write_answers
from banbury.cli.declared import UsageError


def answers(texts: Any) -> list[tuple[Any, float]]:
    return [(None if not text else text.split()[0], 0.5) for text in texts]


def given(**more: Any) -> dict[str, Any]:
    return {"to": None, "output": None, "prefix": "", "limit": ()} | more


def test_texts_and_rows_get_the_same_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_answers(("so happy", ""), "texts", given(), answers)
    assert capsys.readouterr().out == "so 0.5000\n- 0.5000\n"
    write_answers(("so happy",), "texts", given(to="jsonl"), answers)
    assert json.loads(capsys.readouterr().out) == {"text": "so happy", "predicted": "so", "probability": 0.5}
    (tmp_path / "rows.csv").write_text("id,text\n1,so happy\n")
    write_answers((str(tmp_path / "rows.csv"),), None, given(prefix="my "), answers)
    assert capsys.readouterr().out.splitlines() == ["id,text,my predicted,my probability", "1,so happy,so,0.5"]


def test_a_column_that_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("text,predicted\nso happy,yes\n")
    with pytest.raises(UsageError, match="column 'predicted' already: say --prefix"):
        write_answers((str(tmp_path / "rows.csv"),), None, given(text="text"), answers)
