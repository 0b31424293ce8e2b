"""/openapi.json is true: whatever it allows is answered as it says, and nothing that is sent breaks the server.

`PYTHONPATH=tests python tests/server/test_openapi.py 20000` sends as many requests as one likes.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from banbury import Classifier, MultiLabelClassifier
from banbury.server.routes import ROUTES
from commands import LABELS, TEXTS
from label_sets import some_documents
from serving import Answer, Serving

NAMES = ["mood", "animals", "plays", "nothing", "…", "a b"]
PIECES = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"1e999", b"-0", b"\xff", b"\x00", b"\\ud800", b'"texts"',
     b'"labels"', b'"rows"', b'{"texts": ["a"]}', b"[" * 2000, b"9" * 5000, "ſ\u202e\U0001f600".encode()]
)  # fmt: skip
HOSTILE = st.lists(PIECES, max_size=12).map(b"".join) | st.binary(max_size=60)


def made(folder: Path) -> Serving:
    Classifier().fit(TEXTS[:60], LABELS[:60]).save(folder / "mood.banbury")
    Classifier().fit({"legs": [2, 2, 4, 4], "sound": ["caw", "tweet", "meow", None]}, [1, 1, 2, 2]).save(
        folder / "animals.banbury"
    )
    plays = some_documents()
    MultiLabelClassifier().fit(plays.texts, plays.sets).save(folder / "plays.banbury")
    return Serving(folder, "--journal", folder / "learned.journal")


def as_bytes(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


schemathesis.serializer("application/jsonl", "message/rfc822")(as_bytes)


class Caller:
    """Sends what a strategy has made, and compares the answer with what the document says of it."""

    def __init__(self, server: Serving) -> None:
        self.server = server
        document = server.get("/openapi.json").json
        self.operations = {
            (method.upper(), path): operation
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }
        self.schema = schemathesis.openapi.from_dict(document)
        self._components = document["components"]
        self._checks: dict[str, Any] = {}
        self.statuses: Counter[int] = Counter()

    def send(
        self, method: str, path: str, name: str, query: dict[str, Any], headers: dict[str, str], body: Any
    ) -> None:
        target = path.replace("{name}", quote(name, safe=""))
        if query:
            target += "?" + "&".join(f"{quote(str(key))}={quote(str(value))}" for key, value in query.items())
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode("utf-8", "surrogatepass")
        answer = self.server.ask(method, target, data, headers)
        self.statuses[answer.status] += 1
        assert answer.status < 500 or answer.status == 503, (method, target, data, answer)
        self.compare(method, path, answer)

    def compare(self, method: str, path: str, answer: Answer) -> None:
        """That status, media type and body are among those that the document names."""
        responses = self.operations[method, path]["responses"]
        assert str(answer.status) in responses, answer
        kind = answer.headers["content-type"].partition(";")[0]
        content = responses[str(answer.status)]["content"]
        assert kind in content, answer
        if kind.endswith("json"):
            assert self._check(content[kind]["schema"]).is_valid(answer.json), answer

    def _check(self, schema: dict[str, Any]) -> Any:
        key = json.dumps(schema)
        if key not in self._checks:
            self._checks[key] = jsonschema_rs.Draft202012Validator({**schema, "components": self._components})
        return self._checks[key]


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with made(tmp_path_factory.mktemp("models")) as server:
        yield Caller(server)


def examples(caller: Caller, n: int, start: int) -> None:
    """Requests for every operation: made to fit the document, then hostile ones."""
    operations = [operation for result in caller.schema.get_all_operations() if (operation := result.ok())]  # type: ignore[union-attr]
    each = max(1, n // (2 * len(operations)))
    options = settings(
        max_examples=each, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    for number, operation in enumerate(operations):
        seed(start + number)(options(fitting(caller, operation)))()
        if operation.method.upper() == "POST":
            seed(start + number)(options(hostile(caller, operation)))()


def fitting(caller: Caller, operation: Any) -> Any:
    @given(operation.as_strategy(), st.sampled_from(NAMES))
    def send(case: Any, name: str) -> None:
        body = as_bytes(None, case.body) if isinstance(case.body, str) else case.body
        body = body if isinstance(body, dict | list | bytes) else None
        headers = {key: value for key, value in (case.headers or {}).items() if key == "Idempotency-Key"}
        query = {key: value for key, value in (case.query or {}).items() if value is not None}
        headers = headers if all(map(sendable, headers.values())) else {}
        caller.send(operation.method.upper(), operation.path, name, query, headers, body)

    return send


def hostile(caller: Caller, operation: Any) -> Any:
    @given(HOSTILE, st.sampled_from(NAMES))
    def send(body: bytes, name: str) -> None:
        caller.send(operation.method.upper(), operation.path, name, {}, {}, body)

    return send


def sendable(value: str) -> bool:
    """Whether a client can send this in a header."""
    return value.isascii() and value.isprintable() and value == value.strip() and bool(value)


def test_every_answer_is_what_the_document_says(caller: Caller) -> None:
    examples(caller, 250, 0)
    assert {200, 404, 422} <= set(caller.statuses)
    assert "Traceback" not in caller.server.log
    assert "failed" not in caller.server.log


def test_the_document_has_every_route(caller: Caller) -> None:
    assert set(caller.operations) == {(route.method, route.path) for route in ROUTES}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_folder, made(Path(made_folder)) as running:
        sent = Caller(running)
        first = random.randrange(10**6)
        while sent.statuses.total() < int(sys.argv[1]):
            examples(sent, int(sys.argv[1]), first)
            first += 1000
        print(f"{sent.statuses.total()} requests (from seed {first}): {dict(sorted(sent.statuses.items()))}")
        assert "Traceback" not in running.log, running.log
