"""The watcher: files that are new, replaced, damaged or gone, looked at without waiting for the clock."""

import asyncio
from pathlib import Path

from banbury import Classifier
from banbury.errors import BanburyError
from banbury.server import app
from banbury.server.keys import add_key
from banbury.server.problems import Problem


def save(path: Path, label: str) -> None:
    Classifier.textbook().fit(["so happy", "so sad"], [label, "sad"]).save(path)


def test_a_look_takes_what_is_whole_and_leaves_what_is_not(tmp_path: Path) -> None:
    path = tmp_path / "mood.banbury"
    save(path, "glad")
    application = app(tmp_path)

    def labels() -> list[str]:
        asyncio.run(application.watcher.look())
        return list(application.models["mood"].labels)

    assert labels() == ["glad", "sad"]
    save(path, "joyful")
    assert labels() == ["joyful", "sad"]
    path.write_bytes(path.read_bytes()[:-7])
    assert labels() == ["joyful", "sad"]
    assert "mood.banbury" in (application.models["mood"].refused or "")
    save(path, "well")
    assert labels() == ["sad", "well"]
    assert application.models["mood"].refused is None
    save(tmp_path / "other.banbury", "x")
    labels()
    assert sorted(application.models) == ["mood", "other"]
    (tmp_path / "other.banbury").unlink()
    labels()
    assert sorted(application.models) == ["mood"]


def test_keys_are_read_again_when_their_file_changes(tmp_path: Path) -> None:
    save(tmp_path / "mood.banbury", "glad")
    file = tmp_path / "keys"
    first = add_key(file, "first", "read")
    application = app(tmp_path, keys=file)
    assert application.access.keys is not None
    second = add_key(file, "second", "learn")
    asyncio.run(application.watcher.look())
    assert application.access.keys.scopes(f"Bearer {second}".encode()) == {"read", "learn"}
    file.write_text("damaged\n")
    asyncio.run(application.watcher.look())
    assert application.access.keys.scopes(f"Bearer {first}".encode()) == {"read"}
    file.write_text("# nobody\n")
    asyncio.run(application.watcher.look())
    try:
        application.access.keys.scopes(f"Bearer {first}".encode())
    except (Problem, BanburyError):
        return
    raise AssertionError("the key is still known")
