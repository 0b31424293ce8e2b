"""The manners of a command: errors, exit codes, pipes, interrupts, help, completion."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import banbury
from banbury import cli
from commands import LABELS, TEXTS, Here, environment, run, write_rows


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["predict", "no.banbury", "text"], 2, "does not exist"),
        (["predict", "mood.banbury", "new.csv"], 3, "new.csv: there is no such file"),
        (["predict", "mood.banbury", "mood.jsonl", "a text"], 2, "give files or texts"),
        (["predict", "mood.banbury", "./new"], 3, "./new: there is no such file (if it is a text, say --texts)"),
        (["learn", "mood.banbury", "flat/spam", "--as", "positive"], 3, "flat/spam: there is no such file"),
        (["predict", "mood.jsonl", "text"], 3, "not a banbury file"),
        (["train", "none.jsonl", "-o", "x.banbury"], 3, "none.jsonl: No such file or directory"),
        (["train", "mood.jsonl"], 2, "Missing option '-o'"),
        (["train", "mood.jsonl", "-o", "no/folder/x"], 2, "there is no folder 'no/folder' to write"),
        (["train", "mood.jsonl", "-o", "x", "--label", "nonsense"], 3, "no column 'nonsense' for the label"),
        (["train", "mood.jsonl", "-o", "x", "--limit", "row=x"], 2, "is not NAME=N"),
        (["train", "lines.txt", "-o", "x"], 3, "no labels; if it is something else, say --format NAME"),
        (
            ["train", "three.csv", "-o", "x"],
            3,
            "which column is the label? Say --label NAME; there are 'text', 'a', 'b'",
        ),
        (["train", "empty.jsonl", "-o", "x"], 3, "empty.jsonl: there are no rows in it"),
        (["train", "empty", "-o", "x"], 3, "empty: there are no rows in it"),
        (["train", "flat", "-o", "x"], 3, "its files have no labels"),
        (
            ["train", "latin.csv", "-o", "x"],
            3,
            "line 2: byte 3 of it (0xe4) is not UTF-8 (is the encoding another one?",
        ),
        (["train", "latin.csv", "-o", "x", "--encoding", "klingon"], 3, "no encoding 'klingon'; try utf-8, latin-1"),
        (["evaluate", "mood.banbury", "mood.jsonl", "--fail-under", "luck=1"], 2, "the figures are accuracy, macro-f1"),
        (["evaluate", "mood.banbury", "mood.jsonl", "--fail-over", "mcc"], 2, "is not FIGURE=NUMBER"),
        (["inspect", "junk.bin"], 3, "junk.bin: not a banbury file"),
        (["predict", "mood.banbury", "junk.bin"], 3, "junk.bin, line 1: byte 1 of it (0x80) is not UTF-8"),
        (["predict", "flat", "text"], 2, "is a directory"),
        (["train", "mood.jsonl", "-o", "x", "--smoothing", "much"], 3, "it can be a number"),
        (["train", "empty.jsonl", "-o", "x", "--label", "label", "--text", "text"], 3, "no documents to learn from"),
        (["evaluate", "mood.banbury", "empty.jsonl", "--label", "label"], 3, "no documents to evaluate"),
        (["words", "mood.banbury", "eggs"], 3, "no class 'eggs'"),
        (["mood"], 2, "No such command"),
    ],
)
def test_errors_have_a_code_and_say_what_would_work(mood: Here, arguments: list[str], code: int, message: str) -> None:
    (mood.folder / "lines.txt").write_text("one\ntwo\n")
    (mood.folder / "empty.jsonl").write_text("")
    (mood.folder / "three.csv").write_text("text,a,b\none,1,2\ntwo,3,4\n")
    (mood.folder / "latin.csv").write_bytes("label,text\na,älter\n".encode("latin-1"))
    (mood.folder / "junk.bin").write_bytes(bytes(range(128, 256)))
    (mood.folder / "empty").mkdir()
    (mood.folder / "flat").mkdir()
    (mood.folder / "flat" / "one.txt").write_text("one")
    result = mood(*arguments)
    assert (result.code, result.out) == (code, ""), result.err
    assert message in result.err
    assert "Traceback" not in result.err


def test_a_closed_pipe_ends_quietly(mood: Here) -> None:
    write_rows(mood.folder / "many.jsonl", TEXTS * 40, LABELS * 40)
    command = f"'{sys.executable}' -m banbury predict mood.banbury many.jsonl | head -1"
    for buffering in ("", "1"):
        shell = ["bash", "-c", f"set -o pipefail; {command}"]
        variables = environment(PYTHONUNBUFFERED=buffering)
        done = subprocess.run(shell, cwd=mood.folder, capture_output=True, env=variables)
        assert (done.stdout.count(b"\n"), done.stderr, done.returncode) == (1, b"", 141)


def has_temporary_file(pid: int, folder: Path) -> bool:
    """Whether the process has begun to write: its temporary file has no name where the system can do without."""
    if any(path.name.startswith(".banbury-") for path in folder.iterdir()):
        return True
    try:
        files = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:  # it has closed one of them meanwhile, or there is no /proc
        return False
    return any(name.startswith(f"{folder}/") and name.endswith(" (deleted)") for name in files)


def test_an_interrupt_ends_quietly_and_leaves_nothing(mood: Here) -> None:
    before = sorted(path.name for path in mood.folder.iterdir())
    command = [sys.executable, "-m", "banbury", "predict", "mood.banbury", "-", "-o", "out.jsonl"]
    process = subprocess.Popen(
        command, cwd=mood.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    process.stdin.write((mood.folder / "mood.jsonl").read_bytes())
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not has_temporary_file(process.pid, mood.folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b""
    assert time.monotonic() < deadline
    assert process.returncode == 130
    assert sorted(path.name for path in mood.folder.iterdir()) == before


def test_help_has_every_command_and_each_fits_a_screen(here: Here) -> None:
    text = here("--help").out
    for name, (_, short) in cli.COMMANDS.items():
        assert f"  {name} " in text
        result = here(name, "--help")
        assert result.code == 0
        assert "Example" in result.out
        assert result.out.count("\n") <= 50
        assert short.endswith(".")
    assert here("-h").out == text


def test_commands_are_imported_when_they_are_asked_for() -> None:
    names = "('banbury', 'numpy', 'rich', 'click')"
    program = f"import sys, banbury.cli; print(sorted(name for name in sys.modules if name.startswith({names})))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['banbury', 'banbury.annotations', 'banbury.cli', 'banbury.lazy']"


def test_the_version_is_that_of_the_package(here: Here) -> None:
    assert here("--version").out == f"banbury {banbury.__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    assert run("--help").out.startswith("Usage: banbury")


@pytest.mark.parametrize("others", ["", "threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()"])
def test_a_process_ends_when_all_is_said_and_done(others: str) -> None:
    program = f"""
import atexit, sys, threading, time
from banbury.__main__ import Leaving
leaving = Leaving()
atexit.register(print, "goodbye")
{others}
print("hello")
leaving.code = 3
sys.exit(leaving.code)"""
    left = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert left.stdout.split() == ["hello", *(["done"] if others else []), "goodbye"]
    assert (left.returncode, left.stderr) == (3, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_what_cannot_be_written_at_the_end_is_an_error() -> None:
    program = "import sys; from banbury.__main__ import Leaving; sys.stdout.write('hello'); Leaving().code = 0"
    with open("/dev/full", "w") as full:
        left = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )
    assert left.returncode
    assert "No space left" in left.stderr


def test_bash_completes_commands_options_and_choices(mood: Here) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (mood.folder / "banbury").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m banbury "$@"\n')
    (mood.folder / "banbury").chmod(0o755)
    script = """eval "$(_BANBURY_COMPLETE=bash_source banbury)"
    for words in "trai" "train --fail-u" "train --format p"; do
        COMP_WORDS=(banbury $words) COMP_CWORD=$(wc -w <<< "$words") COMPREPLY=()
        _banbury_completion banbury
        echo "${COMPREPLY[@]}"
    done"""
    path = f"{mood.folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, env=environment(PATH=path))
    assert done.stdout.split() == ["train", "--fail-under", "parquet"], done.stderr
