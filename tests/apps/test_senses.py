"""Word senses: where the word is found, what is looked at around it, and how well that tells senses apart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Classifier, SenseTagger, storage
from banbury.apps.senses import CONTEXT_COLUMNS
from banbury.errors import BanburyError, FileFormatError, InputError

CONTEXTS = [
    "We sat on the *bank* of the river and fished.",
    "The river burst its *banks* after the rain.",
    "She put her money into the *bank* on Monday.",
    "The *bank* lends money at a high rate.",
]
SENSES = ["shore", "shore", "firm", "firm"]


def tagger() -> SenseTagger:
    return SenseTagger("bank").fit(CONTEXTS, SENSES)


def test_a_context_is_a_row_of_its_words_its_windows_and_its_neighbours() -> None:
    (row,) = SenseTagger().rows(["Oh, that's really, really *Hard* to do."])
    assert row == {
        "words": "Oh, that's really, really  _  to do.",
        "word": "hard",
        "2 left": ",",
        "1 left": "really",
        "1 right": "to",
        "2 right": "do",
        "either side": "really _ to",
        "up to 2 left": ", really  _",
        "up to 2 right": "_  to do",
        "up to 5 left": ", that's really, really  _",
        "up to 5 right": "_  to do.",
    }
    (row,) = SenseTagger().rows(["*Hard*"])
    assert row["1 left"] == row["2 right"] == "(edge)"
    assert row.keys() == CONTEXT_COLUMNS.keys()


@given(st.text(), st.text(), st.text())
def test_any_three_texts_are_a_context(left: str, word: str, right: str) -> None:
    (row,) = SenseTagger().rows([(left, word, right)])
    assert set(row) == set(CONTEXT_COLUMNS)
    assert row["up to 5 left"].removesuffix(" _") in left
    assert row["up to 5 right"].removeprefix("_ ") in right


def test_the_word_is_found_marked_in_three_parts_or_by_itself() -> None:
    marked, parts = "the river, its *banks* and fish", ("the river, its ", "banks", " and fish")
    rows = tagger().rows([marked, parts, "the river, its banks and fish"])
    assert rows[0] == rows[1] == rows[2]
    assert tagger().rows(["no bank is a *bank* but this"])[0]["1 left"] == "a"  # a mark comes first


def test_senses_are_told_learned_and_forgotten() -> None:
    model = tagger()
    assert model.predict("fish at the bank of the river") == "shore"
    assert model.predict(["the river's bank", "a bank with money"]).tolist() == ["shore", "firm"]
    assert model.classes_.tolist() == ["firm", "shore"]
    assert model.predict_proba(CONTEXTS).sum(axis=1) == pytest.approx(1)
    before = model.predict_proba(CONTEXTS)
    model.learn(["a *bank* of clouds"], ["row"])
    assert model.classes_.tolist() == ["firm", "row", "shore"]
    model.forget(["a *bank* of clouds"], ["row"])
    assert model.predict_proba(CONTEXTS) == pytest.approx(before)
    assert model.evaluate(CONTEXTS, SENSES).accuracy == 1


def test_an_explanation_names_words_and_neighbours() -> None:
    explanation = tagger().explain("the bank of the river")
    assert explanation.label == "shore"
    columns = {evidence.column for evidence in explanation.evidence}
    assert {"words", "1 right", "up to 5 right"} <= columns
    assert sum(one.weight for one in explanation.evidence) + explanation.prior == pytest.approx(explanation.score)


def test_a_saved_tagger_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "bank.banbury"
    tagger().save(path)
    loaded = SenseTagger.load(path)
    assert (loaded.word, loaded.language) == ("bank", "english")
    assert loaded.predict_proba(CONTEXTS).tolist() == tagger().predict_proba(CONTEXTS).tolist()
    Classifier().fit(["a", "b"], ["x", "y"]).save(path)
    with pytest.raises(FileFormatError, match="holds a classifier, not a sense tagger"):
        SenseTagger.load(path)


def test_a_tagger_is_written_once_and_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = Mock(wraps=storage.write), Mock(wraps=storage.read)
    monkeypatch.setattr(storage, "write", write)
    monkeypatch.setattr(storage, "read", read)
    tagger().save(tmp_path / "bank.banbury")
    SenseTagger.load(tmp_path / "bank.banbury")
    assert (write.call_count, read.call_count) == (1, 1)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: SenseTagger("two words"), "word is 'two words'; it must be one word"),
        (lambda: SenseTagger(5), "word is 5; it must be one word"),  # type: ignore[arg-type]
        (lambda: SenseTagger("hard", language="klingon"), "stemmer is 'klingon'; it can be"),
        (lambda: tagger().predict(""), "context 0 has no form of 'bank'"),
        (lambda: tagger().predict("a ** b"), "context 0 has no form of 'bank'"),
        (lambda: tagger().predict(None), "contexts is None; it must be a list"),
        (lambda: tagger().predict([b"the bank"]), "context 0 is of type bytes"),
        (lambda: SenseTagger("bank").fit([], []), "no rows to learn from"),
        (lambda: SenseTagger("bank").fit(CONTEXTS, SENSES[:1]), "4 rows but 1 labels"),
        (lambda: SenseTagger("bank").fit(CONTEXTS, None), "labels is None"),
        (lambda: SenseTagger("bank").fit(CONTEXTS, ["shore"] * 4).explain("a bank"), "knows one class only"),
        (lambda: SenseTagger().fit(["no mark"], ["x"]), "context 0 has no marked word; put asterisks around it"),
        (lambda: SenseTagger("hard").rows(["*so*", "soft"]), "context 1 has no form of 'hard'"),
        (lambda: SenseTagger("hard").rows(["hard", None]), "context 1 is of type NoneType"),
        (lambda: SenseTagger("hard").rows([("a", "b")]), "context 0 is .*three texts"),
        (lambda: SenseTagger("hard").rows("hard"), "put it into a list"),
    ],
)
def test_a_tagger_says_what_is_wrong(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


@pytest.mark.parametrize(
    "act",
    [
        lambda model: model.fit([], []),
        lambda model: model.fit(CONTEXTS, [None] * 4),
        lambda model: model.learn(["a *bank* of clouds", "nothing"], ["row", "row"]),
        lambda model: model.learn(["a *bank* of clouds"], [1]),
        lambda model: model.forget([CONTEXTS[0], "a *bank* of clouds"], ["shore", "shore"]),
    ],
)
def test_a_tagger_that_refuses_is_as_it_was(act: Callable[[SenseTagger], Any]) -> None:
    model = tagger()
    before = model.model.parts()
    with pytest.raises(BanburyError):
        act(model)
    assert str(model.model.parts()) == str(before)
    assert model.predict_proba(CONTEXTS).tolist() == tagger().predict_proba(CONTEXTS).tolist()


def test_one_sense_is_all_there_is_to_say_of_it() -> None:
    model = SenseTagger("bank").fit(CONTEXTS[:2], ["shore", "shore"])
    assert model.predict("a bank that lends") == "shore"
    assert model.predict_proba(CONTEXTS).tolist() == [[1.0]] * 4


def test_neighbours_are_found_in_a_context_of_any_length() -> None:
    (row,) = SenseTagger().rows(["river " * 300_000 + "a long, long *bank*" + " money" * 300_000])
    assert row["up to 2 left"].split() == [",", "long", "_"]
    assert row["up to 2 right"].split() == ["_", "money", "money"]
    (row,) = SenseTagger().rows([("x" * 5_000, "bank", "y" * 5_000)])  # one word is longer than what is looked at
    assert len(row["1 left"]) == len(row["1 right"]) == 1_000


def contexts(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [
        (" ".join(row["tokens"][: row["head"]]), row["tokens"][row["head"]], " ".join(row["tokens"][row["head"] + 1 :]))
        for row in rows
    ]


@pytest.mark.parametrize("word, at_least", [("hard", 0.935), ("serve", 0.94)])
def test_senses_of_senseval_are_told_as_they_were_measured(
    word: str, at_least: float, read_set: Callable[[str], Any]
) -> None:
    rows = [row for row in read_set("senseval_wsd") if row["word"] == word]
    learned, asked = [row for at, row in enumerate(rows) if at % 5], rows[::5]
    model = SenseTagger().fit(contexts(learned), [row["label"] for row in learned])
    assert model.evaluate(contexts(asked), [row["label"] for row in asked]).accuracy >= at_least
