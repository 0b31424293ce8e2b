"""Batches: bounded, and together the whole."""

from pathlib import Path

from banbury.readers import read, streams
from row_files import jsonl


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
