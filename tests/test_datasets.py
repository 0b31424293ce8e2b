"""The demo corpus: what the examples and the documents lean on."""

from collections import Counter

from banbury.datasets import demo


def test_the_demo_corpus_has_two_classes_of_equal_size_and_no_text_twice() -> None:
    texts, labels = demo()
    assert Counter(labels) == {"positive": 300, "negative": 300}
    assert len(set(texts)) == 600
    assert all(text.strip() == text and text for text in texts)


def test_each_call_gives_lists_of_its_own() -> None:
    first, _ = demo()
    first.clear()
    assert len(demo()[0]) == 600
