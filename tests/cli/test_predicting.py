"""`banbury predict`: the label of each row, in every format, beside what the rows have."""

import gzip
import json
import re
import subprocess
import sys

import pytest

import banbury
from banbury import Classifier
from commands import LABELS, TEXTS, Here, json_rows, model


def test_one_text_is_predicted_without_ceremony(mood: Here) -> None:
    result = mood("predict", "mood.banbury", "What a lovely day")
    label, probability = result.out.rstrip("\n").split("\t")
    assert (label, result.err) == ("positive", "")
    assert float(probability) == round(model().probabilities("What a lovely day")["positive"], 4)


def test_probabilities_of_one_text_are_those_of_the_array() -> None:
    for classifier in (
        model(),
        Classifier(likelihood="bernoulli").fit(TEXTS, LABELS),
        Classifier.textbook().fit(TEXTS, LABELS),
    ):
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


def test_one_text_is_predicted_without_numpy_and_rich(mood: Here) -> None:
    program = (
        "import sys; sys.argv = ['banbury', 'predict', 'mood.banbury', 'a lovely day']; from banbury import cli; "
        "cli.main(); print(sorted(set(sys.modules) & {'numpy', 'rich', 'banbury.readers.reader', 'statistics'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=mood.folder)
    assert done.stdout.split("\n")[1] == "[]"
