"""Words: found, ordered, compared; and one word with all that is known of it."""

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsing import Watched
from commands import LABELS, TEXTS


def test_words_are_searched_while_one_types(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=mood")
    assert page.locator("#words tbody tr").count() == 40
    page.locator("input[name=search]").press_sequentially("happ")
    expect(page.locator("#words tbody th", has_not_text="happ")).to_have_count(0)
    page.fill("input[name=search]", "no such word")
    page.wait_for_selector("text=No word is like this")


def test_words_are_ordered_and_compared(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=mood&label=negative&sort=for&kinds=words")
    weights = [float(text) for text in page.locator("#words tbody td:nth-child(2)").all_inner_texts()]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0
    page.click("text=Next")
    assert "page 2" in page.inner_text("#words .acts")
    assert float(page.locator("#words tbody td:nth-child(2)").first.inner_text()) <= weights[-1]


def test_a_word_has_its_counts_its_weights_and_its_neighbours(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=mood&search=happy&sort=count&kinds=words")
    page.click("#words bdi:text-is('happy')")
    assert page.inner_text("h1") == "happy"
    rows = page.locator("table >> nth=0").locator("tbody tr").all_inner_texts()
    counted = {label: sum("happy" in text.lower().replace("!", " ").replace(".", " ").replace(",", " ").split()
                          for text, one in zip(TEXTS, LABELS, strict=True) if one == label)
               for label in ("negative", "positive")}  # fmt: skip
    assert [row.split("\t")[:3:2] for row in rows] == [[name, str(n)] for name, n in counted.items()]
    assert page.locator("svg[aria-label='Weight by the length of a document'] circle").count() == 6
    assert page.locator("text=so happy").count() == 1


@pytest.mark.parametrize("address", ["/page/words?model=mood", "/page/words?model=mood&word=happy"])
def test_axe_finds_nothing(watched: Watched, address: str) -> None:
    watched.page.goto(address)
    assert violations(watched.page) == []


def test_a_word_that_was_never_seen_is_said_on_the_page(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=mood&word=%3Cscript%3Ewindow.broken=1%3C/script%3E")
    assert "was never seen" in page.inner_text("[role=alert]")
    watched.events.remove(next(one for one in watched.events if "console" in one))  # that the status was 422
