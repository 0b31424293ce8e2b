"""Files with several labels a row: lists of JSON, cells with a separator, fastText's lines."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from banbury.errors import BanburyError
from banbury.readers.several import read_several

ROWS: list[tuple[str, list[str]]] = [("so happy", ["joy", "short"]), ("so so", []), ("what a sad film", ["sad"])]
JSON_LINES = "".join(json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in ROWS)
FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "rows.jsonl": (JSON_LINES, {}),
    "rows.json": (json.dumps([{"text": text, "labels": labels} for text, labels in ROWS]), {}),
    "rows.csv": ("text,tags\n" + "".join(f"{text},{'; '.join(labels)}\n" for text, labels in ROWS), {"separator": ";"}),
    "rows.tsv": (
        "text\tlabel\n" + "".join(f"{text}\t{'|'.join(labels)}\n" for text, labels in ROWS),
        {"separator": "|"},
    ),
    "rows.txt": (
        "".join(" ".join([*(f"__label__{label}" for label in labels), text]) + "\n" for text, labels in ROWS),
        {"format": "fasttext"},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_has_the_same_rows(name: str, tmp_path: Path) -> None:
    content, options = FILES[name]
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    batch = read_several(path, **options).whole()
    assert [*zip(batch.texts, batch.labels or [], strict=True)] == ROWS
    both = read_several(path, path, **options).whole()
    assert both.labels == (batch.labels or []) * 2


def test_a_cell_without_a_separator_is_one_label_and_a_label_may_be_a_number() -> None:
    assert read_several(io.BytesIO(b"text,label\na b,x;y\nc d,\n")).whole().labels == [["x;y"], []]
    rows = b'{"text": "a b", "stars": [1, 2]}\n{"text": "c d", "stars": 3}\n'
    assert read_several(io.BytesIO(rows), label="stars", text="text").whole().labels == [[1, 2], [3]]


@pytest.mark.parametrize(
    "content, options, message",
    [
        (b"text,label\na,x\n", {"label": "tags"}, "which column has the labels.*there are 'text', 'label'"),
        (b'{"text": "a b", "other": 1}\n{"text": "c", "other": 2}\n', {}, "which column has the labels"),
        (b'{"text": "a b", "labels": ["x"]}\n{"text": "c d", "labels": null}\n', {}, "line 2: it has no 'labels'"),
        (b'{"text": "a b", "labels": ["x"]}\n{"text": "c d"}\n', {}, "line 2: it has no 'labels'; an empty list"),
    ],
)
def test_what_has_no_labels_is_refused_with_its_line(content: bytes, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BanburyError, match=message):
        read_several(io.BytesIO(content), **options).whole()
