"""Clocks that treat both sides of a comparison alike, on a machine that others use too."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter


def fresh(texts: list[str]) -> list[str]:
    """Copies as a program has them that has just read them: a `str` keeps its UTF-8 form once somebody asked for it."""
    return [text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass") for text in texts]


def stopwatch(*steps: Callable[[], object], clock: Callable[[], float] = perf_counter) -> list[float]:
    """Seconds from the start to the end of each step. Garbage is collected before, and not in between.

    With `process_time` as the clock these are seconds of the processor: what others do on the machine is not in them.
    """
    times, kept = [], []  # results are given back after the clock has stopped
    gc.collect()
    gc.disable()
    start = clock()
    for step in steps:
        kept.append(step())
        times.append(clock() - start)
    gc.enable()
    return times


def in_turns(
    theirs: Callable[[], list[float]], mine: Callable[[], list[float]], repeats: int, *, mine_each: int = 3
) -> list[list[float]]:
    """The best times of both. They take turns, so both meet the same weather; ours, the shorter, `mine_each` times."""
    both: tuple[list[list[float]], list[list[float]]] = ([], [])
    for _ in range(repeats):
        both[0].append(theirs())
        both[1].extend(mine() for _ in range(mine_each))
    return [[min(column) for column in zip(*times, strict=True)] for times in both]


def p50(call: Callable[[str], object], texts: list[str]) -> float:
    """Half of the calls take less; reading the clock, some 50 ns, is in it."""
    times = []
    gc.collect()
    gc.disable()
    for text in texts:
        start = perf_counter()
        call(text)
        times.append(perf_counter() - start)
    gc.enable()
    return median(times)


def python(program: str, folder: Path | None = None, *arguments: str) -> str:
    """What a program prints, run by a Python of its own."""
    # Compiled modules are kept, as they are in any ordinary installation.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True).stdout


def process_seconds(programs: Sequence[str], repeats: int) -> list[float]:
    """How long Python takes for each program, from nothing to the end: medians, taken in turns."""
    answers = {python(program) for program in programs}  # compiles what is imported, and fills the file cache
    if len(answers) > 1:
        raise AssertionError(f"the programs disagree: {answers}")
    times = [[stopwatch(partial(python, program))[0] for program in programs] for _ in range(repeats)]
    return [median(column) for column in zip(*times, strict=True)]


@dataclass(frozen=True, slots=True)
class Use:
    """What a command took: seconds by the clock, seconds of the processors, bytes of memory at its peak (Linux)."""

    seconds: float
    cpu: float
    peak: int
    answer: str
    """What it wrote to standard output."""


# A process starts with the peak of the one that it comes from, so a small one stands in between.
LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
seconds = time.perf_counter() - start
use = resource.getrusage(resource.RUSAGE_CHILDREN)
if done.returncode:
    sys.exit(done.stderr)
print(json.dumps([seconds, use.ru_utime + use.ru_stime, use.ru_maxrss * 1024, done.stdout]))
"""


def command(*arguments: object) -> Use:
    """Run a command, which must succeed."""
    return Use(*json.loads(python(LAUNCHER, None, *map(str, arguments))))
