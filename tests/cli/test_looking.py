"""`banbury explain`, `words` and `inspect`: what a model knows."""

import json
import re

from commands import TEXTS, Here, model


def test_words_and_inspection_say_what_the_library_says(mood: Here) -> None:
    table = model().words("positive", top=5, min_count=2)
    assert mood("words", "mood.banbury", "positive", "--top", 5, "--min-count", 2).out == f"{table}\n"
    result = json.loads(mood("words", "mood.banbury", "positive", "--top", 5, "--min-count", 2, "--json").out)
    assert [row["word"] for row in result] == table.words
    assert mood("words", "mood.banbury", "positive", "--top", 5, "--min-count", 2, "--csv").out == table.to_csv()
    found = json.loads(mood("inspect", "mood.banbury", "--json").out)
    assert found["documents"] == {"negative": 300, "positive": 300}
    assert found["leave-one-out"]["accuracy"] == model().report_.accuracy
    assert re.search(r"^  smoothing +auto$", mood("inspect", "mood.banbury").out, re.MULTILINE)


def test_explanations_are_also_json_and_can_compare_any_labels(mood: Here) -> None:
    text = "lovely, but late"
    result = mood("explain", "mood.banbury", text, "--for", "negative", "--json")
    found = json.loads(result.out)
    expected = model().explain(text, label="negative")
    assert (found["label"], found["against"], found["score"]) == ("negative", "positive", expected.score)
    (mood.folder / "letter.txt").write_text(text)
    assert mood("explain", "mood.banbury", "letter.txt").out == mood("explain", "mood.banbury", text).out
    assert mood("explain", "mood.banbury", "-", stdin=text.encode()).out == mood("explain", "mood.banbury", text).out


def test_a_row_of_a_file_is_explained_and_what_is_no_text_is_not(mood: Here) -> None:
    for row in (1, 600):
        result = mood("explain", "mood.banbury", "mood.jsonl", *(["--row", row] if row > 1 else []))
        assert result.out == f"{model().explain(TEXTS[row - 1])}\n"
    result = mood("explain", "mood.banbury", "mood.jsonl", "--row", 601)
    assert (result.code, "there is no row 601; there are 600" in result.err) == (3, True)
    (mood.folder / "junk").write_bytes(b"lovely \xff")
    result = mood("explain", "mood.banbury", "junk")
    assert (result.code, "junk: byte 8 of it (0xff) is not UTF-8" in result.err) == (3, True)
