"""Starts the server for tests: a process of its own on a free port of this machine."""

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

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

    def __init__(self, *arguments: object, program: str | None = None, **variables: str) -> None:
        command = [sys.executable, *(["-m", "banbury"] if program is None else ["-c", program])]
        command += ["serve", *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(**variables))
        self.lines: list[str] = []
        self._listens = threading.Event()
        self.port = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._listens.wait(60), "it does not start"
        assert self.port, "\n".join(self.lines)

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
