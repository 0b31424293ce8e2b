"""The table of words: what it says of a class, how sure that is, and where it can go."""

import csv
import io
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from banbury import Analyzer, Classifier, _kernel
from banbury.errors import InputError, MissingExtra
from banbury.results.terms import Score, explanation_of
from banbury.results.word_table import Totals, WordTable
from banbury.stats.softmax import log_differences
from hostile import HOSTILE, assert_harmless, is_visible
from small_texts import ANALYZERS, MODELS, SIGNS, TEXTS, signs, terminal
from strategies import LABELS, Corpus, corpora


def topics(**options: Any) -> Classifier:
    return Classifier.textbook(**options).fit(
        ["goal match goal", "vote law", "cell gene"], ["sport", "politics", "science"]
    )


def fitted(model: str, corpus: Corpus, **options: Any) -> Classifier:
    texts, labels = [*corpus.texts, *LABELS], [*corpus.labels, *LABELS]
    return Classifier(**{**MODELS[model], **options}).fit(texts, labels)


# What it says


def test_the_strongest_words_for_and_against_a_class_come_first() -> None:
    model = signs()
    assert model.words("positive", top=2).words == ["happy", "love"]
    assert model.words("negative", top=2).words == ["sad", "hate"]
    assert model.words("positive", sort="against", top=2).words == ["sad", "hate"]
    assert model.words("positive", sort="strength", top=4).words == ["happy", "sad", "hate", "love"]
    assert model.words(top=4).words == ["happy", "sad", "hate", "love"]
    assert model.words(sort="count", top=1).words == ["i"]
    assert model.words(sort="word").words == sorted(model.words().words)
    assert len(model.words(min_count=2)) == 7
    with pytest.raises(InputError, match="cannot sort by 'age'; it can be strength, for, against, count, word"):
        model.words(sort="age")


def test_with_more_classes_a_word_is_compared_with_the_mean_of_the_others() -> None:
    row = topics().words("sport").row("goal")
    assert row["count"] == {"politics": 0, "science": 0, "sport": 2}
    chances = row["probability"]
    assert row["ratio"] == pytest.approx(chances["sport"] / ((chances["politics"] + chances["science"]) / 2))


def test_without_a_label_each_word_speaks_of_the_class_it_speaks_for_most() -> None:
    table = topics().words()
    assert {row["word"]: row["label"] for row in table} == {
        "goal": "sport", "match": "sport", "vote": "politics", "law": "politics", "cell": "science", "gene": "science"
    }  # fmt: skip
    assert table.words[0] == "goal"
    for row in table:
        assert row["log_ratio"] == topics().word(row["word"], row["label"])["log_ratio"] > 0
    both = signs().words()
    assert {row["label"] for row in both} == {"positive"}  # of two classes the second


def test_any_two_classes_can_be_compared() -> None:
    table = topics().words("sport", against="politics")
    chances = table.row("goal")["probability"]
    assert table.row("goal")["ratio"] == pytest.approx(chances["sport"] / chances["politics"])
    assert table.row("cell")["log_ratio"] == pytest.approx(math.log((4 + 6 - 1) / 9 * 8 / 9))
    assert topics().words("politics", against="sport").row("goal")["log_ratio"] == -table.row("goal")["log_ratio"]
    with pytest.raises(InputError, match="label and against are both 'sport'"):
        topics().words("sport", against="sport")
    with pytest.raises(InputError, match="against is 'sport'; name the label that it is compared with, too"):
        topics().words(against="sport")
    with pytest.raises(InputError, match="no class 'art'; this model knows 'politics', 'science', 'sport'"):
        topics().words("sport", against="art")


def test_one_word_can_be_looked_up() -> None:
    model = signs()
    assert model.word("happy") == model.words().row("happy", level=0.95)
    assert model.word("happy", "negative")["log_ratio"] == pytest.approx(-math.log(3))
    assert topics().word("goal", "sport", against="science") == topics().words("sport", against="science").row(
        "goal", level=0.95
    )
    with pytest.raises(KeyError, match="'birthday' was never seen"):
        model.word("birthday")
    with pytest.raises(KeyError, match="'Happy' was never seen; documents have it as 'happy'"):
        model.word("Happy")
    with pytest.raises(KeyError, match="birthday"):
        model.words().row("birthday")


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=15)
@given(corpora())
def test_probabilities_are_those_of_the_plain_likelihood(model: str, corpus: Corpus) -> None:
    # The automatic model's are those of the multinomial with a smoothing of 1.
    given: dict[str, Any] = {} if model in ("automatic", "best") else {"smoothing": 0.5, "calibration": None}
    classifier = fitted(model, corpus, analyzer=Analyzer(words="python"), **given)
    table = classifier.words()
    # The complement's weights are no probabilities: those are the multinomial's.
    likelihood = "bernoulli" if table.model == "bernoulli" else "multinomial"
    plain = Classifier.textbook(
        likelihood=likelihood,
        smoothing=given.get("smoothing", 1.0),
        vocabulary=classifier.vocabulary,
        analyzer=Analyzer(words="python"),
    )
    expected = {row["word"]: row for row in plain.fit([*corpus.texts, *LABELS], [*corpus.labels, *LABELS]).words()}
    for row in table:
        assert row["probability"] == pytest.approx(expected[row["word"]]["probability"])
        assert all(0 < chance <= 1 for chance in row["probability"].values())


@pytest.mark.parametrize("analyzer", ANALYZERS)
@settings(max_examples=12)
@given(st.sampled_from(sorted(MODELS)), corpora(), st.integers(2, 3))
def test_a_weight_for_a_document_of_one_word_is_what_an_explanation_adds_for_it(
    analyzer: str, model: str, corpus: Corpus, n_classes: int
) -> None:
    labels = LABELS[:n_classes]
    rows = [row for row, label in enumerate(corpus.labels) if label in labels]
    corpus = corpus.pick(rows)
    classifier = Classifier(analyzer=ANALYZERS[analyzer], **MODELS[model])
    classifier.fit([*corpus.texts, *labels], [*corpus.labels, *labels])
    learned = classifier.model_.of_texts("")
    reading = learned.reading(classifier.settings)
    if isinstance(reading.scorer, _kernel.TrustScorer):
        by_class = np.asarray(reading.scorer.weights(None, 1, [1.0] * 9))
    else:
        by_class = np.asarray(reading.scorer.weights(None, 1, 1.0))
    names = learned.counts.features().names
    kind = {row["word"]: row["kind"] for row in classifier.words("negative", against="positive")}
    told = log_differences(
        by_class[:, reading.classes.index("negative")], by_class[:, reading.classes.index("positive")]
    )
    weights = {(word, kind[word]): weight for word, weight in zip(names, told.tolist(), strict=True)}
    for word in WORDS:
        evidence = classifier.explain(word, label="negative", against="positive").evidence
        if model.startswith("bernoulli"):  # there, the absence of a word is evidence of its own
            _, terms = reading.terms(word)
            score = Score(reading.classes, [0.0] * n_classes, [0.0] * n_classes, terms)
            how: dict[str, Any] = {"label": "negative", "against": "positive", "unit": "nats"}
            evidence = explanation_of(score, text=word, row=None, **how).evidence
        kinds = {feature: kind for feature, kind in weights if feature == word}
        whole = [one for one in evidence if (one.start, one.end) == (0, len(word)) and one.word == word]
        if len(whole) == 1 and len(kinds) == 1 and ANALYZERS[analyzer].characters is None:
            assert weights[word, kinds[word]] == pytest.approx(whole[0].weight, abs=1e-12)


WORDS = ["good", "bad", "film", "plot", "great", "dull", "negative", "neutral"]


def test_a_class_without_a_word_of_its_own_is_compared_without_a_warning() -> None:
    model = Classifier.textbook(vocabulary="class").fit(["good good", "", ""], ["full", "empty", "bare"])
    assert model.words("empty", against="bare").row("good")["log_ratio"] == 0.0
    assert model.words("full", against="bare").row("good")["log_ratio"] == math.inf
    for label in ("full", "empty"):
        assert "good" in str(model.words(label))
        low, high = model.word("good", label, against="bare")["log_ratio_interval"]
        assert math.isfinite(low)
        assert low < high


def test_the_complement_has_weights_and_the_table_says_which_is_which() -> None:
    table = topics(likelihood="complement").words("sport")
    row = table.row("goal")
    assert row["probability"]["sport"] == pytest.approx((2 + 1) / (3 + 6))
    assert row["weight"] == pytest.approx(topics(likelihood="complement").explain("goal", label="sport").score, rel=0.5)
    assert row["weight"] != pytest.approx(row["log_ratio"])
    assert "what the complement adds" in table._repr_html_()
    assert "weight" in str(table)
    assert "weight" not in str(topics().words("sport"))


def test_words_and_characters_of_the_same_name_are_told_apart() -> None:
    model = Classifier.textbook(analyzer=Analyzer(characters=(2, 3))).fit(["ab abc ab", "ab cd cd"], ["x", "y"])
    rows = [row for row in model.words() if row["word"] == "ab"]
    assert {row["kind"]: row["count"] for row in rows} == {
        "word": {"x": 2, "y": 1}, "characters": {"x": 3, "y": 1}
    }  # fmt: skip
    assert (
        Classifier.textbook(analyzer=Analyzer(ngrams=(2, 3))).fit(["a b c"], ["x"]).word("a b c")["kind"] == "3 words"
    )


def test_a_table_larger_than_the_memory_is_refused() -> None:
    numbers = range(20_000)
    model = Classifier().fit([f"word{i}" for i in numbers], [f"label{i}" for i in numbers])
    with pytest.raises(InputError, match=r"the table would have 400000000 cells.*prune\(min_documents=2\)"):
        model.words()
    assert model.word("word7")["count"]["label7"] == 1


# How sure that is


def table_of(counts: list[int], smoothing: float, *, size: int = 1000, n_words: int = 500) -> WordTable:
    """One word, seen so often in classes of the same size; it speaks of the last one."""
    logs = np.log([[(count + smoothing) / (size + smoothing * n_words) for count in counts]])
    numbers, array = list(range(len(counts))), np.array([counts])
    sizes = [size] * len(counts)
    return WordTable(
        numbers, ["w"], np.array([1]), array, array, logs, logs, numbers[-1], smoothing=smoothing, sizes=sizes
    )


@pytest.mark.parametrize("smoothing", [0.1, 1.0])
@pytest.mark.parametrize("counts", [[0, 2], [0, 0], [5, 20], [130, 100], [1, 3, 0, 0, 7], [0] * 9 + [4]], ids=str)
def test_what_is_not_known_lies_inside_its_interval_as_often_as_it_says(counts: list[int], smoothing: float) -> None:
    level = 0.95
    table = table_of(counts, smoothing)
    random = np.random.default_rng(7)
    failures = 1000 + 500 * smoothing - np.array(counts) - smoothing
    drawn = random.beta(np.array(counts) + smoothing, failures, (40_000, len(counts)))
    low, high = table.probability_intervals(level)
    assert np.mean((low < drawn) & (drawn < high), axis=0) == pytest.approx(level, abs=0.01)
    with np.errstate(divide="ignore"):
        ratios = np.log(drawn[:, -1]) - np.log(drawn[:, :-1].mean(axis=1))
    start, end = table.log_ratio_intervals(level)
    # Of a difference of two skewed logarithms the interval is an approximation.
    assert np.mean((start < ratios) & (ratios < end)) == pytest.approx(level, abs=0.025)


@settings(max_examples=15)
@given(st.sampled_from(sorted(MODELS)), corpora())
def test_every_number_lies_inside_its_interval(model: str, corpus: Corpus) -> None:
    # The mean of a Beta distribution with less than this can lie outside of 90 % of it.
    classifier = fitted(model, corpus, **({} if model in ("automatic", "best") else {"smoothing": 0.5}))
    for label in (None, "negative"):
        for row in classifier.words(label).rows(level=0.9):
            for name, chance in row["probability"].items():
                low, high = row["probability_interval"][name]
                assert 0 <= low <= chance + 1e-9
                assert chance - 1e-9 <= high <= 1
            low, high = row["log_ratio_interval"]
            assert low - 1e-9 <= row["log_ratio"] <= high + 1e-9


def test_without_smoothing_the_interval_is_finite_and_a_certainty_has_none() -> None:
    row = signs(smoothing=0).word("happy", "positive")
    assert row["log_ratio"] == math.inf
    assert all(map(math.isfinite, row["log_ratio_interval"]))
    everywhere = (
        Classifier.textbook(likelihood="bernoulli", smoothing="document").fit(["a b", "a"], ["x", "y"]).word("a", "x")
    )
    assert everywhere["log_ratio_interval"] == (0, 0)
    assert Classifier.textbook().fit(["a"], ["only"]).word("a")["log_ratio_interval"] == (0, 0)


def test_intervals_become_narrow_with_more_documents() -> None:
    few, many = (signs().fit(TEXTS * n, SIGNS * n).word("weather")["log_ratio_interval"] for n in (1, 100))
    assert many[1] - many[0] < (few[1] - few[0]) / 5


# Totals


def test_totals_are_of_all_words_whichever_the_table_shows() -> None:
    whole = signs().words()
    assert whole.totals == Totals([11, 11], [2, 2], [7, 7], 9)
    assert whole.totals.counts == whole.counts.sum(axis=0).tolist()
    assert whole.totals.vocabulary == (whole.counts > 0).sum(axis=0).tolist()
    for part in (whole.top(2), signs().words("positive", min_count=3), signs().words(min_documents=2)):
        assert part.totals == whole.totals


def test_totals_of_many_classes_are_those_of_the_label_and_of_the_others() -> None:
    table = topics().words("sport")
    n_sport = int(table.counts[:, table.classes.index("sport")].sum())
    total, distinct = (line.split() for line in str(table).splitlines()[-2:])
    assert total == ["total", str(n_sport), str(int(table.counts.sum()) - n_sport)]
    assert distinct[0] == "distinct"
    total, distinct = (line.split() for line in str(topics().words()).splitlines()[-2:])
    assert (total, distinct) == (["total", str(int(table.counts.sum()))], ["distinct", str(len(table))])
    assert "<tfoot>" in table._repr_html_()


# Where it can go


def test_a_table_prints_its_head_and_with_a_label_its_tail() -> None:
    table = signs().words(sort="word")
    assert str(table.top(1)).splitlines() == [
        "word      count negative  P(w|negative)  count positive  P(w|positive)       λ   95% interval",
        "am                     2           0.15               2           0.15  +0.000  -1.69 … +1.69",
        "total                 11                             11",
        "distinct               7                              7",
    ]
    assert repr(table) == "<WordTable: 9 words for positive rather than negative: am, because, happy …>"
    names = [f"w{number:02}" for number in range(40)]
    model = Classifier.textbook().fit([" ".join(names[:20]), " ".join(names[20:])], ["x", "y"])
    lines = str(model.words("x")).splitlines()
    assert [line.split()[0] for line in lines[1:11]] == names[:10]
    assert lines[11] == "… 20 more"
    assert [line.split()[0] for line in lines[12:]] == [*names[30:], "total", "distinct"]
    assert str(model.words()).splitlines()[-3] == "… and 20 more"
    assert str(topics().words()).splitlines()[0].split() == [
        "word",
        "label",
        "count",
        "elsewhere",
        "P(w|label)",
        "λ",
        "95%",
        "interval",
    ]


def test_csv_goes_out_and_comes_back(tmp_path: Path) -> None:
    model = signs()
    table = model.words(sort="word")
    text = table.to_csv(tmp_path / "words.csv")
    assert (tmp_path / "words.csv").read_text(encoding="utf-8") == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["word"] for row in rows] == table.words
    happy = rows[table.words.index("happy")]
    assert happy["count positive"] == "2"
    assert float(happy["log_ratio"]) == table.row("happy")["log_ratio"]
    assert float(happy["probability positive low"]) == model.word("happy")["probability_interval"]["positive"][0]


def test_what_a_spreadsheet_would_run_is_escaped_and_comes_back() -> None:
    model = Classifier.textbook(analyzer=Analyzer(words=None, characters=(1, 2), lowercase=False))
    table = model.fit(["=1+1 @x -a +b 'q \t=z", "b"], ["=bad", "@worse"]).words(sort="word")
    rows = list(csv.reader(io.StringIO(table.to_csv())))
    assert not any(cell.startswith(("=", "+", "@", "\t")) for row in rows for cell in row if not _is_number(cell))
    assert [re.sub("^'(?='*[=+@\\t-])", "", row[0]) for row in rows[1:]] == table.words
    plain = list(csv.reader(io.StringIO(table.to_csv(escape=False))))
    assert [row[0] for row in plain[1:]] == table.words
    assert "=1" in table.words


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_parquet_and_data_frames_hold_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = topics().words()
    for number, library in enumerate(["arro3", "pyarrow"]):
        path = tmp_path / f"{number}.parquet"
        table.to_parquet(path)
        frame = pl.read_parquet(path)
        assert frame.columns == list(table.columns())
        assert frame.to_dict(as_series=False) == table.columns(), library
        monkeypatch.setitem(sys.modules, "arro3.io", None)
    assert table.to_frame().to_dict("list") == table.columns()
    assert isinstance(table.to_frame(), pd.DataFrame)
    assert table.to_frame("polars").equals(pl.DataFrame(table.columns()))
    table.where(min_count=10**9).to_parquet(tmp_path / "empty.parquet")
    assert len(pl.read_parquet(tmp_path / "empty.parquet")) == 0


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("arro3.io", "pyarrow.parquet", "pandas"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"banbury\[parquet\]"):
        topics().words().to_parquet(tmp_path / "x.parquet")
    with pytest.raises(MissingExtra, match="pip install pandas"):
        topics().words().to_frame()
    with pytest.raises(InputError, match="library is 'excel'; it can be 'pandas' or 'polars'"):
        topics().words().to_frame("excel")


@pytest.mark.parametrize("number", range(0, len(HOSTILE), 8))
def test_hostile_words_and_labels_break_out_of_no_table(number: int, tmp_path: Path) -> None:
    labels = sorted({*HOSTILE[number : number + 8], "x"})
    model = Classifier.textbook(analyzer=Analyzer(punctuation="all", ngrams=(1, 2)))
    model.fit([f"{label} a" for label in labels], labels)
    for table in (model.words(), model.words("x"), model.words(labels[0], against=labels[-1])):
        assert_harmless(table._repr_html_())
        assert is_visible(str(table).replace("\n", ""))
        assert is_visible(repr(table))
        assert is_visible(terminal(table, width=200).replace("\n", ""))
    model.words().to_csv(tmp_path / "words.csv")
    model.words().to_parquet(tmp_path / "words.parquet")
    assert len(pl.read_parquet(tmp_path / "words.parquet")) == len(model.words())


def test_the_reference_has_the_same_ratios() -> None:
    trained = reference.Model(reference.train([text.lower().split() for text in TEXTS], SIGNS))
    for row in signs().words("positive"):
        ours, theirs = (trained.probability(row["word"], label) for label in ("positive", "negative"))
        assert row["ratio"] == pytest.approx(ours / theirs)
