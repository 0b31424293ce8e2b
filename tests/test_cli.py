"""The command line: the same answers as the library, and the manners of a command."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import banbury
from banbury import Classifier, SpamFilter, cli
from banbury.cli import options, output
from banbury.datasets import demo
from banbury.readers import guessing
from commands import Here, environment, run

TEXTS, LABELS = demo()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    return Here(tmp_path, monkeypatch)


@pytest.fixture
def mood(here: Here) -> Here:
    """A folder with labelled rows and a model of them."""
    write_rows(here.folder / "mood.jsonl", TEXTS, LABELS)
    model().save(here.folder / "mood.banbury")
    return here


def model() -> Classifier:
    return Classifier().fit(TEXTS, LABELS)


def write_rows(path: Path, texts: list[str], labels: list[str]) -> None:
    rows = enumerate(zip(texts, labels, strict=True))
    lines = [json.dumps({"id": n, "text": text, "label": label}) for n, (text, label) in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def json_rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.split("\n") if line]


# The same answers as the library


def test_a_session_from_training_to_evaluation_gives_the_answers_of_the_library(
    data_folder: Path, read_set: Callable[[str], list[dict[str, str]]], tmp_path: Path
) -> None:
    rows = read_set("sms_spam")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    known = Classifier().fit(texts, labels)
    known.save(tmp_path / "library.banbury")

    trained = run("train", data_folder / "sms_spam.jsonl.gz", "-o", "spam.banbury", folder=tmp_path)
    assert trained.code == 0, trained.err
    assert (tmp_path / "spam.banbury").read_bytes() == (tmp_path / "library.banbury").read_bytes()
    assert known.report_.scorecard() in trained.out
    assert "text from 'text', label from 'label'" in trained.err
    assert "Next: banbury predict spam.banbury" in trained.err

    predicted = run("predict", "spam.banbury", data_folder / "sms_spam.jsonl.gz", folder=tmp_path)
    answers = json_rows(predicted.out)
    assert [row["text"] for row in answers] == texts
    assert [row["predicted"] for row in answers] == known.predict(texts).tolist()
    assert [row["probability"] for row in answers] == known.predict_proba(texts).max(axis=1).tolist()

    evaluated = run("evaluate", "spam.banbury", data_folder / "sms_spam.jsonl.gz", "--json", folder=tmp_path)
    assert json.loads(evaluated.out) == json.loads(json.dumps(known.evaluate(texts, labels).to_dict()))

    explained = run("explain", "spam.banbury", texts[2], folder=tmp_path)
    assert explained.out == f"{known.explain(texts[2])}\n"


def test_one_text_is_predicted_without_ceremony(mood: Here) -> None:
    result = mood("predict", "mood.banbury", "What a lovely day")
    label, probability = result.out.rstrip("\n").split("\t")
    assert (label, result.err) == ("positive", "")
    assert float(probability) == round(model().probabilities("What a lovely day")["positive"], 4)


def test_probabilities_of_one_text_are_those_of_the_array() -> None:
    for classifier in (model(), Classifier(smoothing=1.0).fit(TEXTS, LABELS), Classifier.textbook().fit(TEXTS, LABELS)):
        one = classifier.probabilities("lovely, but late", prior={"positive": 0.2, "negative": 0.8})
        assert list(one) == classifier.classes_.tolist()
        many = classifier.predict_proba(["lovely, but late"], prior={"positive": 0.2, "negative": 0.8})[0]
        assert list(one.values()) == pytest.approx(many.tolist(), rel=1e-14)


@pytest.mark.parametrize("extension", ["jsonl", "csv", "tsv", "parquet", "jsonl.gz", "csv.zst", "tsv.bz2", "jsonl.xz"])
def test_rows_keep_their_columns_in_every_format(mood: Here, extension: str) -> None:
    result = mood("predict", "mood.banbury", "mood.jsonl", "-o", f"out.{extension}")
    assert (result.code, result.out) == (0, ""), result.err
    rows = banbury.read(mood.folder / f"out.{extension}", text="text").whole().rows()
    assert [row["text"] for row in rows] == TEXTS
    assert [str(row["id"]) for row in rows] == [str(n) for n in range(len(TEXTS))]
    assert [float(row["probability"]) for row in rows] == model().predict_proba(TEXTS).max(axis=1).tolist()
    assert list(rows[0]) == ["id", "text", "label", "predicted", "probability"]


def test_every_class_and_a_prior_can_be_asked_for(mood: Here) -> None:
    result = mood("predict", "mood.banbury", "--all", "--prior", "positive=0.9", "--to", "jsonl", "so so")
    prior = {"positive": 0.9, "negative": 1 - 0.9}
    expected = model().predict_proba(["so so"], prior=prior)[0].tolist()
    row = json_rows(result.out)[0]
    assert [row["p(negative)"], row["p(positive)"]] == expected


def test_standard_input_is_a_file(mood: Here) -> None:
    for arguments in (["-"], []):
        result = mood("predict", "mood.banbury", *arguments, stdin=b"What a lovely day\nMy train is late\n")
        assert re.findall(r"^(\w+)\t", result.out, re.MULTILINE) == ["positive", "negative"]
    packed = gzip.compress((mood.folder / "mood.jsonl").read_bytes())
    assert len(json_rows(mood("predict", "mood.banbury", "-", stdin=packed).out)) == len(TEXTS)


def test_a_new_column_never_hides_an_old_one(mood: Here) -> None:
    rows = b'{"text": "a", "predicted": 1}\n'
    result = mood("predict", "mood.banbury", "-", stdin=rows)
    assert (result.code, "already: say --prefix" in result.err) == (2, True)
    result = mood("predict", "mood.banbury", "-", "--prefix", "my ", stdin=rows)
    assert list(json_rows(result.out)[0]) == ["text", "predicted", "my predicted", "my probability"]


@pytest.mark.parametrize(
    "line", ['{"text": "a"}', '{"text": "a" }\r', '{"text": "a", "x": {"y": [1, "}"]}}', '  {"text":"a\\u2028"}  ']
)
def test_json_lines_are_completed_not_rewritten(mood: Here, line: str) -> None:
    result = mood("predict", "mood.banbury", "-", stdin=f"{line}\n".encode())
    row = json_rows(result.out)[0]
    assert row.pop("predicted") == "negative" or row
    del row["probability"]
    row.pop("predicted", None)
    assert row == json.loads(line)


# Training


def test_training_in_every_way(mood: Here) -> None:
    for arguments, expected in [
        (["--plain"], Classifier.textbook()),
        (["--plain", "--ngrams", "1,2", "--prior", "uniform"],
         Classifier.textbook(analyzer=banbury.Analyzer(ngrams=(1, 2)), prior="uniform")),
        (["--likelihood", "bernoulli", "--smoothing", "0.5"], Classifier(likelihood="bernoulli", smoothing=0.5)),
        (["--analyzer", "tweets"], Classifier(analyzer="tweets")),
    ]:  # fmt: skip
        result = mood("train", "mood.jsonl", "-o", "out.banbury", *arguments)
        assert result.code == 0, result.err
        expected.fit(TEXTS, LABELS).save(mood.folder / "expected.banbury")
        assert (mood.folder / "out.banbury").read_bytes() == (mood.folder / "expected.banbury").read_bytes()


def test_the_report_of_training_is_also_json(mood: Here) -> None:
    report = json.loads(mood("train", "mood.jsonl", "-o", "out.banbury", "--json").out)
    known = model()
    assert report["leave-one-out"]["accuracy"] == known.report_.accuracy
    assert report["documents"] == {"negative": 300, "positive": 300}
    assert report["chosen"] == known.report_.chosen


def test_a_page_of_html_is_written_whole(mood: Here) -> None:
    result = mood("report", "mood.banbury", "mood.jsonl", "-o", "r.html", "--title", "Moods & more")
    assert (result.code, result.out) == (0, "")
    page = (mood.folder / "r.html").read_text()
    assert "Moods &amp; more" in page
    assert page.rstrip().endswith("</html>")
    found = json.loads(mood("evaluate", "mood.banbury", "mood.jsonl", "--diagnose", "--json").out)
    assert found["diagnosis"]["duplicates"]["n_documents"] == 600


def test_checks_decide_the_exit_code(mood: Here) -> None:
    accuracy = model().report_.accuracy
    for bound, code in [(accuracy - 0.01, 0), (accuracy + 0.01, 1)]:
        assert mood("train", "mood.jsonl", "-o", "out.banbury", "--fail-under", f"accuracy={bound}").code == code
    arguments = ["evaluate", "mood.banbury", "mood.jsonl"]
    assert mood(*arguments, "--fail-over", "log-loss=0.0001").code == 1
    assert mood(*arguments, "--fail-under", "macro_f1=0.5", "--fail-over", "log loss=5").code == 1 - 1
    result = mood(*arguments, "--fail-under", "beauty=1")
    assert (result.code, "the figures are accuracy, macro-f1" in result.err) == (2, True)


def test_bad_rows_fail_or_are_skipped_and_counted(here: Here) -> None:
    good = b'{"text": "so happy", "label": "a"}\n{"text": "so sad", "label": "b"}\n'
    (here.folder / "rows.jsonl").write_bytes(good * 3 + b"{}\n" + good)
    result = here("train", "rows.jsonl", "-o", "x.banbury")
    assert result.code == 3
    assert "rows.jsonl, line 7: it has no text (--bad-rows skip leaves such rows out)" in result.err
    assert not (here.folder / "x.banbury").exists()
    result = here("train", "rows.jsonl", "-o", "x.banbury", "--bad-rows", "skip")
    assert (result.code, "1 bad row skipped, 8 read; the first: rows.jsonl, line 7" in result.err) == (0, True)


def test_numbers_as_labels_meet_a_csv(here: Here) -> None:
    (here.folder / "rows.jsonl").write_text(
        "".join(f'{{"text": "{text}", "label": {n}}}\n' for n, text in enumerate(["so happy", "so sad"]) for _ in "123")
    )
    assert here("train", "rows.jsonl", "-o", "x.banbury", "--plain").code == 0
    (here.folder / "test.csv").write_text("text,label\nhappy,0\nsad,1\nsad,0\n")
    assert json.loads(here("evaluate", "x.banbury", "test.csv", "--json").out)["right"] == 2
    assert here("learn", "x.banbury", "test.csv").code == 0
    assert here("words", "x.banbury", "1").code == 0
    (here.folder / "test.csv").write_text("text,label\nhappy,yes\n")
    result = here("evaluate", "x.banbury", "test.csv")
    assert (result.code, "labels are of type int" in result.err) == (3, True)


# Changing


def test_learning_forgetting_and_merging_are_those_of_the_library(mood: Here) -> None:
    write_rows(mood.folder / "more.jsonl", ["so so", "never again"], ["neutral", "negative"])
    before = (mood.folder / "mood.banbury").read_bytes()
    assert mood("learn", "mood.banbury", "more.jsonl").code == 0
    model().learn(["so so", "never again"], ["neutral", "negative"]).save(mood.folder / "expected.banbury")
    assert (mood.folder / "mood.banbury").read_bytes() == (mood.folder / "expected.banbury").read_bytes()
    assert mood("forget", "mood.banbury", "more.jsonl").code == 0
    assert (mood.folder / "mood.banbury").read_bytes() == before
    assert mood("learn", "mood.banbury", "--as", "positive", "What a day", "-o", "other.banbury").code == 0
    assert (mood.folder / "mood.banbury").read_bytes() == before
    assert banbury.load(mood.folder / "other.banbury").counts_.documents == [300, 301]
    assert mood("merge", "mood.banbury", "other.banbury", "-o", "both.banbury").code == 0
    assert banbury.load(mood.folder / "both.banbury").counts_.documents == [600, 601]


def test_what_was_never_learned_cannot_be_forgotten_and_the_file_stays(mood: Here) -> None:
    before = (mood.folder / "mood.banbury").read_bytes()
    result = mood("forget", "mood.banbury", "--as", "positive", "zyzzyva")
    assert (result.code, "never added" in result.err) == (3, True)
    assert (mood.folder / "mood.banbury").read_bytes() == before


def test_two_that_learn_at_once_lose_nothing(mood: Here) -> None:
    command = [sys.executable, "-m", "banbury", "learn", "mood.banbury", "--as", "positive"]
    processes = [subprocess.Popen([*command, f"word{n}"], cwd=mood.folder, stderr=subprocess.DEVNULL) for n in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert banbury.load(mood.folder / "mood.banbury").counts_.documents == [300, 304]


# Tables


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


# Filtering


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


# Looking


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


def test_one_label_alone_is_told(here: Here) -> None:
    write_rows(here.folder / "rows.jsonl", ["so happy", "so sad"], ["a", "a"])
    for arguments in ([], ["--plain"], ["--columns", "text=text"]):
        result = here("train", "rows.jsonl", "-o", "x.banbury", *arguments)
        assert (result.code, "only one label, 'a'" in result.err) == (0, True), result.err


# Manners


def test_control_characters_of_texts_do_not_reach_a_report(here: Here) -> None:
    evil = "\x1b]0;owned\x07 \x9b31m happy"
    texts, labels = [evil, "so sad"] * 3, ["\x1b[2Jgood", "bad"] * 3
    write_rows(here.folder / "rows.jsonl", texts, labels)
    for arguments in (
        ["train", "rows.jsonl", "-o", "x.banbury"],
        ["evaluate", "x.banbury", "rows.jsonl", "--mistakes", "3"],
        ["explain", "x.banbury", evil],
        ["words", "x.banbury"],
        ["inspect", "x.banbury"],
        ["words", "x.banbury", "\x1b[31mnothing"],
        ["learn", "x.banbury", "--as", "\x1b[2Jgood", evil],
    ):
        result = here(*arguments)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", result.out + result.err), arguments


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["predict", "no.banbury", "text"], 2, "does not exist"),
        (["predict", "mood.banbury", "new.csv"], 3, "new.csv: there is no such file"),
        (["predict", "mood.banbury", "mood.jsonl", "a text"], 2, "give files or texts"),
        (["predict", "mood.banbury", "./new"], 3, "./new: there is no such file (if it is a text, say --texts)"),
        (["learn", "mood.banbury", "flat/spam", "--as", "positive"], 3, "flat/spam: there is no such file"),
        (["predict", "mood.jsonl", "text"], 3, "not a banbury file"),
        (["train", "none.jsonl", "-o", "x.banbury"], 3, "none.jsonl: No such file or directory"),
        (["train", "mood.jsonl"], 2, "Missing option '-o'"),
        (["train", "mood.jsonl", "-o", "no/folder/x"], 2, "there is no folder 'no/folder' to write"),
        (["train", "mood.jsonl", "-o", "x", "--label", "nonsense"], 3, "no column 'nonsense' for the label"),
        (["train", "mood.jsonl", "-o", "x", "--limit", "row=x"], 2, "is not row=N"),
        (["train", "lines.txt", "-o", "x"], 3, "no labels; if it is something else, say --format NAME"),
        (
            ["train", "three.csv", "-o", "x"],
            3,
            "which column is the label? Say --label NAME; there are 'text', 'a', 'b'",
        ),
        (["train", "empty.jsonl", "-o", "x"], 3, "empty.jsonl: there are no rows in it"),
        (["train", "empty", "-o", "x"], 3, "empty: there are no rows in it"),
        (["train", "flat", "-o", "x"], 3, "its files have no labels"),
        (
            ["train", "latin.csv", "-o", "x"],
            3,
            "line 2: byte 3 of it (0xe4) is not UTF-8 (is the encoding another one?",
        ),
        (["train", "latin.csv", "-o", "x", "--encoding", "klingon"], 3, "no encoding 'klingon'; try utf-8, latin-1"),
        (["evaluate", "mood.banbury", "mood.jsonl", "--fail-under", "luck=1"], 2, "the figures are accuracy, macro-f1"),
        (["evaluate", "mood.banbury", "mood.jsonl", "--fail-over", "mcc"], 2, "is not FIGURE=NUMBER"),
        (["inspect", "junk.bin"], 3, "junk.bin: not a banbury file"),
        (["predict", "mood.banbury", "junk.bin"], 3, "junk.bin, line 1: byte 1 of it (0x80) is not UTF-8"),
        (["predict", "flat", "text"], 2, "is a directory"),
        (["train", "mood.jsonl", "-o", "x", "--smoothing", "much"], 3, "it can be a number"),
        (["train", "empty.jsonl", "-o", "x", "--label", "label", "--text", "text"], 3, "no documents to learn from"),
        (["evaluate", "mood.banbury", "empty.jsonl", "--label", "label"], 3, "no documents to evaluate"),
        (["words", "mood.banbury", "eggs"], 3, "no class 'eggs'"),
        (["mood"], 2, "No such command"),
    ],
)
def test_errors_have_a_code_and_say_what_would_work(mood: Here, arguments: list[str], code: int, message: str) -> None:
    (mood.folder / "lines.txt").write_text("one\ntwo\n")
    (mood.folder / "empty.jsonl").write_text("")
    (mood.folder / "three.csv").write_text("text,a,b\none,1,2\ntwo,3,4\n")
    (mood.folder / "latin.csv").write_bytes("label,text\na,älter\n".encode("latin-1"))
    (mood.folder / "junk.bin").write_bytes(bytes(range(128, 256)))
    (mood.folder / "empty").mkdir()
    (mood.folder / "flat").mkdir()
    (mood.folder / "flat" / "one.txt").write_text("one")
    result = mood(*arguments)
    assert (result.code, result.out) == (code, ""), result.err
    assert message in result.err
    assert "Traceback" not in result.err


def test_nothing_half_written_is_left_behind(mood: Here) -> None:
    (mood.folder / "bad.jsonl").write_bytes(b'{"text": "fine"}\n' * 2000 + b"nonsense\n")
    (mood.folder / "out.jsonl").write_text("before")
    before = sorted(path.name for path in mood.folder.iterdir())
    result = mood("predict", "mood.banbury", "bad.jsonl", "-o", "out.jsonl")
    assert result.code == 3
    assert (mood.folder / "out.jsonl").read_text() == "before"
    assert sorted(path.name for path in mood.folder.iterdir()) == before


def test_a_closed_pipe_ends_quietly(mood: Here) -> None:
    write_rows(mood.folder / "many.jsonl", TEXTS * 40, LABELS * 40)
    command = f"'{sys.executable}' -m banbury predict mood.banbury many.jsonl | head -1"
    for buffering in ("", "1"):
        shell = ["bash", "-c", f"set -o pipefail; {command}"]
        variables = environment(PYTHONUNBUFFERED=buffering)
        done = subprocess.run(shell, cwd=mood.folder, capture_output=True, env=variables)
        assert (done.stdout.count(b"\n"), done.stderr, done.returncode) == (1, b"", 141)


def test_long_output_is_whole_also_unbuffered(mood: Here) -> None:
    write_rows(mood.folder / "many.jsonl", TEXTS * 40, LABELS * 40)
    result = run("predict", "mood.banbury", "many.jsonl", folder=mood.folder, PYTHONUNBUFFERED="1")
    assert len(json_rows(result.out)) == 40 * len(TEXTS)


def test_an_interrupt_ends_quietly_and_leaves_nothing(mood: Here) -> None:
    before = sorted(path.name for path in mood.folder.iterdir())
    command = [sys.executable, "-m", "banbury", "predict", "mood.banbury", "-", "-o", "out.jsonl"]
    process = subprocess.Popen(
        command, cwd=mood.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    process.stdin.write((mood.folder / "mood.jsonl").read_bytes())
    process.stdin.flush()
    deadline = time.monotonic() + 60  # it has begun to write when its temporary file is there
    while not any(path.name.startswith(".banbury-") for path in mood.folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 130
    assert sorted(path.name for path in mood.folder.iterdir()) == before


def test_no_colours_and_no_bars_without_a_terminal(mood: Here) -> None:
    for arguments in (["train", "mood.jsonl", "-o", "x.banbury"], ["evaluate", "mood.banbury", "mood.jsonl"]):
        result = run(*arguments, folder=mood.folder, FORCE_COLOR="1")
        assert "\x1b" not in result.out + result.err
        assert "━" not in result.err


def test_help_has_every_command_and_each_fits_a_screen(here: Here) -> None:
    text = here("--help").out
    for name, (_, short) in cli.COMMANDS.items():
        assert f"  {name} " in text
        result = here(name, "--help")
        assert result.code == 0
        assert "Example" in result.out
        assert result.out.count("\n") <= 50
        assert short.endswith(".")
    assert here("-h").out == text


def test_commands_are_imported_when_they_are_asked_for() -> None:
    names = "('banbury', 'numpy', 'rich')"
    program = f"import sys, banbury.cli; print(sorted(name for name in sys.modules if name.startswith({names})))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['banbury', 'banbury.cli']"


def test_one_text_is_predicted_without_numpy_and_rich(mood: Here) -> None:
    program = (
        "import sys; sys.argv = ['banbury', 'predict', 'mood.banbury', 'a lovely day']; from banbury import cli; "
        "cli.main(); print(sorted(set(sys.modules) & {'numpy', 'rich', 'banbury.readers', 'statistics'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=mood.folder)
    assert done.stdout.split("\n")[1] == "[]"


def test_the_formats_of_the_options_are_those_of_the_readers() -> None:
    assert options.FORMATS == guessing.FORMATS


def test_cells_that_a_spreadsheet_would_run_are_escaped() -> None:
    assert [output.escaped(cell) for cell in ["=1", "+1", "+a", "-1.5e3", "@x", "\tx", "x=1", ""]] == [
        "'=1", "+1", "'+a", "-1.5e3", "'@x", "'\tx", "x=1", ""
    ]  # fmt: skip


def test_the_demo_shows_accuracy_words_and_an_explanation() -> None:
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"accuracy +0\.", result.out)
    for label in ("negative", "positive"):
        assert f"Strongest for {label}: " in result.out
    assert "negative (0.941) rather than positive (0.059)" in result.out


def test_the_demo_explains_any_text(here: Here) -> None:
    result = here("demo", "What a wonderful, wonderful day 😀")
    assert "→ positive" in result.out
    assert len(re.findall(r"^  wonderful +\+\d", result.out, re.MULTILINE)) == 2


def test_the_version_is_that_of_the_package(here: Here) -> None:
    assert here("--version").out == f"banbury {banbury.__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    assert run("--help").out.startswith("Usage: banbury")


# Mail


MESSAGE = b"From: ann@example.org\nSubject: A lovely day\n\nThe wonderful weather is great.\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("front", [b"", b"From ann@example.org Mon Nov 16 10:00:00 2026\n"])
def test_a_message_gets_one_header_and_stays_as_it_is(mood: Here, newline: bytes, front: bytes) -> None:
    message = (front + MESSAGE).replace(b"\n", newline)
    forged = message.replace(b"Subject", b"X-Banbury: ham;" + newline + b"\tprobability=0" + newline + b"Subject")
    names = ["--spam", "positive", "--ham", "negative"]
    for sent in (message, forged):
        result = mood("mail", "mood.banbury", *names, stdin=sent)
        header = re.findall(r"(?m)^X-Banbury: (\w+); probability=([\d.]+)\r?$", result.out)
        assert [name for name, _ in header] == ["spam"]
        text = "A lovely day\n\nThe wonderful weather is great."
        assert float(header[0][1]) == pytest.approx(model().probabilities(text)["positive"], abs=1e-6)
        assert re.sub(r"X-Banbury: .*\n", "", result.out).encode() == message
        assert result.out.startswith("From " if front else "X-Banbury")
        assert result.code == 0


def test_the_exit_code_is_the_class_and_no_mail_is_lost(mood: Here) -> None:
    names = ["--spam", "positive", "--ham", "negative"]
    chance = model().probabilities("A lovely day\n\nThe wonderful weather is great.")["positive"]
    assert mood("mail", "mood.banbury", *names, "-q", stdin=MESSAGE).code == 0
    assert mood("mail", "mood.banbury", *names, "-q", "--ham-below", 1, "--spam-above", 1, stdin=MESSAGE).code == 1
    assert mood("mail", "mood.banbury", *names, "--spam-above", (1 + chance) / 2, stdin=MESSAGE).code == 2
    assert mood("mail", "mood.banbury", *names, "-e", "--spam-above", (1 + chance) / 2, stdin=MESSAGE).code == 0
    for arguments in (["no.banbury"], ["mood.jsonl"], ["mood.banbury", "--spam", "eggs"]):
        result = mood("mail", *arguments, stdin=MESSAGE)
        assert (result.code, result.out) == (3, MESSAGE.decode())
        assert result.err.startswith("Error: ")
    assert mood("mail", "mood.banbury", "--nonsense", stdin=MESSAGE).code == 3


def test_a_filter_grows_from_its_first_message_also_by_several_at_once(here: Here) -> None:
    other = b"From: win@example.com\nSubject: Win money\n\nFree money now\n"
    assert here("mail", "mail.banbury", "--train", "ham", stdin=MESSAGE).out == MESSAGE.decode()
    result = here("mail", "mail.banbury", stdin=other)
    assert (result.code, "X-Banbury: unsure" in result.out) == (2, True)  # it has not seen any spam so far
    assert here("mail", "mail.banbury", "--train", "spam", stdin=other).code == 0
    command = [sys.executable, "-m", "banbury", "mail", "mail.banbury", "--train", "spam", "-q"]
    processes = [subprocess.Popen(command, cwd=here.folder, stdin=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        process.communicate(other)
    assert here("mail", "mail.banbury", "--forget", "spam", "--train", "ham", stdin=other).code == 0
    known = SpamFilter().learn([MESSAGE], ["ham"])
    for _ in range(4):
        known.learn([other], ["spam"])
    known.forget([other], ["spam"]).learn([other], ["ham"]).save(here.folder / "expected.banbury")
    assert (here.folder / "mail.banbury").read_bytes() == (here.folder / "expected.banbury").read_bytes()
    result = here("mail", "none.banbury", "--forget", "spam", stdin=other)
    assert (result.code, "nothing to forget" in result.err) == (3, True)


def letters(here: Here) -> tuple[list[bytes], list[str]]:
    """Messages in two mailboxes, and what they are."""
    found, labels = [], []
    for name, subject, sender in [("ham", b"Lunch", b"ann@example.org"), ("spam", b"Money", b"win@example.com")]:
        messages = [b"From: %s\nSubject: %s %d\n\nbody\n\n" % (sender, subject, n) for n in range(9)]
        box = b"".join(b"From x@y Mon Nov 16 10:00:00 2026\n" + message for message in messages)
        (here.folder / f"{name}.mbox").write_bytes(box)
        found += messages
        labels += [name] * len(messages)
    return found, labels


def test_mailboxes_train_the_filter_of_the_library(here: Here) -> None:
    known = SpamFilter().fit(*letters(here))
    result = here("train", "ham.mbox", "spam.mbox", "-o", "mail.banbury")
    assert (result.code, "Next: banbury mail mail.banbury" in result.err) == (0, True)
    assert known.report_.scorecard() in result.out
    known.save(here.folder / "expected.banbury")
    assert (here.folder / "mail.banbury").read_bytes() == (here.folder / "expected.banbury").read_bytes()
    message = b"From: win@example.com\nSubject: Money\n\nbody\n"
    answer = here("mail", "mail.banbury", stdin=message).out
    assert answer.startswith(f"X-Banbury: spam; probability={known.probability(message):.6f}\n")
    for arguments in (["evaluate", "mail.banbury", "ham.mbox", "spam.mbox"], ["explain", "mail.banbury", "ham.mbox"]):
        assert here(*arguments).code == 0
    rows = json_rows(here("predict", "mail.banbury", "spam.mbox").out)
    assert [row["predicted"] for row in rows] == ["spam"] * 9


def test_mailboxes_are_also_texts_where_that_is_asked_for(here: Here) -> None:
    letters(here)
    for arguments in (["--text", "text"], ["--plain"], ["--text", "subject"]):
        assert here("train", "ham.mbox", "spam.mbox", "-o", "mail.banbury", *arguments).code == 0
        result = here("mail", "mail.banbury", "--spam-above", "0.5", stdin=b"Subject: Money\n\nbody\n")
        assert "X-Banbury: spam" in result.out
        assert "Money" not in here("predict", "mail.banbury", "Money").err


@pytest.mark.parametrize("option", ["--text", "--label", "--weight"])
@pytest.mark.parametrize("name", ["ham.mbox", "folder", "rows.ft", "mails"])
def test_a_column_that_a_format_does_not_have_is_an_error(here: Here, option: str, name: str) -> None:
    message = letters(here)[0][0]
    for folder, content in [("folder", b"text"), ("mails", b"Received: x\n" + message)]:
        (here.folder / folder / "ham").mkdir(parents=True)
        (here.folder / folder / "ham" / "one").write_bytes(content)
    (here.folder / "rows.ft").write_text("__label__a b\n")
    result = here("train", name, option, "nonsense", "-o", "x.banbury")
    assert (result.code, "no column 'nonsense' for the" in result.err) == (3, True), result.err


def test_doubtful_rows_of_a_folder_are_named_by_their_files(here: Here) -> None:
    for number in range(90):
        for folder, text in [("a", "good morning to you"), ("b", "late night again")]:
            (here.folder / "texts" / folder).mkdir(parents=True, exist_ok=True)
            (here.folder / "texts" / folder / f"{number}.txt").write_text(f"{text} {number}")
    (here.folder / "texts" / "a" / "wrong.txt").write_text("late night again")
    result = here("train", "texts", "-o", "x.banbury")
    assert re.search(r"^  a/wrong.txt  a +\d+\.\d%  late night again$", result.out, re.MULTILINE), result.out
    found = json.loads(here("train", "texts", "-o", "x.banbury", "--json").out)
    assert found["doubtful labels"][0]["file"] == "a/wrong.txt"


# Ranking


def test_rows_are_found_as_the_library_finds_them(here: Here) -> None:
    texts = ["the cat sat on the mat", "dogs and cats", "a dog's life", "nothing"]
    lines = [json.dumps({"id": text[:3], "text": text}) for text in texts]
    (here.folder / "pets.jsonl").write_text("\n".join(lines))
    hits = banbury.Ranker(texts).search("which cats?")
    result = here("rank", "pets.jsonl", "-q", "which cats?", "--to", "jsonl", "--save", "pets.index")
    assert [(row["row"], row["score"], row["text"]) for row in json_rows(result.out)] == [
        (hit.index + 1, hit.score, texts[hit.index]) for hit in hits
    ]
    again = here("rank", "pets.index", "-q", "which cats?", "--to", "jsonl")
    assert [row["row"] for row in json_rows(again.out)] == [hit.index + 1 for hit in hits]
    plain = here("rank", "pets.jsonl", "-q", "cats", "-q", "dogs", "--top", 1)
    assert [line.split("\t")[0] for line in plain.out.split("\n")[:-1]] == ["cats", "dogs"]
    assert "cat" in here("rank", "pets.jsonl", "-q", "cats", "--why").out
    assert here("rank", "pets.jsonl").code == 2
    assert here("inspect", "pets.index").code == 0


def test_bash_completes_commands_options_and_choices(mood: Here) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (mood.folder / "banbury").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m banbury "$@"\n')
    (mood.folder / "banbury").chmod(0o755)
    script = """eval "$(_BANBURY_COMPLETE=bash_source banbury)"
    for words in "tr" "train --fail-u" "train --format p"; do
        COMP_WORDS=(banbury $words) COMP_CWORD=$(wc -w <<< "$words") COMPREPLY=()
        _banbury_completion banbury
        echo "${COMPREPLY[@]}"
    done"""
    path = f"{mood.folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, env=environment(PATH=path))
    assert done.stdout.split() == ["train", "--fail-under", "parquet"], done.stderr
