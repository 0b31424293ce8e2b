"""Files that come in: streamed to the disk, whole or not at all."""

import http.client
import sys
from pathlib import Path
from typing import Any

import pytest

from banbury.server.models import Models
from hostile import HOSTILE
from serving import Serving, entries, wait_for


def _post(server: Serving, name: str, content: bytes, room: str = "mistakes") -> tuple[int, str]:
    quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "").replace("\n", "")
    body = (
        f'--x\r\nContent-Disposition: form-data; name="room"\r\n\r\n{room}\r\n'
        f'--x\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'
    ).encode("utf-8", "replace") + content + b"\r\n--x--\r\n"  # fmt: skip
    headers = {"content-type": "multipart/form-data; boundary=x", "origin": f"http://127.0.0.1:{server.port}"}
    answer = server.post("/page/files", body, headers=headers)
    return answer.status, answer.headers.get("location", answer.body.decode())


def _folder(server: Serving) -> Path:
    arguments: Any = server.process.args
    return next(Path(one) for one in arguments if Path(one).is_dir()) / "files"


def test_a_file_larger_than_any_body_comes_through(server: Serving) -> None:
    content = b"text,label\n" + b"so happy,positive\n" * 800_000  # 14 MB
    assert _post(server, "large.csv", content) == (303, "mistakes?file=large.csv")
    assert (_folder(server) / "large.csv").read_bytes() == content


@pytest.mark.parametrize("name", [one for one in HOSTILE if one.strip()][::3])
def test_hostile_names_lead_nowhere(server: Serving, name: str) -> None:
    before = len(list(_folder(server).parent.iterdir()))
    status, where = _post(server, name, b"x")
    assert status == 303, where
    assert len(list(_folder(server).parent.iterdir())) == before
    assert all(path.parent == _folder(server) for path in _folder(server).rglob("*") if path.is_file())


def test_what_is_no_form_or_has_no_file_is_said(server: Serving) -> None:
    own = {"origin": f"http://127.0.0.1:{server.port}"}
    assert server.post("/page/files", b"x", headers=own).status == 415
    own["content-type"] = "multipart/form-data; boundary=x"
    assert server.post("/page/files", b"--x--\r\n", headers=own).status == 422
    assert server.post("/page/files", b"--y\r\n\r\n", headers=own).status == 400
    status, where = _post(server, "a.zip", b"PK no zip")
    assert (status, "no zip that can be read" in where) == (422, True)


def test_a_file_that_stops_in_the_middle_leaves_nothing(server: Serving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest("POST", "/page/files")
    for name, value in (("content-type", "multipart/form-data; boundary=x"), ("content-length", "100000"),
                        ("origin", f"http://127.0.0.1:{server.port}")):  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(b'--x\r\nContent-Disposition: form-data; name="file"; filename="half.csv"\r\n\r\ntext,')
    connection.close()
    assert server.get("/health/live").status == 200
    wait_for(lambda: not [one for one in _folder(server).iterdir() if "half" in one.name])


def test_files_are_removed_by_their_form(server: Serving) -> None:
    _post(server, "gone.csv", b"x")
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{server.port}"}
    assert server.post("/page/remove", b"file=gone.csv&room=train", headers=headers).status == 303
    assert not (_folder(server) / "gone.csv").exists()
    assert server.post("/page/remove", b"file=../mood.banbury", headers=headers).status == 404
    assert list(Models([_folder(server).parent])) == ["mood", "passengers", "plain"]


# Files may not grow beyond this: what a full disk looks like to whoever writes.
SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
from banbury.cli import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX's")
def test_a_full_disk_is_said_on_the_page_and_nothing_is_lost(models: Path, tmp_path: Path) -> None:
    (tmp_path / "mood.banbury").write_bytes((models / "plain.banbury").read_bytes())
    (tmp_path / "files").mkdir()
    lines = [f"number {number} " + "so happy " * 9_000 for number in range(30)]  # 80 KB each
    (tmp_path / "files" / "waiting.txt").write_text("\n".join([*lines, ""]))
    journal = tmp_path / "journal"
    with Serving(tmp_path, "--journal", journal, program=SMALL_DISK) as server:
        status, said = _post(server, "large.csv", b"text,label\n" * 200_000)
        assert (status, "could not be kept" in said) == (507, True)
        assert [path.name for path in (tmp_path / "files").iterdir()] == ["waiting.txt"]
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{server.port}"}
        taught = 0
        for number in range(30):
            body = f"model=mood&file=waiting.txt&who=ann&number={number}&once=a{number}&label=positive"
            answer = server.post("/page/teach", body.encode(), headers=headers)
            if answer.status != 303:
                break
            taught += 1
        assert answer.status == 503
        assert b"That did not work" in answer.body
        assert 0 < taught < 30
        assert server.get("/page/try?model=mood&text=so+happy").status == 200
    assert len([act for _, act, *_ in entries(journal) if act == "learn"]) == taught
