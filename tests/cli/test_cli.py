"""The command line gives the same answers as the library."""

import json
from collections.abc import Callable
from pathlib import Path

from banbury import Classifier
from commands import json_rows, run


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
