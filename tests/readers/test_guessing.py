"""Formats and columns that are guessed."""

import io
from pathlib import Path

import pytest

from banbury.errors import FileFormatError, InputError
from banbury.readers import Layout, formats, read
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
    ],
)
def test_a_file_that_is_something_else_is_called_by_its_name(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path / name)


def test_every_format_has_a_name_and_a_description() -> None:
    for format in formats.FORMATS:
        assert str(Layout(format))
