"""Files of rows for tests: any text in every format and compression."""

import bz2
import csv
import gzip
import io
import json
import lzma
import string
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from banbury import _kernel
from banbury.readers import read


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
