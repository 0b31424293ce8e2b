"""Model files that come, change, break and go while they are served."""

from pathlib import Path

import pytest

from banbury import Classifier
from banbury.errors import BanburyError
from banbury.server import app
from serving import Serving, wait_for


def save(path: Path, happy: str, sad: str) -> None:
    Classifier.textbook().fit(["so happy", "so sad"], [happy, sad]).save(path)


def test_a_replaced_file_is_loaded_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mood.banbury"
    save(path, "glad", "sad")
    with Serving(tmp_path) as server:
        assert server.predict("mood", "happy")["labels"] == ["glad"]
        save(path, "joyful", "sad")
        wait_for(lambda: server.predict("mood", "happy")["labels"] == ["joyful"])

        whole = path.read_bytes()
        path.write_bytes(whole[:-20] + bytes(20))
        wait_for(lambda: server.get("/v1/models/mood").json["refused"] is not None)
        assert "damaged" in server.get("/v1/models/mood").json["refused"]
        assert server.predict("mood", "happy")["labels"] == ["joyful"]

        save(path, "well", "sad")
        wait_for(lambda: server.predict("mood", "happy")["labels"] == ["well"])
        assert server.get("/v1/models/mood").json["refused"] is None

        save(tmp_path / "other.banbury", "a", "b")
        wait_for(lambda: len(server.get("/v1/models").json["models"]) == 2)
        (tmp_path / "other.banbury").unlink()
        wait_for(lambda: len(server.get("/v1/models").json["models"]) == 1)


def test_what_cannot_be_served_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "bad.banbury").write_bytes(b"nothing" * 100)
    with pytest.raises(BanburyError, match=r"bad\.banbury: not a banbury file"):
        app(tmp_path)
    with pytest.raises(BanburyError, match="no model to serve"):
        app([])
    (tmp_path / "a").mkdir()
    save(tmp_path / "a" / "mood.banbury", "glad", "sad")
    save(tmp_path / "mood.banbury", "glad", "sad")
    with pytest.raises(BanburyError, match="would both be the model 'mood'"):
        app([tmp_path / "a", tmp_path / "mood.banbury"])
