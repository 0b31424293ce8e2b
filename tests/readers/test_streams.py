"""Bytes of files: expanded, decoded, read ahead, within limits."""

import io
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from banbury.errors import FileFormatError, InputError
from banbury.readers import Limits, read, streams
from banbury.readers import options as reading_options
from banbury.readers.streams import ahead
from row_files import COMPRESSIONS, content, jsonl


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "shift-jis"])
@pytest.mark.parametrize("compression", ["", ".gz"])
def test_other_encodings_can_be_read(encoding: str, compression: str) -> None:
    text = "漢字 text" if encoding == "shift-jis" else "süß – ünd" if encoding != "latin-1" else "süß ünd"
    data = COMPRESSIONS[compression](f"label,text\na,{text}\n".encode(encoding))
    assert content(io.BytesIO(data), encoding=encoding) == [(text, "a")]


def test_a_mark_in_front_is_understood() -> None:
    for data in ("\ufefflabel,text\na,ß\n".encode(), "label,text\na,ß\n".encode("utf-16")):
        assert content(io.BytesIO(data)) == [("ß", "a")]


def test_a_wrong_encoding_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match="no encoding 'klingon'"):
        read(io.BytesIO(b"x"), encoding="klingon").whole()
    with pytest.raises(InputError, match="it is not ascii"):
        read(io.BytesIO("ß".encode()), encoding="ascii").whole()
    with pytest.raises(InputError, match="no encoding 'base64'"):
        read(io.BytesIO(b"x"), encoding="base64").whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_a_small_file_that_expands_without_end_is_refused(extension: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_options, "NO_BOMB", 4 << 20)
    bomb = COMPRESSIONS[extension](b"a" * (8 << 20))
    with pytest.raises(InputError, match=r"over 250 times as many.*say limits=Limits\(ratio=…\)"):
        read(io.BytesIO(bomb), format="lines").whole()
    reader = read(io.BytesIO(bomb), format="lines", limits=Limits(ratio=10**6))
    assert sum(map(len, reader.whole().texts)) == 8 << 20
    with pytest.raises(InputError, match=r"Limits\(expanded=…\)"):
        read(io.BytesIO(bomb), format="lines", limits=Limits(ratio=10**6, expanded=10**6)).whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_a_damaged_or_truncated_file_is_refused(extension: str) -> None:
    packed = COMPRESSIONS[extension](jsonl([(f"text {n * n}", "a") for n in range(500)]))
    with pytest.raises(FileFormatError, match="end too early"):
        read(io.BytesIO(packed[:-30])).whole()
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    damaged[len(packed) // 2 + 1] ^= 0xFF
    with pytest.raises((FileFormatError, InputError)):
        read(io.BytesIO(bytes(damaged))).whole()


@pytest.mark.parametrize("extension", [".gz", ".zst", ".bz2", ".xz"])
def test_files_of_several_members_are_read_to_the_end(extension: str) -> None:
    one, other = jsonl([("one", "a")]), jsonl([("two", "b")])
    packed = COMPRESSIONS[extension](one) + COMPRESSIONS[extension](other)
    assert content(io.BytesIO(packed)) == [("one", "a"), ("two", "b")]


def test_a_pipe_gives_its_rows_when_they_come() -> None:
    reading, writing = os.pipe()
    arrived = threading.Event()

    def write() -> None:
        os.write(writing, b"first\n")
        if arrived.wait(10):  # the first row is read before the second is written
            os.write(writing, b"second\n")
        os.close(writing)

    thread = threading.Thread(target=write)
    thread.start()
    seen = []
    with open(reading, "rb", buffering=0) as file:
        for batch in read(file, format="lines"):
            seen += list(batch.texts)
            arrived.set()
    thread.join()
    assert seen == ["first", "second"]


def test_a_block_is_read_while_the_one_before_it_is_used_and_fails_in_its_turn() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number
        raise InputError("the third was the last")

    def used(number: int) -> int:
        deadline = time.monotonic() + 30
        while len(made) < min(number + 2, 3):  # the next one comes without being asked for
            assert time.monotonic() < deadline
            time.sleep(0.001)
        found.append(number)
        return number

    found: list[int] = []
    with pytest.raises(InputError, match="the third was the last"):
        list(map(used, ahead(items())))
    assert found == [0, 1, 2]


def test_the_first_is_made_before_it_is_asked_for() -> None:
    begun = threading.Event()

    def items() -> Iterator[int]:
        begun.set()
        yield 1

    reading = ahead(items())
    assert begun.wait(30)
    assert list(reading) == [1]
    assert list(reading) == []


@pytest.mark.parametrize("leave", [ahead.close, lambda reading: None])
def test_nothing_is_made_ahead_for_one_who_has_gone(leave: Callable[[ahead[int]], None]) -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    reading = ahead(items())
    assert [next(reading), next(reading)] == [0, 1]
    leave(reading)
    del reading
    deadline = time.monotonic() + 30
    while any(thread.name.endswith("(make)") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    assert len(made) <= 3


@pytest.mark.parametrize("encoding", ["\udcff", "utf\0", "base64", "no such", "", " "])
def test_an_encoding_that_there_is_not_is_told(encoding: str) -> None:
    with pytest.raises(InputError, match="there is no encoding"):
        content(io.BytesIO(b"text,label\na,b\n"), encoding=encoding)


def test_what_is_taken_at_once_does_not_end_the_thread_that_reads_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    class SlowToReturn(queue.Queue[object]):
        """Whoever waits for an item has it before the one who puts it goes on."""

        def put(self, item: object, block: bool = True, timeout: float | None = None) -> None:
            super().put(item, block, timeout)
            if isinstance(item, tuple):  # an item, not the wish for one
                time.sleep(0.05)

    monkeypatch.setattr(streams, "SimpleQueue", SlowToReturn)
    made: list[int] = []
    reader = threading.Thread(target=lambda: made.extend(ahead(iter(range(5)))), daemon=True)
    reader.start()
    reader.join(timeout=30)
    assert made == [0, 1, 2, 3, 4]
