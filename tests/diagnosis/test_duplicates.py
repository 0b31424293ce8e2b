"""Exact and near duplicates, against every comparison."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diagnosis_reference as reference
from banbury import Classifier
from banbury.diagnosis.duplicates import duplicates, n_repeats, repeated_rows
from banbury.errors import InputError
from banbury.tables import frame
from strategies import plain_texts

Rows = list[dict[str, str]]


@given(st.lists(plain_texts(6), min_size=1, max_size=12))
def test_near_duplicates_are_those_that_every_comparison_finds(texts: list[str]) -> None:
    found = duplicates(texts)
    firsts = [at for at, text in enumerate(texts) if text not in texts[:at]]
    documents = [texts[at].lower().split() for at in firsts]
    assert sorted(found.near) == [[firsts[at] for at in group] for group in reference.near(documents, 0.8)]
    assert found.n_repeats == len(texts) - len(set(texts))


def test_long_texts_with_some_words_changed_are_near_duplicates() -> None:
    random = np.random.default_rng(0)
    words = [f"word{at}" for at in range(3000)]
    texts = [" ".join(random.choice(words, 200)) for _ in range(300)]
    changed = []
    for text in texts[:50]:
        new = text.split()
        for at in random.choice(200, 4, replace=False):
            new[at] = "changed"
        changed.append(" ".join(new).upper())
    found = duplicates([*texts, *changed])
    assert found.near == [[at, 300 + at] for at in range(50)]
    assert found.exact == []


def test_groups_with_different_labels_are_named() -> None:
    texts = ["buy it now", "Buy it now!", "buy it now", "hello there", "hello there", "something else"]
    found = duplicates(texts, ["spam", "spam", "ham", "ham", "ham", "ham"])
    assert (found.exact, found.near, found.conflicting) == ([[0, 2], [3, 4]], [[0, 1]], [[0, 1, 2]])
    assert (found.n_repeats, found.n_near) == (2, 1)
    with pytest.raises(InputError, match="6 documents but 1 labels"):
        duplicates(texts, ["spam"])
    with pytest.raises(InputError, match=r"similarity is 0\.1"):
        duplicates(texts, similarity=0.1)


def test_the_403_duplicates_of_the_sms_collection_are_found(read_set: Callable[[str], Rows]) -> None:
    rows = read_set("sms_spam")
    assert duplicates([row["text"] for row in rows]).n_repeats == 403


def test_a_column_of_texts_does_as_well() -> None:
    import polars

    texts = ["one two three four", "ONE two three four", "other"]
    assert duplicates(polars.Series(texts)) == duplicates(texts)


def test_repeats_are_counted_in_texts_tokens_and_rows() -> None:
    assert n_repeats(["a", "b", "a", "a"]) == 2
    assert n_repeats([["a", "b"], ["a b"], ["a", "b"]]) == 1
    table = frame.read({"size": [1.0, 1.0, 2.0, 1.0], "kind": ["x", "x", "x", None]})
    assert n_repeats(table) == 1
    model = Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"])
    report = model.evaluate(["happy", "sad", "happy"], ["yes", "no", "yes"])
    assert (report.n_repeats, report.to_dict()["n_repeats"]) == (1, 1)
    assert "1 of 3 documents repeat earlier ones; each of them counts" in str(report)
    assert "1 of 3 documents repeat" in report._repr_html_()
    assert "repeat" not in str(model.evaluate(["happy", "sad"], ["yes", "no"]))


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("xy"), st.booleans()), min_size=1, max_size=20))
def test_repeated_rows_are_those_with_equal_values(rows: list[tuple[int, str, bool]]) -> None:
    table = frame.read({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    found = repeated_rows(table, [row[2] for row in rows])
    values = [row[:2] for row in rows]
    groups = [[at for at, value in enumerate(values) if value == one] for one in dict.fromkeys(values)]
    repeats = [group for group in groups if len(group) > 1] if 2 * len(groups) >= len(rows) else []
    assert found.exact == repeats
    assert found.conflicting == [group for group in repeats if len({rows[at][2] for at in group}) > 1]
