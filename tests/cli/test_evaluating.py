"""`banbury evaluate` and `report`: figures and a page."""

import json
import re

import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.results.decisions import Costs, decision_cost
from commands import Here
from hostile import Look


def test_a_page_of_html_is_written_whole(mood: Here) -> None:
    result = mood("report", "mood.banbury", "mood.jsonl", "-o", "r.html", "--title", "Moods & more")
    assert (result.code, result.out) == (0, "")
    page = (mood.folder / "r.html").read_text()
    assert "Moods &amp; more" in page
    assert page.rstrip().endswith("</html>")
    found = json.loads(mood("evaluate", "mood.banbury", "mood.jsonl", "--diagnose", "--json").out)
    assert found["diagnosis"]["duplicates"]["n_documents"] == 600


def test_a_page_names_its_file_its_date_and_lines(mood: Here) -> None:
    lines = (mood.folder / "mood.jsonl").read_text().splitlines(keepends=True)
    wrong = lines[6].replace("positive", "?").replace("negative", "positive").replace("?", "negative")
    (mood.folder / "test.jsonl").write_text("".join([*lines[:6], wrong, *lines[7:40], lines[0]]))
    assert mood("report", "mood.banbury", "test.jsonl", "-o", "r.html").code == 0
    page = Look((mood.folder / "r.html").read_text()).text
    assert re.search(r"Data: test\.jsonl \(20\d\d-\d\d-\d\d \d\d:\d\d\)", page)
    assert "line 7" in page
    assert "Document 6" not in page
    assert "1 of 41 documents repeat earlier ones; each of them counts" in page
    assert "1 of 41 documents repeat earlier ones" in mood("evaluate", "mood.banbury", "test.jsonl").out
    assert mood("report", "mood.banbury", "test.jsonl", "mood.jsonl", "-o", "r.html").code == 0
    assert "test.jsonl, line 7" in Look((mood.folder / "r.html").read_text()).text


def test_costs_are_those_of_the_library(mood: Here) -> None:
    found = mood(
        "evaluate", "mood.banbury", "mood.jsonl", "--costs", "positive:negative=5", "--unsure", "0.3", "--json"
    )
    model, (texts, labels) = Classifier.load(mood.folder / "mood.banbury"), demo()
    rule = Costs.of(model.classes_.tolist(), {("positive", "negative"): 5}, unsure=0.3)
    expected = decision_cost(model.evaluate(texts, labels), rule)
    assert json.loads(found.out)["cost"]["per_document"] == pytest.approx(expected.per_document)
    shown = mood("evaluate", "mood.banbury", "mood.jsonl", "--costs", "positive:negative=5")
    assert "cost per document" in shown.out
    bad = mood("evaluate", "mood.banbury", "mood.jsonl", "--costs", "positive:negative=-5")
    assert (bad.code, "a cost of 0 or more" in bad.err) == (2, True)


def test_very_many_classes_have_figures_and_no_page(mood: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = json.loads(mood("evaluate", "mood.banbury", "mood.jsonl", "--json").out)
    monkeypatch.setattr("banbury.results.many_classes.MOST_CONFUSED", 1)
    result = mood("evaluate", "mood.banbury", "mood.jsonl", "--json", "--fail-under", "accuracy=0.5")
    assert result.code == 0
    found = json.loads(result.out)
    assert found["accuracy"] == pytest.approx(expected["accuracy"])
    assert found["n_classes"] == 2
    assert "mean reciprocal rank" in mood("evaluate", "mood.banbury", "mood.jsonl").out
    page = mood("report", "mood.banbury", "mood.jsonl", "-o", "r.html")
    assert (page.code, "2 classes would be too large" in page.err) == (3, True)
