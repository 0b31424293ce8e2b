"""Mailboxes, maildirs and folders of messages."""

import gzip
from pathlib import Path

from banbury.readers import read
from row_files import content

MESSAGES = [
    b"From: ann@example.org\nSubject: Lunch?\n\nAt noon.\n\n>From here it is not far.\n",
    b"From: win@example.com\nSubject: =?utf-8?q?Geld_f=C3=BCr_dich?=\n\nFree money.\n",
]


def test_an_mbox_has_its_name_as_label(tmp_path: Path) -> None:
    data = b"".join(b"From x@y Mon Nov 16 10:00:00 2026\n" + message + b"\n" for message in MESSAGES)
    expected = ["Lunch?\n\nAt noon.\n\nFrom here it is not far.", "Geld für dich\n\nFree money."]
    for name, content_ in [("ham.mbox", data), ("ham", data), ("ham.mbox.gz", gzip.compress(data))]:
        path = tmp_path / name
        path.write_bytes(content_)
        batch = read(path).whole()
        assert (list(batch.texts), batch.labels) == (expected, ["ham", "ham"])
        assert batch.lines == [1, 9]
        assert [row["sender"] for row in batch.rows()] == ["ann@example.org", "win@example.com"]
    assert read(tmp_path / "ham", label=False).whole().labels is None


def test_maildirs_and_folders_of_messages_are_read(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / ".Spam" / folder).mkdir(parents=True)
    (tmp_path / ".Spam" / "cur" / "1:2,S").write_bytes(MESSAGES[1])
    (tmp_path / ".Spam" / "tmp" / "2").write_bytes(b"not yet")
    assert content(tmp_path / ".Spam") == [("Geld für dich\n\nFree money.", "Spam")]
    (tmp_path / "all" / "ham").mkdir(parents=True)
    (tmp_path / "all" / "ham" / "1.eml").write_bytes(MESSAGES[0])
    assert [label for _, label in content(tmp_path / "all", format="mail")] == ["ham"]
    assert read(tmp_path / "all").layout.format == "folder"  # it might as well be a text that starts like this
    (tmp_path / "all" / "ham" / "1.eml").write_bytes(b"Received: by example.org\n" + MESSAGES[0])
    assert content(tmp_path / "all") == content(tmp_path / "all", format="mail")
    assert [row["subject"] for row in read(tmp_path / "all" / "ham" / "1.eml").whole().rows()] == ["Lunch?"]
