"""A journal in PostgreSQL: several servers, one model, the same to the bit."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from glob import glob
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psycopg
import pytest

from banbury import Classifier
from banbury.server.journal import open_journal
from banbury.server.journal.entries import FORGET, LEARN, Change, JournalError, Written
from commands import LABELS, TEXTS
from serving import Serving, bytes_of, served, trained_by, wait_for

LEARNING, FORGETTING = "/v1/models/mood/learn", "/v1/models/mood/forget"


def program(name: str) -> str:
    """A program of PostgreSQL; Debian has them in a folder of their own."""
    found = shutil.which(name) or next(iter(sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return found


def user() -> dict[str, Any]:
    """PostgreSQL does not run as root: whoever else there is."""
    if sys.platform == "win32" or os.getuid() != 0:
        return {}
    import pwd

    names = {one.pw_name for one in pwd.getpwall()}
    return {"user": "postgres" if "postgres" in names else "nobody", "group": None}


class Database:
    """A PostgreSQL in a folder of its own, on a free port of this machine."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._who = {key: value for key, value in user().items() if value}
        if self._who:
            shutil.chown(folder, **self._who)
        initdb = [program("initdb"), "-D", f"{folder}/data", "-U", "banbury", "--auth=trust", "--no-sync"]
        subprocess.run(initdb, check=True, cwd=folder, stdout=subprocess.DEVNULL, **self._who)
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"postgresql://banbury@127.0.0.1:{self.port}/postgres"
        self.start()

    def start(self) -> None:
        command = [program("postgres"), "-D", f"{self.folder}/data", "-p", str(self.port), "-k", self.folder]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=30"]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, **self._who)
        wait_for(self._answers)

    def _answers(self) -> bool:
        with suppress(psycopg.Error):
            psycopg.connect(self.address, connect_timeout=2).close()
            return True
        return False

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)  # without waiting for whoever is connected
        self.process.wait(30)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.address) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        database = Database(folder)
        yield database
        database.stop()


@pytest.fixture
def fresh(database: Database) -> Database:
    """The database without a journal in it."""
    with psycopg.connect(database.address) as connection:
        connection.execute("DROP TABLE IF EXISTS journal_head, journal_entries, journal_requests")
    return database


def example(text: str, label: str = "positive") -> dict[str, Any]:
    return {"texts": [text], "labels": [label]}


def test_the_journal_is_that_of_sqlite(fresh: Database, tmp_path: Path) -> None:
    changes = [
        Change("spam", LEARN, ["a\0b", {"x": 1.5, "y": None}], ["ham", "ham"], key="k", fingerprint="f"),
        Change("spam", LEARN, ["a\0b"], ["ham"], key="k", fingerprint="f"),
        Change("spam", FORGET, ids=[1]),
        Change("spam", FORGET, ids=[1]),
        Change("spam", FORGET, ["c"], ["ham"]),
    ]
    found = []
    for address in (fresh.address, str(tmp_path / "learned.journal")):
        journal = open_journal(address)
        outcomes = journal.append(changes)
        entries = journal.entries(0, 100)
        examples = journal.examples("spam", 100)
        latest = [journal.latest("spam", 100, containing=part) for part in ("", "b", "%")]
        written = journal.written_since(0)
        removed = journal.compact(100)
        head = journal.head()
        found.append(
            (
                [one if isinstance(one, Written) else one.detail for one in outcomes],
                entries,
                examples,
                latest,
                written,
                removed,
                head[1:],
            )
        )
        journal.close()
    assert found[0] == found[1]


def test_numbers_follow_each_other_whoever_writes(fresh: Database) -> None:
    journals = [open_journal(fresh.address) for _ in range(3)]

    def write(number: int) -> None:
        for n in range(20):
            journals[number].append([Change("spam", LEARN, [f"{number} {n}"], ["ham"])])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for writer in writers:
        writer.start()
    seen = 0
    while seen < 60:  # nobody who follows misses an entry that is committed later
        new = [entry.sequence for entry in journals[0].entries(seen, 1000)]
        assert new == list(range(seen + 1, seen + 1 + len(new)))
        seen += len(new)
    for writer, journal in zip(writers, journals, strict=True):
        writer.join()
        journal.close()


def test_a_database_that_is_not_there_is_said() -> None:
    with pytest.raises(JournalError, match=r"connection|refused"):
        open_journal("postgresql://banbury@127.0.0.1:9/postgres")


def test_three_servers_reach_the_same_model_to_the_bit(fresh: Database, tmp_path: Path) -> None:
    file = tmp_path / "mood.banbury"
    Classifier().fit(TEXTS[:100], LABELS[:100]).save(file)

    def started(number: int) -> Serving:
        return Serving(file, "--journal", fresh.address, "--snapshots", tmp_path / f"{number}-snapshots")

    servers = [started(number) for number in range(3)]
    acknowledged: list[str] = []
    open_requests: list[tuple[str, dict[str, Any]]] = []

    def load(number: int, first: int, last: int) -> None:
        for n in range(first, last):
            body = {"texts": [f"{number} {TEXTS[n]}"], "labels": [LABELS[n]]}
            try:
                answer = servers[number].post(LEARNING, body, headers={"Idempotency-Key": f"{number} {n}"})
            except (OSError, HTTPException):
                open_requests.append((f"{number} {n}", body))
                return
            assert answer.status == 200, answer
            acknowledged.extend(body["texts"])

    def together(first: int, last: int, kill: int | None = None) -> None:
        clients = [threading.Thread(target=load, args=(number, first, last)) for number in range(3)]
        for client in clients:
            client.start()
        if kill is not None:
            time.sleep(0.3)
            servers[kill].stop(signal.SIGKILL)
        for client in clients:
            client.join()

    try:
        together(100, 160)
        assert servers[1].post(FORGETTING, {"ids": [1, 5]}).json == {"forgotten": 2, "sequence": 182 + refits(fresh)}
        servers[2].post("/v1/compact", b"")
        together(160, 300, kill=1)
        servers[1] = started(1)
        for key, body in open_requests:
            answer = servers[2].post(LEARNING, body, headers={"Idempotency-Key": key})
            assert answer.status == 200
            acknowledged.extend(body["texts"])

        learned = fresh.rows("SELECT document FROM journal_entries WHERE act = 'learn'")
        assert len(learned) == len({document for (document,) in learned})
        assert {json.loads(document) for (document,) in learned} <= set(acknowledged)
        assert len(acknowledged) - 2 <= len(learned) <= len(acknowledged)

        def is_the_same() -> bool:
            found = [served(server, tmp_path / str(number), tmp_path) for number, server in enumerate(servers)]
            rows = fresh.rows("SELECT sequence, act, document, label, undoes FROM journal_entries ORDER BY sequence")
            return found == [bytes_of(trained_by(rows, Classifier.load(file)), tmp_path)] * 3

        wait_for(is_the_same)  # the others follow within moments
        assert refits(fresh) > 0
    finally:
        for server in servers:
            server.stop(signal.SIGKILL)


def refits(database: Database) -> int:
    count: int = database.rows("SELECT count(*) FROM journal_entries WHERE act = 'refit'")[0][0]
    return count


def test_learning_waits_for_the_database_and_reading_does_not(fresh: Database, tmp_path: Path) -> None:
    file = tmp_path / "mood.banbury"
    Classifier.textbook().fit(TEXTS, LABELS).save(file)
    with Serving(file, "--journal", fresh.address) as server:
        assert server.post(LEARNING, example("before")).status == 200
        fresh.stop()
        answer = server.post(LEARNING, example("meanwhile"))
        assert answer.status == 503
        assert answer.headers["retry-after"] == "5"
        assert server.predict("mood", "I am so happy")["labels"] == ["positive"]
        fresh.start()
        wait_for(lambda: server.post(LEARNING, example("after")).status == 200)
        texts = [json.loads(line)["text"] for line in server.get("/v1/models/mood/export").body.splitlines()]
        assert texts == ["before", "after"]
