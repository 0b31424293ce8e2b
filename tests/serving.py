"""Starts the server for tests: a process of its own on a free port of this machine."""

import http.client
import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from banbury import Classifier
from commands import environment


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Serving:
    """`banbury serve` with these arguments, until the end of a `with`."""

    def __init__(self, *arguments: object, program: str | None = None, port: int = 0, **variables: str) -> None:
        command = [sys.executable, *(["-m", "banbury"] if program is None else ["-c", program])]
        command += ["serve", *map(str, arguments), "--port", str(port)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(**variables))
        self.lines: list[str] = []
        self._listens = threading.Event()
        self.port = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listens.wait(60) or not self.port:
            self.stop(signal.SIGKILL)
            raise AssertionError(f"it does not start: {self.log}")

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.lines.append(line.decode("utf-8", "replace").rstrip())
                if match := re.search(r"serves at http://\S+:(\d+)$", self.lines[-1]):
                    self.port = int(match[1])
                    self._listens.set()
        self._listens.set()

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, timeout: float = 30
    ) -> Answer:
        """One request on a connection of its own; a body that is not bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, data, headers or {})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str, **options: Any) -> Answer:
        return self.ask("GET", path, **options)

    def post(self, path: str, body: Any, **options: Any) -> Answer:
        return self.ask("POST", path, body, **options)

    def predict(self, name: str, *texts: str, **more: Any) -> Any:
        answer = self.post(f"/v1/models/{name}/predict", {"texts": texts, **more})
        assert answer.status == 200, answer
        return answer.json

    def stop(self, how: int = signal.SIGTERM) -> int:
        """End it, and wait for that."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(30)
        self._reader.join(10)
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)


def bytes_of(model: Any, folder: Path) -> bytes:
    """A model as its file has it."""
    path = folder / "compared.banbury"
    model.save(path)
    return path.read_bytes()


def entries(journal: Path) -> list[tuple[Any, ...]]:
    """The journal, read without the server."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as connection:
        query = "SELECT sequence, act, document, label, undoes FROM journal_entries ORDER BY sequence"
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def trained(file: Path, journal: Path) -> Classifier:
    """What the model has to be: its file, and the entries one by one."""
    return trained_by(entries(journal), Classifier.load(file))


def trained_by(rows: list[tuple[Any, ...]], model: Classifier) -> Classifier:
    """A model after the rows of a journal, one by one."""
    alive: dict[int, tuple[str, str]] = {}
    for sequence, act, document, label, undoes in rows:
        if act == "learn":
            alive[sequence] = json.loads(document), json.loads(label)
            model.learn([json.loads(document)], [json.loads(label)])
        elif act == "forget":
            alive.pop(undoes, None)
            model.forget([json.loads(document)], [json.loads(label)])
        elif act == "refit":
            model.refit_settings([text for text, _ in alive.values()], [label for _, label in alive.values()])
    return model


def served(server: Serving, journal: Path, folder: Path) -> bytes:
    """The model as the server has it: its snapshot, once it has one that reaches as far as the model does."""
    for _ in range(150):  # settings may be being chosen
        reached = server.get("/v1/models/mood").json["sequence"]
        assert server.post("/v1/compact", b"").status == 200
        snapshot = Path(f"{journal}-snapshots") / "mood.banbury"
        if snapshot.exists() and f'\\"sequence\\": {reached}' in snapshot.read_bytes()[:1_000_000].decode("latin-1"):
            return bytes_of(Classifier.load(snapshot), folder)
        time.sleep(0.1)
    raise AssertionError("no snapshot is written")


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
