"""The wheel: installed where there is no compiler, all of it works."""

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import banbury

ROOT = Path(__file__).parents[1]
LARGEST_WHEEL = 6_000_000  # bytes


def run(*command: object, folder: Path | None = None) -> str:
    """What a command prints; no compiler is on its path, and nothing of the project."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "PYTHONUTF8": "1"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what is built already: the compiler has next to nothing to do."""
    maturin = Path(sys.executable).with_name("maturin")
    if not maturin.exists() or shutil.which("cargo") is None:
        pytest.skip("no wheel can be built here: there is no maturin, or no Rust")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([maturin, "build", "--release", "--quiet", "--out", folder], check=True, cwd=ROOT)
    (path,) = folder.glob("*.whl")
    return path


def environment_with(wheel: Path, folder: Path, python: str) -> Path:
    """The folder of commands of a new virtual environment with the wheel in it."""
    uv = str(Path(sys.executable).with_name("uv"))
    create = [uv, "venv", "-q", "--no-python-downloads", "-p", python, str(folder)]
    install = [uv, "pip", "install", "-q", "-p", str(folder), "-c", str(ROOT / "constraints.txt")]
    for command in (create, [*install, f"banbury[serve] @ {wheel.as_uri()}"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"the wheel cannot be tried with Python {python} here: {done.stderr.strip()}")
    return folder / "bin"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_with(wheel, tmp_path_factory.mktemp("bare") / "venv", sys.executable)


@pytest.mark.parametrize("python", ["3.12", "3.13", "3.14"])
def test_the_wheel_runs_with_later_pythons(wheel: Path, tmp_path: Path, python: str) -> None:
    commands = environment_with(wheel, tmp_path / "venv", python)
    found = json.loads(run(commands / "banbury", "doctor", "--json"))
    assert found["banbury"]["Python"].startswith(f"CPython {python}.")
    assert set(found["checks"].values()) == {"works"}


def test_the_wheel_is_small_and_for_every_later_python(wheel: Path) -> None:
    assert wheel.stat().st_size <= LARGEST_WHEEL
    assert f"banbury-{banbury.__version__}-cp311-abi3-" in wheel.name


def test_demo_command_and_doctor_run_without_a_compiler(installed: Path, tmp_path: Path) -> None:
    command = installed / "banbury"
    assert "accuracy" in run(command, "demo")
    rows = [{"text": "good film", "label": "pos"}, {"text": "bad film", "label": "neg"}] * 3
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run(command, "train", "rows.jsonl", "-o", "model.banbury", folder=tmp_path)
    assert run(command, "predict", "model.banbury", "good", folder=tmp_path).startswith("pos")
    found = json.loads(run(command, "doctor", "--json"))
    assert set(found["checks"].values()) == {"works"}
    assert found["banbury"]["version"] == banbury.__version__


def test_a_notebook_shows_a_model(installed: Path) -> None:
    code = (
        "import banbury; m = banbury.Classifier().fit(['a b', 'c d'], ['x', 'y']); print(m.explain('a')._repr_html_())"
    )
    assert "<" in run(installed / "python", "-c", code)


@pytest.mark.parametrize("command", ["serve", "studio"])
def test_the_server_answers(installed: Path, tmp_path: Path, command: str) -> None:
    code = "import banbury; banbury.Classifier().fit(['good film', 'bad film'], ['pos', 'neg']).save('m.banbury')"
    run(installed / "python", "-c", code, folder=tmp_path)
    port_file = tmp_path / "log"
    more = ["--no-browser"] if command == "studio" else []
    with port_file.open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [installed / "banbury", command, "m.banbury", "--port", "0", *more],
            stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path,
        )  # fmt: skip
        try:
            address = _address(port_file, server)
            base = "{0.scheme}://{0.netloc}".format(urlsplit(address))
            with urllib.request.urlopen(f"{base}/health/live", timeout=30) as answer:
                assert answer.status == 200
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert b"banbury" in answer.read()
        finally:
            server.terminate()
            server.wait(30)


def _address(log: Path, server: "subprocess.Popen[bytes]") -> str:
    """The address that the server prints, as soon as it has."""
    for _ in range(600):
        for word in log.read_text(encoding="utf-8").split():
            if word.startswith("http://"):
                return word.rstrip(".,")
        assert server.poll() is None, log.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(f"no address within a minute: {log.read_text(encoding='utf-8')}")


def test_the_version_stands_in_one_place() -> None:
    cargo = tomllib.loads((ROOT / "kernel" / "Cargo.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert banbury.__version__ == cargo["package"]["version"]
    assert f"version: {banbury.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
