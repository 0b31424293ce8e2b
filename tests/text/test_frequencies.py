"""A table of frequencies is the model of the documents that it was counted from."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given

import banbury
from banbury import Analyzer, Classifier
from banbury.errors import InputError
from strategies import Corpus, corpora

# The table of the first founding document.
TABLE: dict[str, Any] = {
    word: {"positive": positive, "negative": negative}
    for word, positive, negative in (
        ("I", 3, 3), ("am", 2, 2), ("happy", 2, 0), ("sad", 0, 2), ("because", 1, 1),
        ("love", 1, 0), ("hate", 0, 1), ("the", 1, 1), ("weather", 1, 1),
    )
}  # fmt: skip
TWEETS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
LABELS = ["positive", "positive", "negative", "negative"]


def test_a_table_of_frequencies_is_the_model_of_its_documents() -> None:
    ours = Classifier.from_frequencies(
        TABLE, documents={"positive": 2, "negative": 2}, totals={"positive": 11, "negative": 11}
    )
    theirs = Classifier.textbook().fit(TWEETS, LABELS)
    assert ours.counts_.occurrences == theirs.counts_.occurrences == [11, 11]
    assert ours.counts_.documents == theirs.counts_.documents
    text = "I am happy because I love ice cream"
    assert ours.decision_function([text])[0] == pytest.approx(math.log(6))
    assert str(ours.explain(text)) == str(theirs.explain(text))
    assert np.exp(ours.words(sort="count").log_probabilities).sum(axis=0) == pytest.approx([1, 1])
    rows = {row["word"]: row for row in ours.words().rows()}
    assert rows["happy"]["probability"] == pytest.approx({"positive": 0.15, "negative": 0.05})


@given(corpora(min_size=2))
def test_frequencies_of_any_corpus_give_its_model(corpus: Corpus) -> None:
    theirs = Classifier.textbook().fit(corpus.texts, corpus.labels)
    table = theirs.words()
    frequencies = {
        word: dict(zip(table.classes, counts.tolist(), strict=True))
        for word, counts in zip(table.words, table.counts, strict=True)
    }
    documents = dict(zip(theirs.counts_.classes, theirs.counts_.documents, strict=True))
    if not all(theirs.counts_.occurrences):
        return  # a class without words is refused
    ours = Classifier.from_frequencies(frequencies, documents=documents)
    assert ours.predict_proba(corpus.texts) == pytest.approx(theirs.predict_proba(corpus.texts))


def test_in_how_many_documents_a_word_stands() -> None:
    reviews = {"great": {"+": 92, "-": 5}, "waste": {"+": 0, "-": 14}}
    model = Classifier.from_frequencies(
        reviews,
        documents={"+": 500, "-": 500},
        likelihood="bernoulli",
        smoothing=None,
        analyzer=Analyzer(words="python"),
    )
    logs = dict(zip(model.classes_.tolist(), model.joint_log_likelihood(["great"])[0], strict=True))
    assert math.exp(logs["+"]) == pytest.approx(0.184 * 1 * 0.5)
    assert math.exp(logs["-"]) == pytest.approx(0.01 * 0.972 * 0.5)  # 0.00486: the founding document has it wrong


def test_rows_and_data_frames_are_tables_too() -> None:
    rows = [{"word": word, **counts} for word, counts in TABLE.items()]
    models = [Classifier.from_frequencies(table) for table in (TABLE, rows, pandas.DataFrame(rows))]
    scores = [model.decision_function(["happy weather"])[0] for model in models]
    assert scores == pytest.approx([math.log(3)] * 3)


def test_a_model_of_frequencies_learns_on_and_is_saved(tmp_path: Path) -> None:
    model = Classifier.from_frequencies(TABLE, documents={"positive": 2, "negative": 2})
    model.learn(["so happy"], ["positive"])
    assert model.counts_.documents == [2, 3]
    assert model.word("happy")["count"] == {"negative": 0, "positive": 3}
    model.save(tmp_path / "mood.banbury")
    assert banbury.load(tmp_path / "mood.banbury").predict("happy") == "positive"


@pytest.mark.parametrize(
    "table, options, message",
    [
        ({}, {}, "no words"),
        ({"a": {"x": -1, "y": 1}}, {}, "the count of 'a' with label 'x' is -1"),
        ({"a": {"x": 0.5, "y": 1}}, {}, "is 0.5; counts are whole"),
        ({"a": 3}, {}, "'a' has 3; it must have a count for each label"),
        ({"new york": {"x": 1, "y": 1}}, {}, r"'new york' is not one word; this analyzer reads \['new', 'york'\]"),
        (TABLE, {"totals": {"positive": 13, "negative": 11}}, "'positive' add up to 11, not to 13"),
        (TABLE, {"totals": {"negative": 11}}, "'positive' add up to 11, not to None"),
        (TABLE, {"documents": {"positive": 2}}, "label 'negative' has None documents"),
        (TABLE, {"documents": {"positive": 2, "negative": 0}}, "label 'negative' has 0 documents"),
        (TABLE, {"documents": {"positive": 2, "negative": 1, "neutral": 3}}, "speaks of label 'neutral'"),
        (TABLE, {"documents": {"positive": 2, "negative": 2}, "likelihood": "bernoulli"}, "'i' stands in 3 documents"),
        ({"a": {"x": 1, "y": 0}}, {}, "of label 'y' are all 0"),
        ([{"x": 1}], {}, "row 0 is {'x': 1}; it must have a column 'word'"),
        ([{"word": "a", "x": 1}, {"word": "a", "x": 1}], {}, "row 1 has the word 'a' again"),
        (TABLE, {"prior": {"positive": 1.0}}, "no probability for label 'negative'"),
        (TABLE, {"smoothing": -1}, "smoothing"),
    ],
)
def test_a_bad_table_of_frequencies_is_one_clear_error(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier.from_frequencies(table, **options)


def test_more_documents_than_can_be_counted_are_refused() -> None:
    with pytest.raises(InputError, match="more than 9007199254740992 in all"):
        Classifier.from_frequencies(TABLE, documents={"positive": 2**53, "negative": 1})
