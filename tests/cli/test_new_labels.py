"""`learn`, `forget`, `merge`, `evaluate`: new labels are asked about, changes are told, mistakes have their places."""

from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Classifier, SpamFilter
from banbury.diagnosis.diagnosis import n_learned
from banbury.errors import InputError, LabelError
from commands import LABELS, TEXTS, Here, write_rows


def test_a_new_label_is_refused_with_its_place_and_the_nearest_known_one(mood: Here) -> None:
    write_rows(mood.folder / "new.jsonl", ["fine", "so so"], ["positive", "Positive"])
    before = (mood.folder / "mood.banbury").read_bytes()
    result = mood("learn", "mood.banbury", "new.jsonl")
    assert result.code == 3
    assert "new.jsonl, line 2: label 'Positive' is new; did you mean 'positive'?" in result.err
    assert "This model knows 'negative', 'positive'. Say --new-labels to learn it" in result.err
    assert (mood.folder / "mood.banbury").read_bytes() == before
    assert mood("learn", "mood.banbury", "--as", "neutral", "so so").code == 3
    assert (mood.folder / "mood.banbury").read_bytes() == before


def test_a_new_label_is_learned_where_it_is_meant(mood: Here) -> None:
    result = mood("learn", "mood.banbury", "--as", "neutral", "--new-labels", "so so")
    assert result.code == 0, result.err
    assert "Learned 1 row (neutral: 1)." in result.err
    assert banbury.load(mood.folder / "mood.banbury").classes_.tolist() == ["negative", "neutral", "positive"]


def test_every_change_is_told(mood: Here) -> None:
    write_rows(mood.folder / "new.jsonl", ["fine", "good", "bad"], ["positive", "positive", "negative"])
    learned = mood("learn", "mood.banbury", "new.jsonl").err
    assert "Learned 3 rows (negative: 1, positive: 2)." in learned
    assert "603 documents (negative: 301, positive: 302)" in learned
    forgot = mood("forget", "mood.banbury", "new.jsonl").err
    assert "Forgot 3 rows (negative: 1, positive: 2)." in forgot
    assert "600 documents (negative: 300, positive: 300)" in forgot
    assert (
        "Merged 2 models of 600, 600 documents." in mood("merge", "mood.banbury", "mood.banbury", "-o", "b.banbury").err
    )


def test_in_python_new_labels_are_welcome_unless_they_are_an_error() -> None:
    model = Classifier.textbook().fit(["free money", "lunch"], ["spam", "ham"])
    with pytest.raises(LabelError, match="document 1 has label 'Ham', which is new; did you mean 'ham'"):
        model.learn(["a", "b"], ["ham", "Ham"], new_labels="error")
    assert model.counts_.documents == [1, 1]
    assert model.learn(["a", "b"], ["ham", "Ham"]).classes_.tolist() == ["Ham", "ham", "spam"]
    wrong: Any = "maybe"
    with pytest.raises(InputError, match="new_labels is 'maybe'"):
        model.learn(["a"], ["ham"], new_labels=wrong)
    with pytest.raises(InputError, match="it is 'ham' or 'spam'"):
        SpamFilter().fit(["Subject: a\n\nb", "Subject: c\n\nd"], ["ham", "spam"]).learn(["Subject: a\n\nb"], ["Ham"])


def test_mistakes_have_their_place_their_text_and_the_words_at_fault(mood: Here) -> None:
    write_rows(mood.folder / "one.jsonl", ["What a lovely day"], ["positive"])
    write_rows(mood.folder / "two.jsonl", ["A boring day", "What a lovely, beautiful day"], ["negative", "negative"])
    out = mood("evaluate", "mood.banbury", "one.jsonl", "two.jsonl", "--mistakes", "5").out
    lines = out[out.index("two.jsonl, line 2") :].splitlines()
    assert lines[0].startswith("two.jsonl, line 2: negative, taken for positive (")
    assert lines[1] == "  What a lovely, beautiful day"
    assert lines[2].startswith("  at fault: ")
    assert "lovely +" in lines[2]
    assert "Mistake(" not in out


def test_files_of_a_folder_are_named(mood: Here) -> None:
    for label, text in (("negative", "lovely day, beautiful"), ("positive", "lovely")):
        (mood.folder / "texts" / label).mkdir(parents=True)
        (mood.folder / "texts" / label / "a.txt").write_text(text)
    out = mood("evaluate", "mood.banbury", "texts", "--mistakes", "1").out
    assert f"{Path('negative') / 'a.txt'}: negative, taken for positive" in out


def test_evaluating_what_was_learned_warns(mood: Here) -> None:
    assert "600 of these 600 rows were learned: this is no test." in mood("evaluate", "mood.banbury", "mood.jsonl").err
    write_rows(mood.folder / "more.jsonl", [*TEXTS, "quite another zebra"], [*LABELS, "positive"])
    assert "600 of these 601 rows were learned" in mood("evaluate", "mood.banbury", "more.jsonl").err
    write_rows(mood.folder / "new.jsonl", ["quite another zebra", "unheard of"], ["positive", "negative"])
    assert "learned" not in mood("evaluate", "mood.banbury", "new.jsonl").err


def test_learned_rows_are_counted_once_each() -> None:
    counts = Classifier.textbook().fit(["a b", "a b", "c"], ["x", "x", "y"]).counts_
    assert n_learned(counts, ["a b"] * 3, ["x"] * 3) == 2
    assert n_learned(counts, ["a b", "c", "d"], ["x", "y", "y"]) == 2
    assert n_learned(counts, ["d"] * 70, ["y"] * 70) == 0
    assert n_learned(counts, [], []) == 0
