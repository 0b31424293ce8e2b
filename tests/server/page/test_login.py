"""A server with keys: the page asks for one, and remembers it where no script can read it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banbury.server.keys import add_key
from serving import Serving


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    path = tmp_path_factory.mktemp("keys") / "keys"
    return path, {scope: add_key(path, scope, scope) for scope in ("read", "learn", "admin")}


@pytest.fixture(scope="module")
def server(models: Path, keys: tuple[Path, dict[str, str]]) -> Iterator[Serving]:
    with Serving(models, "--keys", keys[0]) as serving:
        yield serving


def test_a_key_opens_the_page_and_stays_out_of_reach(
    browser: Any, origin: str, keys: tuple[Path, dict[str, str]], server: Serving
) -> None:
    with browser.new_context(base_url=origin) as context:
        page = context.new_page()
        page.goto("/")
        assert page.inner_text("h1") == "This server needs a key"
        page.fill("input[name=key]", "bby_wrong")
        page.click("text=Enter")
        assert "not known here" in page.inner_text("[role=alert]")
        page.fill("input[name=key]", keys[1]["read"])
        page.click("text=Enter")
        page.fill("textarea[name=text]", "so happy")
        page.wait_for_selector(".verdict")
        assert page.evaluate("document.cookie") == ""
        [cookie] = context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/page")
        # Of its rooms, those that the key is for.
        assert page.locator("nav a").all_inner_texts() == ["Try", "Words", "Mistakes", "Health"]
        # A cookie is for the page alone: /v1 takes keys in a header, so that no site can send one.
        sent = {"cookie": f"{cookie['name']}={cookie['value']}"}
        assert server.get("/v1/models", headers=sent).status == 401
        assert server.get("/page/words", headers=sent).status == 200
        page.click("text=Leave")
        assert page.inner_text("h1") == "This server needs a key"
        assert context.cookies() == []


def test_a_broken_cookie_is_as_good_as_none(server: Serving) -> None:
    for cookie in ("banbury-key=x", "banbury-key", "=;;=", "banbury-key=\xff", 'banbury-key="'):
        assert server.get("/page/try", headers={"cookie": cookie}).status == 401
