"""Formats and columns that are guessed."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.errors import FileFormatError, InputError, OptionError
from banbury.readers import Layout, formats, read
from banbury.readers.guessing import check_readable
from row_files import COMPRESSIONS, content, jsonl, table


@pytest.mark.parametrize("extension", sorted(COMPRESSIONS))
@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv", "txt"])
def test_the_format_is_found_by_the_name_or_by_the_content(tmp_path: Path, format: str, extension: str) -> None:
    rows = [(f"text {n}", "ab"[n % 2]) for n in range(20)]
    data = {
        "jsonl": jsonl(rows),
        "csv": table(rows, ","),
        "tsv": table(rows, "\t"),
        "txt": "".join(f"__label__{label} {text}\n" for text, label in rows).encode(),
    }[format]
    for name in (f"rows.{format}{extension}", "rows"):
        path = tmp_path / name
        path.write_bytes(COMPRESSIONS[extension](data))
        assert content(path) == rows


def test_unquoted_tabs_and_quotes_that_are_just_characters() -> None:
    data = b'ham\t"Hello" he said\nspam\tcall "now\nham\t"unfinished\nspam\tx\n'
    reader = read(io.BytesIO(data))
    assert (reader.layout.quotes, reader.layout.header) == (False, False)
    assert content(io.BytesIO(data))[:3] == [('"Hello" he said', "ham"), ('call "now', "spam"), ('"unfinished', "ham")]


@pytest.mark.parametrize(
    "data, text, label, header",
    [
        (b"v1,v2,,,\nham,Go until jurong point,,,\n", "v2", "v1", True),
        (b"klasse;inhalt\na;erster Satz hier\nb;zweiter Satz\na;dritter\nb;vierter Satz\n", "inhalt", "klasse", True),
        (b"a,the first sentence\nb,the second\na,the third one\nb,the fourth\n", "2", "1", False),
        (b"Text,Label\nso happy,1\n", "Text", "Label", True),
        (b"id,sentence,sentiment\n1,so happy,1\n", "sentence", "sentiment", True),
    ],
)
def test_columns_are_guessed(data: bytes, text: str, label: str, header: bool) -> None:
    layout = read(io.BytesIO(data), format="csv").layout
    assert (layout.text, layout.label, layout.header) == (text, label, header)
    assert text in str(layout)


def test_columns_that_cannot_be_guessed_are_asked_for() -> None:
    rows = b'{"a": "so happy", "b": "so sad!"}\n' * 3
    with pytest.raises(InputError, match=r"which column is the text.*'a', 'b'"):
        read(io.BytesIO(rows))
    with pytest.raises(InputError, match="no column 'c' for the text"):
        read(io.BytesIO(rows), text="c")
    with pytest.raises(InputError, match=r"which column is the label.*'x'"):
        read(io.BytesIO(b'{"x": 1, "text": "a", "z": 2}\n')).needs_labels()
    assert read(io.BytesIO(b'{"x": 1, "text": "a", "z": 2}\n'), label="z").whole().labels == [2]
    assert read(io.BytesIO(rows), text="b", label=False).whole().labels is None


@pytest.mark.parametrize(
    "name, data, message",
    [
        ("rows.zip", b"PK\x03\x04 and so on", "a zip archive, or a file of an office program: unpack it"),
        ("rows.xlsx", b"PK\x03\x04 and so on", "save it as CSV"),
        ("rows.pdf", b"%PDF-1.7 and so on", "it is a PDF"),
        ("rows.mbox", b"Subject: Lunch\n\n", "it is no mbox"),
        ("rows.bin", b"\x89PNG\r\n\x1a\n", r"rows.bin: it is a picture \(PNG\)"),
        ("rows.csv", b"SQLite format 3\0 and so on", "it is a database of SQLite: write the rows to a CSV first"),
        ("rows", b"\x93NUMPY\x01", "it is an array of NumPy"),
        ("rows.jsonl", b"x" * 257 + b"ustar  ", "it is a tar archive: unpack it"),
        ("rows.txt", bytes(8) + b'{"__metadata__":{"format":"banbury"}}', "it is a model of banbury, not rows"),
        ("rows.txt", bytes([1, 2, 3, 200]) * 20, "binary data, not text: 60 of its first 80 bytes are control"),
    ],
)
def test_a_file_that_is_something_else_is_called_by_its_name(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path / name)


def test_text_in_utf_16_without_a_mark_is_told_which_option_helps(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("text,label\nso happy,yes\n".encode("utf-16-le"))
    with pytest.raises(OptionError, match="it looks like text in UTF-16: say encoding='utf-16'"):
        read(tmp_path / "rows.csv")
    assert len(read(tmp_path / "rows.csv", encoding="utf-16-le").whole()) == 1


@given(st.text(max_size=300))
def test_text_is_never_taken_for_binary_data(text: str) -> None:
    controls = sum(ord(character) < 32 for character in text)
    if controls * 20 <= len(text):
        check_readable("rows.txt", text.encode())


def test_a_text_may_begin_like_a_program() -> None:
    for text in (b"MZ,label\na,b\n", b"ID3 decision trees", b"GIF89 pictures"):
        check_readable("rows.csv", text)


def test_every_format_has_a_name_and_a_description() -> None:
    for format in formats.FORMATS:
        assert str(Layout(format))
