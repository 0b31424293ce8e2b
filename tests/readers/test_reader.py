"""Reader: several files, streams, labels and weights, errors that say what would work."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import banbury
from banbury import Classifier
from banbury.errors import FileFormatError, InputError
from banbury.readers import read
from banbury.text.tokens import as_document
from row_files import jsonl, table


def test_labels_keep_their_kind_and_weights_are_read() -> None:
    data = b'{"text": "a", "label": 1, "times": 2}\n{"text": "b", "label": 20000000000000000000, "times": 3}\n'
    batch = read(io.BytesIO(data), weight="times").whole()
    assert (batch.labels, batch.sample_weight) == ([1, 20000000000000000000], [2, 3])
    assert read(io.BytesIO(b'{"text": "a", "label": true}\n')).whole().labels == [True]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("format", [None, "jsonl", "csv", "tsv", "fasttext"])
def test_an_empty_file_has_no_rows(data: bytes, format: str | None) -> None:
    if format is None and data.strip(b"\xef\xbb\xbf"):
        return  # a line with nothing on it is a text without words
    assert len(read(io.BytesIO(data), format=format).whole()) == 0


def test_several_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl([("one", "a")]))
    (tmp_path / "b.csv").write_bytes(table([("two", "b")], ","))
    reader = read(tmp_path / "a.jsonl", tmp_path / "b.csv")
    for _ in range(2):
        batch = reader.whole()
        assert (list(batch.texts), batch.labels) == (["one", "two"], ["a", "b"])
    assert [row["text"] for row in reader.whole().rows()] == ["one", "two"]


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


def test_a_stream_is_read_once() -> None:
    reader = read(io.BytesIO(b"one\ntwo\n"))
    assert (len(reader.whole()), reader.can_be_read_again) == (2, False)
    with pytest.raises(InputError, match="only once"):
        reader.whole()


TOKENS = [["New York", "is", "n't", "far"], [], ["a\u2003b", " \x1c", "\ufdd0c", 'say "\\n"']]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_a_text_may_be_an_array_of_tokens(tmp_path: Path, name: str) -> None:
    rows = [{"tokens": tokens, "label": "x"} for tokens in TOKENS] + [{"tokens": "so happy", "label": "y"}]
    content = "\n".join(map(json.dumps, rows)) if name.endswith("l") else json.dumps(rows)
    (tmp_path / name).write_text(content)
    batch = read(tmp_path / name).whole()
    assert [as_document(text) for text in batch.texts] == [*map(as_document, TOKENS), "so happy"]
    expected = Classifier.textbook().fit([row["tokens"] for row in rows], ["x", "x", "x", "y"])
    model = Classifier.textbook().fit_batches(read(tmp_path / name))
    assert str(model.words()) == str(expected.words())


@pytest.mark.parametrize("text", ['["a", 1]', "[[]]", '{"a": "b"}', "[null]"])
def test_what_is_no_array_of_tokens_is_no_text(text: str) -> None:
    reader = read(io.BytesIO(f'{{"text": {text}, "label": "x"}}\n'.encode()), text="text", bad_rows="skip")
    assert len(reader.whole()) == 0
    assert reader.bad_rows[0].reason == "its text is an array or an object"


def test_rows_that_are_begun_early_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "so happy", "label": "yes"}\n{"text": "so sad", "label": "no"}\n')
    reader = read(path)
    reader.begin()
    for _ in range(2):  # the second time from the beginning
        assert [(list(batch.texts), batch.labels) for batch in reader] == [(["so happy", "so sad"], ["yes", "no"])]
    reader.begin()  # there is nothing to begin with
    assert reader.whole().labels == ["yes", "no"]
