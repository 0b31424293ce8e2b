"""Mistakes: a dropped file, the documents behind a cell, costs that move the threshold."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsing import Watched
from commands import LABELS, TEXTS

ADDRESS = "/page/mistakes?model=mood&file=test.csv"


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with some wrong labels and hostile ones."""
    path = tmp_path_factory.mktemp("labelled") / "test.csv"
    rows = [f'"{text}",{label}' for text, label in zip(TEXTS[:300], LABELS[:300], strict=True)]
    rows += [
        '"I love <script>window.broken = 1</script> wonderful",negative',
        '"so sad","<img src=x onerror=broken=1>"',
    ]
    path.write_text("\n".join(["text,label", *rows, ""]))
    return path


@pytest.fixture
def evaluated(watched: Watched, labelled: Path) -> Watched:
    """The page with the result."""
    page = watched.page
    page.goto("/page/mistakes?model=mood")
    if page.locator("a:text-is('test.csv'), bdi:text-is('test.csv')").count():
        page.goto(ADDRESS)
    else:
        page.set_input_files("input[type=file]", labelled)
    page.wait_for_selector(".confusion")
    return watched


def test_a_dropped_file_becomes_figures_and_a_cell_its_documents(evaluated: Watched) -> None:
    page = evaluated.page
    assert "file=test.csv" in page.url
    assert page.locator(".cards dt").all_inner_texts()[0] == "accuracy"
    page.click("[aria-label='1 documents of negative, predicted as positive']")
    page.wait_for_selector("#cell h2:has-text('negative predicted as positive')")
    assert "<script>window.broken = 1</script>" in page.inner_text("#cell .document")
    page.click("#cell summary")
    assert page.locator("#cell .bars").first.is_visible()
    assert page.evaluate("typeof window.broken") == "undefined"


def test_costs_move_the_threshold_and_what_is_caught(evaluated: Watched) -> None:
    page = evaluated.page
    expect(page.locator("#costs")).to_contain_text("at least 50.0%")
    missed = int(page.locator("#costs tr:has-text('missed') td").first.inner_text())
    page.locator("input[name=miss]").fill("2")
    expect(page.locator("#costs")).to_contain_text("at least 1.0%")
    assert int(page.locator("#costs tr:has-text('missed') td").first.inner_text()) <= missed
    assert page.locator("input[name=miss] + output").inner_text() == "100"


def test_the_report_is_one_file(evaluated: Watched) -> None:
    page = evaluated.page
    with page.expect_download() as download:
        page.click("text=The report in one file")
    html = Path(download.value.path()).read_text("utf-8")
    assert "<h1><bdi>mood on test.csv</bdi></h1>" in html
    evaluated.events[:] = [one for one in evaluated.events if "download" not in one]


def test_axe_finds_nothing(evaluated: Watched) -> None:
    assert violations(evaluated.page) == []
    evaluated.page.goto("/page/mistakes?model=mood")
    assert violations(evaluated.page) == []


def test_a_bad_file_is_said_and_can_be_read_otherwise(watched: Watched, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("one,two,three\n" + "so happy,x,positive\nso sad,y,negative\n" * 5)
    page = watched.page
    page.goto("/page/mistakes?model=mood")
    page.set_input_files("input[type=file]", path)
    page.wait_for_selector("[role=alert]")
    assert "odd.csv" in page.inner_text("[role=alert]")
    page.fill("input[name=text]", "one")
    page.fill("input[name=label_column]", "three")
    page.click("text=Read it so")
    page.wait_for_selector(".confusion")
    assert page.locator(".cards .big").first.inner_text() == "100.0%"
