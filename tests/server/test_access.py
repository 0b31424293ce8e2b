"""Who may ask: addresses, Host and Origin headers, keys."""

from pathlib import Path

import pytest

from banbury import Classifier
from banbury.errors import FileFormatError, InputError
from banbury.server.keys import Keys, add_key
from commands import run
from serving import Serving

PREDICT = "/v1/models/mood/predict"
BODY = {"texts": ["so happy"]}


@pytest.fixture
def mood_file(tmp_path: Path) -> Path:
    path = tmp_path / "mood.banbury"
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(path)
    return path


def test_another_address_needs_keys(mood_file: Path) -> None:
    done = run("serve", mood_file, "--host", "0.0.0.0")
    assert done.code == 2
    assert "say --keys FILE" in done.err


def test_only_names_and_origins_that_are_allowed_may_ask(mood_file: Path) -> None:
    with Serving(mood_file, "--allow-host", "mood.example.org", "--cors", "https://page.example.org") as server:

        def status(**headers: str) -> int:
            return server.post(PREDICT, BODY, headers=headers).status

        assert status() == 200
        assert status(Host="localhost:80") == status(Host="[::1]") == status(Host="mood.example.org") == 200
        assert status(Host="evil.example.org") == 421
        assert status(Host="") == 421
        assert status(Origin="https://evil.example.org") == 403
        assert status(Origin="null") == 403
        assert status(Origin="http://localhost:80", Host="localhost:80") == 200

        page = {"Origin": "https://page.example.org"}
        allowed = server.post(PREDICT, BODY, headers=page)
        assert allowed.headers["access-control-allow-origin"] == "https://page.example.org"
        asked = server.ask("OPTIONS", PREDICT, headers={**page, "Access-Control-Request-Method": "POST"})
        assert asked.status == 204
        assert "POST" in asked.headers["access-control-allow-methods"]


def test_without_being_asked_there_is_no_cors(mood_file: Path) -> None:
    with Serving(mood_file) as server:
        answer = server.ask("OPTIONS", PREDICT, headers={"Origin": "https://page.example.org"})
        assert answer.status == 403
        assert not any(name.startswith("access-control") for name in server.post(PREDICT, BODY).headers)


def test_keys_open_what_their_scope_says(mood_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    made = run("serve", mood_file, "--keys", file, "--add-key", "phone=read")
    reader, writer = made.out.strip(), add_key(file, "desk", "admin")
    assert reader not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0

    def bearer(key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    with Serving(mood_file, "--keys", file, "--host", "0.0.0.0") as server:
        assert server.get("/health/live").status == 200
        refused = server.post(PREDICT, BODY)
        assert refused.status == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert server.post(PREDICT, BODY, headers=bearer("bby_wrong")).status == 401
        assert server.post(PREDICT, BODY, headers={"Authorization": f"Basic {reader}"}).status == 401
        assert server.post(PREDICT, BODY, headers=bearer(reader)).status == 200
        assert server.post(PREDICT, BODY, headers=bearer(writer)).status == 200
        assert server.get("/v1/models", headers=bearer(reader)).status == 200
        assert server.get("/v1/models").status == 401


def test_a_file_of_keys_has_to_be_one(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# a comment\n\nphone read sha256:12\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 3 is not NAME SCOPE"):
        Keys(file)
    with pytest.raises(InputError, match="scope is 'write'"):
        add_key(file, "phone", "write")
    with pytest.raises(InputError, match="one word"):
        add_key(file, "my phone", "read")
