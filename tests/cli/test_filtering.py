"""`banbury filter`: rows of a label, as they were."""

import csv
import io

import pytest

from commands import TEXTS, Here, model


def test_filtered_rows_are_the_lines_as_they_were(mood: Here) -> None:
    lines = (mood.folder / "mood.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    predicted = model().predict(TEXTS).tolist()
    chances = model().predict_proba(TEXTS)[:, 1].tolist()
    result = mood("filter", "mood.banbury", "mood.jsonl", "--keep", "positive")
    glad = [line for line, label in zip(lines, predicted, strict=True) if label == "positive"]
    assert result.out.split("\n")[:-1] == glad
    assert f"{predicted.count('positive')} of 600 rows kept" in result.err
    result = mood("filter", "mood.banbury", "mood.jsonl", "--keep", "positive", "--above", "0.9", "--drop")
    assert result.out.split("\n")[:-1] == [line for line, chance in zip(lines, chances, strict=True) if chance < 0.9]
    best = sorted(range(600), key=lambda row: -chances[row])
    for top, n in [("10%", 60), ("7", 7), ("0", 0), ("100%", 600)]:
        for source in ("mood.jsonl", "-"):
            data = (mood.folder / "mood.jsonl").read_bytes()
            result = mood("filter", "mood.banbury", source, "--keep", "positive", "--top", top, stdin=data)
            assert result.out.split("\n")[:-1] == [lines[row] for row in sorted(best[:n])]


def test_a_filtered_table_keeps_its_header_and_runs_no_formula(mood: Here) -> None:
    rows = [["text", "note"], ["What a lovely, lovely day", "=cmd()"], ["so late", "-5"], ["lovely", 'a "b"']]
    for name, delimiter in [("x.csv", ","), ("x.tsv", "\t"), ("y.csv", ";")]:
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=delimiter).writerows(rows)
        (mood.folder / name).write_text(file.getvalue())
        result = mood("filter", "mood.banbury", name, "--keep", "positive")
        found = list(csv.reader(io.StringIO(result.out), delimiter="\t" if delimiter == "\t" else ","))
        assert found == [["text", "note"], ["What a lovely, lovely day", "'=cmd()"], ["lovely", 'a "b"']]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--keep", "eggs"], "no class 'eggs'; this model knows 'negative', 'positive'"),
        (["--keep", "positive", "--top", "lots"], "neither a number nor a percentage"),
        (["--keep", "positive", "--top", "5", "--above", "0.5"], "not both"),
    ],
)
def test_a_filter_says_what_is_wrong(mood: Here, arguments: list[str], message: str) -> None:
    result = mood("filter", "mood.banbury", "mood.jsonl", *arguments)
    assert result.code in (2, 3)
    assert message in result.err
