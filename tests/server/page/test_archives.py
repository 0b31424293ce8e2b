"""Zips: folders of texts come out, nothing else does."""

import zipfile
from pathlib import Path

import pytest

from banbury.errors import FileFormatError
from banbury.server.page.archives import expanded


def _zip(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_folders_are_labels_also_below_one_that_holds_all(tmp_path: Path) -> None:
    files = {"all/ham/1.txt": "lunch", "all/spam/1.txt": "money", "__MACOSX/x": "y", "all/.hidden": "z"}
    folder = expanded(_zip(tmp_path / "mail.zip", **files), tmp_path / "mail.folder")
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*")) == ["ham/1.txt", "spam/1.txt"]


def test_mailboxes_become_folders_of_messages(tmp_path: Path) -> None:
    box = "From a Mon\nSubject: x\n\none\n>From here\n\nFrom b Mon\nSubject: y\n\ntwo\n"
    folder = expanded(_zip(tmp_path / "m.zip", **{"all/ham.mbox": box, "all/spam.mbox": box}), tmp_path / "m.folder")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert names == [f"{label}/00000{number}.eml" for label in ("ham", "spam") for number in (1, 2)]
    assert (folder / "ham" / "000002.eml").read_text() == "Subject: y\n\ntwo\n"


def test_a_single_file_stands_alone(tmp_path: Path) -> None:
    found = expanded(_zip(tmp_path / "a.zip", **{"rows.csv": "text,label\n"}), tmp_path / "a.folder")
    assert found == tmp_path / "rows.csv"
    assert found.read_text() == "text,label\n"


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\..\\out.txt"])
def test_places_outside_are_refused_whole(tmp_path: Path, name: str) -> None:
    archive = _zip(tmp_path / "a.zip", **{"ham/1.txt": "lunch", name: "x"})
    with pytest.raises(FileFormatError, match="outside of itself"):
        expanded(archive, tmp_path / "a.folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip"]


def test_a_bomb_and_a_file_that_is_no_zip_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="that is no text"):
        expanded(_zip(tmp_path / "a.zip", **{"ham/1.txt": "0" * 5_000_000}), tmp_path / "a.folder")
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(FileFormatError, match="no zip that can be read"):
        expanded(tmp_path / "b.zip", tmp_path / "b.folder")
    with pytest.raises(FileFormatError, match="no files"):
        expanded(_zip(tmp_path / "c.zip"), tmp_path / "c.folder")
