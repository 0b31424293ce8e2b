"""A model is begun with texts and names of labels alone; stopping the server loses nothing of it."""

import signal
from pathlib import Path
from typing import Any

import pytest

from accessibility import violations
from serving import Serving, entries

TEXTS = ["so happy", "so sad", "very glad", "very sad", "happy and glad", "rain"]


def _labelled(page: Any, label: str) -> None:
    once = page.input_value("form.next input[name=once]")
    page.click(f".labels button:has-text('{label}')")
    page.locator(f"#next:not(:has(input[name=once][value='{once}']))").wait_for(state="attached")


def test_a_newcomer_begins_with_texts_and_goes_on_after_a_restart(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    home = tmp_path / "home"
    home.mkdir()
    arguments = (home, "--journal", home / "journal")
    with Serving(*arguments) as server:
        page = browser.new_page(base_url=f"http://127.0.0.1:{server.port}")
        page.goto("/page/try")
        page.click("text=Teach one")
        assert violations(page) == []
        page.fill("input[name=name]", "mood")
        page.fill("input[name=labels]", "good, <b>bad</b>, good")
        page.click("button:has-text('Begin')")
        for room in ("try", "words", "mistakes"):
            page.goto(f"/page/{room}?model=mood")
            assert "has learned nothing yet" in page.inner_text("#main")
        page.goto("/page/teach?model=mood")
        page.set_input_files("input[type=file]", tmp_path / "texts.txt")
        page.wait_for_selector(".labels")
        assert page.locator(".labels bdi").all_inner_texts() == ["good", "<b>bad</b>"]
        for label in ("good", "bad", "good", "bad"):
            _labelled(page, label)
        page.wait_for_selector("text=4 of 6 labelled")
        told = page.inner_text("text=right before it learned the label")
        page.click("button[value=skip]")
        page.wait_for_selector("text=Skipped")
        server.stop(signal.SIGKILL)
    with Serving(*arguments) as again:
        address = page.url.replace(f":{server.port}/", f":{again.port}/")
        page.goto(address)
        page.wait_for_selector("text=4 of 6 labelled, 1 left")
        assert page.inner_text("text=right before it learned the label") == told
        page.click("button[value=undo]")
        page.wait_for_selector("text=Undone: <b>bad</b>")
        assert [act for _, act, *_ in entries(home / "journal")] == ["learn"] * 4 + ["forget"]
        for label in ("bad", "good"):
            _labelled(page, label)
        page.click("text=Ask again about the 1 that were skipped")
        page.wait_for_selector("text=are asked again")
        page.wait_for_selector(".labels")
        page.close()


@pytest.mark.parametrize(
    "name, labels, status",
    [("../mood", "a, b", 422), ("", "a", 422), ("mood", " , ", 422), ("mood", "a," * 60, 303), ("plain", "a", 409)],
)
def test_what_cannot_be_begun_is_said(server: Serving, name: str, labels: str, status: int) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{server.port}"}
    if status == 303:
        name = "begun here"
    body = f"act=begin&name={name}&labels={labels}".encode()
    assert server.post("/page/teach", body, headers=headers).status == status
