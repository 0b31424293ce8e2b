"""File formats and compressions, and the file extensions by which they are known."""

from __future__ import annotations

import os

FORMATS = (
    "jsonl", "json", "csv", "tsv", "fasttext", "lines", "parquet", "folder", "mbox", "maildir", "mail"
)  # fmt: skip
FASTTEXT_PREFIX = "__label__"  # in front of a label in fastText's format
MAIL = ("mbox", "maildir", "mail")  # formats of messages

EXTENSIONS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".mbox": "mbox",
    ".eml": "mail",
    ".ft": "fasttext",
    ".fasttext": "fasttext",
}
ANYTHING = (".txt", ".json")  # extensions of files whose format is found out by their content

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".xz": "xz"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz"}


def format_by_name(name: str) -> str | None:
    """The format that the extension of a file stands for, compressed or not; None if it stands for none.

    >>> format_by_name("sms.JSONL.gz"), format_by_name("letter.txt")
    ('jsonl', None)
    """
    return EXTENSIONS.get(extension_of(name))


def compression_by_name(name: str) -> str | None:
    """The compression that the extension of a file stands for.

    >>> compression_by_name("sms.jsonl.gz"), compression_by_name("sms.jsonl")
    ('gzip', None)
    """
    return COMPRESSIONS.get(os.path.splitext(name.lower())[1])


def compression_by_content(head: bytes) -> str | None:
    """The compression of a file that starts with these bytes, whatever it is called."""
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


def extension_of(name: str) -> str:
    """The extension of a file in lower case, without that of its compression.

    >>> extension_of("Letters.TXT.gz"), extension_of("letter")
    ('.txt', '')
    """
    stem, extension = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if extension in COMPRESSIONS else extension
