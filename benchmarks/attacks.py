"""Attacks: how often each was tried, and how often it succeeded. It makes the table in the docs.

Runs are recorded in `results/attacks.json`: those of `tests/fuzzing.py --record` and `tests/machine.py --record`, and
of the measurements here, `python benchmarks/attacks.py torn flooding memory`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import banbury
from banbury import Classifier

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks" / "results" / "attacks.json"
PAGE = ROOT / "docs" / "reference" / "attacks.md"
WANTED = {  # what is to be tried at the least, and what it is; a million model files of both kinds together
    "files": (1_000_000, "model files with changed contents and new checksums, each loaded and asked everything"),
    "damage": (1_000_000, "model files with flipped bits, lost ends and moved pieces"),
    "rows": (200_000, "CSV, TSV, JSON Lines, fastText and plain files, read whole and in small pieces"),
    "parquet": (1_000, "Parquet files with flipped bits"),
    "mail": (100_000, "e-mails"),
    "texts": (10_000, "texts of odd characters, by six analyzers"),
    "commands": (10_000, "command lines with options and values that are nearly right"),
    "steps": (100_000, "steps of models that learn, forget, merge, are saved and loaded while others read them"),
    "torn": (1_000_000, "answers to 8 readers while a writer learns and forgets"),
}


def record(name: str, run: dict[str, Any]) -> None:
    """Add a run to the recorded ones."""
    runs = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    runs.setdefault(name, []).append(run)
    RECORD.write_text(json.dumps(runs, indent=1) + "\n")


# Measurements


def torn(seconds: float) -> dict[str, Any]:
    """Answers that belong to no state that there was, by readers of a model whose label comes and goes."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_changes import KINDS, answer

    n_answers, wrong, start = 0, 0, time.process_time()
    for fit, change, asked in KINDS.values():
        model = fit()
        before = answer(model, asked)
        after = answer(model.learn(*change), asked)
        model.forget(*change)
        done, counts = threading.Event(), [[0, 0] for _ in range(8)]

        def read(tally: list[int], model: Any, asked: Any, states: tuple[Any, Any], done: threading.Event) -> None:
            while not done.is_set():
                tally[0] += 1
                tally[1] += answer(model, asked) not in states

        arguments = [(tally, model, asked, (before, after), done) for tally in counts]
        readers = [threading.Thread(target=read, args=each) for each in arguments]
        for reader in readers:
            reader.start()
        end = time.monotonic() + seconds / len(KINDS)
        while time.monotonic() < end:
            model.learn(*change)
            model.forget(*change)
        done.set()
        for reader in readers:
            reader.join()
        n_answers += sum(tally[0] for tally in counts)
        wrong += sum(tally[1] for tally in counts)
    return {"tried": n_answers, "failures": wrong, "cpu_seconds": round(time.process_time() - start)}


def _scramble(number: int) -> int:
    """The finaliser of SplitMix64, as the kernel has it."""
    z = number * 0x9E3779B97F4A7C15 % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def _crafted(n: int, seed: int) -> list[str]:
    """Words of 8 letters whose places are in one 256th of a table under the seed of files, which is public."""
    rng = np.random.default_rng(seed)
    first, second = np.uint64(_scramble(1)), np.uint64(_scramble(2))
    words: dict[bytes, None] = {}
    mask = np.uint64(0xFFFFFFFF)
    while len(words) < n:
        letters = rng.integers(97, 123, (1 << 20, 8), dtype=np.uint8)
        low = letters.view("<u8").ravel() ^ first
        high = np.uint64(9 << 56) ^ second  # the length, counted from 1
        a, b, c, d = low & mask, low >> np.uint64(32), high & mask, high >> np.uint64(32)
        with np.errstate(over="ignore"):
            middle = (a * c >> np.uint64(32)) + (b * c & mask) + (a * d & mask)
            top = b * d + (b * c >> np.uint64(32)) + (a * d >> np.uint64(32)) + (middle >> np.uint64(32))
            hashes = (low * high) ^ top ^ low ^ high
        words |= dict.fromkeys(bytes(word) for word in letters[hashes >> np.uint64(56) == 7])
    return [word.decode() for word in list(words)[:n]]


def flooding(n: int = 20_000) -> dict[str, Any]:
    """How much longer words take that were made to collide: learned fresh, learned by a loaded model, and saved."""
    random = Random(5)
    others = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(n)]
    ratios = {}
    times: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        Classifier.textbook().fit(["so it is", "so"], ["a", "b"]).save(f"{folder}/loaded")
        for _ in range(5):
            for name, words in (("random", others), ("crafted", _crafted(n, 5))):
                text = [" ".join(words)]
                models = {"fresh": Classifier.textbook().fit(["so"], ["b"]), "loaded": banbury.load(f"{folder}/loaded")}
                for how, model in models.items():
                    start = time.process_time()
                    model.learn(text, ["a"])
                    times[how, name] = min(times.get((how, name), 1e9), time.process_time() - start)
                start = time.process_time()
                models["fresh"].save(f"{folder}/saved")
                times["saving", name] = min(times.get(("saving", name), 1e9), time.process_time() - start)
        for how in ("fresh", "loaded", "saving"):
            ratios[how] = round(times[how, "crafted"] / times[how, "random"], 2)
    return {"words": n, **ratios}


MEMORY = """
import sys
from pathlib import Path
from banbury import Analyzer, Classifier

def peak():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])

model = Classifier(likelihood="multinomial", smoothing=1.0, calibration=None, analyzer=Analyzer(characters=(2, 5)))
model.fit(["so good", "so bad"], ["glad", "sad"])
model.explain("so good")
text = ("so good and so bad a film, again " * (int(sys.argv[2]) // 33 + 1))[: int(sys.argv[2])]
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = peak()
if sys.argv[1] == "learn":
    model.learn([text], ["glad"])
elif sys.argv[1] == "predict":
    model.predict(text)
else:
    model.explain(text)
print(peak() - before)
"""


def memory(size: int = 1_000_000) -> dict[str, Any]:
    """Bytes of memory that a byte of one long text takes, of words and characters of 2 to 5."""
    used: dict[str, Any] = {"bytes": size}
    for act in ("learn", "predict", "explain"):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, act, str(size)], capture_output=True, text=True, check=True
        )
        used[act] = round(int(done.stdout) * 1024 / size, 1)
    return used


# The page


def page(runs: dict[str, list[dict[str, Any]]]) -> str:
    """The page with the table of all recorded runs."""
    lines = [
        "# What was attacked",
        "",
        "Made by `python benchmarks/attacks.py` from recorded runs (`benchmarks/results/attacks.json`). An input must",
        "be refused with a `BanburyError` or be used with finite numbers; a crash, a hang, a wrong answer and any",
        "other exception are failures. `make fuzz` tries more; what has once failed was mended and is a test",
        "(`tests/failures`). Failures are those of the latest run, found and mended those of the runs before it.",
        "",
        "| tried | how often | found and mended | failures | wanted |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, (wanted, what) in WANTED.items():
        tried = sum(run["tried"] for run in runs.get(name, []))
        *mended, failed = [0, *(run["failures"] for run in runs.get(name, []))]
        lines.append(f"| {what} | {tried:,} | {sum(mended):,} | {failed:,} | {wanted:,} |")
    for run in runs.get("flooding", [])[-1:]:
        lines += [
            "",
            f"**Hash flooding.** {run['words']:,} words that were made to collide under the seed of files take "
            f"{run['fresh']} times as long as random words to learn, {run['loaded']} times by a model that was loaded, "
            f"and {run['saving']} times to save.",
        ]
    for run in runs.get("memory", [])[-1:]:
        lines += [
            "",
            f"**Memory.** A text of {run['bytes']:,} bytes, of words and runs of 2 to 5 characters, takes "
            f"{run['learn']} bytes a byte to learn, {run['predict']} to predict, {run['explain']} to explain.",
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure what is named, and make the page."""
    parser = argparse.ArgumentParser(description="Measure attacks, and make the table of all that were recorded.")
    parser.add_argument("attacks", nargs="*", choices=[[], "torn", "flooding", "memory"])
    parser.add_argument("--seconds", type=float, default=60, help="of torn reads")
    options = parser.parse_args()
    for attack in options.attacks:
        run = {"torn": lambda: torn(options.seconds), "flooding": flooding, "memory": memory}[attack]()
        print(attack, run)
        record(attack, run)
    PAGE.write_text(page(json.loads(RECORD.read_text())), encoding="utf-8")


if __name__ == "__main__":
    main()
