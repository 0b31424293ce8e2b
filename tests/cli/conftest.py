"""A folder with a model, labelled rows and rows without labels, for commands on a terminal."""

import json
from pathlib import Path

import pytest

from banbury import Classifier
from commands import LABELS, TEXTS
from unlabelled import UNLABELLED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Classifier().fit(TEXTS, LABELS).save(tmp_path / "mood.banbury")
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "mood.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    new = [json.dumps({"id": n, "text": text}) for n, text in enumerate(UNLABELLED)]
    (tmp_path / "new.jsonl").write_text("\n".join(new))
    return tmp_path
