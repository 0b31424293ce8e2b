"""Every write, flush, link and rename of a save fails once: afterwards the old file or the new one is there, whole."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Counts the calls that change files while it is told to, and lets one of them fail as a full disk would.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

static int counted = 0, failing = 0, is_on = 0;
void arm(int at) { counted = 0; failing = at; is_on = 1; }
int disarm(void) { is_on = 0; return counted; }
static int fails(void) { return is_on && ++counted == failing ? (errno = ENOSPC, 1) : 0; }

#define CALL(type, name, parameters, arguments) \
    type name parameters { \
        static type (*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        return fails() ? -1 : real arguments; \
    }
CALL(ssize_t, write, (int file, const void *data, size_t size), (file, data, size))
CALL(ssize_t, writev, (int file, const struct iovec *parts, int n), (file, parts, n))
CALL(int, fsync, (int file), (file))
CALL(int, fchmod, (int file, mode_t mode), (file, mode))
CALL(int, rename, (const char *from, const char *to), (from, to))
CALL(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
CALL(int, close, (int file), (file))
"""

SAVES = """
import ctypes, os, pathlib, sys
from banbury import Classifier, atomic, storage
from banbury.cli import output
shim = ctypes.CDLL(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
if sys.argv[3] == "named":
    atomic._nameless = lambda folder, mode: -1
after = Classifier.textbook().fit(["so good", "so sad"], ["glad", "sad"])
rows = [{"text": "so good", "label": "glad"}] * 500

def save_model(path): after.save(path)
def write_rows(path): output.write(str(path), "jsonl", [rows])
def write_packed(path): output.write(str(path) + ".gz", "jsonl", [rows])

acts = {"model": save_model, "rows.jsonl": write_rows, "packed.jsonl": write_packed}
for name, act in acts.items():
    path = folder / name
    act(path)
    written = next(folder.iterdir())
    new = written.read_bytes()
    old = b"what was there before"
    number = 0
    while True:
        number += 1
        written.write_bytes(old)
        shim.arm(number)
        try:
            act(path)
            error = None
        except OSError as caught:
            error = caught
        finally:
            n_calls = shim.disarm()
        found = written.read_bytes()
        others = [file.name for file in folder.iterdir() if file != written]
        assert found in (old, new), (name, number, len(found))
        assert error is not None or found == new, (name, number, "a fault that nobody was told of")
        assert others == [], (name, number, others)
        if number > n_calls:
            break
    assert number > 4, "nothing was counted"
    print(name, number - 1)
    written.unlink()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD")
@pytest.mark.parametrize("files", ["nameless", "named"])
def test_a_fault_leaves_the_old_file_or_the_new_one(tmp_path: Path, files: str) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    shim, folder = tmp_path / "shim.so", tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "shim.c").write_text(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(shim), str(tmp_path / "shim.c"), "-ldl"], check=True)
    command = [sys.executable, "-c", SAVES, str(shim), str(folder), files]
    done = subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(shim)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
