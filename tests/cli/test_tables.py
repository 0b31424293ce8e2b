"""Tables on the command line: every column as what it is."""

import csv
import io
import json

import pytest

from commands import Here


@pytest.fixture
def votes(here: Here) -> Here:
    """Rows of several kinds of columns, as CSV and as JSON Lines; some values are missing."""
    rows = [
        {
            "party": "red" if n % 3 else "blue",
            "age": 20 + n * 7 % 50 + (0.5 if n % 3 else 20.25),
            "vote": "?" if n % 11 == 0 else "y" if n % 3 else "n",
            "speech": "we will lower the taxes" if n % 3 else "we will build schools",
        }
        for n in range(120)
    ]
    with open(here.folder / "votes.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    typed = [{name: None if value == "?" else value for name, value in row.items()} for row in rows]
    (here.folder / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in typed))
    return here


def test_a_table_is_learned_from_text_as_from_typed_rows(votes: Here) -> None:
    for name in ("votes.csv", "votes.jsonl"):
        result = votes("train", name, "--label", "party", "--columns", "age,vote,speech=text", "-o", f"{name}.banbury")
        assert result.code == 0, result.err
    one, other = (votes.folder / f"{name}.banbury" for name in ("votes.csv", "votes.jsonl"))
    assert one.read_bytes() == other.read_bytes()
    found = json.loads(votes("inspect", one, "--json").out)
    assert found["columns"]["vote"] == "Categorical"
    assert found["columns"]["speech"] == "Text"
    assert json.loads(votes("evaluate", one, "votes.csv", "--label", "party", "--json").out)["accuracy"] > 0.95
    assert "speech" in votes("explain", one, "votes.csv", "--row", 2).out


def test_rows_of_tables_are_predicted_filtered_and_learned(votes: Here) -> None:
    assert votes("train", "votes.csv", "--label", "party", "--table", "-o", "x.banbury").code == 0
    predicted = list(csv.DictReader(io.StringIO(votes("predict", "x.banbury", "votes.csv").out)))
    assert [row["predicted"] == row["party"] for row in predicted].count(True) > 110
    kept = votes("filter", "x.banbury", "votes.csv", "--keep", "blue").out.split("\n")
    assert kept[0] == "party,age,vote,speech"
    assert len(kept) - 2 == [row["predicted"] for row in predicted].count("blue")
    assert votes("learn", "x.banbury", "votes.csv", "--label", "party", "-o", "y.banbury").code == 0
    assert votes("forget", "y.banbury", "votes.csv", "--label", "party").code == 0
    assert votes("predict", "y.banbury", "votes.csv").out == votes("predict", "x.banbury", "votes.csv").out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["train", "votes.csv", "-o", "z", "--label", "party", "--columns", "height"], "no column 'height'"),
        (["train", "votes.csv", "-o", "z", "--label", "party", "--columns", "age=colour"], "it can be 'auto'"),
        (["train", "lines.txt", "-o", "z", "--table"], "no columns but a text"),
        (["predict", "x.banbury", "some text"], "a model of tables: give files"),
        (["predict", "x.banbury", "other.csv"], "no column 'age', which the model needs"),
        (["explain", "x.banbury", "votes.csv", "--row", "999"], "there is no row 999; there are 120"),
    ],
)
def test_tables_say_what_is_wrong(votes: Here, arguments: list[str], message: str) -> None:
    (votes.folder / "lines.txt").write_text("one\ntwo\n")
    (votes.folder / "other.csv").write_text("label,text\na,b\n")
    assert votes("train", "votes.csv", "--label", "party", "--table", "-o", "x.banbury").code == 0
    result = votes(*arguments)
    assert result.code in (2, 3)
    assert message in result.err


def test_columns_can_be_left_out_of_a_table(here: Here) -> None:
    lines = [f"{'x' if n % 2 else 'y'},{n % 2},{n},{'a' if n % 2 else 'b'}" for n in range(60)]
    (here.folder / "rows.csv").write_text("one,two,id,label\n" + "\n".join(lines))
    assert here("train", "rows.csv", "--without", "id", "-o", "x.banbury").code == 0
    assert list(json.loads(here("inspect", "x.banbury", "--json").out)["columns"]) == ["one", "two"]
    wrong = here("train", "rows.csv", "--without", "id", "--columns", "one", "-o", "y.banbury")
    assert (wrong.code, "not both" in wrong.err) == (2, True)
    assert "no column 'three'" in here("train", "rows.csv", "--without", "three", "-o", "y.banbury").err
    assert "it knows no words" in here("words", "x.banbury", "a").err
