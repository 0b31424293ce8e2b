"""`banbury train`: models and reports from files."""

import json
import re

import banbury
from banbury import Classifier
from commands import LABELS, TEXTS, Here, model, write_rows


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
    assert report["leave_one_out"]["accuracy"] == known.report_.accuracy
    assert report["documents"] == {"negative": 300, "positive": 300}
    assert report["chosen"] == known.report_.chosen


def test_doubtful_rows_of_a_folder_are_named_by_their_files(here: Here) -> None:
    for number in range(90):
        for folder, text in [("a", "good morning to you"), ("b", "late night again")]:
            (here.folder / "texts" / folder).mkdir(parents=True, exist_ok=True)
            (here.folder / "texts" / folder / f"{number}.txt").write_text(f"{text} {number}")
    (here.folder / "texts" / "a" / "wrong.txt").write_text("late night again")
    result = here("train", "texts", "-o", "x.banbury")
    assert re.search(r"^  a/wrong.txt  a +\d+\.\d%  late night again$", result.out, re.MULTILINE), result.out
    found = json.loads(here("train", "texts", "-o", "x.banbury", "--json").out)
    assert found["doubtful_labels"][0]["file"] == "a/wrong.txt"


def test_one_label_alone_is_told(here: Here) -> None:
    write_rows(here.folder / "rows.jsonl", ["so happy", "so sad"], ["a", "a"])
    for arguments in ([], ["--plain"], ["--columns", "text=text"]):
        result = here("train", "rows.jsonl", "-o", "x.banbury", *arguments)
        assert (result.code, "only one label, 'a'" in result.err) == (0, True), result.err


def test_a_model_can_know_what_it_has_learned(here: Here) -> None:
    write_rows(here.folder / "some.jsonl", ["a b", "c d", "e"], ["yes", "yes", "no"])
    write_rows(here.folder / "other.jsonl", ["a c"], ["yes"])
    assert here("train", "some.jsonl", "-o", "m", "--plain", "--exact-forget").code == 0
    refused = here("forget", "m", "other.jsonl")
    assert refused.code == 3
    assert "document 0 with label 'yes' was never learned" in refused.err
    assert here("forget", "m", "some.jsonl").code == 0
