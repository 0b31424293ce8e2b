"""Counts of labels that overlap: a document once in each of its labels and once in all; order, merge, forget, files."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer, _kernel
from banbury.errors import CountError, FileFormatError, InputError, LabelError
from banbury.labels.counts import LabelCounts
from label_sets import LabelledTexts, labelled_texts

PAIRS = Analyzer(ngrams=(1, 2))


def counted(given: LabelledTexts, **options: Any) -> LabelCounts:
    return LabelCounts(PAIRS).add(given.texts, given.sets, **options)


def state(counts: LabelCounts) -> Any:
    return counts.parts()


def table(counts: LabelCounts) -> dict[str, list[int]]:
    found = _kernel.PlainScorer(counts.kernel, "multinomial", 1.0, 1.0, False).table()
    return dict(zip(found.names, found.documents.tolist(), strict=True))


def test_a_document_counts_once_in_each_label_and_once_in_all() -> None:
    counts = LabelCounts().add(["a b", "a a", "c"], [("x", "y"), ("y",), ()])
    assert counts.labels == ["x", "y"]
    assert (counts.documents, counts.n_documents) == ([1, 2], 3)
    assert table(counts) == {"a": [2, 1, 2], "b": [1, 1, 1], "c": [1, 0, 0]}


@given(labelled_texts(), st.data())
def test_neither_order_nor_threads_nor_parts_matter(given: LabelledTexts, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(given.texts))))
    expected = state(counted(given))
    assert state(counted(given, threads=3)) == expected
    one_by_one = LabelCounts(PAIRS)
    for row in order:
        one_by_one.add([given.texts[row]], [given.sets[row]])
    assert state(one_by_one) == expected
    cut = data.draw(st.integers(0, len(order)))
    parts = [LabelledTexts(given.texts[rows], given.sets[rows]) for rows in (slice(cut), slice(cut, None))]
    assert state(counted(parts[0]).merge(counted(parts[1]))) == expected
    assert state(counted(parts[1]).merge(counted(parts[0]))) == expected


@given(labelled_texts(), labelled_texts())
def test_what_is_removed_was_never_there(given: LabelledTexts, more: LabelledTexts) -> None:
    expected = state(counted(given))
    counts = counted(given).add(more.texts, more.sets).remove(more.texts, more.sets)
    assert state(counts) == expected


@given(labelled_texts(), st.data())
def test_a_weight_is_so_many_documents(given: LabelledTexts, data: st.DataObject) -> None:
    n = len(given.texts)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    repeated = [row for row, weight in enumerate(weights) for _ in range(weight)]
    texts, sets = [given.texts[row] for row in repeated], [given.sets[row] for row in repeated]
    assert state(counted(given, weights=weights)) == state(counted(LabelledTexts(texts, sets)))


@given(labelled_texts())
def test_parts_give_the_same_counts_again(given: LabelledTexts) -> None:
    counts = counted(given)
    again = LabelCounts.from_parts(*counts.parts())
    assert state(again) == state(counts)
    assert state(again.add(["good"], [("new",)])) == state(counts.add(["good"], [("new",)]))


@pytest.mark.parametrize(
    "texts, sets, message",
    [
        (["a b"], [("z",)], "no document with label 'z' was ever added"),
        (["a b c"], [("x", "y")], '"c" was never added'),
        (["a b"], [()], "a document was never added that often with label 'x'"),
        (["a b", "a b"], [("x", "y"), ("x", "y")], "never added that often"),
    ],
)
def test_what_was_never_added_cannot_be_removed(texts: list[str], sets: list[Any], message: str) -> None:
    counts = LabelCounts().add(["a b"], [("x", "y")])
    expected = state(counts)
    with pytest.raises(CountError, match=message):
        counts.remove(texts, sets)
    assert state(counts) == expected


def test_a_label_whose_documents_are_gone_is_gone() -> None:
    counts = LabelCounts().add(["a", "b"], [("x",), ("y",)]).remove(["a"], [("x",)])
    assert (counts.labels, counts.documents, counts.n_documents) == (["y"], [1], 1)


def test_counts_of_other_analyzers_and_labels_of_another_kind_are_refused() -> None:
    counts = LabelCounts().add(["a"], [("x",)])
    with pytest.raises(InputError, match="different analyzers"):
        counts.merge(LabelCounts(PAIRS))
    with pytest.raises(LabelError, match="of type int"):
        counts.add(["a"], [(3,)])
    with pytest.raises(InputError, match="2 documents but 1 labels"):
        counts.add(["a", "b"], [("x",)])


def test_damaged_parts_are_refused() -> None:
    settings, arrays = LabelCounts().add(["a", "a b"], [("x",), ("x", "y")]).parts()
    with pytest.raises(FileFormatError, match="1 labels, but counts of 2"):
        LabelCounts.from_parts({**settings, "label_names": ["x"]}, arrays)
    with pytest.raises(FileFormatError, match="not in order"):
        LabelCounts.from_parts({**settings, "label_names": ["y", "x"]}, arrays)
    documents = (1).to_bytes(8, "little") + (2).to_bytes(8, "little") + (1).to_bytes(8, "little")
    with pytest.raises(FileFormatError, match="more documents than there are"):
        LabelCounts.from_parts(settings, {**arrays, "documents": documents})
