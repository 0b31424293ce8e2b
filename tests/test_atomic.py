"""Atomic file replacement: a file has its old content or its new one, whatever happens in between."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from banbury import atomic


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mood.txt"
    path.write_bytes(b"before")
    return path


def test_the_parts_are_the_content(path: Path) -> None:
    atomic.write(path, [b"so ", b"", b"happy"])
    assert path.read_bytes() == b"so happy"
    assert list(path.parent.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    atomic.write(tmp_path / "new", [b"x"])
    (tmp_path / "usual").write_bytes(b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_an_existing_file_keeps_its_permissions(path: Path, mode: int) -> None:
    path.chmod(mode)
    atomic.write(path, [b"after"])
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_block_that_raises_leaves_the_old_file(path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        assert path.read_bytes() == b"before"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomic.write(path, parts())
    assert path.read_bytes() == b"before"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_a_failure_of_the_system_leaves_the_old_file(path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="disk is full"):
        atomic.write(path, [b"after"])
    assert path.read_bytes() == b"before"
    assert list(path.parent.iterdir()) == [path]


def test_a_link_still_leads_to_the_file_that_is_replaced(path: Path) -> None:
    link = path.with_name("latest")
    link.symlink_to(path)
    atomic.write(link, [b"after"])
    assert link.is_symlink()
    assert path.read_bytes() == b"after"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    atomic.write(pipe, [b"so happy"])
    reader.join()
    assert received == [b"so happy"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_that_is_not_there_is_the_usual_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic.write(tmp_path / "nowhere" / "mood.txt", [b"x"])


def test_temporary_files_are_known_by_their_names(path: Path) -> None:
    with atomic.replacing(path) as temporary:
        Path(temporary).write_bytes(b"after")
        assert Path(temporary).parent == path.parent
        assert atomic.is_temporary(Path(temporary).name)
    assert not atomic.is_temporary(path.name)
