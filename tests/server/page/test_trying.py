"""Try: what is typed is answered while it is typed, and the link shows it again."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsing import Watched
from hostile import HOSTILE, Look
from serving import Serving


def _typed(watched: Watched, text: str) -> Any:
    page = watched.page
    page.goto("/page/try?model=mood")
    page.locator("textarea[name=text]").press_sequentially(text)
    page.locator(".verdict").wait_for()
    return page


def test_the_label_and_its_reasons_come_while_one_types(watched: Watched, server: Serving) -> None:
    page = _typed(watched, "I love this wonderful day")
    expect(page.locator(".result .document")).to_have_text("I love this wonderful day")
    predicted = server.predict("mood", "I love this wonderful day")
    assert page.inner_text(".verdict") == predicted["labels"][0] == "positive"
    assert page.inner_text(".chance") == f"{predicted['probabilities'][0]:.1%}"
    assert page.locator(".document [class^=for-]").count() > 1
    assert [one.split("\t")[0] for one in page.locator(".bars >> nth=1").inner_text().split("\n")][2] == "prior"
    link = page.get_attribute("#link", "href")
    page.wait_for_url(lambda url: url.endswith(link))
    page.reload()
    assert page.input_value("textarea[name=text]") == "I love this wonderful day"
    assert page.inner_text(".verdict") == "positive"


def test_the_prior_moves_the_probabilities_and_units_the_weights(watched: Watched) -> None:
    page = _typed(watched, "a day")
    page.click("text=Options")
    before = page.inner_text(".chance")
    page.locator("input[name=share]").fill("99")
    expect(page.locator(".chance")).not_to_have_text(before)
    assert page.input_value("select[name=prior]") == "chosen"
    assert page.inner_text(".verdict") == "positive"
    page.select_option("select[name=unit]", "decibans")
    page.wait_for_selector("th:has-text('decibans')", state="attached")
    page.select_option("select[name=label]", "negative")
    page.wait_for_selector("h3 .for:has-text('negative')")
    page.check("input[name=model][value=plain]")
    page.wait_for_selector(".result >> nth=1")
    assert page.locator(".result .eyebrow").all_inner_texts() == ["mood", "plain"]
    page.check("input[name=model][value=passengers]")
    page.wait_for_selector(".result >> nth=2")
    page.uncheck("input[name=model][value=plain]")
    expect(page.locator(".result .eyebrow")).to_have_text(["mood", "passengers"])


def test_a_row_has_a_field_for_each_column(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/try?model=passengers")
    page.fill("input[name='c.cabin']", "first")
    page.wait_for_selector(".verdict")
    assert page.inner_text(".verdict") == "saved"
    page.fill("input[name='c.age']", "old")
    page.wait_for_selector(".wrong")
    assert "the model needs numbers there" in page.inner_text(".wrong")


def test_it_works_without_scripts(browser: Any, origin: str) -> None:
    with browser.new_context(java_script_enabled=False, base_url=origin) as context:
        page = context.new_page()
        page.goto("/page/try?model=mood")
        page.fill("textarea[name=text]", "a wonderful\nday")
        page.click("button:has-text('See what it says')")
        assert page.inner_text(".verdict") == "positive"
        assert page.input_value("textarea[name=text]") == "a wonderful\nday"


@pytest.mark.parametrize("name", ["mood", "passengers"])
def test_axe_finds_nothing(watched: Watched, name: str) -> None:
    page = watched.page
    page.goto(f"/page/try?model={name}&text=I+love+terrible+rain&c.cabin=first&weights=1")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []


def test_hostile_texts_stay_texts(watched: Watched, server: Serving) -> None:
    page = watched.page
    page.goto("/page/try?model=mood")
    for number, text in enumerate(["".join(HOSTILE)[:20_000], *(one for one in HOSTILE if "broken" in one)]):
        page.fill("textarea[name=text]", f"{text} so happy {number}")
        expect(page.locator(".result .document")).to_have_text(re.compile(rf" so happy {number}$"))
    watched.touch()
    assert page.evaluate("typeof window.broken") == "undefined"
    assert page.evaluate("document.querySelectorAll('#main script, #main img, #main iframe, #main style').length") == 0


@pytest.mark.parametrize("text", [one for one in HOSTILE if one.strip()])
def test_every_hostile_text_comes_back_as_it_was(server: Serving, text: str) -> None:
    fields = urlencode({"model": "mood", "text": text, "label": text, "share": text}, errors="replace")
    shown = server.get(f"/page/try?{fields}")
    assert shown.status == 200
    look = Look(shown.body.decode())
    names = {name for name, _ in look.elements}
    assert not names & {"img", "iframe", "base", "object", "embed", "style"}
    assert not any(name.startswith("on") or name == "style" for _, attributes in look.elements for name in attributes)
    scripts = [str(one.get("src")) for name, one in look.elements if name == "script"]
    assert all(one.startswith("assets/") for one in scripts)
