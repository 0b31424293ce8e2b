"""Health: what the server does, whether the world has moved, and documents that are forgotten."""

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from accessibility import violations
from banbury.server.models import ServedModel
from banbury.server.page.health import FEWEST_FOR_DRIFT, drift_of
from browsing import Watched
from hostile import HOSTILE
from serving import Serving, entries


def test_figures_are_those_of_the_server(watched: Watched, server: Serving) -> None:
    for _ in range(3):
        server.predict("mood", "so happy")
    page = watched.page
    page.goto("/page/health")
    row = page.locator("tr", has_text="/v1/models/{name}/predict").inner_text().split("\t")
    assert int(row[1]) >= 3
    assert row[2] == "0"
    assert "open" in page.inner_text(".cards")
    assert page.locator("tr:has-text('banbury') td").first.inner_text().count(".") == 2


def test_a_document_is_found_and_forgotten(watched: Watched, server: Serving) -> None:
    texts = ["remember this one", '100% of_it \\ "quoted"', HOSTILE[2]]
    assert server.post("/v1/models/mood/learn", {"texts": texts, "labels": ["positive"] * 3}).status == 200
    page = watched.page
    for search, n in (("remember", 1), ("100% of", 1), ("%", 1), ("of_it", 1), ("ofxit", 0), ('"quoted"', 1), ("", 3)):
        page.goto("/page/health?model=mood")
        page.fill("#learned input[name=search]", search)
        page.click("#learned button:has-text('Show')")
        expect(page.locator("#learned tbody tr")).to_have_count(n)
    page.click("[aria-label='Forget entry 1']")
    assert page.inner_text("#said") == "Entry 1 is forgotten."
    expect(page.locator("#learned tbody tr")).to_have_count(2)
    arguments: Any = server.process.args
    folder = next(Path(one) for one in arguments if Path(one).is_dir())
    assert [act for _, act, *_ in entries(folder / "journal")] == ["learn", "learn", "learn", "forget"]
    assert page.evaluate("typeof window.broken") == "undefined"


def test_forgetting_twice_is_said(server: Serving) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{server.port}"}
    answer = server.post("/page/forget", b"model=mood&entry=1", headers=headers)
    assert (answer.status, b"forgotten already" in answer.body) == (409, True)
    assert server.post("/page/forget", b"model=mood&entry=99", headers=headers).status == 404


def test_drift_is_seen_in_what_came_in(models: Path) -> None:
    model = ServedModel("mood", models / "mood.banbury")
    assert drift_of(model.classifier, model) is None
    model.remember(["I love this wonderful xyzzy day", "so happy and glad"] * FEWEST_FOR_DRIFT)
    drift = drift_of(model.classifier, model)
    assert drift is not None
    assert drift.had_moved
    assert drift.prior["positive"] > 0.9
    assert 0 < (drift.unknown_share or 0) < 1
    rows = ServedModel("passengers", models / "passengers.banbury")
    rows.remember([{"age": 30.0, "cabin": "first", "fare": 9.0}] * FEWEST_FOR_DRIFT)
    found = drift_of(rows.classifier, rows)
    assert found is not None
    assert found.unknown_share is None


def test_axe_finds_nothing(watched: Watched, server: Serving) -> None:
    for _ in range(FEWEST_FOR_DRIFT):
        server.predict("mood", "so happy")
    watched.page.goto("/page/health?model=mood")
    assert violations(watched.page) == []
