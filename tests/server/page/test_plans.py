"""Plans: the guess of a file's columns is shown, whatever is in the file."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from banbury.server.page.plans import options_of, plan
from commands import LABELS, TEXTS, write_rows


def _visit(**fields: str) -> Any:
    return SimpleNamespace(field=lambda name, default="": fields.get(name, default))


def test_the_guess_has_the_first_rows(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", TEXTS, LABELS)
    found = plan(_visit(), tmp_path / "a.jsonl")
    assert found.wrong is None
    assert found.layout is not None
    assert (found.layout.format, found.layout.text, found.layout.label) == ("jsonl", "text", "label")
    assert [row["text"] for row in found.rows] == TEXTS[:6]
    assert found.columns == ["id", "text", "label"]


@pytest.mark.parametrize(
    "content", [b"", b"only\ntexts\n", bytes(range(256)), b"a,b,c\n1,2,3\n", b"PK\x03\x04", b"{}\n"]
)
def test_a_file_that_cannot_be_used_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    found = plan(_visit(), tmp_path / "file")
    assert found.wrong
    assert str(tmp_path) not in found.wrong


def test_what_the_visitor_says_is_taken() -> None:
    assert options_of(_visit(text="body", label="kind", format="csv")) == {
        "text": "body",
        "label": "kind",
        "format": "csv",
    }
    assert options_of(_visit(learn="table", format="nonsense")) == {"text": False, "label": None, "format": None}
