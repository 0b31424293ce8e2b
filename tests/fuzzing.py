"""Attacks with inputs that are nearly right: `make fuzz`, or `python tests/fuzzing.py --seconds 600 files mail`.

Each target has some sound inputs, changes them at random, and uses what comes out. An input is refused with a
`BanburyError`, or everything that can be asked of it is answered with finite numbers; whatever else happens is a
failure. It is written to `tests/failures`, where `test_fuzzing.py` tries it again for ever after. A process of its own
tries the inputs, so that one that ends or hangs it is a failure like others.

`--record FILE` adds what was tried and what failed to a JSON file, from which `benchmarks/attacks.py` makes the table
in the docs. A run can be stopped at any time: what it has tried by then is recorded.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from hashlib import sha256
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from banbury import BanburyError
from fuzz_commands import changed_command, use_command
from fuzz_files import changed_file, damaged_file, use_damaged, use_file
from fuzz_inputs import (
    changed_mail,
    changed_parquet,
    changed_rows,
    changed_text,
    use_mail,
    use_parquet,
    use_rows,
    use_text,
)

FAILURES = Path(__file__).parent / "failures"
TOO_LONG = 300  # seconds for 50 inputs: whatever takes longer hangs
MEMORY = 6 << 30
SHARED = Path("/dev/shm")  # files there reach no disk

TARGETS: dict[str, tuple[Callable[[Random], bytes], Callable[[bytes], object]]] = {
    "files": (changed_file, use_file),
    "damage": (damaged_file, use_damaged),
    "rows": (changed_rows, use_rows),
    "parquet": (changed_parquet, use_parquet),
    "mail": (changed_mail, use_mail),
    "texts": (changed_text, use_text),
    "commands": (changed_command, use_command),
}


def failure(target: str, data: bytes) -> str | None:
    """What happens to an input that must not; None where it is refused or can be used."""
    try:
        TARGETS[target][1](data)
    except BanburyError:
        return None
    except BaseException as error:  # also a panic of the kernel, which is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"
    return None


def work(target: str, seed: str, folder: str, reports: Connection) -> None:
    """Try inputs until the parent has enough: reports how many since the last report, and one that failed, if any."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tempfile.tempdir = folder
    random, latest = Random(seed), Path(folder, "latest")
    make = TARGETS[target][0]
    while True:
        n_tried, found = 0, None
        while n_tried < 50 and found is None:  # a report costs more than many an input
            n_tried, data = n_tried + 1, make(random)
            latest.write_bytes(data)  # it is there after a crash
            found = failure(target, data)
        reports.send((n_tried, None if found is None else (data, found)))


def attack(target: str, seed: int, folder: str) -> Generator[tuple[int, tuple[bytes, str] | None]]:
    """How many more inputs were tried, and one that failed; for ever.

    A process of its own tries them. Where one input ends or hangs it, another process goes on with others.
    """
    spawn, latest = multiprocessing.get_context("spawn"), Path(folder, "latest")
    for number in count():
        reports, other_end = spawn.Pipe(duplex=False)
        worker = spawn.Process(target=work, args=(target, f"{target} {seed} {number}", folder, other_end), daemon=True)
        latest.unlink(missing_ok=True)
        worker.start()
        other_end.close()
        try:
            while reports.poll(TOO_LONG):
                yield reports.recv()
            end = f"no answer for {TOO_LONG} seconds"
        except EOFError:
            worker.join()
            end = f"ends the process with code {worker.exitcode}"
        finally:
            worker.kill()
            worker.join()
        if not latest.exists():
            raise RuntimeError(f"{target}: nothing could be tried: {end}")
        yield 1, (latest.read_bytes(), end)


class Run:
    """One run of one target: how many inputs were tried, and which failed."""

    def __init__(self, target: str, seed: int) -> None:
        self.target, self.seed, self.n_tried = target, seed, 0
        self.failures: set[str] = set()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._start = used.ru_utime + used.ru_stime

    def note(self, n_tried: int, failed: tuple[bytes, str] | None) -> None:
        """Count inputs; keep one that failed in a new way."""
        self.n_tried += n_tried
        if failed is None or failed[1] in self.failures:
            return
        data, found = failed
        self.failures.add(found)
        name = f"{self.target}-{sha256(data).hexdigest()[:12]}"
        FAILURES.mkdir(exist_ok=True)
        (FAILURES / name).write_bytes(data)
        print(f"{self.target}: {found[:300]} ({name})", flush=True)

    def record(self, path: Path) -> None:
        """Add this run to a file of runs."""
        runs = json.loads(path.read_text()) if path.exists() else {}
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = round(used.ru_utime + used.ru_stime - self._start)
        run = {"seed": self.seed, "tried": self.n_tried, "failures": len(self.failures), "cpu_seconds": seconds}
        runs.setdefault(self.target, []).append(run)
        path.write_text(json.dumps(runs, indent=1) + "\n")


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack with inputs that are nearly right.")
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], help="all of them, where none is named")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="of inputs for each target, if that is sooner")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--record", type=Path, help="a JSON file to add the numbers to")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    seed = int(time.time()) if options.seed is None else options.seed
    n_failures, is_stopped = 0, False
    for target in options.targets or TARGETS:
        run, end = Run(target, seed), time.monotonic() + options.seconds
        with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
            attempts = attack(target, seed, folder)
            try:
                while time.monotonic() < end and run.n_tried < options.count:
                    run.note(*next(attempts))
            except KeyboardInterrupt:
                is_stopped = True
            attempts.close()
        print(f"{target}: {run.n_tried} tried, {len(run.failures)} failures, seed {seed}", flush=True)
        if options.record is not None:
            run.record(options.record)
        n_failures += len(run.failures)
        if is_stopped:
            break
    return min(n_failures, 1)


if __name__ == "__main__":
    sys.exit(main())
