"""What is posted to a real server is learned once, in whatever order and however often it is sent."""

import json
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from banbury import Classifier
from banbury.distributed.columns import Columns, Rows
from banbury.errors import InputError
from serving import Serving

pytest.importorskip("pyspark")
from banbury.spark import posting

TEXTS = ["free money", "win money", "lunch?", "lunch at noon", "lunch?"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    Classifier.textbook().fit(["free", "lunch"], ["spam", "ham"]).save(tmp_path / "mail.banbury")
    return tmp_path / "mail.banbury"


def rows(**columns: Any) -> Rows:
    table = pa.table(columns or {"text": TEXTS, "label": LABELS})
    names = [name for name in table.column_names if name not in ("text", "label")]
    return Columns.of(text="text", columns=names or None, label="label").read(table, "a batch")


def learned(server: Serving) -> list[tuple[str, str]]:
    lines = map(json.loads, server.get("/v1/models/mail/export").body.splitlines())
    return sorted((line["text"], line["label"]) for line in lines)


def test_documents_are_learned_once_in_parts_and_in_any_order(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "REQUEST_DOCUMENTS", 2)
    with Serving(file, "--journal", tmp_path / "journal") as server:
        url = f"http://127.0.0.1:{server.port}/v1/models/mail/"
        assert posting.post(url, "s/0", rows()) == 5
        assert posting.post(url, "s/0", rows(text=TEXTS[::-1], label=LABELS[::-1])) == 5
        assert learned(server) == sorted(zip(TEXTS, LABELS, strict=True))
        posting.post(url, "s/1", rows(text=["free lunch"], label=["ham"]))
        assert len(learned(server)) == 6
        with pytest.raises(InputError, match="answers 422: this Idempotency-Key came with another request before"):
            posting.post(url, "s/1", rows(text=["free meal"], label=["ham"]))
        with pytest.raises(InputError, match=r"answers 422: .*label"):
            posting.post(url, "s/2", rows(text=["free meal"], label=[1]))
        with pytest.raises(InputError, match="answers 404: "):
            posting.post(f"http://127.0.0.1:{server.port}/v1/models/other", "s/3", rows())
        assert len(learned(server)) == 6


def test_a_server_that_comes_back_has_learned_once(file: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with Serving(file, "--journal", journal) as server:
        port, url = server.port, f"http://127.0.0.1:{server.port}/v1/models/mail"
        posting.post(url, "s/0", rows())
        server.stop(signal.SIGKILL)
    with pytest.raises(ConnectionError, match="did not learn what was sent under the key 's/0/0'"):
        posting.post(url, "s/0", rows(), patience=0)
    with Serving(file, "--journal", journal, port=port) as server:
        posting.post(url, "s/0", rows())
        assert learned(server) == sorted(zip(TEXTS, LABELS, strict=True))


def test_requests_are_of_limited_size_and_a_long_document_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "REQUEST_BYTES", 60)
    long = rows(text=["a", "b" * 100, "c", "d"], label=["x", "y", "x", "y"])
    assert [json.loads(body)["texts"] for body in posting.request_bodies(long)] == [["a"], ["b" * 100], ["c", "d"]]
    assert list(posting.request_bodies(rows(text=pa.array([], pa.string()), label=pa.array([], pa.string())))) == []


def test_rows_of_a_table_are_sent_by_column() -> None:
    (body,) = posting.request_bodies(rows(age=[3.5, float("nan")], label=[True, False]))
    assert json.loads(body) == {"rows": [{"age": 3.5}, {"age": None}], "labels": [True, False]}
    with pytest.raises(InputError, match="a row cannot be sent as JSON: Object of type bytes"):
        list(posting.request_bodies(rows(age=[b"x"], label=[True])))
