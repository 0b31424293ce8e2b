"""axe-core's rules, on a page that a browser shows."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

CHECKED = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Any) -> list[str]:
    """What axe finds wrong: the rule, and the first element that breaks it."""
    found = Axe().run(page, options=CHECKED).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
