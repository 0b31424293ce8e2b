"""`banbury predict`: several labels a row, thresholds, costs, promises, formats; and what cannot be asked for."""

import csv
import io
import json
from pathlib import Path

import pytest

from banbury import Classifier
from commands import Here, json_rows

TEXTS = ["goal match", "goal team win", "vote law", "vote party win", "paint art", "art museum"]
LABELS = ["sport", "sport", "politics", "politics", "art", "art"]


def topics() -> Classifier:
    return Classifier.textbook().fit(TEXTS, LABELS)


@pytest.fixture
def three(here: Here) -> Here:
    topics().save(here.folder / "topics.banbury")
    rows = [json.dumps({"text": text, "label": label}) for text, label in zip(TEXTS, LABELS, strict=True)]
    (here.folder / "topics.jsonl").write_text("\n".join(rows) + "\n")
    return here


def by_probability(text: str) -> list[tuple[str, float]]:
    chances = topics().probabilities(text)
    return sorted(chances.items(), key=lambda pair: -pair[1])


def test_a_name_stands_beside_every_probability(three: Here) -> None:
    expected = "\t".join(f"{label}\t{chance:.4f}" for label, chance in by_probability("goal win vote"))
    assert three("predict", "topics.banbury", "--all", "goal win vote").out == f"{expected}\n"
    two = "\t".join(expected.split("\t")[:4])
    assert three("predict", "topics.banbury", "--top", "2", "goal win vote").out == f"{two}\n"


def test_the_most_likely_labels_in_json(three: Here) -> None:
    row = json_rows(three("predict", "topics.banbury", "--top", "2", "--json", "goal win vote").out)[0]
    expected = by_probability("goal win vote")[:2]
    assert row["labels"] == [{"label": label, "probability": chance} for label, chance in expected]
    assert (row["predicted"], row["probability"]) == expected[0]
    lines = json_rows(three("predict", "topics.banbury", "topics.jsonl", "--top", "3").out)
    assert [len(line["labels"]) for line in lines] == [3] * 6  # type: ignore[arg-type]


def test_the_most_likely_labels_in_a_table(three: Here) -> None:
    out = three("predict", "topics.banbury", "topics.jsonl", "--top", "2", "--to", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["text", "label", "predicted", "probability", "predicted 2", "probability 2"]
    for row, text in zip(rows, TEXTS, strict=True):
        (first, _), (second, chance) = by_probability(text)[:2]
        assert (row["predicted"], row["predicted 2"], float(row["probability 2"])) == (first, second, chance)


def test_only_labels_above_a_threshold(three: Here) -> None:
    least = by_probability("goal vote")[0][1] + 1e-6
    result = three("predict", "topics.banbury", "--above", f"{least:.9f}", "--json", "goal vote")
    row = json_rows(result.out)[0]
    assert (row["predicted"], row["labels"]) == (None, [])
    assert three("predict", "topics.banbury", "--above", f"{least:.9f}", "goal vote").out.startswith("unsure\t")
    every = json_rows(three("predict", "topics.banbury", "--above", "0", "--json", "goal vote").out)[0]
    assert len(every["labels"]) == 3  # type: ignore[arg-type]


def test_labels_as_fasttext_writes_them(three: Here) -> None:
    lines = three("predict", "topics.banbury", "topics.jsonl", "--top", "2", "--to", "fasttext").out.splitlines()
    for line, text in zip(lines, TEXTS, strict=True):
        assert line == " ".join(f"__label__{label} {chance:.6g}" for label, chance in by_probability(text)[:2])


def test_a_file_of_fasttext_keeps_its_true_labels(three: Here) -> None:
    (three.folder / "new.txt").write_text("__label__sport goal\n__label__art __label__sport art goal\n")
    rows = json_rows(three("predict", "topics.banbury", "new.txt", "--format", "fasttext", "--json").out)
    assert [(row["text"], row["label"]) for row in rows] == [("goal", "sport"), ("art goal", "art sport")]
    plain = three("predict", "topics.banbury", "new.txt", "--format", "fasttext").out.splitlines()
    assert [line.split("\t")[2:] for line in plain] == [["sport", "goal"], ["art sport", "art goal"]]


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_costs_decide_as_in_the_library(three: Here, extension: str) -> None:
    import banbury

    result = three(
        "predict", "topics.banbury", "topics.jsonl", "--costs", "sport:art=20, politics:art=20", "--unsure", "0.4",
        "-o", f"out.{extension}",
    )  # fmt: skip
    assert result.code == 0, result.err
    rows = banbury.read(three.folder / f"out.{extension}", text="text").whole().rows()
    costs = {("sport", "art"): 20, ("politics", "art"): 20}
    expected = topics().decide(TEXTS, costs=costs, unsure=0.4)
    assert [row["predicted"] or None for row in rows] == expected
    assert None in expected


def test_a_margin_decides_as_in_the_library(three: Here) -> None:
    result = three("predict", "topics.banbury", "topics.jsonl", "--margin", "2", "-o", "out.jsonl")
    assert result.code == 0, result.err
    rows = [json.loads(line) for line in (three.folder / "out.jsonl").read_text().splitlines()]
    expected = topics().predict(TEXTS, margin=2).tolist()
    assert [row["predicted"] for row in rows] == expected
    assert three("predict", "topics.banbury", "zzz", "--margin", "50").out.startswith("unsure\t")


def test_a_promise_decides_as_in_the_library(mood: Here) -> None:
    result = mood("predict", "mood.banbury", "--promise", "0.1", "--promised-on", "mood.jsonl", "lovely", "of")
    assert result.code == 0, result.err
    assert "at most 10.00% wrong of what is decided, with 95% confidence" in result.err
    assert result.out.startswith("positive\t")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--top", "0"], "0 is not in the range x>=1"),
        (["--above", "1.5"], "1.5 is not in the range 0<=x<=1"),
        (["--all", "--top", "2"], "give one or the other"),
        (["--json", "--to", "csv"], "--json and --to csv contradict each other"),
        (["--costs", "sport:art=-1"], "'sport:art=-1' is not TRUE:PREDICTED=COST, a cost of 0 or more"),
        (["--costs", "sport=1"], "'sport=1' is not TRUE:PREDICTED=COST"),
        (["--costs", "sport:music=1"], "there is no class 'music'"),
        (["--unsure", "-1"], "it costs -1; a cost is 0 or more"),
        (["--margin", "-1"], "margin is -1.0; it must be a number of nats, 0 or more"),
        (["--margin", "1", "--above", "0.5"], "--margin decides by itself"),
        (["--promise", "0.1"], "needs both"),
        (["--promise", "7", "--promised-on", "topics.jsonl"], "error is 7.0; it must be between 0 and 1"),
        (["--promise", "0.1", "--promised-on", "topics.jsonl", "--unsure", "1"], "not by both"),
    ],
)
def test_what_cannot_be_asked_for_is_one_clear_error(three: Here, arguments: list[str], message: str) -> None:
    result = three("predict", "topics.banbury", *arguments, "goal")
    assert (result.code in (2, 3), result.out) == (True, "")
    assert message in result.err


def test_a_misspelled_command_is_asked_about(here: Here) -> None:
    assert "No such command 'trian'. Did you mean 'train'?" in here("trian").err
    assert "Did you mean" not in here("xyz").err


def test_nothing_is_hidden_by_a_numbered_column(three: Here, tmp_path: Path) -> None:
    rows = b'{"text": "a", "labels": 1}\n'
    result = three("predict", "topics.banbury", "-", "--top", "2", stdin=rows)
    assert (result.code, "already: say --prefix" in result.err) == (2, True)
