"""Files in, rows out: every format and compression, hostile texts, bad rows, encodings, limits."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import string
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banbury
from banbury import _kernel
from banbury.errors import FileFormatError, InputError
from banbury.readers import Layout, Limits, formats, read, streams
from banbury.readers import options as reading_options
from banbury.readers.streams import ahead

Row = dict[str, Any]


def zstd(data: bytes) -> bytes:
    encoder = _kernel.ZstdEncoder()
    return encoder.compress(data) + encoder.finish()


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstd,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}

# Quotes, delimiters, every kind of line separator, control characters, marks, half characters beside each other.
HOSTILE = st.text(
    st.one_of(
        st.sampled_from("\"'\\,;\t|\n\r\u2028\u2029\x85\x0b\x0c\x1c\x00\ufeff\u0130ß😀{}[]:_ "),
        st.sampled_from(string.ascii_letters),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=20,
)
LABEL = st.sampled_from(["spam", "ham", 'a "quoted" one', "ä,ö", "tab\there"])
ROWS = st.lists(st.tuples(HOSTILE, LABEL), min_size=1, max_size=12)


def jsonl(rows: list[tuple[str, str]], *, ascii: bool = False) -> bytes:
    lines = [json.dumps({"label": label, "n": 1, "text": text}, ensure_ascii=ascii) for text, label in rows]
    return "\n".join([*lines, ""]).encode()


def table(rows: list[tuple[str, str]], delimiter: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerows([("label", "text"), *((label, text) for text, label in rows)])
    return file.getvalue().encode()


def content(source: Any, **options: Any) -> list[tuple[str, Any]]:
    batch = read(source, **options).whole()
    assert batch.labels is not None
    return list(zip(batch.texts, batch.labels, strict=True))


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
    texts = [text for text in texts if not text.startswith("__label__")] or ["so happy"]
    data = "".join(f"__label__x {text}\n" for text in texts).encode()
    assert content(io.BytesIO(data), format="fasttext") == [(text, "x") for text in texts]
    plain = read(io.BytesIO("\n".join(texts).encode() + b"\n"), format="lines").whole()
    assert list(plain.texts) == [text.removeprefix("\ufeff") if n == 0 else text for n, text in enumerate(texts)]


@given(ROWS)
@settings(max_examples=15)
def test_any_text_comes_back_from_parquet_and_from_an_array(rows: list[tuple[str, str]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    texts, labels = zip(*rows, strict=True)
    pq.write_table(pa.table({"text": list(texts), "label": list(labels)}), file)
    assert content(io.BytesIO(file.getvalue()), format="parquet") == rows
    array = json.dumps([{"text": text, "label": label} for text, label in rows])
    assert content(io.BytesIO(array.encode())) == rows


@given(ROWS)
def test_rows_have_all_their_columns(rows: list[tuple[str, str]]) -> None:
    expected = [{"label": label, "n": 1, "text": text} for text, label in rows]
    assert read(io.BytesIO(jsonl(rows))).whole().rows() == expected
    rows = [(text.replace("\r", ""), label) for text, label in rows]
    source = io.BytesIO(table(rows, ","))
    batch = read(source, format="csv", header=True, delimiter=",").whole()
    assert batch.rows() == [{"label": label, "text": text} for text, label in rows]


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


def test_batches_are_bounded_and_together_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl([(f"{n} " + "x" * 1000, str(n % 7)) for n in range(20_000)]))
    reader = read(path)
    batches = list(reader)
    assert len(batches) > 2
    assert max(len(batch) for batch in batches) * 1000 < 2 * streams.BLOCK
    whole = reader.whole()
    assert [text for batch in batches for text in batch.texts] == list(whole.texts)
    assert [line for batch in batches for line in batch.lines] == list(range(1, 20_001))
    assert reader.n_rows == 20_000
    assert reader.position == reader.size == path.stat().st_size


@pytest.mark.parametrize(
    "line, reason",
    [
        (b"{nonsense}", "not JSON at column 2"),
        (b'["text"]', "expected an object"),
        (b'{"text": 5, "label": "a"}', "its text is a whole number"),
        (b'{"text": "b"}', "no label"),
        (b'{"text": "\xe4", "label": "a"}', "0xe4) is not UTF-8"),
        (b'{"text": "b", "label": 3}', "whole number, but those before it are text"),
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


def test_labels_keep_their_kind_and_weights_are_read() -> None:
    data = b'{"text": "a", "label": 1, "times": 2}\n{"text": "b", "label": 20000000000000000000, "times": 3}\n'
    batch = read(io.BytesIO(data), weight="times").whole()
    assert (batch.labels, batch.weights) == ([1, 20000000000000000000], [2, 3])
    assert read(io.BytesIO(b'{"text": "a", "label": true}\n')).whole().labels == [True]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "shift-jis"])
@pytest.mark.parametrize("compression", ["", ".gz"])
def test_other_encodings_can_be_read(encoding: str, compression: str) -> None:
    text = "漢字 text" if encoding == "shift-jis" else "süß – ünd" if encoding != "latin-1" else "süß ünd"
    data = COMPRESSIONS[compression](f"label,text\na,{text}\n".encode(encoding))
    assert content(io.BytesIO(data), encoding=encoding) == [(text, "a")]


def test_a_mark_in_front_is_understood() -> None:
    for data in ("\ufefflabel,text\na,ß\n".encode(), "label,text\na,ß\n".encode("utf-16")):
        assert content(io.BytesIO(data)) == [("ß", "a")]


def test_a_wrong_encoding_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match="no encoding 'klingon'"):
        read(io.BytesIO(b"x"), encoding="klingon").whole()
    with pytest.raises(InputError, match="it is not ascii"):
        read(io.BytesIO("ß".encode()), encoding="ascii").whole()
    with pytest.raises(InputError, match="no encoding 'base64'"):
        read(io.BytesIO(b"x"), encoding="base64").whole()


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("format", [None, "jsonl", "csv", "tsv", "fasttext"])
def test_an_empty_file_has_no_rows(data: bytes, format: str | None) -> None:
    if format is None and data.strip(b"\xef\xbb\xbf"):
        return  # a line with nothing on it is a text without words
    assert len(read(io.BytesIO(data), format=format).whole()) == 0


def test_a_long_row_is_read_and_a_longer_one_is_an_error() -> None:
    long = "x" * 3_000_000
    data = jsonl([(long, "a"), (long, "b")])
    limits = Limits(row=4_000_000)
    assert content(io.BytesIO(data), limits=limits) == [(long, "a"), (long, "b")]
    endless = b'{"label": "a", "text": "' + b"x" * (streams.BLOCK + 10_000_000)
    with pytest.raises(InputError, match=r"line 1: the row is longer than 4000000 bytes.*Limits\(row=…\)"):
        read(io.BytesIO(endless), limits=limits).whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_a_small_file_that_expands_without_end_is_refused(extension: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_options, "SMALL", 4 << 20)
    bomb = COMPRESSIONS[extension](b"a" * (8 << 20))
    with pytest.raises(InputError, match=r"over 250 times as many.*say limits=Limits\(ratio=…\)"):
        read(io.BytesIO(bomb), format="lines").whole()
    reader = read(io.BytesIO(bomb), format="lines", limits=Limits(ratio=10**6))
    assert sum(map(len, reader.whole().texts)) == 8 << 20
    with pytest.raises(InputError, match=r"Limits\(expanded=…\)"):
        read(io.BytesIO(bomb), format="lines", limits=Limits(ratio=10**6, expanded=10**6)).whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_a_damaged_or_truncated_file_is_refused(extension: str) -> None:
    packed = COMPRESSIONS[extension](jsonl([(f"text {n * n}", "a") for n in range(500)]))
    with pytest.raises(FileFormatError, match="end too early"):
        read(io.BytesIO(packed[:-30])).whole()
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    damaged[len(packed) // 2 + 1] ^= 0xFF
    with pytest.raises((FileFormatError, InputError)):
        read(io.BytesIO(bytes(damaged))).whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_files_of_several_members_are_read_to_the_end(extension: str) -> None:
    one, other = jsonl([("one", "a")]), jsonl([("two", "b")])
    packed = COMPRESSIONS[extension](one) + COMPRESSIONS[extension](other)
    assert content(io.BytesIO(packed)) == [("one", "a"), ("two", "b")]


def test_a_folder_has_its_labels_in_its_folders(tmp_path: Path) -> None:
    for label, name, data in [("pos", "1.txt", b"so happy"), ("neg", "a/2.txt", b"so sad"), ("neg", ".hidden", b"x")]:
        (tmp_path / label / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / label / name).write_bytes(data)
    assert content(tmp_path) == [("so sad", "neg/a"), ("so happy", "pos")]
    (tmp_path / "neg" / "3.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match=r"3\.txt, line 1: byte 1 of it \(0xff\) is not UTF-8"):
        read(tmp_path).whole()
    assert [row["file"] for row in read(tmp_path, bad_rows="skip").whole().rows()][-1] == os.path.join("pos", "1.txt")


def test_several_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl([("one", "a")]))
    (tmp_path / "b.csv").write_bytes(table([("two", "b")], ","))
    reader = read(tmp_path / "a.jsonl", tmp_path / "b.csv")
    for _ in range(2):
        batch = reader.whole()
        assert (list(batch.texts), batch.labels) == (["one", "two"], ["a", "b"])
    assert [row["text"] for row in reader.whole().rows()] == ["one", "two"]


def test_a_pipe_gives_its_rows_when_they_come() -> None:
    reading, writing = os.pipe()
    arrived = threading.Event()

    def write() -> None:
        os.write(writing, b"first\n")
        if arrived.wait(10):  # the first row is read before the second is written
            os.write(writing, b"second\n")
        os.close(writing)

    thread = threading.Thread(target=write)
    thread.start()
    seen = []
    with open(reading, "rb", buffering=0) as file:
        for batch in read(file, format="lines"):
            seen += list(batch.texts)
            arrived.set()
    thread.join()
    assert seen == ["first", "second"]


def test_wrong_options_say_what_there_is() -> None:
    with pytest.raises(InputError, match="bad_rows is 'ignore'"):
        read(io.BytesIO(b""), bad_rows="ignore")
    with pytest.raises(InputError, match="format is 'xlsx'"):
        read(io.BytesIO(b""), format="xlsx")
    with pytest.raises(InputError, match="open it in binary mode"):
        read(io.StringIO("text")).whole()
    with pytest.raises(FileNotFoundError):
        read("/no/such/file.jsonl")
    with pytest.raises(FileFormatError, match="no Parquet file"):
        read(io.BytesIO(b"PAR1 and nothing more"), format="parquet")


def test_what_is_read_trains_like_a_list(read_set: Callable[[str], list[dict[str, str]]], data_folder: Path) -> None:
    rows = read_set("sms_spam")
    batch = banbury.read(data_folder / "sms_spam.jsonl.gz").whole()
    assert batch.labels == [row["label"] for row in rows]
    assert list(batch.texts) == [row["text"] for row in rows]
    one = banbury.Classifier.textbook().fit(batch.texts, batch.labels)
    other = banbury.Classifier.textbook().fit([row["text"] for row in rows], batch.labels)
    assert one.__getstate__() == other.__getstate__()


def test_a_damaged_parquet_file_is_refused() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["a"] * 99, "label": ["b"] * 99}), file)
    damaged = bytearray(file.getvalue())
    damaged[-40:-20] = b"\xff" * 20
    with pytest.raises(FileFormatError, match="cannot be read as Parquet"):
        read(io.BytesIO(damaged), format="parquet").whole()


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


def test_a_row_is_short_unless_somebody_says_otherwise() -> None:
    data = jsonl([("x" * (17 << 20), "a")])
    with pytest.raises(InputError, match=r"longer than 16777216 bytes; if that is right, say limits=Limits\(row=…\)"):
        read(io.BytesIO(data)).whole()
    assert len(read(io.BytesIO(data), limits=Limits(row=18 << 20)).whole()) == 1


def test_every_format_has_a_name_and_a_description() -> None:
    for format in formats.FORMATS:
        assert str(Layout(format))


MESSAGES = [
    b"From: ann@example.org\nSubject: Lunch?\n\nAt noon.\n\n>From here it is not far.\n",
    b"From: win@example.com\nSubject: =?utf-8?q?Geld_f=C3=BCr_dich?=\n\nFree money.\n",
]


def test_an_mbox_has_its_name_as_label(tmp_path: Path) -> None:
    data = b"".join(b"From x@y Mon Nov 16 10:00:00 2026\n" + message + b"\n" for message in MESSAGES)
    expected = ["Lunch?\n\nAt noon.\n\nFrom here it is not far.", "Geld für dich\n\nFree money."]
    for name, content_ in [("ham.mbox", data), ("ham", data), ("ham.mbox.gz", gzip.compress(data))]:
        path = tmp_path / name
        path.write_bytes(content_)
        batch = read(path).whole()
        assert (list(batch.texts), batch.labels) == (expected, ["ham", "ham"])
        assert batch.lines == [1, 9]
        assert [row["sender"] for row in batch.rows()] == ["ann@example.org", "win@example.com"]
    assert read(tmp_path / "ham", label=False).whole().labels is None


def test_maildirs_and_folders_of_messages_are_read(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / ".Spam" / folder).mkdir(parents=True)
    (tmp_path / ".Spam" / "cur" / "1:2,S").write_bytes(MESSAGES[1])
    (tmp_path / ".Spam" / "tmp" / "2").write_bytes(b"not yet")
    assert content(tmp_path / ".Spam") == [("Geld für dich\n\nFree money.", "Spam")]
    (tmp_path / "all" / "ham").mkdir(parents=True)
    (tmp_path / "all" / "ham" / "1.eml").write_bytes(MESSAGES[0])
    assert [label for _, label in content(tmp_path / "all", format="mail")] == ["ham"]
    assert read(tmp_path / "all").layout.format == "folder"  # it might as well be a text that starts like this
    (tmp_path / "all" / "ham" / "1.eml").write_bytes(b"Received: by example.org\n" + MESSAGES[0])
    assert content(tmp_path / "all") == content(tmp_path / "all", format="mail")
    assert [row["subject"] for row in read(tmp_path / "all" / "ham" / "1.eml").whole().rows()] == ["Lunch?"]


def test_a_stream_is_read_once() -> None:
    reader = read(io.BytesIO(b"one\ntwo\n"))
    assert (len(reader.whole()), reader.can_be_read_again) == (2, False)
    with pytest.raises(InputError, match="only once"):
        reader.whole()


def test_a_block_is_read_while_the_one_before_it_is_used_and_fails_in_its_turn() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number
        raise InputError("the third was the last")

    def used(number: int) -> int:
        deadline = time.monotonic() + 30
        while len(made) < min(number + 2, 3):  # the next one comes without being asked for
            assert time.monotonic() < deadline
            time.sleep(0.001)
        found.append(number)
        return number

    found: list[int] = []
    with pytest.raises(InputError, match="the third was the last"):
        list(map(used, ahead(items())))
    assert found == [0, 1, 2]
