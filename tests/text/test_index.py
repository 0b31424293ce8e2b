"""The index says of each word what counting it in each document says."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from banbury import Counts
from banbury.text.index import Index
from strategies import plain_texts


@given(st.lists(plain_texts(6), min_size=1, max_size=6))
def test_every_word_is_listed_with_its_documents(texts: list[str]) -> None:
    index = Index.of(Counts().add(texts, list(range(len(texts)))))
    expected = {
        (word, row): times for row, text in enumerate(texts) for word, times in Counter(text.lower().split()).items()
    }
    pairs = zip(index.word_of.tolist(), index.places.tolist(), index.times.tolist(), strict=True)
    assert {(index.words[word], place): times for word, place, times in pairs} == expected
    assert index.lengths.tolist() == [len(text.split()) for text in texts]
    assert index.distinct.tolist() == [len(set(text.lower().split())) for text in texts]
    starts, order = index.by_document()
    for row, (start, end) in enumerate(pairwise(starts)):
        assert set(index.places[order[start:end]].tolist()) <= {row}
