"""The command line gives the same answers as the library."""

import csv
import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import banbury
from banbury import Classifier
from commands import LABELS, TEXTS, Here, json_rows, model, run, write_rows

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
    result = mood("train", "mood.jsonl", "-o", "plain.banbury", "--plain", "--fail-under", "accuracy=0.9")
    assert (result.code, "no figures to check" in result.err) == (2, True)  # before the work
    assert not (mood.folder / "plain.banbury").exists()
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
