"""Words between white space: which evidence lies in them, and what it weighs together."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Analyzer, Classifier
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.explanation import Evidence, Explanation
from banbury.results.word_weights import LONGEST_WORD, Words
from small_texts import ANALYZERS, MODELS
from strategies import LABELS, Corpus, corpora, texts


def _total(explanation: Explanation) -> float:
    return math.fsum([explanation.prior, *(one.weight for one in explanation.evidence)])


@pytest.mark.parametrize("analyzer", ANALYZERS)
@settings(max_examples=30)
@given(model=st.sampled_from(sorted(MODELS)), corpus=corpora(text=texts()), text=texts())
def test_by_words_at_once_is_the_explanation_summed_by_words(
    analyzer: str, model: str, corpus: Corpus, text: str
) -> None:
    classifier = Classifier(analyzer=ANALYZERS[analyzer], **MODELS[model])
    classifier.fit([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    whole = classifier.explain(text)
    plain, quick = whole.by_words(), classifier.explain(text, by="words")
    size = max(1.0, math.fsum(abs(one.weight) for one in whole.evidence))
    assert [one._replace(weight=0.0) for one in plain.evidence] == [one._replace(weight=0.0) for one in quick.evidence]
    for one, other in zip(plain.evidence, quick.evidence, strict=True):
        assert one.weight == pytest.approx(other.weight, abs=1e-12 * size)
    assert plain.unknown == quick.unknown
    for summed in (plain, quick):
        assert _total(summed) == pytest.approx(whole.score, abs=1e-12 * size)
        assert summed.score == pytest.approx(whole.score, abs=1e-12 * size)
        assert (summed.label, summed.against, summed.prior, summed.changes, summed.probabilities) == (
            whole.label, whole.against, whole.prior, whole.changes, whole.probabilities
        )  # fmt: skip


def test_a_pair_is_shared_by_its_words_and_signs_around_a_word_are_no_part_of_its_name() -> None:
    model = Classifier.textbook(analyzer=Analyzer(ngrams=(1, 2))).fit(["so happy", "so sad"], ["good", "bad"])
    text = "So »happy« zog"
    explanation = model.explain(text, by="words")
    # "so happy" and "happy" were counted once and never, of 3 features; with smoothing of 3 + 5.
    pair = math.log(2 / 8) - math.log(1 / 8)
    assert [(one.word, text[one.start : one.end]) for one in explanation.evidence] == [
        ("So", "So"),
        ("happy", "»happy«"),
    ]
    assert [one.weight for one in explanation.evidence] == pytest.approx([pair / 2, pair / 2 + pair])
    assert explanation.unknown == ["zog"]
    assert explanation.unknown_share == pytest.approx(1 / 3)


def test_a_row_has_the_words_of_its_texts_and_its_other_values_as_they_are() -> None:
    rows = {"note": ["so happy", "so sad", "very happy", "very sad"] * 3, "age": [1.0, 2.0, 3.0, 4.0] * 3}
    model = Classifier(columns={"note": "text", "age": "number"}).fit(rows, ["good", "bad"] * 6)
    row = {"note": "so so happy", "age": 2.0}
    whole, explanation = model.explain(row), model.explain(row, by="words")
    assert _total(explanation) == pytest.approx(whole.score)
    assert explanation.columns == pytest.approx(whole.columns)
    assert [one.word for one in explanation.evidence if one.column == "note"] == ["so", "so", "happy"]


def test_words_of_a_text_and_what_lies_between_them() -> None:
    words = Words(" so  happy ")
    assert words.bounds == [(1, 3), (5, 10)]
    assert words.weights([Evidence("so", 1.0, 1, 3), Evidence(" ha", 2.0, 4, 7)]) == [(1, 3, 1.0), (5, 10, 2.0)]
    assert words.sums(np.array([[1, 3], [4, 7]]), np.array([1.0, 2.0])) == [(0, 1.0), (1, 2.0)]
    assert words.sums(np.array([[3, 5]]), np.array([1.0])) is None  # the space between two words
    assert words.sums(np.zeros((0, 2), dtype=int), np.zeros(0)) == []


def test_a_long_run_of_a_script_without_spaces_is_taken_sign_by_sign() -> None:
    text = "日" * (LONGEST_WORD + 1)
    assert Words(text).bounds == [(place, place + 1) for place in range(len(text))]
    assert Words(text).name(3) == "日"
    assert Words("a" * 1000).bounds == [(0, 1000)]


@pytest.mark.parametrize("text, name", [("(well-known)", "well-known"), ("…", "…"), ("<url>", "<url>"), ("$5.", "$5")])
def test_the_name_of_a_word(text: str, name: str) -> None:
    assert Words(text).name(0) == name


def test_what_an_explanation_can_be_by() -> None:
    model = Classifier.textbook().fit(["so happy", "so sad"], ["good", "bad"])
    with pytest.raises(InputError, match="by is 'letters'; it can be 'features' or 'words'"):
        model.explain("happy", by="letters")
