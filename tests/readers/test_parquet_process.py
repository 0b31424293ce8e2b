"""The process that decodes Parquet files says what it reads, and what it cannot read."""

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from banbury.readers import parquet_process
from banbury.readers.parquet_process import main, messages


@pytest.fixture
def path(tmp_path: Path) -> str:
    pq.write_table(pa.table({"text": ["a", "b", "c"]}), tmp_path / "rows.parquet")
    return str(tmp_path / "rows.parquet")


def test_schema_batches_and_end_are_told_in_this_order(path: str) -> None:
    told = list(messages(path, 2))
    assert [kind for kind, _ in told] == [b"S", b"B", b"B", b"."]
    streams = [pa.ipc.open_stream(content).read_all() for kind, content in told if kind in (b"S", b"B")]
    assert [table.column("text").to_pylist() for table in streams] == [[], ["a", "b"], ["c"]]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    assert [kind for kind, _ in messages(str(tmp_path / "bad.parquet"), 2)] == [b"E"]


def test_messages_are_written_with_their_lengths(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int] = []
    monkeypatch.setattr(parquet_process, "limit_memory", limits.append)
    output = io.BytesIO()
    main([json.dumps(sys.path), path, "2", "123"], output)
    written, place = output.getvalue(), 0
    kinds = []
    while place < len(written):
        kinds.append(written[place : place + 1])
        place += 9 + int.from_bytes(written[place + 1 : place + 9], "little")
    assert (kinds, place, limits) == ([b"S", b"B", b"B", b"."], len(written), [123])
