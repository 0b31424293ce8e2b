"""`banbury serve` on the command line: what is refused before anything is served."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from banbury import Classifier
from banbury.server.command import serve
from banbury.server.keys import Keys


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "mood.banbury"
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(path)
    return str(path)


def test_a_new_key_is_printed_once_and_known_by_its_hash(model: str, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    run = CliRunner().invoke(serve, [model, "--keys", str(file), "--add-key", "phone=learn"])
    key = run.output.strip()
    assert (run.exit_code, key in file.read_text()) == (0, False)
    assert Keys(file).scopes(b"Bearer " + key.encode()) == {"read", "learn"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--add-key", "phone=learn"], "Say --keys FILE"),
        (["--host", "0.0.0.0"], "can be reached by others"),
        (["--port", "70000"], "70000"),
    ],
)
def test_what_would_not_be_safe_is_refused(model: str, arguments: list[str], message: str) -> None:
    run = CliRunner().invoke(serve, [model, *arguments])
    assert run.exit_code == 2
    assert message in run.output


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    run = CliRunner().invoke(serve, [str(tmp_path / "none.banbury")])
    assert run.exit_code == 2
    assert "does not exist" in run.output
