"""What can go wrong with a journal: a clear error, reading goes on, and nothing that was acknowledged is lost."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier
from commands import LABELS, TEXTS
from serving import Serving, entries, wait_for

LEARN = "/v1/models/mood/learn"
# The same process, less patient: a test cannot wait for seconds.
QUICK = """
import sys
from banbury.server import learner
from banbury.server.journal import sqlite
learner.RETRY_SECONDS, sqlite.BUSY_SECONDS = 0.1, 0.5
from banbury.cli import main
sys.exit(main())
"""
# Its files may not grow beyond this: what a full disk looks like to whoever writes.
SMALL_DISK = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mood.banbury"
    Classifier.textbook().fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "learned.journal"


def example(text: str) -> dict[str, Any]:
    return {"texts": [text], "labels": ["positive"]}


def learned(journal: Path) -> list[str]:
    return [json.loads(document) for _, act, document, *_ in entries(journal) if act == "learn"]


def reads(server: Serving) -> bool:
    return bool(server.predict("mood", "I am so happy")["labels"] == ["positive"])


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX's")
def test_a_full_disk_is_said_and_what_was_acknowledged_stays(file: Path, journal: Path) -> None:
    acknowledged = []
    with Serving(file, "--journal", journal, program=SMALL_DISK + QUICK) as server:
        for number in range(40):
            text = f"number {number} " + "so happy " * 20_000
            answer = server.post(LEARN, example(text))
            if answer.status == 503:
                break
            assert answer.status == 200
            acknowledged.append(text)
        assert answer.status == 503
        assert answer.headers["retry-after"] == "5"
        assert "disk" in answer.json["detail"] or "full" in answer.json["detail"]
        assert reads(server)
        assert acknowledged
    with Serving(file, "--journal", journal, program=QUICK) as server:
        assert server.post(LEARN, example("there is space again")).status == 200
        assert learned(journal) == [*acknowledged, "there is space again"]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A file system of a megabyte; only root can have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("a small file system can only be mounted by root on Linux")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_file_system_is_said_and_learning_goes_on_when_there_is_space(file: Path, mounted: Path) -> None:
    journal, ballast = mounted / "learned.journal", mounted / "ballast"
    with Serving(file, "--journal", journal, program=QUICK) as server:
        assert server.post(LEARN, example("the first")).status == 200
        with suppress_full(), open(ballast, "wb") as out:
            while True:
                out.write(bytes(4096))
                out.flush()
        answer = server.post(LEARN, example("too much " * 20_000))
        assert answer.status == 503
        assert "full" in answer.json["detail"]
        assert reads(server)
        ballast.unlink()
        wait_for(lambda: server.post(LEARN, example("the last")).status == 200)
        assert learned(journal) == ["the first", "the last"]


class suppress_full:
    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, _: object) -> bool:
        return isinstance(error, OSError)


def test_a_folder_that_cannot_be_written_to_is_said_and_reading_goes_on(file: Path, tmp_path: Path) -> None:
    with Serving(file, "--journal", tmp_path / "nowhere" / "learned.journal", program=QUICK) as server:
        assert reads(server)
        answer = server.post(LEARN, example("a"))
        assert answer.status == 503
        assert "No such file or directory" in answer.json["detail"]
        assert "No such file" in server.get("/health/ready").json["journal"]
        assert "nothing can be learned" in server.log
        (tmp_path / "nowhere").mkdir()
        wait_for(lambda: server.get("/health/ready").json["journal"] == "open")
        assert server.post(LEARN, example("a")).status == 200


def test_a_read_only_folder_is_said_and_reading_goes_on(file: Path, mounted: Path) -> None:
    journal = mounted / "learned.journal"
    subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
    with Serving(file, "--journal", journal, program=QUICK) as server:
        answer = server.post(LEARN, example("meanwhile"))
        assert answer.status == 503
        assert "Read-only file system" in answer.json["detail"]
        assert reads(server)
        subprocess.run(["mount", "-o", "remount,rw", mounted], check=True)
        wait_for(lambda: server.post(LEARN, example("after")).status == 200)
        assert learned(journal) == ["after"]


def test_a_locked_database_is_waited_for_and_then_said(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal, program=QUICK) as server:
        assert server.post(LEARN, example("before")).status == 200
        other = sqlite3.connect(journal, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = server.post(LEARN, example("meanwhile"))
        assert answer.status == 503
        assert "locked" in answer.json["detail"]
        assert reads(server)
        other.execute("ROLLBACK")
        other.close()
        wait_for(lambda: server.post(LEARN, example("after")).status == 200)
        assert learned(journal) == ["before", "after"]


def test_a_second_server_reads_and_learns_once_the_first_has_gone(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal, program=QUICK) as first:
        assert first.post(LEARN, example("blorp")).status == 200
        with Serving(file, "--journal", journal, program=QUICK) as second:
            answer = second.post(LEARN, example("flurb"))
            assert answer.status == 503
            assert "another server is using it" in answer.json["detail"]
            first.stop()
            wait_for(lambda: second.post(LEARN, example("flurb")).status == 200)
            assert learned(journal) == ["blorp", "flurb"]


def test_a_corrupted_journal_is_said_and_the_last_snapshot_is_served(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal, program=QUICK) as server:
        body = {"texts": ["blorp"] * 3, "labels": ["negative"] * 3}
        assert server.post(LEARN, body).status == 200
        server.stop()
    whole = journal.read_bytes()
    journal.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    with Serving(file, "--journal", journal, program=QUICK) as server:
        assert reads(server)
        assert server.predict("mood", "blorp")["labels"] == ["negative"]
        answer = server.post(LEARN, example("a"))
        assert answer.status == 503
        assert "malformed" in answer.json["detail"] or "damaged" in answer.json["detail"]
        journal.write_bytes(whole)
        wait_for(lambda: server.post(LEARN, example("a")).status == 200)
        assert learned(journal) == ["blorp"] * 3 + ["a"]
