"""The documentation as a site: built as `make docs` does, its links followed, opened in a real browser."""

import functools
import json
import os
import re
import runpy
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import unquote

import pytest

import banbury
from browsing import Watched, browser

__all__ = ["browser"]

ROOT = Path(__file__).parents[1]
MAKING = ROOT / "docs" / "making"
PICTURED = [
    "index.html",
    "benchmarks.html",
    "comparisons.html",
    "how-to/tables.html",
    "notebooks/tables.html",
    "reference/api/Classifier.html",
    "project/benchmarks/index.html",
]


class Document(HTMLParser):
    """The addresses that a document of HTML names, what it loads without being asked, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if "href" in values:
            self.links.append(values["href"])
        if "src" in values or (tag == "link" and values.get("rel") != "canonical"):
            self.loaded.append(values.get("src") or values.get("href", ""))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: object) -> None:
        """Say nothing of requests."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the site. MkDocs is strict: a link that leads nowhere, or any other warning, is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "ignore"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Document]:
    return {path: Document(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a port of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_every_link_leads_to_a_page_and_a_place_on_it(site: Path, pages: dict[Path, Document]) -> None:
    dead = []
    for path, document in pages.items():
        for link in {*document.links, *document.loaded}:
            target, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            folder = site if target.startswith("/") else path.parent  # those of 404.html
            file = (folder / target.lstrip("/")).resolve() if target else path
            if not file.exists() or (anchor and file in pages and anchor not in pages[file].anchors | {"__top"}):
                dead.append(f"{path.name}: {link}")
    assert len(pages) > 60
    assert dead == []


def test_nothing_is_loaded_from_another_host(pages: dict[Path, Document]) -> None:
    assert [one for document in pages.values() for one in document.loaded if re.match(r"([a-z]+:)?//", one)] == []


def test_the_reference_has_every_public_name(pages: dict[Path, Document]) -> None:
    anchors = {anchor for document in pages.values() for anchor in document.anchors}
    names = {one.rpartition(".")[2] for one in anchors if one.startswith("banbury.")}
    assert [name for name in banbury.__all__ if name not in names] == []
    for shown in (banbury.Classifier, banbury.MultiLabelClassifier, banbury.HierarchicalClassifier, banbury.Analyzer):
        public = [name for name, value in vars(shown).items() if not name.startswith("_") and callable(value)]
        wanted = {f"{shown.__module__}.{shown.__qualname__}.{name}" for name in public}
        assert wanted - anchors == set()


def test_the_modules_that_the_page_of_python_names_are_in_the_reference(pages: dict[Path, Document]) -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8").partition("## Modules")[2]
    anchors = {anchor for document in pages.values() for anchor in document.anchors}
    for module, name in re.findall(r"^\| `(banbury[\w.]+)`[^|]*\| `(\w+)", text, re.MULTILINE):
        home = getattr(__import__(module, fromlist=[name]), name)
        assert f"{getattr(home, '__module__', module)}.{name}" in anchors | {f"{module}.{name}"}, f"{module}.{name}"


def test_every_page_of_the_documents_is_in_the_navigation(site: Path) -> None:
    index = Document((site / "index.html").read_text(encoding="utf-8"))
    sources = [
        path.relative_to(ROOT / "docs") for kind in ("md", "ipynb") for path in (ROOT / "docs").rglob(f"*.{kind}")
    ]
    assert [path for path in sources if str(path.with_suffix(".html")) not in index.links] == []


@pytest.mark.parametrize("width, scheme", [(360, "light"), (1280, "dark")])
def test_the_site_in_a_browser(browser: Any, address: str, width: int, scheme: str) -> None:
    watched = Watched(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = watched.page
    for path in PICTURED:
        page.goto(f"{address}/{path}")
        page.wait_for_selector("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.get_attribute("body", "data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
    assert watched.strange(address) == []
    page.close()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "opened from a disk"])
def test_search_finds_a_word_without_a_network(browser: Any, address: str, site: Path, from_disk: bool) -> None:
    origin = f"file://{site}" if from_disk else address
    watched = Watched(browser, viewport={"width": 1280, "height": 800}, offline=from_disk)
    watched.page.goto(f"{origin}/index.html")
    watched.page.click("input[name=query]")
    watched.page.keyboard.type("duplicates")
    watched.page.wait_for_selector(".md-search-result__link", state="attached")
    results = watched.page.eval_on_selector_all(".md-search-result__link", "links => links.map(one => one.href)")
    assert all(one.startswith(f"{origin}/") for one in results)
    assert any("how-to" in one for one in results)
    assert watched.strange(origin) == []
    watched.page.close()


def test_a_docstring_becomes_markdown() -> None:
    markdown = runpy.run_path(str(MAKING / "docstrings.py"))["markdown"]
    docstring = "One more.\n\nParameters\n----------\nn : int\n    A number,\n    or none.\nm\n    More."
    said = "One more.\n\n**Parameters**\n\n- `n : int`: A number, or none.\n- `m`: More."
    assert markdown(docstring + "\n\n>>> more(1)\n2") == f"{said}\n\n```pycon\n>>> more(1)\n2\n```"
    assert markdown("Two.\n\n>>> 1\n1\n\nAnd so on.") == "Two.\n\n```pycon\n>>> 1\n1\n```\n\nAnd so on."


def test_figures_are_those_of_the_results(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MAKING))
    figures = runpy.run_path(str(MAKING / "figures.py"))
    for name, make in figures["FIGURES"].items():
        table, bars, _ = make()
        assert table.count("\n") >= 2
        assert len(bars) >= 2
        chart = (site / "pictures" / "benchmarks" / f"{name}.svg").read_text(encoding="utf-8")
        assert chart == figures["chart"](name)
    rows = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text(encoding="utf-8"))["rows"]
    loss = fmean(row["log_loss"] for row in rows if row["model"] == "counting")
    for page in ("benchmarks.html", "comparisons.html"):
        text = (site / page).read_text(encoding="utf-8")
        assert f"{loss:.3f}" in text
        assert "<!-- figures" not in text


def test_figures_that_there_are_none_of_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MAKING))
    with_figures = runpy.run_path(str(MAKING / "figures.py"))["with_figures"]
    with pytest.raises(KeyError, match="colours"):
        with_figures("<!-- figures: colours -->", "pictures")


def test_means_are_over_the_sets_that_all_models_have() -> None:
    means = runpy.run_path(str(MAKING / "figures.py"))["means"]
    scored = [("a", "x", 0.2), ("b", "x", 0.4), ("c", "x", 9.0), ("a", "y", 0.1), ("b", "y", 0.5)]
    rows = [{"set": name, "model": model, "log_loss": loss, "accuracy": 1, "ece": 0} for name, model, loss in scored]
    ours, theirs = means(rows, {"x": "ours", "y": "theirs"})
    assert (round(ours.log_loss, 9), round(theirs.log_loss, 9), theirs.n_sets) == (0.3, 0.3, 2)
    assert theirs.better_on == ["a"]


def test_the_navigation_is_what_the_index_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MAKING))
    navigation = runpy.run_path(str(MAKING / "site.py"))["navigation"]
    index = "# Home\n\n[not](this.md)\n\n## Learn\n\n[First](a.md#b), [other](https://example.com), [code](../spam.py)"
    assert navigation(index) == [{"Learn": [{"First": "a.md"}]}]
    assert navigation("# Home\n\n## Try\n\n[It](a/b.ipynb)") == [{"Try": [{"It": "a/b.md"}]}]
    assert navigation("# Home\n\n## Docs\n\n[All](../DESIGN.md)") == [{"Docs": [{"All": "project/DESIGN.md"}]}]
