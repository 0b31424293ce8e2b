"""Atomic file replacement: a file has its old content or its new one, whatever happens in between."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from banbury import atomic


@pytest.fixture(autouse=True, params=["nameless", "named"])
def temporary_files(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs with temporary files that have no name, where there are such, and with files that have one."""
    if request.param == "named":
        monkeypatch.setattr(atomic, "_nameless", lambda folder, mode: -1)


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


@pytest.mark.parametrize("step", ["fsync", "fchmod", "replace"])
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
        assert all(atomic.is_temporary(file.name) for file in path.parent.iterdir() if file != path)
    assert not atomic.is_temporary(path.name)


def test_nobody_else_can_open_the_new_content_before_it_replaces_the_old(path: Path) -> None:
    path.chmod(0o600)
    with atomic.replacing(path) as temporary:
        Path(temporary).write_bytes(b"after")
        assert stat.S_IMODE(os.stat(temporary).st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_an_existing_file_keeps_its_owner(path: Path) -> None:
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    atomic.write(path, [b"after"])
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_group_that_cannot_be_kept_gets_no_more_than_everybody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    os.chown(path, 0, 23456)
    path.chmod(0o664)
    monkeypatch.setattr(os, "fchown", refuse)
    atomic.write(path, [b"after"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes here")
def test_an_existing_file_keeps_its_attributes(path: Path) -> None:
    try:
        os.setxattr(path, "user.origin", b"mail")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    atomic.write(path, [b"after"])
    assert os.getxattr(path, "user.origin") == b"mail"


KILLED = """
import os, sys
from banbury import atomic
if sys.argv[2] == "named":
    atomic._nameless = lambda folder, mode: -1
def parts():
    yield b"half of it"
    print("now", flush=True)
    sys.stdin.read()
atomic.write(sys.argv[1], parts())
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_what_a_killed_process_leaves_is_nothing_or_is_removed_later(
    path: Path, request: pytest.FixtureRequest
) -> None:
    kind = request.node.callspec.params["temporary_files"]
    command = [sys.executable, "-c", KILLED, str(path), kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        alive = [file for file in path.parent.iterdir() if file != path]
        for file in alive:  # however old it is: somebody is writing it
            os.utime(file, (1, 1))
        atomic.write(path, [b"between"])
        assert [file for file in path.parent.iterdir() if file != path] == alive
        process.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"between"
    assert len(alive) == (kind == "named" or not hasattr(os, "O_TMPFILE"))
    for file in alive:
        os.utime(file)  # young: it may be that of a process that has just begun
        atomic.write(path, [b"after"])
        assert file.exists()
        os.utime(file, (1, time.time() - atomic.LEFT_BEHIND - 1))
    atomic.write(path, [b"after"])
    assert list(path.parent.iterdir()) == [path]
