"""JSON Lines, tables, fastText and lines: any text comes back, bad rows are named."""

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import _kernel
from banbury.errors import InputError
from banbury.readers import Limits, read, streams
from banbury.text.tokens import MARK
from row_files import COMPRESSIONS, HOSTILE, ROWS, content, jsonl, table


@given(ROWS, st.booleans(), st.sampled_from(sorted(COMPRESSIONS)))
def test_any_text_comes_back_from_json_lines(rows: list[tuple[str, str]], ascii: bool, compression: str) -> None:
    data = COMPRESSIONS[compression](jsonl(rows, ascii=ascii))
    assert content(io.BytesIO(data)) == rows


@given(ROWS, st.sampled_from(",;\t|"), st.sampled_from(sorted(COMPRESSIONS)))
def test_any_text_comes_back_from_a_table(rows: list[tuple[str, str]], delimiter: str, compression: str) -> None:
    # The csv module leaves a lone \r and NUL as they are; a reader of files sees the first as the end of a line.
    rows = [(text.replace("\r", ""), label) for text, label in rows]
    data = COMPRESSIONS[compression](table(rows, delimiter))
    options: dict[str, Any] = {"format": "csv", "text": "text", "label": "label", "header": True, "quotes": True}
    assert content(io.BytesIO(data), delimiter=delimiter, **options) == rows


@given(st.lists(HOSTILE.map(lambda text: " ".join(text.split())), min_size=1, max_size=9))
def test_any_line_comes_back_from_fasttext_and_from_plain_lines(texts: list[str]) -> None:
    # A text never begins with the noncharacter that tells tokens from texts: readers replace it.
    texts = [text for text in texts if not text.startswith(("__label__", MARK))] or ["so happy"]
    data = "".join(f"__label__x {text}\n" for text in texts).encode()
    assert content(io.BytesIO(data), format="fasttext") == [(text, "x") for text in texts]
    plain = read(io.BytesIO("\n".join(texts).encode() + b"\n"), format="lines").whole()
    assert list(plain.texts) == [text.removeprefix("\ufeff") if n == 0 else text for n, text in enumerate(texts)]


@given(ROWS)
def test_rows_have_all_their_columns(rows: list[tuple[str, str]]) -> None:
    expected = [{"label": label, "n": 1, "text": text} for text, label in rows]
    assert read(io.BytesIO(jsonl(rows))).whole().rows() == expected
    rows = [(text.replace("\r", ""), label) for text, label in rows]
    source = io.BytesIO(table(rows, ","))
    batch = read(source, format="csv", header=True, delimiter=",").whole()
    assert batch.rows() == [{"label": label, "text": text} for text, label in rows]


@pytest.mark.parametrize(
    "line, reason",
    [
        (b"{nonsense}", "not JSON at column 2"),
        (b'["text"]', "expected an object"),
        (b'{"text": 5, "label": "a"}', "its text is a whole number"),
        (b'{"text": "b"}', "no label"),
        (b'{"text": "\xe4", "label": "a"}', "0xe4) is not UTF-8"),
        (b'{"text": "b", "label": 3}', "whole number, but those before it are text"),
        (b'{"text": "b", "label": "a", "x\x01y": 1}', "a name has the control character 0x01 in it"),
    ],
)
def test_a_bad_row_names_its_file_its_line_and_the_reason(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl([("so happy", "a"), ("so sad", "b")]) + line + b"\n" + jsonl([("fine", "a")]))
    with pytest.raises(InputError, match="line 3") as caught:
        read(path).whole()
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)
    reader = read(path, bad_rows="skip")
    assert list(reader.whole().texts) == ["so happy", "so sad", "fine"]
    assert (reader.skipped, reader.bad_rows[0].line) == (1, 3)


def test_a_table_with_other_rows_says_which(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('label,text\na,one\nb,two,three\n"a\n",four\nb,"five\n')
    reader = read(path, bad_rows="skip")
    assert content(path, bad_rows="skip") == [("one", "a"), ("four", "a\n")]
    list(reader)
    assert [(bad.line, bad.reason) for bad in reader.bad_rows] == [
        (3, "it has 3 cells; the others have 2"),
        (6, "a quote is opened here and never closed"),
    ]


def test_a_long_row_is_read_and_a_longer_one_is_an_error() -> None:
    long = "x" * 3_000_000
    data = jsonl([(long, "a"), (long, "b")])
    limits = Limits(row=4_000_000)
    assert content(io.BytesIO(data), limits=limits) == [(long, "a"), (long, "b")]
    endless = b'{"label": "a", "text": "' + b"x" * (streams.BLOCK + 10_000_000)
    with pytest.raises(InputError, match=r"line 1: the row is longer than 4000000 bytes.*Limits\(row=…\)"):
        read(io.BytesIO(endless), limits=limits).whole()


def test_a_row_is_short_unless_somebody_says_otherwise() -> None:
    data = jsonl([("x" * (17 << 20), "a")])
    with pytest.raises(InputError, match=r"longer than 16777216 bytes; if that is right, say limits=Limits\(row=…\)"):
        read(io.BytesIO(data)).whole()
    assert len(read(io.BytesIO(data), limits=Limits(row=18 << 20)).whole()) == 1


def test_an_escaped_control_character_in_a_key_is_none_that_matters() -> None:
    data = b'{"text": "b", "label": "x", "\\u0001": 1}\n'
    assert [row["\1"] for row in read(io.BytesIO(data), format="jsonl").whole().rows()] == [1]


def test_a_batch_has_a_bounded_number_of_rows() -> None:
    sizes = [len(batch) for batch in read(io.BytesIO(b"a\n" * 1_000_000), format="lines")]
    assert sum(sizes) == 1_000_000
    assert max(sizes) <= 2**18


def test_the_kernel_takes_no_bytes_that_can_change_and_cuts_no_character_in_half() -> None:
    how: dict[str, Any] = {"names": [], "places": [], "n_cells": 2, "quotes": True, "line": 1, "longest": 99}
    with pytest.raises(InputError, match="give bytes"):
        _kernel.Reader("lines", ["text"], delimiter=44, **how).feed(bytearray(b"so happy"), True, 1)
    with pytest.raises(InputError, match="half a character"):
        _kernel.Reader("csv", ["text"], delimiter=0xA4, **{**how, "places": [0]})
