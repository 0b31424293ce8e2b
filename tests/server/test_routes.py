"""The table of routes: every path answers, each with the scope that it says."""

from pathlib import Path

from asgi import Asked, talk
from banbury import Classifier
from banbury.server import app
from banbury.server.keys import SCOPES, add_key
from banbury.server.routes import ROUTES


def test_every_route_asks_for_its_scope_before_anything_else(tmp_path: Path) -> None:
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(tmp_path / "mood.banbury")
    keys = {scope: add_key(tmp_path / "keys", scope, scope) for scope in SCOPES}
    requests = [Asked(route.method, route.path.replace("{name}", "mood")) for route in ROUTES]

    def bearer(asked: Asked, scope: str) -> Asked:
        return asked._replace(headers=[(b"authorization", f"Bearer {keys[scope]}".encode())])

    for scope in SCOPES:
        said = talk(app(tmp_path, keys=tmp_path / "keys"), *(bearer(asked, scope) for asked in requests))
        for route, one in zip(ROUTES, said, strict=True):
            may = not route.scope or SCOPES.index(route.scope) <= SCOPES.index(scope)
            assert (one.status == 403) == (not may), (route.path, scope, one)
            assert one.status < 500 or route.ready_is_503
    said = talk(app(tmp_path, keys=tmp_path / "keys"), *requests)
    assert [one.status == 401 for one in said] == [bool(route.scope) for route in ROUTES]


def test_a_path_has_one_route_for_each_method() -> None:
    pairs = [(route.method, route.path) for route in ROUTES]
    assert len(set(pairs)) == len(pairs)
    assert all(route.scope in ("", *SCOPES) and route.summary.endswith(".") for route in ROUTES)
