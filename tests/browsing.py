"""A real browser for tests: headless Chromium, and a page of it that records whatever it does besides showing."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium; without one the test is skipped."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser is installed: one of {', '.join(BROWSERS)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root, as in a container, may not use Chromium's own sandbox.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watched:
    """A page of a browser that records whatever it does besides showing."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.page.set_default_timeout(15_000)
        self.events: list[str] = []
        self.page.on("dialog", self._dismiss)
        self.page.on("console", lambda message: self.events.append(f"console {message.text}"))
        self.page.on("pageerror", lambda error: self.events.append(f"error {error}"))
        self.page.on("popup", lambda popup: self.events.append(f"popup {popup.url}"))
        self.page.on("download", lambda download: self.events.append(f"download {download.url}"))
        self.page.on("request", lambda request: self.events.append(f"request {request.url}"))

    def _dismiss(self, dialog: Any) -> None:
        self.events.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def touch(self) -> None:
        """Send every element whatever waits for a person."""
        self.page.evaluate(
            """() => document.querySelectorAll('*').forEach(one => {
                for (const name of ['mouseover', 'click', 'focus', 'load', 'error', 'toggle'])
                    if (!['A', 'BUTTON', 'SUMMARY', 'OPTION'].includes(one.tagName) && !one.closest('button'))
                        one.dispatchEvent(new Event(name))
            })"""
        )
        self.page.wait_for_timeout(100)

    def strange(self, origin: str) -> list[str]:
        """What happened besides requests to one's own server."""
        return [event for event in self.events if not event.startswith(f"request {origin}/")]
