"""The file comes back as it was written, or not at all."""

import array
import json
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from numpy.typing import NDArray
from safetensors import safe_open

import banbury
from banbury import storage
from banbury.errors import FileFormatError, InputError

SETTINGS: dict[str, Any] = {"smoothing": 0.5, "classes": ["süß", "sauer"], "ngrams": [1, 2]}
ARRAYS: dict[str, NDArray[Any]] = {
    "keys": np.arange(6, dtype=np.uint64).reshape(3, 2),
    "counts": np.array([3, 1, 2], dtype=np.uint32),
    "letters": np.frombuffer(b"icecream", dtype=np.uint8),
    "weights": np.array([-0.5, np.inf, 1e-300]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mood.banbury"


@pytest.fixture
def written(path: Path) -> bytes:
    storage.write(path, SETTINGS, ARRAYS)
    return path.read_bytes()


@pytest.fixture(scope="module")
def shared_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One place for all the examples that hypothesis makes."""
    return tmp_path_factory.mktemp("storage") / "mood.banbury"


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        storage.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


# What is written comes back

names = st.text(st.characters(max_codepoint=127), min_size=1).filter(lambda name: not name.startswith("_"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
stored_arrays = st.sampled_from([np.uint8, np.uint32, np.uint64, np.float64]).flatmap(
    lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=7))
)


@given(st.dictionaries(st.text(), json_values), st.dictionaries(names, stored_arrays, max_size=4))
def test_saved_and_loaded_is_identical(
    shared_path: Path, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    storage.write(shared_path, settings, arrays)
    file = storage.read(shared_path)
    assert file.settings == settings
    assert file.arrays.keys() == arrays.keys()
    for name, expected in arrays.items():
        view = file.arrays[name]
        assert view.readonly
        found = np.asarray(view)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
        assert found.shape == (expected.shape if expected.size else (0,))
        assert found.ctypes.data % 64 == 0 or not found.size


def test_the_same_content_gives_the_same_bytes(path: Path, written: bytes) -> None:
    storage.write(path, dict(reversed(SETTINGS.items())), dict(reversed(ARRAYS.items())))
    assert path.read_bytes() == written


def test_any_buffer_of_a_known_kind_is_stored(path: Path) -> None:
    storage.write(path, {}, {"a": b"bytes", "b": array.array("Q", [7]), "c": memoryview(bytes(16)).cast("d")})
    assert {name: view.tolist() for name, view in storage.read(path).arrays.items()} == {
        "a": list(b"bytes"),
        "b": [7],
        "c": [0.0, 0.0],
    }


def test_a_lone_surrogate_in_the_settings_survives(path: Path) -> None:
    storage.write(path, {"classes": ["\ud800"]}, {})
    assert storage.read(path).settings == {"classes": ["\ud800"]}


def test_the_arrays_outlive_the_file(path: Path, written: bytes) -> None:
    file = storage.read(path)
    path.unlink()
    assert file.arrays["counts"].tolist() == [3, 1, 2]


def test_safetensors_reads_the_file(path: Path, written: bytes) -> None:
    with safe_open(path, framework="numpy") as file:
        assert file.metadata()["format"] == "banbury"
        assert json.loads(file.metadata()["settings"]) == SETTINGS
        assert {name for name in file.keys() if not name.startswith("_")} == ARRAYS.keys()  # noqa: SIM118  not a dict
        for name, expected in ARRAYS.items():
            np.testing.assert_array_equal(file.get_tensor(name), expected, strict=True)


@pytest.mark.parametrize(
    "settings, arrays, message",
    [
        ({"smoothing": float("nan")}, {}, "cannot be saved as JSON"),
        ({"analyzer": object()}, {}, "cannot be saved as JSON"),
        ({}, {"_0": b""}, "no underscore in front"),
        ({}, {"süß": b""}, "use ASCII"),
        ({}, {"counts": np.zeros(3, np.int64)}, "elements of kind 'l'; a file holds U8, U32, U64, F64"),
        ({}, {"counts": np.zeros(3, np.uint16)}, "elements of kind 'H'"),
        ({}, {"counts": np.zeros(3, ">u8")}, "elements of kind '>Q'"),
        ({}, {"counts": np.zeros((2, 3)).T}, "'counts' is not a C-contiguous array"),
        ({}, {"counts": np.array(1.0)}, "'counts' is not a C-contiguous array of one or more dimensions"),
    ],
)
def test_write_says_what_cannot_be_stored(
    path: Path, settings: dict[str, Any], arrays: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        storage.write(path, settings, arrays)
    assert list(path.parent.iterdir()) == []


# An old file stays until the new one is complete


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_file(
    path: Path, written: bytes, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        storage.write(path, {"other": True}, ARRAYS)
    assert path.read_bytes() == written
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_open_stays_as_it_was(path: Path, written: bytes) -> None:
    before = storage.read(path)
    storage.write(path, {}, {"counts": np.zeros(3, np.uint32)})
    assert before.arrays["counts"].tolist() == [3, 1, 2]
    assert storage.read(path).arrays["counts"].tolist() == [0, 0, 0]


def test_a_link_keeps_pointing_to_what_it_names(path: Path, written: bytes) -> None:
    link = path.with_name("latest.banbury")
    link.symlink_to(path)
    storage.write(link, {}, {})
    assert link.is_symlink()
    assert storage.read(path).settings == {}


def test_a_missing_file_is_the_usual_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        storage.read(path)
    with pytest.raises(FileNotFoundError):
        storage.write(path / "deeper", {}, {})


# A damaged file is refused, whole


def test_a_file_cut_off_anywhere_is_refused(path: Path, written: bytes) -> None:
    for length in range(len(written)):
        refusal(path, written[:length])


def test_every_flipped_bit_is_refused(path: Path, written: bytes) -> None:
    content = bytearray(written)
    for position in range(len(content)):
        for bit in range(8):
            content[position] ^= 1 << bit
            refusal(path, bytes(content))
            content[position] ^= 1 << bit


def test_bytes_behind_the_end_are_refused(path: Path, written: bytes) -> None:
    assert "bytes of data where the header tells of" in refusal(path, written + b"\0")


def test_the_damaged_array_is_named(path: Path, written: bytes) -> None:
    content = bytearray(written)
    content[written.index(b"icecream")] ^= 1
    assert refusal(path, bytes(content)).startswith("array 'letters' is damaged (its checksum is ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 8,
        b"\0" * 4096,
        b"\xff" * 4096,
        b"\x80\x04\x95" + b"pickle" * 100,
        b"PK\x03\x04" + bytes(1000),
        b"\x02\0\0\0\0\0\0\0{}" + bytes(200),
        "Ein Gedicht über Eis.\n".encode() * 100,
    ],
)
def test_a_foreign_file_is_refused(path: Path, content: bytes) -> None:
    assert "not a banbury file" in refusal(path, content)


@pytest.mark.parametrize("length", [0, 1, 2, 100, 10**6, 10**8 + 1, 2**31, 2**63, 2**64 - 1])
def test_a_header_length_that_lies_is_refused(path: Path, written: bytes, length: int) -> None:
    assert "header" in refusal(path, length.to_bytes(8, "little") + written[8:])


# A hostile file has correct checksums. None of its numbers is believed before it is checked.


def header(entry: str, *, data: bytes = bytes(64), version: int = 3, settings: str = "{}") -> str:
    """The header of a file with one array, "keys", described by `entry`; its own checksum is still blank."""
    metadata = {
        "format": "banbury",
        "version": str(version),
        "checksum": "00000000",
        "settings": settings,
        "checksum/keys": f"{zlib.crc32(data):08x}",
    }
    return f'{{"__metadata__":{json.dumps(metadata, separators=(",", ":"))},"keys":{entry}}}'


def forged(header: str, data: bytes = bytes(64)) -> bytes:
    """A file with this header, and the checksum that belongs to it."""
    text = header.encode(errors="surrogateescape")  # so that a test can put in bytes that are no UTF-8
    text += b" " * (-(8 + len(text)) % 64)
    whole = len(text).to_bytes(8, "little") + text
    return whole.replace(b'"checksum":"00000000"', b'"checksum":"%08x"' % zlib.crc32(whole), 1) + data


SOUND = '{"dtype":"U64","shape":[4,2],"data_offsets":[0,64]}'


def test_a_sound_forgery_is_read(path: Path) -> None:
    path.write_bytes(forged(header(SOUND)))
    assert storage.read(path).arrays["keys"].shape == (4, 2)


def test_an_older_version_is_refused_with_what_to_do(path: Path) -> None:
    assert refusal(path, forged(header(SOUND, version=1))) == (
        "written by an earlier banbury, in version 1 of the format: train it again"
    )


def test_a_newer_version_is_named(path: Path) -> None:
    assert refusal(path, forged(header(SOUND, version=12))) == (
        "written in version 12 of the format; this banbury reads up to 3"
    )


@pytest.mark.parametrize(
    "entry, message",
    [
        ("null", "not described by"),
        ("[]", "not described by"),
        ("{}", "not described by"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[0,64],"more":1}', "not described by"),
        ('{"dtype":"U64","shape":8,"data_offsets":[0,64]}', "not described by"),
        ('{"dtype":"U64","shape":[],"data_offsets":[0,8]}', "not described by"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[0,64,64]}', "not described by"),
        ('{"dtype":"I64","shape":[8],"data_offsets":[0,64]}', "unknown dtype 'I64'"),
        ('{"dtype":"U64","shape":[-8],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":[-2,-4],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":[8.0],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":[true],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":["8"],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":[1e999],"data_offsets":[0,64]}', "impossible shape"),
        ('{"dtype":"U64","shape":[%s8],"data_offsets":[0,64]}' % ("1," * 64), "impossible shape"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[-64,0]}', "impossible shape or place"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[64,128]}', "does not follow"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[64,0]}', "does not follow"),
        ('{"dtype":"U64","shape":[16],"data_offsets":[0,128]}', "leaves the file"),
        ('{"dtype":"U64","shape":[1000000000000],"data_offsets":[0,8000000000000]}', "leaves the file"),
        ('{"dtype":"U64","shape":[2305843009213693952],"data_offsets":[0,0]}', "do not make its shape"),
        ('{"dtype":"U64","shape":[4294967296,4294967296],"data_offsets":[0,64]}', "do not make its shape"),
        ('{"dtype":"U64","shape":[7],"data_offsets":[0,64]}', "do not make its shape"),
        ('{"dtype":"U8","shape":[32],"data_offsets":[0,32]}', "damaged"),
        ('{"dtype":"U64","dtype":"U64","shape":[8],"data_offsets":[0,64]}', "stands there twice"),
        (SOUND + ',"keys":' + SOUND, "stands there twice"),
        (SOUND + ',"more":{"dtype":"U64","shape":[4],"data_offsets":[32,64]}', "does not follow"),
        (SOUND + ',"more":{"dtype":"U64","shape":[0],"data_offsets":[64,64]}', "damaged"),
        ('{"dtype":"U64","shape":[NaN],"data_offsets":[0,64]}', "NaN is not JSON"),
        ('{"dtype":"U64","shape":[8],"data_offsets":[0,Infinity]}', "Infinity is not JSON"),
        ("[" * 100_000, "cannot be read"),
        ('{"a":' * 100_000, "cannot be read"),
        ("9" * 100_000, "cannot be read"),
        ("{", "cannot be read"),
    ],
)
def test_a_hostile_header_is_refused(path: Path, entry: str, message: str) -> None:
    assert message in refusal(path, forged(header(entry)))


@pytest.mark.parametrize("settings", ["", "[]", "null", "NaN", '{"a":NaN}', '{"a":1,"a":1}', "[" * 100_000, "\ud800"])
def test_hostile_settings_are_refused(path: Path, settings: str) -> None:
    assert "the settings" in refusal(path, forged(header(SOUND, settings=settings)))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: text.replace('"settings":"{}"', '"settings":{}'), "metadata are not text"),
        (lambda text: text.replace('"settings"', '"setting"'), "the settings cannot be read"),
        (lambda text: text.replace('"checksum/keys"', '"checksum/key"'), "'keys' is damaged"),
        (lambda text: text.replace("banbury", "Banbury"), "not a banbury file"),
        (lambda text: text.replace('"keys"', '"k\udcffys"'), "codec can't decode byte 0xff"),
        (lambda text: text.replace('"version":"3"', '"version":"0"'), "the header is damaged"),
        (lambda text: text.replace('"version":"3"', '"version":"one"'), "the header is damaged"),
    ],
)
def test_hostile_metadata_are_refused(path: Path, change: Callable[[str], str], message: str) -> None:
    assert message in refusal(path, forged(change(header(SOUND))))


def test_arrays_off_their_alignment_are_refused(path: Path) -> None:
    data = bytes(40)
    keys = '{"dtype":"U64","shape":[5],"data_offsets":[0,40]}'
    more = ',"more":{"dtype":"U64","shape":[0],"data_offsets":[40,40]}'
    text = header(keys + more, data=data).replace('"checksum/keys"', '"checksum/more":"00000000","checksum/keys"')
    assert "'more' does not start at a multiple of 64" in refusal(path, forged(text, data))


def test_a_refusal_takes_no_memory(path: Path) -> None:
    path.write_bytes(forged(header('{"dtype":"U8","shape":[0,1000000000],"data_offsets":[0,0]}', data=b"")))
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError):
            storage.read(path)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["mood\0.banbury", "\ud800"])
def test_a_name_that_no_file_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can be the name of no file"):
        storage.write(tmp_path / name, {}, {})
    with pytest.raises(InputError, match="can be the name of no file"):
        storage.read(tmp_path / name)
    with pytest.raises(InputError, match="can be the name of no file"):
        banbury.read(tmp_path / name)
