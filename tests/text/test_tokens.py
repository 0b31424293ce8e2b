"""Documents that are already tokens: what they become, and that every door takes them."""

import copy
import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer, Classifier, Ranker, SenseTagger, Text, Tokens
from banbury.apps.labelling import Labelling
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.text.tokens import as_document, from_marked, is_document

TEXTS = ["free money now", "lunch at noon", "free lunch money", "noon meeting today"]
TOKENS = [text.split() for text in TEXTS]
LABELS = ["spam", "ham", "spam", "ham"]


class Word:
    def __init__(self, text: str) -> None:
        self.text = text


class Doc:
    """What spaCy's `Doc` looks like: it has a text, and its tokens have theirs."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    @property
    def text(self) -> str:
        return " ".join(self._words)

    def __iter__(self) -> Iterator[Word]:
        return map(Word, self._words)


def cut(texts: list[str]) -> list[list[str]]:
    return [[token.text for token in Analyzer().tokens(text)] for text in texts]


def features(document: Any, **settings: Any) -> str:
    return " | ".join(feature.text for feature in Analyzer(**settings).features(document))


# What tokens become ---------------------------------------------------------------------------------------------------


def test_a_token_is_a_word_whatever_it_looks_like() -> None:
    document = ["New York", "http://x.y", "<b>", ",", "n't", " ", "", "GREAT"]
    assert features(document) == "new_york | http://x.y | <b> | , | n't | great"
    for settings in ({"words": "python"}, {"punctuation": "none", "urls": "remove", "tags": "remove"}):
        assert features(document, **settings) == features(document)


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({"lowercase": False}, "Not | Good | Dogs | . | Fine"),
        ({"stop_words": ["dogs"]}, "not | good | . | fine"),
        ({"stemmer": "english"}, "not | good | dog | . | fine"),
        ({"min_length": 4}, "good | dogs | . | fine"),
        ({"negation": True}, "not | not_good | not_dogs | . | fine"),
        ({"keywords": ["good"]}, "good"),
        ({"ngrams": (2, 2)}, "not good | good dogs | dogs . | . fine"),
        (
            {"words": None, "characters": (4, 4)},
            " not | not  |  goo | good | ood  |  dog | dogs | ogs  |  .  |  fin | fine | ine ",
        ),
    ],
)
def test_what_is_done_with_words_is_done_with_tokens(settings: dict[str, Any], expected: str) -> None:
    assert features(["Not", "Good", "Dogs", ".", "Fine"], **settings) == expected


words = st.text("aBé1", min_size=1, max_size=4)


@given(st.lists(words, max_size=8))
def test_words_of_a_text_are_its_tokens_and_stand_at_the_same_places(tokens: list[str]) -> None:
    text = " ".join(tokens)
    for analyzer in (Analyzer(ngrams=(1, 2), characters=(2, 3)), Analyzer(words="python", negation=True)):
        assert analyzer.features(tokens) == analyzer.features(text)


@given(st.lists(st.text(max_size=6), max_size=6))
def test_any_tokens_are_shown_kept_and_marked_the_same_way(tokens: list[str]) -> None:
    document = Tokens(tokens)
    assert str.__str__(document) == " ".join(document.tokens)
    assert from_marked(document.marked) == pickle.loads(pickle.dumps(document)) == copy.deepcopy(document) == document
    assert hash(from_marked(document.marked)) == hash(document)
    for feature in Analyzer(ngrams=(1, 2), characters=(2, 2)).features(document):
        assert 0 <= feature.start <= feature.end <= len(document)


def test_tokens_are_one_document_and_equal_only_to_the_same_tokens() -> None:
    assert Tokens(["ice cream"]) != Tokens(["ice", "cream"]) != "ice cream"
    assert Tokens(["ice", "cream"]) == Tokens(("ice", "cream"))
    assert repr(Tokens(["a", "b"])) == "Tokens(['a', 'b'])"
    assert json.dumps(Tokens(["a", "b"])) == '"a b"'
    assert is_document(Tokens(["a"]))
    assert is_document(Doc(["a"]))
    assert not is_document(["a"])
    assert not is_document(3)
    assert as_document(Doc(["a", "b"])) == Tokens(["a", "b"])


def test_no_text_passes_for_tokens() -> None:
    model = Classifier.textbook().fit(TEXTS, LABELS)
    assert features("\ufdd0free money") == features("free money") == "free | money"
    assert model.probabilities("\ufdd0free money") == model.probabilities("free money")
    pyarrow = pytest.importorskip("pyarrow")
    assert (
        model.predict_proba(pyarrow.array(["\ufdd0free money"])).tolist()
        == model.predict_proba(["free money"]).tolist()
    )
    assert Tokens(["a\ufdd0b"]).tokens == ("a\ufffdb",)


# Every door -----------------------------------------------------------------------------------------------------------


def counted(model: Classifier) -> dict[str, bytes]:
    return model.counts_.kernel.arrays()


@pytest.mark.parametrize("given", [TOKENS, list(map(Tokens, TOKENS)), list(map(Doc, TOKENS)), list(map(tuple, TOKENS))])
def test_a_model_learns_the_same_from_tokens_and_from_text(given: list[Any]) -> None:
    model, other = Classifier.textbook().fit(TEXTS, LABELS), Classifier.textbook().fit(given, LABELS)
    assert counted(model) == counted(other)
    assert counted(other.learn(given, LABELS).forget(TEXTS, LABELS)) == counted(model)
    assert counted(Classifier.textbook().fit_batches([(given[:2], LABELS[:2]), (given[2:], LABELS[2:])])) == counted(
        model
    )
    assert other.predict(given).tolist() == model.predict(TEXTS).tolist()
    assert other.predict_proba(given).tolist() == model.predict_proba(TEXTS).tolist()
    assert other.score(given, LABELS) == model.score(TEXTS, LABELS)


def test_one_document_can_be_tokens_where_one_document_is_meant() -> None:
    model = Classifier.textbook().fit(TOKENS, LABELS)
    for document in (Tokens(["free", "lunch"]), Doc(["free", "lunch"])):
        assert model.predict(document) == model.predict("free lunch")
    alone: list[Any] = [["free", "lunch"], ("free", "lunch"), Tokens(["free", "lunch"]), Doc(["free", "lunch"])]
    for document in alone:
        assert model.probabilities(document) == model.probabilities("free lunch")
        assert str(model.explain(document)) == str(model.explain("free lunch"))


def test_an_explanation_of_tokens_points_into_tokens_with_a_space_between_them() -> None:
    model = Classifier.textbook().fit([["New York", "rocks"], ["so", "dull"]], ["good", "bad"])
    explanation = model.explain(["New York", "is", "so", "so"])
    assert explanation.text == "New_York is so so"
    spans = [explanation.text[part.start : part.end] for part in explanation.evidence]
    assert spans == ["New_York", "so", "so"]
    assert "New_York" in explanation._repr_html_()


def test_the_automatic_model_and_its_report_take_tokens() -> None:
    texts, labels = demo()
    tokens = cut(texts)
    model = Classifier().fit(tokens[::2], labels[::2])
    report = model.evaluate(tokens[1::2], labels[1::2])
    assert model.report_.accuracy > 0.9
    assert report.accuracy > 0.9
    mistake = report.mistakes(1)[0]
    assert mistake.explanation.text == " ".join(tokens[1::2][mistake.index])
    assert "negative" in report._repr_html_()
    assert model.diagnose(tokens, labels).duplicates.n_repeats == 0
    assert len(model.what_to_label_next(tokens, top=2)) == 2
    more = Classifier().fit(tokens[::2], labels[::2], unlabelled=tokens[1::2])
    assert len(more.unlabelled_.labels) == 300


def test_columns_of_tables_rankers_senses_and_labelling_take_tokens() -> None:
    rows = {"body": TOKENS, "links": [3, 0, 2, 0]}
    model = Classifier().fit(rows, LABELS)
    assert isinstance(model.columns_["body"], Text)
    assert model.predict({"body": Tokens(["free", "money"]), "links": 3}) == "spam"
    ranker = Ranker(TOKENS)
    assert [hit.index for hit in ranker.search(["free", "money"])] == [hit.index for hit in ranker.search("free money")]
    tagger = SenseTagger("bank").fit([Tokens(["river", "bank"]), Tokens(["money", "bank"])], ["land", "firm"])
    assert tagger.predict(Tokens(["a", "bank", "of", "the", "river"])) == "land"
    assert Labelling(TOKENS, {0: "spam", 1: "ham"}).next() in {2, 3}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_a_column_of_lists_of_any_library_is_documents_of_tokens(library: str) -> None:
    if library == "numpy":
        column: Any = np.empty(len(TOKENS), dtype=object)
        column[:] = TOKENS
    else:
        module = pytest.importorskip(library)
        column = module.array(TOKENS) if library == "pyarrow" else module.Series(TOKENS)
    assert counted(Classifier.textbook().fit(column, LABELS)) == counted(Classifier.textbook().fit(TEXTS, LABELS))


def test_scikit_learn_splits_lists_of_tokens() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    texts, labels = demo()
    tokens = cut(texts)
    scores = [selection.cross_val_score(Classifier.textbook(), given, labels, cv=3) for given in (texts, tokens)]
    assert scores[0].tolist() == scores[1].tolist()


def test_a_document_of_spacy_is_taken_as_it_comes() -> None:
    model = Classifier.textbook().fit(TEXTS, LABELS)
    document = pytest.importorskip("spacy", reason="spaCy is too heavy to be installed for one test").blank("en")(
        "Free money, isn't it?"
    )
    assert model.predict(document) == model.predict([document])[0] == "spam"
    assert [part.word for part in model.explain(document).evidence] == ["free", "money"]


@pytest.mark.parametrize(
    "documents, message",
    [
        ([["a", 3]], "document 0: token 1 is 3, of type int; a token is a str"),
        ([["a"], [("dog", "NN")]], r"document 1: token 0 is \('dog', 'NN'\), of type tuple"),
        ([["a"], None], "document 1 is None; each document must be a str or a list of tokens"),
        ([["a"], b"b"], "document 1 is bytes"),
        ([["a"], {"a": 1}], "document 1 is of type dict"),
        (Tokens(["a", "b"]), "expected a list of documents, not one"),
        (Doc(["a", "b"]), "each document must be a str or a list of tokens"),
    ],
)
def test_what_is_no_token_is_named_and_nothing_is_learned(documents: Any, message: str) -> None:
    model = Classifier.textbook().fit(TEXTS, LABELS)
    before = counted(model)
    with pytest.raises(InputError, match=message):
        model.learn(documents, ["spam", "ham"])
    assert counted(model) == before
    with pytest.raises(InputError, match="the text is 3; it must be a str, or a list of tokens"):
        model.explain(3)
