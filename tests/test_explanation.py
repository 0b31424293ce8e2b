"""Which words decided: for one text, and as the table of all words."""

import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from banbury import Analyzer, Classifier
from banbury.errors import InputError
from strategies import LABELS, Corpus, corpora, plain_texts

TEXTS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
SIGNS = ["positive", "positive", "negative", "negative"]


def signs(**options: Any) -> Classifier:
    return Classifier.textbook(**options).fit(TEXTS, SIGNS)


def topics() -> Classifier:
    return Classifier.textbook().fit(["goal match goal", "vote law", "cell gene"], ["sport", "politics", "science"])


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "complement"])
@given(corpora(), plain_texts())
def test_an_explanation_sums_to_the_difference_of_the_scores(likelihood: str, corpus: Corpus, text: str) -> None:
    corpus = Corpus([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    model = Classifier(likelihood=likelihood, analyzer=Analyzer(ngrams=(1, 2))).fit(corpus.texts, corpus.labels)
    explanation = model.explain(text + " unheard")
    scores = dict(zip(model.classes_.tolist(), model.decision_function([text])[0], strict=True))
    assert explanation.label == model.predict(text)
    assert explanation.score == pytest.approx(scores[explanation.label] - scores[explanation.against], abs=1e-9)
    total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
    assert total == pytest.approx(explanation.score, abs=1e-9)
    assert "unheard" in explanation.unknown


def test_an_explanation_points_at_the_words_and_can_be_turned_around() -> None:
    text = "Sad? No: HAPPY, happy birthday"
    explanation = signs().explain(text)
    assert [(e.word, text[e.start : e.end], round(e.weight, 3)) for e in explanation.evidence] == [
        ("sad", "Sad", -1.099),
        ("happy", "HAPPY", 1.099),
        ("happy", "happy", 1.099),
    ]
    assert explanation.unknown == ["?", "no", "birthday"]
    assert signs().explain(text, label="negative").score == pytest.approx(-explanation.score)
    with pytest.raises(InputError, match="no class 'neutral'; this model knows 'negative', 'positive'"):
        signs().explain(text, label="neutral")
    with pytest.raises(InputError, match="label and against are both 'positive'"):
        signs().explain(text, label="positive", against="positive")


def test_without_smoothing_a_word_can_be_infinitely_strong() -> None:
    model = signs(smoothing=0)
    assert model.explain("so happy").score == math.inf == model.decision_function(["so happy"])[0]
    both = model.explain("happy, sad")  # impossible in both classes: the prior is left
    assert both.score == 0 == model.decision_function(["happy, sad"])[0]
    assert [evidence.weight for evidence in both.evidence] == [-math.inf, math.inf]
    assert "+inf" in str(both)


def test_the_table_of_words_sorts_filters_and_exports(tmp_path: Path) -> None:
    model = signs()
    assert model.words("positive", top=2).words == ["happy", "love"]
    assert model.words("negative", top=2).words == ["sad", "hate"]
    assert model.words(sort="count", top=1).words == ["i"]
    assert model.words(sort="word").words == sorted(model.words().words)
    assert len(model.words(min_count=2)) == 7
    assert len(model.words(top=0)) == 0
    table = model.words(sort="word")
    text = table.to_csv(str(tmp_path / "words.csv"))
    assert (tmp_path / "words.csv").read_text(encoding="utf-8") == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["word"] for row in rows] == table.words
    assert rows[table.words.index("happy")]["count positive"] == "2"
    assert [row["word"] for row in table] == table.words
    assert str(table.top(1)).splitlines() == [
        "word  count negative  P(w|negative)  count positive  P(w|positive)        λ",
        "am                 2           0.15               2           0.15   +0.000",
    ]
    with pytest.raises(KeyError, match="birthday"):
        table.row("birthday")
    with pytest.raises(InputError, match="cannot sort by 'age'; it can be strength, count, word"):
        model.words(sort="age")


def test_with_more_classes_a_word_is_compared_with_the_mean_of_the_others() -> None:
    row = topics().words("sport").row("goal")
    assert row["count"] == {"politics": 0, "science": 0, "sport": 2}
    chances = row["probability"]
    assert row["ratio"] == pytest.approx(chances["sport"] / ((chances["politics"] + chances["science"]) / 2))
    assert "ratio" not in topics().words().row("goal")


def test_a_table_larger_than_the_memory_is_refused() -> None:
    numbers = range(20_000)
    model = Classifier().fit([f"word{i}" for i in numbers], [f"label{i}" for i in numbers])
    with pytest.raises(InputError, match=r"the table would have 400000000 cells.*prune\(min_documents=2\)"):
        model.words()
