"""The report of training: strongest words, doubtful rows, what may be wrong."""

import json
import re

import banbury
from banbury.cli import findings
from commands import Here
from letters import letters, write_pairs


def test_the_report_of_training_fits_two_screens_and_names_what_may_be_wrong(here: Here) -> None:
    write_pairs(here.folder / "rows.jsonl", letters())
    result = here("train", "rows.jsonl", "-o", "x.banbury")
    assert result.code == 0
    assert len(result.out.split("\n")) < 48
    assert "sender@example.org (a)" in result.out
    assert re.search(r"duplicates +of rows before them: 1 exact, \d+ near; groups with different labels: ", result.out)
    assert re.search(r"^  line 181  a  +\d+\.\d%  letter 1 by nobody$", result.out, re.MULTILINE)
    assert re.search(r"^  .* curves +0\.\d{4} +0\.\d{4}  chosen$", result.out, re.MULTILINE)
    assert "Next: banbury predict x.banbury" in result.err


def test_doubtful_rows_are_named_by_their_lines_also_where_others_were_skipped(here: Here) -> None:
    write_pairs(here.folder / "rows.jsonl", letters())
    with open(here.folder / "rows.jsonl", "r+") as file:
        whole = file.read()
        file.seek(0)
        file.write("nonsense\n\n" + whole)
    result = here("train", "rows.jsonl", "-o", "x.banbury", "--bad-rows", "skip", "--json")
    found = json.loads(result.out)
    assert (found["skipped"], found["doubtful_labels"][0]["line"]) == (1, 183)
    assert found["doubtful_labels"][0]["text"] == "letter 1 by nobody"
    write_pairs(here.folder / "more.jsonl", letters())
    found = json.loads(here("train", "more.jsonl", "more.jsonl", "-o", "x.banbury", "--json").out)
    assert all("line" not in one for one in found["doubtful_labels"])  # of which file would it be?


def test_the_strongest_words_of_many_documents_are_no_rare_ones() -> None:
    texts = [f"good x{n // 2}" if n % 2 else f"bad y{n // 2}" for n in range(60_000)]
    model = banbury.Classifier.textbook().fit(texts, ["pos" if n % 2 else "neg" for n in range(60_000)])
    assert findings.strongest_words(model) == {"neg": ["bad"], "pos": ["good"]}
