"""Counts: what is added, removed, merged and pruned, and that nothing changes where something is wrong."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer, Counts
from banbury.errors import CountError, InputError, LabelError
from banbury.text.documents import as_weights
from strategies import LABELS, Corpus, corpora

PAIRS = Analyzer(ngrams=(1, 2))
MOST = 2**32 - 1  # what a count can hold


def counted(*documents: tuple[str, str], analyzer: Analyzer | None = None, **options: Any) -> Counts:
    return Counts(analyzer).add([text for text, _ in documents], [label for _, label in documents], **options)


def table(counts: Counts) -> dict[str, list[int]]:
    """How often each feature was seen in each class."""
    found = counts.features()
    return dict(zip(found.names, found.occurrences.tolist(), strict=True))


def outcome(threads: int, texts: list[str], labels: list[str], weights: list[int]) -> Any:
    try:
        return state(Counts().add(texts, labels, weights=weights, threads=threads))
    except CountError as error:
        return str(error)


@pytest.mark.parametrize("weight", [2**10, 2**12, 2**16])
def test_counts_that_do_not_fit_are_refused_for_any_number_of_threads(weight: int) -> None:
    # Four megabytes, so that threads share them; every fourth of the documents has words of its own.
    texts = [" ".join([f"w{row % 4}"] * 2**14) for row in range(80)]
    labels = ["x", "y"] * 40
    expected = outcome(1, texts, labels, [weight] * 80)
    assert isinstance(expected, str) == (weight == 2**16)
    assert all(outcome(threads, texts, labels, [weight] * 80) == expected for threads in (2, 3, 4))


def test_a_label_that_numpy_would_change_is_refused() -> None:
    with pytest.raises(LabelError, match=r"document 1 has label 'spam\\x00', which ends in NUL"):
        Counts().add(["a", "b"], ["spam", "spam\0"])


def test_more_threads_than_there_can_be_are_as_many_as_there_can_be() -> None:
    counts = Counts().add(["a b", "b c"], ["x", "y"])
    assert state(Counts().add(["a b", "b c"], ["x", "y"], threads=2**70)) == state(counts)


@pytest.mark.parametrize("characters", [(2, 3), (1, 5)])
def test_a_very_long_text_is_the_sum_of_its_parts(characters: tuple[int, int]) -> None:
    analyzer = Analyzer(words=None, characters=characters)
    part = " ".join(f"word{n * n % 997}" for n in range(5000))
    long = Counts(analyzer).add([" ".join([part] * 4)], ["x"])
    short = Counts(analyzer).add([part] * 4, ["x"] * 4)
    assert table(long) == table(short)
    assert long.documents == [1]


def state(counts: Counts) -> Any:
    """All there is to know: two counts are the same where this is."""
    return counts.parts()


# Adding --------------------------------------------------------------------------------------------------------------


def test_adding_counts_documents_and_words() -> None:
    counts = counted(("a rose is a rose", "yes"), ("", "no"), ("a", "no"))
    assert (counts.classes, counts.documents, counts.occurrences) == (["no", "yes"], [2, 1], [1, 5])
    assert counts.n_features == 3
    assert table(counts) == {"a": [1, 2], "rose": [0, 2], "is": [0, 1]}


def test_new_words_and_new_classes_can_come_at_any_time() -> None:
    counts = counted(("b", "middle"))
    counts.add(["a c", "b"], ["last", "first"])
    assert counts.classes == ["first", "last", "middle"]
    assert counts.documents == [1, 1, 1]
    assert table(counts) == {"a": [0, 1, 0], "b": [1, 0, 1], "c": [0, 1, 0]}


@given(corpora(max_size=12), st.lists(st.integers(0, 12), max_size=4), st.booleans(), st.sampled_from([None, PAIRS]))
def test_batches_counted_together_are_all_their_documents(
    corpus: Corpus, cuts: list[int], weighted: bool, analyzer: Analyzer | None
) -> None:
    weights = [row % 3 for row in range(len(corpus.texts))]
    ends = [0, *sorted(min(cut, len(weights)) for cut in cuts), len(weights)]
    parts = [slice(start, end) for start, end in pairwise(ends)]
    batches = [
        (corpus.texts[part], corpus.labels[part], as_weights(weights[part], len(weights[part])) if weighted else None)
        for part in parts
    ]
    together = Counts.of_batches(analyzer or Analyzer(), batches)
    alone = Counts(analyzer).add(corpus.texts, corpus.labels, weights=weights if weighted else None)
    assert together.parts() == alone.parts()


def test_batches_that_do_not_fit_together_are_refused_with_their_label() -> None:
    batches = [(["so happy"], ["yes"], None), *[(["sad"], ["no"], as_weights([MOST], 1))] * 2]
    with pytest.raises(CountError, match=r"sad.* would be counted .* with label 'no'"):
        Counts.of_batches(Analyzer(), batches)


def test_adding_nothing_changes_nothing() -> None:
    counts = counted(("a", "x"))
    before = state(counts)
    assert state(counts.add([], [])) == before
    assert state(counts.merge(Counts())) == before
    assert state(Counts().add([], [])) == state(Counts())


@given(st.data(), corpora(min_size=2))
def test_a_weight_of_zero_is_a_document_left_out(data: st.DataObject, corpus: Corpus) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    repeated = corpus.pick([row for row, times in enumerate(weights) for _ in range(times)])
    weighted = Counts(PAIRS).add(corpus.texts, corpus.labels, weights=weights)
    assert state(weighted) == state(Counts(PAIRS).add(repeated.texts, repeated.labels))


@pytest.mark.parametrize("weights", [[2, 1.0], (2.0, 1)])
def test_whole_numbers_of_any_type_are_weights(weights: Any) -> None:
    assert counted(("a", "x"), ("b", "x"), weights=weights).documents == [3]


# Removing ------------------------------------------------------------------------------------------------------------


def test_what_is_removed_again_was_never_there() -> None:
    counts = counted(("a b a", "x"), ("c", "y"), analyzer=PAIRS)
    before = state(counts)
    counts.add(["b a d"], ["x"], weights=[3]).remove(["b a d"], ["x"], weights=[3])
    assert state(counts) == before


def test_a_class_without_documents_is_gone() -> None:
    counts = counted(("a", "x"), ("b", "y")).remove(["a"], ["x"])
    assert (counts.classes, counts.documents, table(counts)) == (["y"], [1], {"b": [1]})
    assert counts.remove(["b"], ["y"]).classes == []
    assert counts.n_features == 0


@pytest.mark.parametrize(
    "text, label, message",
    [
        ("z", "x", "\"z\" was never added that often with label 'x'; nothing was changed"),
        ("c", "x", "\"c\" was never added that often with label 'x'"),
        ("a a", "x", "\"a\" was never added that often with label 'x'"),
        ("b a", "x", "\"b a\" was never added that often with label 'x'"),
        ("c", "z", "no document with label 'z' was ever added; nothing was changed"),
    ],
)
def test_what_was_never_added_cannot_be_removed(text: str, label: str, message: str) -> None:
    counts = counted(("a b", "x"), ("a b", "x"), ("c", "y"), analyzer=PAIRS)
    before = state(counts)
    with pytest.raises(CountError, match=message):
        counts.remove(["a b", text], ["x", label])
    assert state(counts) == before


def test_more_documents_than_were_added_cannot_be_removed_even_empty_ones() -> None:
    counts = counted(("", "x"), ("a", "y"))
    with pytest.raises(CountError, match="a document was never added that often with label 'x'"):
        counts.remove(["", ""], ["x", "x"])
    assert counts.documents == [1, 1]


# Limits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, label",
    [("a", "x"), ("b a b", "x"), ("a", "x new")],
    ids=["the word", "the word among others", "beside a new class"],
)
def test_more_than_32_bits_of_a_word_is_an_error_and_changes_nothing(text: str, label: str) -> None:
    counts = counted(("a", "x"), weights=[MOST])
    before = state(counts)
    with pytest.raises(CountError, match="\"a\" would be counted more than 4294967295 times with label 'x'"):
        counts.add([text, "a"], [label, "x"])
    assert state(counts) == before
    assert counts.add(["b"], ["x"]).documents == [MOST + 1]


def test_too_much_weight_at_once_is_an_error_and_changes_nothing() -> None:
    counts = counted(("a", "x"))
    before = state(counts)
    with pytest.raises(CountError, match="more than 4294967295 times"):
        counts.add(["b", "a a"], ["y", "x"], weights=[1, MOST])
    assert state(counts) == before


def test_merging_too_much_is_an_error_and_changes_neither() -> None:
    counts, other = counted(("a", "x"), weights=[MOST]), counted(("a", "x"), ("b", "y"))
    before = state(counts), state(other)
    with pytest.raises(CountError, match="with label 'x'; nothing was changed"):
        counts.merge(other)
    assert (state(counts), state(other)) == before


# Merging, pruning, copying -------------------------------------------------------------------------------------------


def test_merging_leaves_the_other_as_it_is() -> None:
    counts, other = counted(("a b", "y")), counted(("b c", "x"))
    before = state(other)
    assert state(counts.merge(other)) == state(counted(("a b", "y"), ("b c", "x")))
    counts.add(["b"], ["x"])
    assert state(other) == before


def test_counts_can_be_merged_with_themselves() -> None:
    counts = counted(("a b", "x"), ("c", "y"))
    assert state(counts.merge(counts)) == state(counted(*[("a b", "x"), ("c", "y")] * 2))


def test_counts_of_other_features_or_other_labels_are_not_merged() -> None:
    with pytest.raises(InputError, match=r"different analyzers, .*; a model to be merged is fitted with the analyzer"):
        counted(("a", "x")).merge(counted(("a", "x"), analyzer=PAIRS))
    with pytest.raises(LabelError, match="label 1 is of type int, but the labels known so far are of type str"):
        counted(("a", "x")).merge(Counts().add(["a"], [1]))


def test_pruning_forgets_what_few_documents_have_and_keeps_the_names() -> None:
    analyzer = Analyzer(ngrams=(1, 3))
    counts = counted(("new york city", "x"), ("old york city", "y"), ("york city hall", "y"), analyzer=analyzer)
    counts.prune(min_documents=2)
    assert table(counts) == {"york": [1, 2], "city": [1, 2], "york city": [1, 2]}
    assert (counts.n_features, counts.occurrences, counts.documents) == (3, [3, 6], [1, 2])
    counts.add(["york city walls"], ["x"])
    assert table(counts)["york city walls"] == [1, 0]
    assert table(counts)["york city"] == [2, 2]


def test_runs_of_words_keep_their_names_where_the_words_themselves_do_not_count() -> None:
    counts = counted(("a b c", "x"), ("z b c", "x"), ("a b", "y"), analyzer=Analyzer(ngrams=(2, 3)))
    assert table(counts.prune(min_documents=2)) == {"a b": [1, 1], "b c": [2, 0]}


@given(corpora(), st.integers(0, 4))
def test_pruned_counts_are_those_of_the_features_that_are_left(corpus: Corpus, min_documents: int) -> None:
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    tokens = [{feature.text for feature in PAIRS.features(text)} for text in corpus.texts]
    expected = {
        name: cells
        for name, cells in table(counts).items()
        if sum(name in document for document in tokens) >= min_documents
    }
    pruned = counts.copy().prune(min_documents=min_documents)
    assert table(pruned) == expected
    assert pruned.documents == counts.documents
    assert state(pruned.prune(min_documents=min_documents)) == state(pruned)


def test_pruning_says_what_it_needs() -> None:
    with pytest.raises(InputError, match="min_documents is -1; it must be a number, 0 or more"):
        counted(("a", "x")).prune(min_documents=-1)


def pickled(counts: Counts) -> Counts:
    return pickle.loads(pickle.dumps(counts))  # type: ignore[no-any-return]


@pytest.mark.parametrize("make", [Counts.copy, copy.copy, copy.deepcopy, pickled])
def test_a_copy_changes_on_its_own(make: Callable[[Counts], Counts]) -> None:
    counts = counted(("a b", "x"), ("c", "y"), analyzer=PAIRS)
    before = state(counts)
    other = make(counts)
    assert state(other) == before
    other.add(["b d"], ["new"]).remove(["c"], ["y"])
    assert state(counts) == before
    counts.add(["e"], ["x"])
    assert other.documents == [1, 1]


@given(corpora(min_size=1), st.sampled_from(LABELS))
def test_bad_input_changes_nothing(corpus: Corpus, label: str) -> None:
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    before = state(counts)
    bad: list[tuple[Any, Any, Any]] = [
        (["a", None], [label, label], None),
        (["a", "b"], [label, None], None),
        (["a", "b"], [label, 1], None),
        (["a", "b"], [1, 2], None),
        (["a", "b"], [label], None),
        (["a"], [label], [-1]),
        (["a"], [label], [1, 1]),
    ]
    for texts, labels, weights in bad:
        with pytest.raises(InputError):
            counts.add(texts, labels, weights=weights)
        with pytest.raises(InputError):
            counts.remove(texts, labels, weights=weights)
    assert state(counts) == before


@given(corpora())
def test_the_counts_of_features_are_those_of_plain_python(corpus: Corpus) -> None:
    counts = Counts().add(corpus.texts, corpus.labels)
    table = counts.features()
    seen = [Counter(token.text for token in counts.analyzer.features(text)) for text in corpus.texts]
    for row, name in enumerate(table.names):
        for class_id, label in enumerate(counts.classes):
            mine = [words[name] for words, other in zip(seen, corpus.labels, strict=True) if other == label]
            assert table.occurrences.tolist()[row][class_id] == sum(mine)
            assert table.documents.tolist()[row][class_id] == sum(n > 0 for n in mine)
    assert set(table.names) == {name for words in seen for name in words}
    frequent = [name for name in table.names if sum(name in words for words in seen) >= 2]
    assert sorted(counts.features(min_documents=2).names) == sorted(frequent)


def test_a_class_is_forgotten_only_with_all_its_words() -> None:
    counts = Counts(Analyzer()).add(["so good a film", "bad"], ["glad", "sad"])
    with pytest.raises(CountError, match="never all the documents: words of others would be left with label 'glad'"):
        counts.remove(["good"], ["glad"])
    assert counts.documents == [1, 1]
    assert counts.remove(["so good a film"], ["glad"]).classes == ["sad"]
