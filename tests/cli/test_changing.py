"""`banbury learn`, `forget` and `merge`: model files that change."""

import subprocess
import sys

import banbury
from commands import Here, model, write_rows


def test_learning_forgetting_and_merging_are_those_of_the_library(mood: Here) -> None:
    write_rows(mood.folder / "more.jsonl", ["so so", "never again"], ["neutral", "negative"])
    before = (mood.folder / "mood.banbury").read_bytes()
    assert mood("learn", "mood.banbury", "more.jsonl", "--new-labels").code == 0
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
