"""Formats and compressions by their extensions and first bytes."""

import bz2
import gzip
import lzma

import pytest

from banbury.readers.formats import (
    EXTENSIONS,
    FORMATS,
    compression_by_content,
    compression_by_name,
    extension_of,
    format_by_name,
)


@pytest.mark.parametrize(
    "name, format, compression",
    [
        ("sms.jsonl", "jsonl", None),
        ("SMS.NDJSON.GZ", "jsonl", "gzip"),
        ("folder.csv/sms.tab.zstd", "tsv", "zstd"),
        ("a.b.pq", "parquet", None),
        ("mail.mbox.xz", "mbox", "xz"),
        ("letter.txt.bz2", None, "bz2"),
        ("letter", None, None),
        (".gz", None, None),
    ],
)
def test_names_stand_for_formats_and_compressions(name: str, format: str | None, compression: str | None) -> None:
    assert (format_by_name(name), compression_by_name(name)) == (format, compression)


def test_every_extension_stands_for_a_format_that_there_is() -> None:
    assert set(EXTENSIONS.values()) <= set(FORMATS)
    assert all(extension_of(f"x{extension}.gz") == extension for extension in EXTENSIONS)


@pytest.mark.parametrize("packed, kind", [(gzip.compress(b"x"), "gzip"), (bz2.compress(b"x"), "bz2")])
def test_first_bytes_tell_the_compression(packed: bytes, kind: str) -> None:
    assert compression_by_content(packed) == kind
    assert compression_by_content(lzma.compress(b"x")) == "xz"
    assert compression_by_content(b"so happy") is None
