"""kill -9 at random moments of load: nothing that was acknowledged is lost, and nothing is counted twice.

`PYTHONPATH=tests python tests/server/test_kill.py 200` does it as often as one likes.
"""

import json
import random
import signal
import sys
import tempfile
import threading
import time
from http.client import HTTPException
from pathlib import Path
from typing import Any

from banbury import Classifier
from commands import LABELS, TEXTS
from serving import Serving, bytes_of, entries, served, trained

LEARN, FORGET = "/v1/models/mood/learn", "/v1/models/mood/forget"


class Load:
    """Clients that learn and forget, and know what was acknowledged to them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.learned: dict[int, str] = {}
        """Documents by their numbers in the journal, as they were acknowledged."""
        self.open: list[tuple[str, str, dict[str, Any]]] = []
        """Requests whose answer never came: key, path and body."""
        self._turn = threading.Lock()

    def next_request(self) -> tuple[str, str, dict[str, Any]]:
        with self._turn:
            self.number += 1
            key = f"request {self.number}"
            if self.learned and self.random.random() < 0.25:
                number = self.random.choice(list(self.learned))
                del self.learned[number]
                return key, FORGET, {"ids": [number]}
            texts = [f"document {self.number} {n} so happy and glad" for n in range(self.random.randint(1, 3))]
            return key, LEARN, {"texts": texts, "labels": [self.random.choice(["positive", "negative"])] * len(texts)}

    def acknowledge(self, path: str, body: dict[str, Any], answer: dict[str, Any]) -> None:
        if path == LEARN:
            first = answer["sequence"] - answer["learned"] + 1
            with self._turn:
                self.learned |= {first + n: text for n, text in enumerate(body["texts"])}

    def run(self, server: Serving) -> None:
        """Ask until the server is gone."""
        while True:
            key, path, body = self.next_request()
            try:
                answer = server.post(path, body, headers={"Idempotency-Key": key})
            except (OSError, HTTPException):
                with self._turn:
                    self.open.append((key, path, body))
                return
            assert answer.status == 200, answer
            self.acknowledge(path, body, answer.json)

    def ask_again(self, server: Serving) -> None:
        """Requests without an answer, under the same keys."""
        for key, path, body in self.open:
            answer = server.post(path, body, headers={"Idempotency-Key": key})
            assert answer.status == 200, answer
            self.acknowledge(path, body, answer.json)
        self.open.clear()


def kill_at_random_moments(rounds: int, folder: Path, *, seed: int = 0, clients: int = 8) -> int:
    file, journal = folder / "mood.banbury", folder / "learned.journal"
    Classifier().fit(TEXTS, LABELS).save(file)
    load = Load(seed)
    server = Serving(file, "--journal", journal)
    for number in range(rounds):
        threads = [threading.Thread(target=load.run, args=(server,)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        time.sleep(load.random.uniform(0.0, 0.5))
        server.stop(signal.SIGKILL)
        for thread in threads:
            thread.join()
        server = Serving(file, "--journal", journal)
        load.ask_again(server)
        found = entries(journal)
        undone = {undoes for *_, undoes in found}
        alive = {row[0]: json.loads(row[2]) for row in found if row[1] == "learn" and row[0] not in undone}
        assert alive == load.learned, f"round {number}: what was acknowledged is not what the journal has"
        expected = bytes_of(trained(file, journal), folder)
        assert served(server, journal, folder) == expected, f"round {number}: the model is not that of the journal"
    assert server.stop() == -signal.SIGTERM or server.process.returncode == 0
    return load.number


def test_a_killed_server_has_lost_nothing_and_counted_nothing_twice(tmp_path: Path) -> None:
    assert kill_at_random_moments(4, tmp_path) > 20


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        start = time.monotonic()
        requests = kill_at_random_moments(int(sys.argv[1]), Path(made), seed=int(time.time()))
        print(f"{sys.argv[1]} kills, {requests} requests, {time.monotonic() - start:.0f} seconds: nothing lost")
