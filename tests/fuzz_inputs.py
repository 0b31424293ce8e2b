"""Files with rows, e-mails and texts that are nearly right, for `fuzzing.py`."""

from __future__ import annotations

import io
from functools import cache
from random import Random
from typing import Any
from zlib import crc32

from banbury import Analyzer, BanburyError, Counts
from banbury.readers import read
from banbury.readers.mail import parse

# Files with rows

SOUND_ROWS = {
    "jsonl": b'{"text": "so happy", "label": "yes", "n": 1}\n{"text": "so \\u00e9\\ud83d\\ude00", "label": "no"}\n',
    "csv": b'text,label\n"so, ""happy""",yes\r\nsad,no\n"two\nlines",yes\n',
    "tsv": b"text\tlabel\nso happy\tyes\nsad\tno\n",
    "fasttext": b"__label__yes so happy\n__label__no sad\n",
    "lines": b"so happy\r\nsad\n\n",
}
PIECES = [
    b'"',
    b"\\",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b"\t",
    b"\0",
    b"{",
    b"}",
    b"[",
    b":",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
]


def changed_bytes(random: Random, data: bytes) -> bytes:
    """The same bytes with a few of them changed, moved, repeated or gone."""
    content = bytearray(data)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(content) + 1)
        match random.randrange(5):
            case 0:
                content[place : place + random.randint(1, 4)] = b""
            case 1:
                content[place:place] = random.choice(PIECES)
            case 2:
                content[place:place] = content[place : place + random.randint(1, 30)]
            case 3 if place < len(content):
                content[place] = random.getrandbits(8)
            case _:
                content[place : place + 1] = random.choice(PIECES)
    return bytes(content)


def changed_rows(random: Random) -> bytes:
    """A line with the format, and a file in it that is nearly right."""
    name = random.choice(sorted(SOUND_ROWS))
    # The first line stays: what the columns are is guessed from as much of the file as there is.
    first, end, rest = (SOUND_ROWS[name] * random.randint(1, 3)).partition(b"\n")
    return name.encode() + b"\n" + first + end + changed_bytes(random, rest)


def use_rows(data: bytes) -> None:
    """Reads a file whole and in small pieces: both give the same rows."""
    name, _, content = data.partition(b"\n")
    options: dict[str, Any] = {"format": name.decode(), "bad_rows": "skip", "encoding": "utf-8"}
    if name not in (b"fasttext", b"lines"):
        options |= {"text": "text", "label": "label"}
    if name in (b"csv", b"tsv"):  # what is guessed depends on how much of the file is there
        options |= {"delimiter": "\t" if name == b"tsv" else ",", "header": True, "quotes": True}
    found = []
    for source in (io.BytesIO(content), Slowly(content)):
        try:
            batches = list(read(source, **options))
            found.append([row for batch in batches for row in batch.rows()])
        except BanburyError as error:
            found.append([{"error": type(error).__name__}])
    assert found[0] == found[1], "rows depend on where the file was cut"


class Slowly(io.BytesIO):
    """A stream that gives a few bytes at a time; how many depends on what it holds."""

    def read(self, size: int | None = -1) -> bytes:
        piece = 7 + crc32(self.getbuffer()) % 60
        return super().read(piece if size is None or not 0 <= size <= piece else size)

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


# Parquet


@cache
def sound_parquet() -> list[bytes]:
    """Small files with and without compression, dictionaries and row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": ["so happy", "sad", "naïve 日本"] * 9, "label": ["yes", "no", "yes"] * 9, "n": range(27)})
    files = []
    for options in ({}, {"compression": "zstd"}, {"use_dictionary": False, "row_group_size": 5}):
        stream = io.BytesIO()
        pq.write_table(table, stream, **options)
        files.append(stream.getvalue())
    return files


def changed_parquet(random: Random) -> bytes:
    """A file with bits flipped, most of them where it says how it is to be read; its first and last bytes stay."""
    content = bytearray(random.choice(sound_parquet()))
    for _ in range(random.randint(1, 3)):
        first = len(content) - 1000 if random.random() < 0.7 else 4
        content[random.randrange(max(first, 4), len(content) - 8)] ^= 1 << random.randrange(8)
    return bytes(content)


def use_parquet(data: bytes) -> None:
    """Reads a file; a panic in there ends a process, but not this one."""
    list(read(io.BytesIO(data), format="parquet", text="text", label="label", bad_rows="skip"))


# E-mail

SOUND_MAIL = [
    b"From: a@b.example\nTo: c@d.example\nSubject: =?utf-8?q?caf=C3=A9?=\nDate: Mon, 1 Jan 2024 10:00:00\n\nHello\n",
    b"Subject: parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; "
    b"charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nso =E9=\n\n--x\nContent-Type: text/html\n\n<a "
    b'href="http://x.example">y</a><script>z</script>\n--x\nContent-Type: image/png\nContent-Transfer-Encoding: base64'
    b"\n\niVBORw0KGgo=\n--x--\n",
]


def changed_mail(random: Random) -> bytes:
    return changed_bytes(random, random.choice(SOUND_MAIL))


def use_mail(data: bytes) -> None:
    """Parsing never raises on what a message holds."""
    mail = parse(data)
    str(mail)


# Texts

CHARACTERS = (
    "ab AB'-.,:;!?@#<>/&%$_0123 \t\n\0"
    "\u00ad\u0301\u0130\u03a3\u200b\u200d\ufeff\u2019\u00e9日本ไทย😀👩🏽\U0001f1e9\U0001f1ea"
)
THINGS = [
    "http://a.b/c?d=e",
    "www.x.yz",
    "a@b.cd",
    "@name",
    "<br/>",
    "<!--",
    ":-)",
    "<3",
    "don't",
    "not",
    "&#39;",
    "1,000.5",
]
ANALYZERS = [
    Analyzer(),
    Analyzer(words="python", lowercase=False),
    Analyzer(ngrams=(1, 3), negation=True, stop_words="english", stemmer="english"),
    Analyzer(words=None, characters=(1, 4)),
    Analyzer.preset("tweets"),
    Analyzer.preset("authors"),
]


def changed_text(random: Random) -> bytes:
    """A text of odd characters and things that are recognised."""
    pieces = [random.choice(THINGS if random.random() < 0.2 else CHARACTERS) for _ in range(random.randint(0, 80))]
    return "".join(pieces).encode("utf-8", "surrogatepass")


def use_text(data: bytes) -> None:
    """Features have places inside the text, and are what is counted."""
    text = data.decode("utf-8", "surrogatepass")
    for analyzer in ANALYZERS:
        features = analyzer.features(text)
        assert all(0 <= feature.start <= feature.end <= len(text) for feature in features)
        times: dict[str, int] = {}
        for feature in features:
            times[feature.text] = times.get(feature.text, 0) + 1
        postings = Counts(analyzer).add([text], ["x"]).kernel.postings()
        counted: dict[str, int] = {}
        for name, n in zip(postings.names, postings.occurrences.tolist(), strict=True):
            counted[name] = counted.get(name, 0) + n
        assert counted == times
