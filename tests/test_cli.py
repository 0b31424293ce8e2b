"""The command, without a terminal."""

import os
import re
import subprocess
import sys

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "banbury", *arguments]
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, encoding="utf-8", env=environment)


def test_the_demo_shows_accuracy_words_and_an_explanation() -> None:
    result = run("demo")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    text = result.stdout
    assert "accuracy 0." in text
    for label in ("negative", "positive"):
        assert f"Strongest for {label}: " in text
    assert "negative (0.941) rather than positive (0.059)" in text
    assert "total" in text
    assert "\x1b" not in text  # no colours where nobody sees them


def test_the_demo_explains_any_text() -> None:
    result = run("demo", "What a wonderful, wonderful day 😀")
    assert result.returncode == 0, result.stderr
    assert "→ positive" in result.stdout
    assert len(re.findall(r"^  wonderful +\+\d", result.stdout, re.MULTILINE)) == 2


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_the_commands(option: str) -> None:
    result = run(option)
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_the_version_is_that_of_the_package() -> None:
    import banbury

    assert banbury.__version__ in run("--version").stdout


def test_a_wrong_command_is_an_error() -> None:
    result = run("predcit")
    assert result.returncode == 2
    assert "No such command" in result.stderr
