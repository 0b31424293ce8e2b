"""A model that keeps which documents it has learned forgets these and no others."""

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banbury
from banbury import Categorical, Classifier, Poisson, storage
from banbury.errors import CountError, FileFormatError, InputError
from banbury.learned_rows import ROW_ARRAYS, LearnedRows, Watched, row_hash
from banbury.text.tokens import Tokens
from strategies import LABELS, plain_texts

rows = st.lists(st.tuples(plain_texts(3), st.sampled_from(LABELS)), min_size=1, max_size=6)


def split(some: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [text for text, _ in some], [label for _, label in some]


def exact(some: list[tuple[str, str]]) -> Classifier:
    return Classifier.textbook(exact_forget=True).fit(*split(some))


def rows_in(model: Classifier) -> LearnedRows:
    return model.learned_rows_


@settings(max_examples=50)
@given(rows, rows)
def test_what_was_learned_is_forgotten_and_nothing_else(first: list[Any], other: list[Any]) -> None:
    model = exact(first)
    before = model.parts()[1]
    missing = [row for row in other if first.count(row) < other.count(row)]
    if missing:
        with pytest.raises(CountError, match=r"was never learned|times only"):
            model.forget(*split(other))
        assert {name: bytes(view) for name, view in model.parts()[1].items()} == {
            name: bytes(view) for name, view in before.items()
        }
    model.learn(*split(other)).forget(*split(first))
    assert rows_in(model) == rows_in(exact(other))
    with pytest.raises(CountError):
        model.forget(*split([*other, other[0]]))


@settings(max_examples=30)
@given(rows, rows)
def test_merged_parts_know_the_rows_of_the_whole(first: list[Any], other: list[Any]) -> None:
    whole = exact([*first, *other])
    assert rows_in(exact(first).merge(exact(other))) == rows_in(whole)
    assert rows_in(exact(first).merge(exact(first).empty().learn(*split(other)))) == rows_in(whole)
    batches = [split(first), split(other)]
    assert rows_in(Classifier.textbook(exact_forget=True).fit_batches(batches)) == rows_in(whole)


@settings(max_examples=20)
@given(rows)
def test_rows_are_saved_with_the_model(some: list[Any]) -> None:
    model = exact(some)
    with TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        loaded = banbury.load(f"{folder}/model")
    assert loaded.exact_forget is True
    assert rows_in(loaded) == rows_in(model)
    loaded.forget(*split(some))
    assert len(rows_in(loaded)) == 0


def test_words_that_happen_to_be_there_are_not_enough(tmp_path: Path) -> None:
    texts, labels = ["a b", "c d", "e"], ["yes", "yes", "no"]
    Classifier.textbook().fit(texts, labels).forget(["a c"], ["yes"])  # counts cannot tell
    model = Classifier.textbook(exact_forget=True).fit(texts, labels)
    model.save(tmp_path / "model")
    model = banbury.load(tmp_path / "model")
    with pytest.raises(CountError, match="document 0 with label 'yes' was never learned; nothing was changed"):
        model.forget(["a c"], ["yes"])
    with pytest.raises(CountError, match="learned 1 times only"):
        model.forget(["a b", "a b"], ["yes", "yes"])
    assert model.forget(["c d", "a b"], ["yes", "yes"]).classes_.tolist() == ["no"]


def test_weights_are_times() -> None:
    model = Classifier.textbook(exact_forget=True).fit(["a", "b", "c"], ["yes", "no", "no"], [3, 1, 0])
    assert len(rows_in(model)) == 4
    with pytest.raises(CountError, match="never learned"):
        model.forget(["c"], ["no"])
    model.forget(["a"], ["yes"], [2])
    with pytest.raises(CountError, match="learned 1 times only"):
        model.forget(["a"], ["yes"], [2])


def test_rows_of_a_table_are_known_by_their_values() -> None:
    table = {"word": ["a", "b", None, "a"], "n": [1, 2, 3, 2]}
    model = Classifier(columns={"word": Categorical(), "n": Poisson()}, exact_forget=True)
    model.fit(table, ["yes", "no", "no", "yes"])
    with pytest.raises(CountError, match="never learned"):
        model.forget([{"word": "b", "n": 3}], ["no"])
    model.forget([{"n": 2.0, "word": "b"}], ["no"])
    assert len(rows_in(model)) == 3
    model.learn([{"word": None, "n": None}], ["no"]).forget([{"word": None}], ["no"])


def test_an_error_of_the_counts_leaves_the_rows_as_they_were() -> None:
    model = exact([("a b", "positive"), ("c", "negative")])
    model.counts_.prune(min_documents=2)  # now nothing can be taken away
    before = rows_in(model).copy()
    with pytest.raises(CountError):
        model.forget(["a b"], ["positive"])
    assert rows_in(model) == before


def test_a_copy_has_rows_of_its_own() -> None:
    model = exact([("a", "positive"), ("b", "negative")])
    copy = model.__copy__().learn(["c"], ["positive"])
    assert (len(rows_in(model)), len(rows_in(copy))) == (2, 3)


def test_a_model_that_knows_cannot_be_merged_with_one_that_does_not() -> None:
    plain = Classifier.textbook().fit(["a", "b"], ["positive", "negative"])
    with pytest.raises(InputError, match="fit both with exact_forget=True"):
        exact([("a", "positive"), ("b", "negative")]).merge(plain)
    assert plain.merge(exact([("a", "positive")])).documents_ == [1, 2]
    with pytest.raises(InputError, match="exact_forget is 'yes'"):
        Classifier(exact_forget="yes").fit(["a"], ["b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "first, other, same",
    [
        ("a", Tokens(["a"]), False),
        ({"n": 1}, {"n": np.int64(1)}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": float("nan")}, {"n": None}, True),
        ({"n": 0.5}, {"n": np.float64(0.5)}, True),
        ({"n": float("inf")}, {"n": float("inf")}, True),
        ({"day": date(2024, 1, 2)}, {"day": "2024-01-02"}, False),
        ({"a": "b", "c": "d"}, {"a": "b\0c"}, False),
        ("\ud800", "?", False),
    ],
)
def test_equal_documents_have_equal_hashes(first: Any, other: Any, same: bool) -> None:
    assert (row_hash(first, "x") == row_hash(other, "x")) is same
    assert row_hash(first, "x") != row_hash(first, 0)


def test_a_value_without_a_hash_is_an_error() -> None:
    with pytest.raises(InputError, match="type list has no hash"):
        row_hash({"a": [1]}, "x")


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: {**arrays, ROW_ARRAYS[0]: arrays[ROW_ARRAYS[0]][::-1].copy()},
        lambda arrays: {**arrays, ROW_ARRAYS[2]: arrays[ROW_ARRAYS[2]][:1]},
        lambda arrays: {**arrays, ROW_ARRAYS[2]: arrays[ROW_ARRAYS[2]] * 0},
        lambda arrays: {**arrays, ROW_ARRAYS[1]: arrays[ROW_ARRAYS[1]].astype(float)},
        lambda arrays: {name: view for name, view in arrays.items() if name != ROW_ARRAYS[0]},
    ],
)
def test_rows_in_a_file_that_cannot_be_are_refused(change: Any, tmp_path: Path) -> None:
    model_settings, arrays = exact([("a", "positive"), ("b", "negative"), ("c", "negative")]).parts()
    storage.write(tmp_path / "model", model_settings, change(arrays))
    with pytest.raises(FileFormatError):
        banbury.load(tmp_path / "model")


def test_watched_batches_are_noted_as_they_pass() -> None:
    watched = Watched(iter([(["a", "b"], ["x", "y"]), (["c"], ["x"], [2])]))
    assert not watched.can_be_read_again
    assert [len(texts) for texts, *_ in watched] == [2, 1]
    assert len(watched.rows) == 4
