"""A model of batches that pass by is the model of all documents at once, to the bit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import MultiLabelClassifier
from banbury.errors import InputError, LabelError
from banbury.readers.several import read_several
from banbury.text import batches as streaming
from label_sets import LabelledTexts, labelled_texts, some_documents

Batches = list[tuple[Any, ...]]


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "HELD", 40)
    monkeypatch.setattr(streaming, "COUNTED", 20)


def cut(documents: LabelledTexts, size: int, weights: list[int] | None = None) -> Batches:
    columns: list[Any] = [documents.texts, documents.sets, *([] if weights is None else [weights])]
    return [tuple(column[at : at + size] for column in columns) for at in range(0, len(documents.texts), size)]


def state(model: MultiLabelClassifier) -> Any:
    own, arrays = model.parts()
    report = model.report_
    single = [(one.text, one.label, one.index) for one in (*report.doubtful(), *report.missing())]
    return own, {name: bytes(view) for name, view in arrays.items()}, single


@given(labelled_texts(min_size=2, max_size=20), st.integers(1, 9), st.booleans())
@settings(max_examples=30, deadline=None)
def test_batches_give_the_model_of_the_whole(documents: LabelledTexts, size: int, is_weighted: bool) -> None:
    weights = [1 + number % 3 for number in range(len(documents.texts))] if is_weighted else None
    whole = MultiLabelClassifier().fit(documents.texts, documents.sets, weights)
    parts = MultiLabelClassifier().fit_batches(cut(documents, size, weights))
    assert state(parts) == state(whole)


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_sample_of_many_documents_is_the_same(n: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("banbury.labels.curves", "banbury.labels.batches"):
        monkeypatch.setattr(f"{module}.MOST_FITTED_DOCUMENTS", 50)
    documents = some_documents(n)
    numbered = [f"{text} {number % (n - 7)}" for number, text in enumerate(documents.texts)]
    documents = LabelledTexts(numbered, documents.sets)
    whole = MultiLabelClassifier().fit(documents.texts, documents.sets)
    assert "a fixed sample of" in whole.report_.note
    for size in (7, 31):
        model = MultiLabelClassifier(threads=threads).fit_batches(iter(cut(documents, size)))
        assert state(model) == state(whole)


def test_short_documents_after_long_ones_are_read_again_for_their_characters() -> None:
    long = [("word and more words " * 30, ("ab"[n % 2],)) for n in range(4)]
    short = [(f"short {n}", ("ab"[n % 2],) if n % 3 else ()) for n in range(60)]
    texts, sets = map(list, zip(*long, *short, strict=True))
    batches = cut(LabelledTexts(texts, sets), 2)
    whole = MultiLabelClassifier().fit(texts, sets)
    assert state(MultiLabelClassifier().fit_batches(batches)) == state(whole)
    with pytest.raises(InputError, match="guessed wrong; give an analyzer, or batches that can be read twice"):
        MultiLabelClassifier().fit_batches(iter(batches))
    assert state(MultiLabelClassifier().fit_batches(iter(batches[::-1])))[:2] == state(whole)[:2]


def test_indicator_matrices_come_in_batches_too() -> None:
    documents = some_documents()
    names = ["comic", "drama", "short"]
    matrix = np.array([[name in labels for name in names] for labels in documents.sets]).astype(int)
    whole = MultiLabelClassifier().fit(documents.texts, matrix)
    parts = MultiLabelClassifier().fit_batches(
        (documents.texts[at : at + 13], matrix[at : at + 13]) for at in range(0, 60, 13)
    )
    assert state(parts) == state(whole)
    assert parts.predict(documents.texts).tolist() == whole.predict(documents.texts).tolist()


def test_what_read_several_gives_is_read_in_batches(tmp_path: Any) -> None:
    documents = some_documents()
    lines = [f"{text},{'+'.join(labels)}" for text, labels in zip(documents.texts, documents.sets, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["text,labels", *lines]))
    reader = read_several(tmp_path / "rows.csv", separator="+")
    assert reader.can_be_read_again
    whole = MultiLabelClassifier().fit(documents.texts, documents.sets)
    assert state(MultiLabelClassifier().fit_batches(reader)) == state(whole)


def test_bad_batches_say_what_is_wrong_and_change_nothing() -> None:
    def batches(*last: Any) -> Iterator[Any]:
        yield from [(["so happy", "so very happy", "fine"], [["a"], [], ["b"]]), (["so sad"], [["b"]])] * 3
        yield from last

    model = MultiLabelClassifier().fit(["one", "two"], [["a"], []])
    before = state(model)
    for wrong, message in [
        ((["x"], [[3]]), "of type int"),
        ((["x"], ["a"]), "one label and no list"),
        ((["x", "y"], [["a"]]), "2 documents but 1 labels"),
        ((["x"], np.array([[1, 0]])), "some batches have lists of labels and some an indicator matrix"),
        ((["x"],), "a batch is"),
        (([None], [["a"]]), "document 0 is None"),
    ]:
        with pytest.raises(InputError, match=message):
            model.fit_batches(batches(wrong))
    with pytest.raises(InputError, match="no documents to learn from"):
        model.fit_batches([])
    with pytest.raises(InputError, match="no document has a label"):
        model.fit_batches([(["a"], [[]])] * 60)
    with pytest.raises(LabelError, match="this model has 2 labels"):
        model.fit_batches([(["x"] * 30, np.ones((30, 2))), (["x"], np.ones((1, 3)))])
    assert state(model) == before
