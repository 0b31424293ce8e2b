"""How many requests the server answers in a second of one processor, and how long each waits, beside FastAPI.

The server has a processor to itself (`taskset`), the load comes from `wrk` on the others. What counts is requests by
the CPU time that the server has used, which other programs on the machine disturb less than the clock. Then the same at
70 % of what it could do: what half of the clients wait, and what one of a hundred waits. Where `chrt` may do so, server
and load go before all other programs while predictions beside learning are timed: these take a fifth of a processor.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import data
from saving import check_names, write

import banbury

RESULTS = Path(__file__).parent / "results" / "serve.json"
WRK = shutil.which("wrk") or ""
CONNECTIONS = 64
FIRST = ["chrt", "-r", "5"]
HEADER = f"{'':34}  {'requests/s':>10}  {'/CPU second':>11}  {'p50 ms':>7}  {'p99 ms':>7}"

# The peer: what one writes with FastAPI and scikit-learn, on the same uvicorn.
PEER = """
import pickle, sys
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

with open(sys.argv[1], "rb") as file:
    vectorizer, model = pickle.load(file)
app = FastAPI()

class Texts(BaseModel):
    texts: list[str]

@app.post("/predict")
async def predict(body: Texts) -> dict:
    chances = model.predict_proba(vectorizer.transform(body.texts))
    best = chances.argmax(axis=1)
    return {"labels": model.classes_[best].tolist(), "probabilities": chances.max(axis=1).tolist()}

uvicorn.run(app, port=int(sys.argv[2]), loop="uvloop", http="httptools", access_log=False, log_level="warning")
"""


@dataclass(frozen=True)
class Row:
    """One kind of request to one server."""

    what: str
    per_second: float
    per_cpu_second: float
    p50_ms: float
    p99_ms: float
    """At 70 % of what it can do."""
    target: str = ""
    is_met: bool | None = None

    def __str__(self) -> str:
        met = {True: "  met", False: "  MISSED", None: ""}[self.is_met]
        return (
            f"{self.what:34}  {self.per_second:10,.0f}  {self.per_cpu_second:11,.0f}  {self.p50_ms:7.2f}  "
            f"{self.p99_ms:7.2f}  {self.target}{met}".rstrip()
        )


@dataclass(frozen=True)
class Load:
    """What wrk has seen, and the CPU time of the server meanwhile."""

    requests: int
    seconds: float
    cpu: float
    p50_ms: float
    p99_ms: float


class Server:
    """A process on a processor of its own."""

    def __init__(self, *command: str, port: int, is_first: bool = False) -> None:
        self.port, self.is_first = port, is_first
        command = (*(FIRST if is_first else ()), *command)
        pinned = ["taskset", "-c", "0", *command] if shutil.which("taskset") else list(command)
        self.process = subprocess.Popen(pinned, stderr=subprocess.DEVNULL)

    def cpu(self) -> float:
        """Seconds of CPU time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_it_answers(self) -> None:
        """For as long as it takes to load the model."""
        import socket

        for _ in range(600):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            time.sleep(0.1)
        raise SystemExit("the server does not answer")


@contextmanager
def running(*command: str, port: int, is_first: bool = False) -> Iterator[Server]:
    """A server, for a while."""
    server = Server(*command, port=port, is_first=is_first)
    try:
        server.wait_until_it_answers()
        yield server
    finally:
        server.process.terminate()
        server.process.wait(30)


def load(server: Server, path: str, bodies: list[Any], seconds: float, *, rate: float | None = None) -> Load:
    """What wrk sees when it asks as fast as it can, or at a rate."""
    delay = 0.0 if rate is None else CONNECTIONS / rate * 1000
    quoted = ", ".join(f"[==[{json.dumps(body)}]==]" for body in bodies)
    script = f"""
        local bodies, n = {{ {quoted} }}, 0
        request = function()
            n = n % #bodies + 1
            return wrk.format("POST", nil, {{ ["Content-Type"] = "application/json" }}, bodies[n])
        end
        {"delay = function() return math.floor(" + str(delay) + " * (0.5 + math.random()) + 0.5) end" if rate else ""}
    """
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        cpu, start = server.cpu(), time.perf_counter()
        command = [
            *(FIRST if server.is_first else ()),
            WRK,
            "-t1",
            f"-c{CONNECTIONS}",
            f"-d{seconds:.0f}s",
            "--latency",
            "-s",
            file.name,
        ]
        pinned = ["taskset", "-c", f"1-{os.cpu_count() or 2}", *command] if shutil.which("taskset") else command
        out = subprocess.run([*pinned, f"http://127.0.0.1:{server.port}{path}"], capture_output=True, text=True).stdout
        passed, used = time.perf_counter() - start, server.cpu() - cpu
    if "Non-2xx" in out or not (found := re.search(r"(\d+) requests in", out)):
        raise SystemExit(f"the server did not answer as it should:\n{out}")
    p50, p99 = (_milliseconds(out, share) for share in ("50%", "99%"))
    return Load(int(found[1]), passed, used, p50, p99)


def _milliseconds(out: str, share: str) -> float:
    number, unit = re.findall(rf"^\s*{share}\s+([\d.]+)(us|ms|s)\s*$", out, re.MULTILINE)[0]
    return float(number) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]


def measured(
    server: Server, what: str, path: str, bodies: list[Any], seconds: float, target: str = "", least: float = 0
) -> Row:
    """A kind of request: as fast as it goes, then at 70 % of that."""
    load(server, path, bodies, 1)  # weights are kept after some use
    full = load(server, path, bodies, seconds)
    most = full.requests / full.seconds
    calm = load(server, path, bodies, seconds, rate=0.7 * most)
    per_cpu = full.requests / full.cpu
    reached = most if "s durable" in target else per_cpu
    return Row(what, most, per_cpu, calm.p50_ms, calm.p99_ms, target, reached >= least if least else None)


def ours(folder: Path, texts: list[str], labels: list[str], seconds: float) -> Iterator[Row]:
    """The server, one kind of request after the other."""
    model = str(folder / "imdb.banbury")
    short, one = [" ".join(text.split()[:10]) for text in texts[:64]], "/v1/models/imdb"
    command = [sys.executable, "-m", "banbury", "serve", model, "--port", "8471"]
    with running(*command, port=8471) as server:
        bodies = [{"texts": [text]} for text in short]
        target = "25,000 a CPU second"
        yield measured(server, "predict, 1 text", f"{one}/predict", bodies, seconds, target, 25_000)
        many = [{"texts": short[n : n + 32]} for n in (0, 32)]
        yield measured(server, "predict, 32 texts", f"{one}/predict", many, seconds)
        yield measured(server, "explain", f"{one}/explain", [{"text": text} for text in short], seconds)
    with running(*command, "--journal", str(folder / "learned.journal"), port=8471) as server:
        examples = [{"texts": [text], "labels": [label]} for text, label in zip(short, labels, strict=False)]
        target = "3,000/s durable, 64 clients"
        yield measured(server, "learn, 1 text, on disk", f"{one}/learn", examples, seconds, target, 3000)
    with running(*command, "--journal", str(folder / "beside.journal"), port=8471, is_first=may_be_first()) as server:
        load(server, f"{one}/predict", bodies, 1, rate=1000)
        yield beside(server, one, bodies, examples, seconds)


def may_be_first() -> bool:
    """Whether programs may be started that go before all others."""
    return bool(shutil.which("chrt")) and subprocess.run([*FIRST, "true"], capture_output=True).returncode == 0


def beside(server: Server, path: str, bodies: list[Any], examples: list[Any], seconds: float) -> Row:
    """Predictions while others learn a hundred texts a second."""
    import threading

    learning = threading.Thread(
        target=load, args=(server, f"{path}/learn", examples, seconds + 2), kwargs={"rate": 100}
    )
    learning.start()
    time.sleep(1)
    found = load(server, f"{path}/predict", bodies, seconds, rate=1000)
    learning.join()
    what, rate = "predict at 1,000/s beside learning", found.requests / found.seconds
    return Row(what, rate, 0, found.p50_ms, found.p99_ms, "p99 below 5 ms", found.p99_ms < 5)


def theirs(folder: Path, texts: list[str], labels: list[str], seconds: float) -> Iterator[Row]:
    """FastAPI and scikit-learn."""
    if not find_spec("fastapi"):
        print("FastAPI: skipped, it is not installed (pip install fastapi)")
        return
    import pickle

    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    vectorizer = CountVectorizer(ngram_range=(1, 2))
    train, train_labels = data.split("imdb").train, data.split("imdb").train_labels
    model = MultinomialNB().fit(vectorizer.fit_transform(train), train_labels)
    with open(folder / "peer.pickle", "wb") as file:
        pickle.dump((vectorizer, model), file)
    short = [" ".join(text.split()[:10]) for text in texts[:64]]
    with running(sys.executable, "-c", PEER, str(folder / "peer.pickle"), "8472", port=8472) as server:
        bodies = [{"texts": [text]} for text in short]
        yield measured(server, "FastAPI + scikit-learn, 1 text", "/predict", bodies, seconds)
        many = [{"texts": short[n : n + 32]} for n in (0, 32)]
        yield measured(server, "FastAPI + scikit-learn, 32 texts", "/predict", many, seconds)


GROUPS = {"ours": ours, "theirs": theirs}


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="Requests a CPU second, and what clients wait.")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure (all): {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="two seconds each: a trial, not a result")
    parser.add_argument("--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save (results/serve.json)")
    options = parser.parse_args()
    check_names(parser, options.groups, GROUPS)
    if not WRK:
        raise SystemExit("wrk is not installed (Debian: apt-get install wrk)")
    split = data.split("imdb")
    seconds = 2 if options.quick else 8
    rows: list[Row] = []
    print(HEADER)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        banbury.Classifier().fit(split.train, split.train_labels).save(folder / "imdb.banbury")
        for group in options.groups or GROUPS:
            for row in GROUPS[group](folder, split.test, split.test_labels, seconds):
                print(row, flush=True)
                rows.append(row)
    if options.json:
        rows_and_load = {"load": os.getloadavg()[0], "rows": [asdict(row) for row in rows]}
        write(options.json, "measured", rows_and_load, options.quick)


if __name__ == "__main__":
    main()
