"""Attacks with inputs that are nearly right: `make fuzz`, or `python tests/fuzzing.py --seconds 600 files mail`.

Each target has some sound inputs, changes them at random, and uses what comes out. An input is refused with a
`BanburyError`, or everything that can be asked of it is answered with finite numbers; whatever else happens is a
failure. It is written to `tests/failures`, where `test_fuzzing.py` tries it again for ever after.

`--record FILE` adds what was tried and what failed to a JSON file, from which `benchmarks/attacks.py` makes the table
in the docs. A run can be stopped at any time: what it has tried by then is recorded.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

from banbury import BanburyError
from fuzz_files import changed_file, damaged_file, here, use_damaged, use_file
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
TOO_LONG = 60  # seconds for one input: whatever takes longer hangs
MEMORY = 6 << 30

TARGETS: dict[str, tuple[Callable[[Random], bytes], Callable[[bytes], None]]] = {
    "files": (changed_file, use_file),
    "damage": (damaged_file, use_damaged),
    "rows": (changed_rows, use_rows),
    "parquet": (changed_parquet, use_parquet),
    "mail": (changed_mail, use_mail),
    "texts": (changed_text, use_text),
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


def attack(target: str, random: Random, seconds: float, count: int) -> Iterator[tuple[bytes, str | None]]:
    """Inputs and what they do, for so long or so many."""
    end, latest = time.monotonic() + seconds, here("latest")
    for number in range(count):
        if time.monotonic() > end:
            return
        data = TARGETS[target][0](random)
        if number % 50 == 0:  # the watch is wound up now and then: that costs more than many an input
            faulthandler.dump_traceback_later(TOO_LONG * 2, exit=True)
        latest.write_bytes(data)  # it is there after a crash
        yield data, failure(target, data)


class Run:
    """One run of one target: how many inputs were tried, and which failed."""

    def __init__(self, target: str, seed: int) -> None:
        self.target, self.seed, self.n_tried = target, seed, 0
        self.failures: set[str] = set()
        self._start = time.process_time()

    def note(self, data: bytes, found: str | None) -> None:
        """Count an input; keep it if it failed in a new way."""
        self.n_tried += 1
        if found is None or found in self.failures:
            return
        self.failures.add(found)
        name = f"{self.target}-{sha256(data).hexdigest()[:12]}"
        FAILURES.mkdir(exist_ok=True)
        (FAILURES / name).write_bytes(data)
        print(f"{self.target}: {found[:300]} ({name})", flush=True)

    def record(self, path: Path) -> None:
        """Add this run to a file of runs."""
        runs = json.loads(path.read_text()) if path.exists() else {}
        seconds = round(time.process_time() - self._start)
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
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGTERM, _stop)
    seed = int(time.time()) if options.seed is None else options.seed
    n_failures, is_stopped = 0, False
    for target in options.targets or TARGETS:
        run = Run(target, seed)
        try:
            for data, found in attack(target, Random(f"{target} {seed}"), options.seconds, options.count):
                run.note(data, found)
        except KeyboardInterrupt:
            is_stopped = True
        faulthandler.cancel_dump_traceback_later()
        print(f"{target}: {run.n_tried} tried, {len(run.failures)} failures, seed {seed}", flush=True)
        if options.record is not None:
            run.record(options.record)
        n_failures += len(run.failures)
        if is_stopped:
            break
    return min(n_failures, 1)


if __name__ == "__main__":
    sys.exit(main())
