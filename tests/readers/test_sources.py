"""Folders and JSON arrays."""

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from banbury.errors import InputError
from banbury.readers import read
from row_files import ROWS, content


@given(ROWS)
@settings(max_examples=15)
def test_any_text_comes_back_from_an_array(rows: list[tuple[str, str]]) -> None:
    array = json.dumps([{"text": text, "label": label} for text, label in rows])
    assert content(io.BytesIO(array.encode())) == rows


def test_a_folder_has_its_labels_in_its_folders(tmp_path: Path) -> None:
    for label, name, data in [("pos", "1.txt", b"so happy"), ("neg", "a/2.txt", b"so sad"), ("neg", ".hidden", b"x")]:
        (tmp_path / label / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / label / name).write_bytes(data)
    assert content(tmp_path) == [("so sad", "neg/a"), ("so happy", "pos")]
    (tmp_path / "neg" / "3.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match=r"3\.txt, line 1: byte 1 of it \(0xff\) is not UTF-8"):
        read(tmp_path).whole()
    assert [row["file"] for row in read(tmp_path, bad_rows="skip").whole().rows()][-1] == os.path.join("pos", "1.txt")
