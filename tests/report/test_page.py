"""The page of a report: safe, complete, readable in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Classifier
from banbury.datasets import demo
from banbury.report.page import Contents, report_page
from banbury.report.report import Report
from banbury.results.evaluation import evaluate
from browsing import Watched, browser
from hostile import HOSTILE, Look

__all__ = ["browser"]  # a fixture
TEXTS, LABELS = demo()


def _report() -> Report:
    return Classifier().fit(TEXTS[::2], LABELS[::2]).evaluate(TEXTS[1::2], LABELS[1::2])


def _hostile_report() -> Report:
    """Everything that a page shows is hostile: labels, texts, words, also those of mistakes, leaks and doubts."""
    some = [text for text in HOSTILE if text.strip()]
    labels = [some[at % 5] for at in range(400)]
    texts = [f"{text} {label} <b>onclick{at}</b> {'x' * (at % 7)}" for at, (text, label) in
             enumerate(zip(some * 9, labels, strict=False))]  # fmt: skip
    labels = labels[: len(texts)]
    analyzer = banbury.Analyzer(punctuation="all", tags="split", urls="keep", emails="keep", handles="keep")
    model = Classifier(analyzer=analyzer).fit(texts[::2], labels[::2])
    strange = ["<img src=x onerror=window.broken=1>"] * 3
    return model.evaluate([*texts[1::2], *strange], [*labels[1::2], *strange])


def test_a_page_names_no_other_place_and_has_a_policy() -> None:
    html = _report().html(diagnose=False)
    assert "default-src 'none'" in html
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<script|<link|<img|<iframe", html)
    assert 'id="documents"' not in html


def test_a_page_without_probabilities_or_mistakes_is_shorter() -> None:
    html = report_page(evaluate([1, 2], [1, 2]), Contents("Few", "model"))
    assert 'id="probabilities"' not in html
    assert "There are none" not in html
    perfect = Classifier().fit(TEXTS, LABELS).evaluate(TEXTS[:5], LABELS[:5])
    if perfect.accuracy == 1:
        assert "There are none" in perfect.html()


def test_many_classes_have_a_list_of_mistakes_instead_of_a_map() -> None:
    labels = [f"class {at}" for at in range(90)]
    html = evaluate(labels, [*labels[1:], labels[0]])._repr_html_()
    assert "The most frequent mistakes" in html
    assert len(html) < 60_000


def test_hostile_texts_bring_in_no_element_of_their_own() -> None:
    html = _hostile_report().html()
    look = Look(html)
    assert look.odd == []
    names = {name for name, _ in look.elements}
    assert not names & {"script", "img", "iframe", "form", "input", "base", "object", "embed", "b\x00"}
    for _, attributes in look.elements:
        assert not any(name.startswith("on") or name in ("style", "src", "srcdoc") for name in attributes)


def _opened(browser: Any, path: Path, **options: Any) -> Any:
    """The page of a file, on which nothing happens, whatever is touched."""
    watched = Watched(browser, **options)
    watched.page.goto(path.as_uri())
    watched.touch()
    assert [event for event in watched.events if event != f"request {path.as_uri()}"] == []
    return watched.page


def _write(path: Path, html: str) -> Path:
    path.write_bytes(html.encode("utf-8"))
    return path


def test_nothing_runs_in_a_real_browser(browser: Any, tmp_path: Path) -> None:
    report = _hostile_report()
    explained = [mistake.explanation._repr_html_() for mistake in report.mistakes(5)]
    pages = {
        "report.html": report.html(title=HOSTILE[0]),
        # A notebook's own page has no policy that would help.
        "notebook.html": "<!doctype html><meta charset=utf-8>" + "".join([report._repr_html_(), *explained]),
    }
    for name, html in pages.items():
        page = _opened(browser, _write(tmp_path / name, html))
        assert page.evaluate("typeof window.broken") == "undefined"
        assert page.evaluate("document.querySelectorAll('script,img,iframe,form,input,object,embed').length") == 0
        assert page.evaluate("document.querySelectorAll('style').length") <= 2 + len(explained)
    page = _opened(browser, tmp_path / "report.html")
    assert page.title() == page.inner_text("h1") == HOSTILE[0]


def test_the_policy_stops_what_someone_adds_to_the_file(browser: Any, tmp_path: Path) -> None:
    html = _report().html(diagnose=False).replace("</main>", "<script>window.broken = 1</script></main>")
    page = browser.new_page()
    page.goto(_write(tmp_path / "changed.html", html).as_uri())
    assert page.evaluate("typeof window.broken") == "undefined"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_and_can_be_read(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    path = _write(tmp_path / "report.html", _hostile_report().html())
    page = _opened(browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The contrast of every text with what lies behind it is 4.5 at least (WCAG AA).
    assert page.evaluate(CONTRAST) >= 4.5


CONTRAST = """() => {
    const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = one => {
        const layers = [];
        for (let at = one; at; at = at.parentElement) layers.push(numbers(getComputedStyle(at).backgroundColor));
        let colour = [255, 255, 255];
        for (const layer of layers.reverse()) {
            const alpha = layer.length > 3 ? layer[3] : 1;
            colour = colour.map((v, i) => v * (1 - alpha) + layer[i] * alpha);
        }
        return colour;
    };
    let least = 99;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const one = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || one.closest('svg') || one.tagName == 'STYLE') continue;
        const [a, b] = [luminance(numbers(getComputedStyle(one).color)), luminance(behind(one))];
        least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return least;
}"""


def test_the_page_prints(browser: Any, tmp_path: Path) -> None:
    page = _opened(browser, _write(tmp_path / "report.html", _report().html()), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    assert page.pdf(format="A4").startswith(b"%PDF")
