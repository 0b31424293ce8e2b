"""What every page has: the way to the rooms, by keyboard too, in every width."""

from typing import Any

import pytest

from banbury.server.page.layout import ROOMS
from browsing import Watched

PLACES = [
    "try?model=mood&text=I+love+rain",
    "words?model=mood",
    "words?model=mood&word=happy",
    "words?model=passengers",
]


@pytest.mark.parametrize("room", PLACES)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_room_fits_its_window(browser: Any, origin: str, room: str, width: int) -> None:
    page = browser.new_page(base_url=origin, viewport={"width": width, "height": 800})
    page.goto(f"/page/{room}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_keyboard_reaches_the_content_and_every_room(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=mood")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    seen = []
    for _ in range(1 + len(ROOMS)):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.textContent"))
    assert seen == ["banbury", *(title for title, *_ in ROOMS.values())]


def test_it_prints_on_white_without_forms(watched: Watched) -> None:
    page = watched.page
    page.emulate_media(color_scheme="dark", media="print")
    page.goto("/page/try?model=mood&text=I+love+rain")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    assert not page.is_visible("header")
    assert not page.is_visible("form")
    assert page.is_visible(".verdict")


def test_the_server_goes_away_and_comes_back(watched: Watched, origin: str) -> None:
    page = watched.page
    page.goto("/page/try?model=mood")
    page.route("**/page/try", lambda route: route.abort("connectionrefused"))
    page.fill("textarea[name=text]", "so happy")
    page.wait_for_selector("text=The server does not answer")
    page.unroute("**/page/try")
    page.wait_for_selector(".verdict:has-text('positive')")
    assert page.is_hidden("#offline")
    watched.events[:] = [one for one in watched.events if "ERR_CONNECTION_REFUSED" not in one]
