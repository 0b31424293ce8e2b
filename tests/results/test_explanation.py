"""Why a text is of its class: weights that sum to the score, places that can be found, nothing that breaks out."""

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Analyzer, Classifier, Poisson, Text
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.results.explanation import Evidence, Explanation, shared
from banbury.results.terms import MOST_ABSENT
from hostile import HOSTILE, Look, assert_harmless, hostile_texts, is_visible
from small_texts import ANALYZERS, MODELS, SIGNS, TEXTS, signs, terminal
from strategies import LABELS, Corpus, corpora, texts

PRIORS = st.sampled_from([None, "uniform", dict(zip(LABELS, (0.7, 0.2, 0.1), strict=True))])


@pytest.mark.parametrize("analyzer", ANALYZERS)
@settings(max_examples=24)
@given(
    model=st.sampled_from(sorted(MODELS)),
    corpus=corpora(text=texts()),
    text=texts(),
    n_classes=st.integers(2, 3),
    prior=PRIORS,
)
def test_an_explanation_sums_to_the_difference_of_the_scores(
    analyzer: str, model: str, corpus: Corpus, text: str, n_classes: int, prior: Any
) -> None:
    labels = LABELS[:n_classes]
    prior = dict.fromkeys(labels, 1 / n_classes) if isinstance(prior, dict) and n_classes < 3 else prior
    kept = [row for row, label in enumerate(corpus.labels) if label in labels]
    corpus = Corpus([*corpus.pick(kept).texts, *labels], [*corpus.pick(kept).labels, *labels])
    classifier = Classifier(analyzer=ANALYZERS[analyzer], **MODELS[model]).fit(corpus.texts, corpus.labels)
    probabilities = classifier.predict_proba([text], prior=prior)[0]
    scores = classifier.decision_function([text], prior=prior)
    by_label = dict(zip(sorted(labels), scores[0] if n_classes > 2 else (0.0, scores[0]), strict=True))

    explanation = classifier.explain(text, prior=prior)
    assert explanation.label == classifier.predict(text, prior=prior)
    others = {label: score for label, score in by_label.items() if label != explanation.label}
    assert by_label[str(explanation.against)] == max(others.values())
    assert explanation.probabilities == dict(zip(sorted(labels), probabilities, strict=True))
    for label in labels:
        for against in set(labels) - {label}:
            explanation = classifier.explain(text, label=label, against=against, prior=prior)
            # A sum of floats is as exact as the numbers that were added are large.
            size = max(1.0, math.fsum(abs(one.weight) for one in explanation.evidence))
            total = math.fsum([explanation.prior, *(one.weight for one in explanation.evidence)])
            assert total == pytest.approx(explanation.score, abs=1e-12 * size)
            if by_label[label] == by_label[against] == -math.inf:
                continue  # two impossible classes, of which one can still be the likelier one
            assert explanation.score == pytest.approx(by_label[label] - by_label[against], abs=1e-12 * size)
            chances = explanation.probabilities
            if min(chances[label], chances[against]) > 1e-9:
                assert math.log(chances[label] / chances[against]) == pytest.approx(explanation.score, abs=1e-6)


@pytest.mark.parametrize("analyzer", ANALYZERS)
@settings(max_examples=20)
@given(corpus=corpora(text=texts()), text=texts())
def test_places_point_at_the_text_they_came_from(analyzer: str, corpus: Corpus, text: str) -> None:
    rule = ANALYZERS[analyzer]
    model = Classifier.textbook(analyzer=rule).fit([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    explanation = model.explain(text)
    features = [(one.text, one.start, one.end) for one in rule.features(text)]
    known = [(one.word, one.start, one.end) for one in explanation.evidence]
    assert len(known) + len(explanation.unknown) == len(features)
    assert set(known) <= set(features)
    for word, start, end in known:
        assert start is not None
        assert end is not None
        assert 0 <= start <= end <= len(text)
        assert start < end or word == " "  # the space that characters have before and after a word
        if rule == ANALYZERS["words"] and not word.startswith("<"):
            # A word is spelled with plain apostrophes and hyphens, and without soft hyphens.
            assert text[start:end].lower().translate({0xAD: None, **str.maketrans("’‐‑", "'--")}) == word


def test_an_explanation_points_at_the_words_and_can_be_turned_around() -> None:
    text = "Sad? No: HAPPY, happy birthday"
    explanation = signs().explain(text)
    assert [(e.word, text[e.start : e.end], round(e.weight, 3)) for e in explanation.evidence] == [
        ("sad", "Sad", -1.099),
        ("happy", "HAPPY", 1.099),
        ("happy", "happy", 1.099),
    ]
    assert explanation.unknown == ["?", "no", "birthday"]
    assert explanation.unknown_share == 0.5
    assert signs().explain(text, label="negative").score == pytest.approx(-explanation.score)
    assert signs().explain(text, against="positive").label == "negative"
    with pytest.raises(InputError, match="no class 'neutral'; this model knows 'negative', 'positive'"):
        signs().explain(text, label="neutral")
    with pytest.raises(InputError, match="label and against are both 'positive'"):
        signs().explain(text, label="positive", against="positive")


def test_with_more_classes_the_runner_up_is_what_it_is_compared_with() -> None:
    model = Classifier.textbook().fit(["goal goal", "vote goal", "gene"], ["sport", "politics", "science"])
    explanation = model.explain("goal")
    assert (explanation.label, explanation.against) == ("sport", "politics")
    assert list(explanation.probabilities) == ["politics", "science", "sport"]
    assert model.explain("goal", label="politics").against == "sport"


@pytest.mark.parametrize("likelihood", ["automatic", "bernoulli"])
def test_where_presences_count_a_repeated_word_is_listed_without_weight(likelihood: str) -> None:
    model = Classifier(likelihood=likelihood, analyzer=Analyzer()).fit(TEXTS * 5, SIGNS * 5)
    first, second = (part for part in model.explain("happy happy").evidence if part.kind == "word")
    assert (first.start, second.start) == (0, 6)
    assert first.weight > 0 == second.weight
    assert str(model.explain("happy happy")).count("counted above") == 1
    assert "counted above" not in str(signs().explain("happy happy"))


def test_words_and_characters_of_the_same_name_are_told_apart() -> None:
    model = Classifier.textbook(analyzer=Analyzer(characters=(2, 3))).fit(["ab abc", "ab cd cd"], ["x", "y"])
    names = [one.name for one in model.explain("ab cd").evidence]
    assert names[:2] == ["ab", "cd"]
    assert names[2:] == ["‹ a›", "‹ab›", "‹b ›", "‹ ab›", "‹ab ›", "‹ c›", "‹cd›", "‹d ›", "‹ cd›", "‹cd ›"]
    assert {row["kind"] for row in model.explain("ab").rows()} == {"prior", "word", "characters"}


def test_the_characters_of_a_word_are_one_line_and_all_lines_sum_to_the_score() -> None:
    model = Classifier.textbook(analyzer=Analyzer(characters=(2, 3))).fit(["ab abc", "ab cd cd"], ["x", "y"])
    why = model.explain("Ab cd  ab")
    names = [name for name, _ in why.steps()]
    assert sorted(names) == sorted(["prior", "ab ×2", "cd", "‹Ab›, 5 parts", "‹cd›, 5 parts", "‹ab›, 5 parts"])
    assert sum(weight for _, weight in why.steps()) == pytest.approx(why.score, abs=1e-12)
    assert "‹cd›, 5 parts" in str(why)
    assert len(why.rows()) == 1 + 3 + 15  # as plain data each part is there


def test_characters_of_a_script_without_spaces_are_listed_one_by_one() -> None:
    model = Classifier.textbook(analyzer="characters").fit(["日本語", "中文"] * 2, ["ja", "zh"] * 2)
    assert any(name.startswith("‹") and "parts" in name for name, _ in model.explain("日本語").steps())
    long = model.explain("日本語の文書" * 20)
    assert not any("parts" in name for name, _ in long.steps())
    assert sum(weight for _, weight in long.steps()) == pytest.approx(long.score, abs=1e-9)


def test_another_prior_moves_the_prior_alone() -> None:
    model = signs()
    moved = model.explain("happy", prior={"positive": 0.9, "negative": 0.1})
    assert moved.evidence == model.explain("happy").evidence
    assert moved.prior == pytest.approx(math.log(9))
    assert moved.score == pytest.approx(math.log(9) + math.log(3))
    assert moved.probabilities["positive"] == pytest.approx(27 / 28)


def test_ten_decibans_are_odds_of_ten_to_one() -> None:
    nats = signs().explain("happy love sad")
    decibans = signs().explain("happy love sad", unit="decibans")
    assert decibans.in_unit("nats").score == pytest.approx(nats.score)
    assert decibans.score == pytest.approx(10 * math.log10(math.exp(nats.score)))
    assert sum(e.weight for e in decibans.evidence) == pytest.approx(decibans.score)
    assert "decibans" in str(decibans)
    with pytest.raises(InputError, match="unit is 'bits'; it can be 'nats' or 'decibans'"):
        nats.in_unit("bits")


def test_without_smoothing_a_word_can_be_infinitely_strong() -> None:
    model = signs(smoothing=0)
    assert model.explain("so happy").score == math.inf == model.decision_function(["so happy"])[0]
    both = model.explain("happy, sad")  # impossible in both classes: the prior is left
    assert both.score == 0 == model.decision_function(["happy, sad"])[0]
    assert [evidence.weight for evidence in both.evidence] == [-math.inf, math.inf]
    assert "+inf" in str(both)
    assert_harmless(both._repr_html_())
    assert "+∞" in both._repr_html_()
    assert both.to_dict()["score"] == 0


def test_an_explanation_prints_as_it_adds_up() -> None:
    assert str(signs().explain("Happy, happy weather!")).splitlines() == [
        "positive (0.900) rather than negative (0.100)",
        "  prior     +0.000",
        "  happy     +1.099  ++++++++++++++++++++++++",
        "  happy     +1.099  ++++++++++++++++++++++++",
        "  weather   +0.000",
        "  total     +2.197",
        "  never seen: !",
    ]
    assert repr(signs().explain("Happy, sad and love")) == (
        "<Explanation: positive (0.667) rather than negative (0.333), +0.69 nats: happy +1.10, sad -1.10, love +0.69>"
    )
    assert "nothing known" in repr(signs().explain("?"))


def test_a_long_text_prints_its_strongest_words_and_the_sum_of_the_rest() -> None:
    names = [f"w{number}" for number in range(60)]
    model = Classifier.textbook().fit([" ".join(names[:20] * 9), " ".join(names)], ["x", "y"])
    explanation = model.explain(" ".join(names))
    lines = str(explanation).splitlines()
    assert len(lines) < 30
    assert "40 weaker" in str(explanation)
    total = sum(float(line.split()[-1 if "weaker" in line else 1]) for line in lines[1:-1] if "weaker" not in line)
    rest = next(float(line.split()[2]) for line in lines if "weaker" in line)
    assert total + rest == pytest.approx(explanation.score, abs=0.05)
    assert sum(weight for _, weight in explanation.steps(5)) == pytest.approx(explanation.score)
    assert len(explanation.steps(5)) == 7


def test_rows_and_dictionaries_hold_everything() -> None:
    explanation = signs().explain("Happy, happy birthday")
    rows = explanation.rows()
    assert sum(row["weight"] for row in rows) == pytest.approx(explanation.score)
    assert [row["kind"] for row in rows] == ["prior", "word", "word", "unknown"]
    assert [(row["start"], row["end"]) for row in rows[1:3]] == [(0, 5), (7, 12)]
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["evidence"][0] == {
        "word": "happy",
        "weight": data["evidence"][1]["weight"],
        "start": 0,
        "end": 5,
        "column": None,
        "kind": "word",
    }
    assert {p["label"]: p["probability"] for p in data["probabilities"]} == explanation.probabilities
    assert data["unknown"] == ["birthday"]


def test_a_row_of_a_table_is_shown_by_its_columns() -> None:
    row = {"subject": "Cheap <b>meds</b>", "links": 7}
    evidence = [Evidence("cheap", 1.5, 0, 5, "subject"), Evidence("7", -0.5, None, None, "links", "value")]
    explanation = Explanation("", "spam", "ham", 0.25, evidence, 1.25, [], {"ham": 0.22, "spam": 0.78}, row)
    assert "subject: cheap" in str(explanation)
    assert "links = 7" in str(explanation)
    assert [line["kind"] for line in explanation.rows()] == ["prior", "word", "value"]
    assert explanation.to_dict()["row"] == row
    html = explanation._repr_html_()
    assert_harmless(html)
    marked = [found for tag, found in Look(html).elements if tag == "span" and found.get("title")]
    assert [one["title"] for one in marked] == ["subject: cheap +1.500"]


def test_each_column_says_the_sum_of_its_parts_the_strongest_first() -> None:
    parts = [("cheap", 1.5, "subject"), ("7", -2.0, "links"), ("meds", 1.0, "subject")]
    evidence = [Evidence(word, weight, None, None, column) for word, weight, column in parts]
    explanation = Explanation("", "spam", "ham", 0.0, evidence, 0.5, [])
    assert list(explanation.columns.items()) == [("subject", 2.5), ("links", -2.0)]
    assert Explanation("cheap", "spam", "ham", 0.0, [Evidence("cheap", 1.5, 0, 5)], 1.5, []).columns == {}


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.floats(-5, 5)), max_size=8))
def test_pieces_make_up_the_text_and_share_the_weights(parts: list[tuple[int, int, float]]) -> None:
    text = "so happy today, ok"
    evidence = [Evidence(text[start : start + n], weight, start, start + n) for start, n, weight in parts]
    pieces = shared(text, evidence)
    assert "".join(text[one.start : one.end] for one in pieces) == text
    assert math.fsum(one.weight for one in pieces) == pytest.approx(math.fsum(one.weight for one in evidence), abs=1e-9)
    assert [one.start for one in pieces[1:]] == [one.end for one in pieces[:-1]]


@settings(max_examples=40)
@given(hostile_texts(), hostile_texts(), hostile_texts())
def test_hostile_texts_words_and_labels_reach_no_renderer(text: str, label: str, word: str) -> None:
    other = label + "2"
    evidence = [
        Evidence(word, 1.0, 0, len(text)),
        Evidence(word, -0.5, 0, max(len(text) // 2, 0)),
        Evidence(word, 0.25, None, None, label, "value"),
        Evidence(word, 0.0, 0, 1, kind="characters"),
    ]
    for row in (None, {label: text}):
        explanation = Explanation(text, label, other, 0.1, evidence, 0.85, [word, text], {label: 0.7, other: 0.3}, row)
        assert_harmless(explanation._repr_html_())
        assert is_visible(str(explanation).replace("\n", ""))
        assert is_visible(repr(explanation))
        assert is_visible(terminal(explanation).replace("\n", "").replace("\t", ""))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_model_of_hostile_texts_explains_them_harmlessly(text: str) -> None:
    model = Classifier(analyzer=Analyzer(punctuation="all")).fit([text + " a", "b", "a"], [text, "x", "x"])
    explanation = model.explain(text + " a")
    assert_harmless(explanation._repr_html_())
    assert is_visible(str(explanation).replace("\n", ""))


def test_a_terminal_gets_colours_and_bars_and_everything_else_plain_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    explanation = signs().explain("Happy, not sad; love")
    coloured = terminal(explanation, colour=True)
    assert "\x1b[" in coloured
    assert "█" in coloured
    assert "Happy" in coloured
    explanation.show()
    assert capsys.readouterr().out == f"{explanation}\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    explanation.show(file)
    assert "█" in file.getvalue()
    assert "38;" not in file.getvalue()
    for width in (1, 20, 40):
        assert "love" in terminal(explanation, width=width).replace("\n", "") or width == 1


def test_the_page_marks_words_for_and_against() -> None:
    text = "Happy birthday, sad"
    look = Look(signs().explain(text, label="positive")._repr_html_())
    spans = [found for tag, found in look.elements if tag == "span"]
    assert [found.get("class") for found in spans] == ["for-8", None, "against-8"]
    assert spans[0]["title"] == "happy +1.099"
    assert text in look.text
    for part in ("positive", "(50.0%)", "never seen: birthday", "33% of this"):
        assert part in look.text


# What is absent, and what preprocessing did


def test_a_bernoulli_explanation_is_the_sum_that_its_formula_says() -> None:
    model = Classifier.textbook(likelihood="bernoulli").fit(TEXTS, SIGNS)
    table = {row["word"]: row["probability"] for row in model.words().rows()}
    explanation = model.explain("happy weather", label="positive", against="negative")
    weights = {part.word: part.weight for part in explanation.evidence if part.kind == "word"}
    absent = {part.word: part.weight for part in explanation.evidence if part.kind == "absent"}
    assert set(weights) == {"happy", "weather"}
    assert set(absent) == set(table) - {"happy", "weather"}
    for word, weight in weights.items():
        assert weight == pytest.approx(math.log(table[word]["positive"] / table[word]["negative"]))
    for word, weight in absent.items():
        expected = math.log((1 - table[word]["positive"]) / (1 - table[word]["negative"]))
        assert weight == pytest.approx(expected)
    assert explanation.prior == 0


@pytest.mark.parametrize(
    "options", [{}, {"calibration": None}, {"smoothing": 0.5}, {"analyzer": Analyzer(ngrams=(1, 2))}]
)
def test_prior_words_and_absent_words_sum_to_the_score(options: dict[str, Any]) -> None:
    texts, labels = demo()
    model = Classifier(likelihood="bernoulli", **options).fit(texts, labels)
    for text in (texts[0], "", "zzz", f"{texts[1]} {texts[1]}"):
        explanation = model.explain(text)
        parts = explanation.prior + sum(part.weight for part in explanation.evidence)
        assert parts == pytest.approx(explanation.score)
        absent = [part for part in explanation.evidence if part.kind == "absent"]
        assert len(absent) == MOST_ABSENT + 1
        assert absent[-1].name.startswith("no other word (")
        strengths = [abs(part.weight) for part in absent[:-1]]
        assert strengths == sorted(strengths, reverse=True)


@pytest.mark.parametrize("calibration", ["auto", None])
def test_absent_words_of_a_column_of_texts_are_listed_too(calibration: str | None) -> None:
    columns = {"subject": Text(likelihood="bernoulli"), "body": Text(likelihood="bernoulli"), "links": Poisson()}
    table = {
        "subject": ["free money", "lunch", "win money now", "lunch at noon"],
        "body": ["click here", "see you there", "click now", "you and me"],
        "links": [3, 0, 4, 1],
    }
    model = Classifier(columns=columns, likelihood="bernoulli", calibration=calibration)
    model.fit(table, ["spam", "ham", "spam", "ham"])
    row = {"subject": "money", "body": "click me", "links": 2}
    explanation = model.explain(row, label="spam", against="ham")
    absent = {part.name: part.weight for part in explanation.evidence if part.kind == "absent"}
    assert absent["subject: no lunch"] > 0
    assert absent["body: no you"] > 0
    assert "subject: no money" not in absent
    assert sum(part.weight for part in explanation.evidence) + explanation.prior == pytest.approx(explanation.score)
    without_texts = Classifier(columns={"links": Poisson()}, likelihood="bernoulli", calibration=None)
    if calibration is None:  # then nothing but the shares of the classes is in the prior
        assert explanation.prior == pytest.approx(0.0)
    assert without_texts.fit({"links": table["links"]}, ["spam", "ham", "spam", "ham"]).explain({"links": 2}).rows()


def test_an_absent_word_is_named_so_and_is_no_part_of_the_text() -> None:
    model = Classifier.textbook(likelihood="bernoulli").fit(["so happy", "so sad"], ["positive", "negative"])
    explanation = model.explain("so happy birthday")
    assert "  no sad   +0.693  ++++++++++++++++++++++++" in str(explanation).splitlines()
    assert explanation.unknown_share == pytest.approx(1 / 3)
    assert "no sad" in explanation._repr_html_()
    assert {row["kind"] for row in explanation.rows()} == {"prior", "word", "absent", "unknown"}


def test_what_preprocessing_left_out_and_changed_is_shown() -> None:
    analyzer = Analyzer(stop_words="english", stemmer="english", handles="remove")
    model = Classifier.textbook(analyzer=analyzer).fit(["the dogs run", "a cat sleeps"], ["dog", "cat"])
    explanation = model.explain("The dogs, @bob's, are RUNNING")
    assert str(explanation).splitlines()[-2:] == [
        "  left out: The, @bob's, are",
        "  counted as: dogs → dog, RUNNING → run",
    ]
    changed = [change["text"] for change in explanation.to_dict()["changes"]]
    assert changed == ["The", "dogs", ",", "@bob's", ",", "are", "RUNNING"]
    assert "left out: The, ,, @bob's, are" in Look(explanation._repr_html_()).text
    assert "left out" not in str(model.explain("dog run"))


def test_empty_lines_leave_no_hole_in_a_report() -> None:
    model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
    page = model.explain("happy\n\n \n\n\n\nsad\n\nso")._repr_html_()
    assert "\n\n\n" not in page
    assert "\n\n" in page
