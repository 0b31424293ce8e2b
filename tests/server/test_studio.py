"""`banbury studio`: one command, a page, and nothing lost without a browser."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from banbury.server.studio import has_browser, offered
from commands import LABELS, TEXTS, environment, model, run, write_rows
from serving import wait_for


@contextmanager
def _studio(folder: Path, *arguments: object, **variables: str) -> Iterator[str]:
    command = [sys.executable, "-m", "banbury", "studio", *map(str, arguments)]
    variables = {"DISPLAY": "", "WAYLAND_DISPLAY": "", **variables}
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=environment(**variables), text=True)  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(r"banbury studio: (http://127\.0\.0\.1:\d+\S*)\n", line)
        assert match, line
        yield match[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()  # type: ignore[union-attr]


def _text(address: str) -> str:
    with urlopen(address, timeout=20) as answer:
        text: str = answer.read().decode()
    return text


def test_without_anything_it_begins_with_a_file_to_drop(tmp_path: Path) -> None:
    with _studio(tmp_path) as address:
        assert "Drop a file with examples" in _text(address)
    assert (tmp_path / "banbury-studio" / "journal").exists()


def test_a_model_is_tried_and_data_is_trained(tmp_path: Path) -> None:
    model().save(tmp_path / "mood.banbury")
    write_rows(tmp_path / "rows.jsonl", TEXTS, LABELS)
    with _studio(tmp_path, "mood.banbury", "--folder", "here") as address:
        assert address.endswith("/page/try?model=mood")
        assert "Try <bdi>mood</bdi>" in _text(address)
    with _studio(tmp_path, "rows.jsonl", "--folder", "here") as address:
        assert address.endswith("/page/train?file=rows.jsonl")
        assert "JSON Lines" in _text(address)


def test_a_browser_is_opened_where_there_is_a_screen(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    program.chmod(0o755)
    with _studio(tmp_path, DISPLAY=":0", BROWSER=str(program)) as address:
        wait_for(lambda: told.exists() and told.read_text().strip() == address)


def test_no_screen_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not has_browser()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_browser()


def test_the_same_data_has_the_same_name_again(tmp_path: Path) -> None:
    path = tmp_path / "my rows.csv"
    path.write_text("text,label\n")
    assert offered(tmp_path / "home", path) == offered(tmp_path / "home", path) == "my-rows.csv"
    other = tmp_path / "other"
    other.mkdir()
    (other / "my rows.csv").write_text("")
    assert offered(tmp_path / "home", other / "my rows.csv") == "my-rows-2.csv"


def test_what_is_not_there_and_where_nothing_can_be_kept(tmp_path: Path) -> None:
    assert run("studio", "nothing.csv", folder=tmp_path).code == 2
    (tmp_path / "file").write_text("")
    found = run("studio", "--folder", "file/inside", folder=tmp_path)
    assert found.code in (2, 3)
    assert "file" in found.err
