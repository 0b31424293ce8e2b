"""`banbury evaluate` and `report`: figures and a page."""

import json

from commands import Here


def test_a_page_of_html_is_written_whole(mood: Here) -> None:
    result = mood("report", "mood.banbury", "mood.jsonl", "-o", "r.html", "--title", "Moods & more")
    assert (result.code, result.out) == (0, "")
    page = (mood.folder / "r.html").read_text()
    assert "Moods &amp; more" in page
    assert page.rstrip().endswith("</html>")
    found = json.loads(mood("evaluate", "mood.banbury", "mood.jsonl", "--diagnose", "--json").out)
    assert found["diagnosis"]["duplicates"]["n_documents"] == 600
