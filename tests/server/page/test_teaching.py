"""Teach: labels by single keys, undone, skipped, shared; each is in the journal, whatever ends tab or server."""

import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsing import Watched
from commands import LABELS, TEXTS
from serving import Serving, entries

TRUTH = dict(zip(TEXTS, LABELS, strict=True))
ADDRESS = "/page/teach?model=mood&file=waiting.txt"


def _folder(server: Serving) -> Path:
    arguments: Any = server.process.args
    return next(Path(one) for one in arguments if Path(one).is_dir())


@pytest.fixture(autouse=True)
def _waiting(server: Serving) -> None:
    path = _folder(server) / "files" / "waiting.txt"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        plain = [text for text in TEXTS if "\n" not in text][:60]
        path.write_text("\n".join([*plain, "<script>window.broken = 1</script> so happy", ""]), encoding="utf-8")


def _learned(server: Serving) -> list[tuple[str, str]]:
    """(act, label) of all entries."""
    return [(act, label) for _, act, _, label, _ in entries(_folder(server) / "journal")]


def _number(page: Any) -> int:
    return int(page.input_value("form.next input[name=number]"))


def _press(page: Any, key: str) -> None:
    """Press a key, and wait for what comes of it."""
    once = page.input_value("form.next input[name=once]")
    page.keyboard.press(key)
    page.locator(f"form.next input[name=once]:not([value='{once}'])").wait_for(state="attached")


def test_twenty_are_taught_with_keys_and_one_is_undone(watched: Watched, server: Serving) -> None:
    page = watched.page
    before = len(_learned(server))
    page.goto(ADDRESS)
    page.wait_for_timeout(100)
    seen = set()
    for _ in range(20):
        seen.add(_number(page))
        _press(page, "1" if "negative" in TRUTH.get(page.inner_text(".asked .document"), "") else "2")
    assert len(seen) == 20
    assert len(_learned(server)) == before + 20
    assert "20 of 61 labelled" in page.inner_text("text=labelled, ")
    assert "right before it learned the label" in page.inner_text(".side-cards")
    last = _number(page)
    _press(page, "u")
    assert "Undone" in page.inner_text(".said")
    assert _learned(server)[-1][0] == "forget"
    assert _number(page) != last
    _press(page, "s")
    assert "Skipped" in page.inner_text(".said")
    assert len(_learned(server)) == before + 21


def test_a_new_label_is_asked_about(watched: Watched, server: Serving) -> None:
    page = watched.page
    page.goto(ADDRESS)
    page.wait_for_timeout(100)
    page.keyboard.press("n")
    page.keyboard.type("positiv")
    before = len(_learned(server))
    page.keyboard.press("Enter")
    page.wait_for_selector("text=is a new label. Is it meant?")
    page.click("button:has-text('No, positive')")
    expect(page.locator(".said")).to_have_text("positive.")
    assert _learned(server)[before:] == [("learn", '"positive"')]
    page.fill("input[name=new]", "<img src=x onerror=window.broken=1>")
    page.click("button:has-text('add'):visible")
    page.click("button:has-text('Yes, a new label')")
    page.wait_for_selector(".labels bdi:has-text('<img src=x')")
    assert page.evaluate("typeof window.broken") == "undefined"
    _press(page, "u")


def test_two_people_label_at_once(browser: Any, origin: str, server: Serving) -> None:
    pages = [browser.new_page(base_url=origin) for _ in range(2)]
    for page in pages:
        page.goto(ADDRESS)
        page.wait_for_timeout(100)
    seen = []
    for _ in range(3):
        for page in pages:
            seen.append(_number(page))
            _press(page, "2")
    assert len(set(seen)) == 6
    for page in pages:
        page.close()


def test_a_form_that_is_sent_twice_counts_once(watched: Watched, server: Serving) -> None:
    page = watched.page
    page.goto(ADDRESS)
    fields = page.evaluate("[...new FormData(document.querySelector('form.next'))]")
    body = "&".join(f"{name}={value}" for name, value in fields if name in ("model", "file", "who", "number", "once"))
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{server.port}"}
    before = len(_learned(server))
    for _ in range(2):
        answer = server.post("/page/teach", f"{body}&label=positive".encode(), headers=headers)
        assert answer.status == 303
    assert len(_learned(server)) == before + 1


def test_axe_finds_nothing(watched: Watched) -> None:
    watched.page.goto(ADDRESS)
    assert violations(watched.page) == []
    watched.page.goto("/page/teach?model=mood")
    assert violations(watched.page) == []


def test_it_works_without_scripts_and_for_rows_that_came_in(browser: Any, origin: str, server: Serving) -> None:
    rows = [{"age": 30.0, "cabin": "first", "fare": 2.5}, {"age": 1.0, "cabin": "third", "fare": 2.5}]
    assert server.post("/v1/models/passengers/predict", {"rows": rows}).status == 200
    with browser.new_context(java_script_enabled=False, base_url=origin) as context:
        page = context.new_page()
        page.goto("/page/teach?model=passengers")
        page.click("text=Label them")
        assert "cabin" in page.inner_text(".asked")
        page.click(".labels button:has-text('saved')")
        assert page.inner_text("#said") == "saved."
        page.click(".labels button:has-text('lost')")
        assert "Every document has a label" in page.inner_text("#next")


def test_the_server_stops_and_comes_back_and_nothing_is_lost(browser: Any, models: Path, tmp_path: Path) -> None:
    (tmp_path / "mood.banbury").write_bytes((models / "mood.banbury").read_bytes())
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "waiting.txt").write_text("so happy\nso sad\nso glad\n")
    arguments = (tmp_path, "--journal", tmp_path / "journal")
    with Serving(*arguments) as server:
        page = browser.new_page(base_url=f"http://127.0.0.1:{server.port}")
        page.goto(ADDRESS)
        page.wait_for_timeout(100)
        _press(page, "1")
        server.stop(signal.SIGKILL)
        page.keyboard.press("2")
        page.wait_for_selector("text=The server does not answer")
        with Serving(*arguments, port=server.port) as again:
            page.locator("#offline").wait_for(state="hidden")
            page.wait_for_selector("text=2 of 3 labelled")
            assert [act for _, act, *_ in entries(tmp_path / "journal")] == ["learn", "learn"]
            assert again.get("/health/ready").status == 200
            page.reload()
            page.wait_for_selector("text=2 of 3 labelled")
        page.close()
