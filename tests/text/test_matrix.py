"""The document-term matrix: the analyzer's features, counted; and what `CountVectorizer` makes of the same texts."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer
from banbury.datasets import demo
from banbury.errors import InputError

pytest.importorskip("scipy")

ANALYZERS = [Analyzer(), Analyzer(ngrams=(2, 3), stop_words=["b"]), Analyzer(ngrams=(1, 2), characters=(2, 3))]


@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(texts=st.lists(st.text("abc !", max_size=12), max_size=6))
def test_a_cell_is_how_often_the_feature_stands_in_the_document(analyzer: Analyzer, texts: list[str]) -> None:
    counted = analyzer.matrix(texts)
    assert counted.matrix.shape == (len(texts), len(counted.names))
    for row, text in enumerate(texts):
        expected = Counter(feature.text for feature in analyzer.features(text))
        found: Counter[str] = Counter()
        for name, times in zip(counted.names, counted.matrix.toarray()[row].tolist(), strict=True):
            found[name] += times
        assert +found == expected


def test_presences_names_and_rare_features() -> None:
    texts = ["to be or not to be", "be quick"]
    analyzer = Analyzer()
    assert analyzer.matrix(texts, binary=True).matrix.toarray().tolist() == [[1, 1, 1, 0, 1], [1, 0, 0, 1, 0]]
    assert analyzer.matrix(texts, min_documents=2).names == ["be"]
    named = analyzer.matrix(texts, names=["quick", "nowhere", "be"])
    assert named.names == ["quick", "nowhere", "be"]
    assert named.matrix.toarray().tolist() == [[0, 0, 2], [1, 0, 1]]
    assert named.matrix.dtype == np.int64


def test_documents_that_are_tokens_have_a_matrix_too_and_threads_do_not_matter() -> None:
    texts, _ = demo()
    analyzer = Analyzer(ngrams=(1, 2))
    whole = analyzer.matrix(texts)
    for other in (analyzer.matrix(texts, threads=1), analyzer.matrix(texts, threads=3)):
        assert other.names == whole.names
        assert (other.matrix != whole.matrix).nnz == 0
    tokens = [[token.text for token in Analyzer().tokens(text)] for text in texts]
    assert (analyzer.matrix(tokens).matrix != whole.matrix).nnz == 0


@pytest.mark.parametrize("ngrams, binary", [((1, 1), False), ((1, 2), False), ((1, 1), True)])
def test_the_python_preset_makes_the_matrix_of_countvectorizer(ngrams: tuple[int, int], binary: bool) -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    texts, _ = demo()
    vectorizer = text.CountVectorizer(ngram_range=ngrams, binary=binary)
    expected = vectorizer.fit_transform(texts)
    analyzer = Analyzer.preset("python").with_settings(ngrams=ngrams)
    found = analyzer.matrix(texts, binary=binary, names=vectorizer.get_feature_names_out())
    assert (found.matrix != expected).nnz == 0
    assert sorted(analyzer.matrix(texts).names) == list(vectorizer.get_feature_names_out())


@pytest.mark.parametrize(
    "texts, options, message",
    [
        ("a text", {}, "expected a list of documents"),
        ([None], {}, "document 0 is None"),
        (["a"], {"min_documents": 0}, "min_documents is 0; it must be a whole number, 1 or more"),
        (["a"], {"names": "abc"}, "names is 'abc'; it must be a list of features"),
        (["a"], {"names": ["a", "b", "a"]}, "names has 'a' twice"),
        (["a"], {"names": ["a"], "min_documents": 2}, "give names or min_documents, not both"),
    ],
)
def test_wrong_input_is_named(texts: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Analyzer().matrix(texts, **options)
