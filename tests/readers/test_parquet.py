"""Parquet files: what is in them comes back, and nothing in them ends the process that reads them."""

import gc
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from banbury.errors import FileFormatError, MissingExtra
from banbury.readers import Limits, parquet, parquet_process, read
from banbury.readers.options import ReadOptions
from row_files import content

ROWS = [("so happy", "yes"), ("naïve 日本 \U0001f600", "no"), ("", "yes"), ("line\nbreak", "no")]


def packed(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


TEXTS, LABELS = (list(values) for values in zip(*ROWS, strict=True))
SOUND = packed({"text": TEXTS, "label": LABELS})


def test_any_text_comes_back_from_a_file_and_from_a_stream(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(SOUND)
    assert content(tmp_path / "rows.parquet") == ROWS
    assert content(io.BytesIO(SOUND), format="parquet") == ROWS


def test_many_batches_come_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "PARQUET_ROWS", 7)
    many = packed({"text": [f"text {n}" for n in range(100)], "label": ["yes"] * 100}, row_group_size=33)
    assert [text for text, _ in content(io.BytesIO(many), format="parquet")] == [f"text {n}" for n in range(100)]


def test_a_file_without_rows_has_columns_all_the_same() -> None:
    empty = packed({"text": pa.array([], pa.string()), "label": pa.array([], pa.string())})
    reader = read(io.BytesIO(empty), format="parquet", text="text", label="label")
    assert len(reader.whole()) == 0


def test_a_row_without_a_text_is_named() -> None:
    holes = packed({"text": ["a", None, "b"], "label": ["x", "y", None]})
    with pytest.raises(ValueError, match="line 2: it has no text"):
        read(io.BytesIO(holes), format="parquet").whole()


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"PAR1", b"text,label\n", SOUND[:-4], SOUND[:-9] + b"\xff\xff\xff\xff" + b"PAR1"):
        with pytest.raises(FileFormatError, match="no Parquet file, or not all of one"):
            read(io.BytesIO(data), format="parquet").whole()
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere.parquet").whole()


def test_a_damaged_file_is_refused() -> None:
    many = packed({"text": ["a"] * 99, "label": ["b"] * 99})
    damaged = many[:-40] + b"\xff" * 20 + many[-20:]
    with pytest.raises(FileFormatError, match="cannot be read as Parquet"):
        read(io.BytesIO(damaged), format="parquet").whole()


def test_a_reader_that_dies_is_an_error_and_not_the_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dying = tmp_path / "dying.py"
    dying.write_text("import os, sys; sys.stdout.write('B' + 8 * chr(1)); sys.stdout.flush(); os.abort()")
    monkeypatch.setattr(parquet_process, "__file__", str(dying))
    with pytest.raises(FileFormatError, match="its reader has come to an end"):
        read(io.BytesIO(SOUND), format="parquet").whole()


@pytest.mark.skipif(os.name != "posix", reason="memory is bounded where there are resource limits")
def test_memory_is_bounded() -> None:
    with pytest.raises(FileFormatError, match="cannot be read as Parquet"):
        read(io.BytesIO(SOUND), format="parquet", limits=Limits(parquet=1 << 20)).whole()


def test_a_file_that_is_not_read_to_its_end_leaves_no_process_and_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "PARQUET_ROWS", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    reader = parquet.Parquet(io.BytesIO(SOUND), "rows", ReadOptions())
    next(reader.batches())
    process = reader.decoder.process
    assert len(list(tmp_path.iterdir())) == 1
    del reader
    gc.collect()
    assert process.returncode is not None
    assert list(tmp_path.iterdir()) == []


def test_without_arro3_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"banbury\[parquet\]"):
        read(io.BytesIO(SOUND), format="parquet").whole()
