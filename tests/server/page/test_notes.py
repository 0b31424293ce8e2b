"""Notes of teaching: what was written comes back, and half a line spoils itself alone."""

from pathlib import Path
from typing import Any

import pytest

from banbury.server.page.notes import Notes, digest, skipped


def test_what_was_written_comes_back_in_order(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "teaching" / "mood.jsonl")
    assert notes.read() == []
    assert notes.labels == []
    written: list[dict[str, Any]] = [{"labels": ["a", "b"]}, {"skip": "1"}, {"labels": ["ä", "<b>", "\u2028"]}]
    for note in written:
        notes.write(note)
    assert notes.read() == written
    assert notes.labels == ["ä", "<b>", "\u2028"]


@pytest.mark.parametrize("damage", [b'\n{"skip": "2', b"\n[1]", b"\n\xff\xfe", b"\n{}\n\n"])
def test_a_damaged_line_is_left_out_and_the_next_is_whole(tmp_path: Path, damage: bytes) -> None:
    notes = Notes(tmp_path / "mood.jsonl")
    notes.write({"skip": "1"})
    with open(notes.path, "ab") as file:
        file.write(damage)
    notes.write({"skip": "3"})
    assert skipped(notes.read()) == {"1", "3"}


def test_a_place_that_cannot_be_written_loses_the_note_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    notes = Notes(tmp_path / "file" / "mood.jsonl")
    notes.write({"skip": "1"})
    assert notes.read() == []
    assert "cannot be" in caplog.text


def test_skips_end_where_they_are_asked_again() -> None:
    assert skipped([{"skip": "1"}, {"again": True}, {"skip": "2"}, {"sequence": 3}]) == {"2"}


def test_a_digest_is_of_the_content() -> None:
    assert digest({"a": 1, "b": "x"}) == digest({"b": "x", "a": 1}) != digest({"a": 1})
