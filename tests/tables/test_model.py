"""Models of tables: kinds of columns, missing values, weights by leave-one-out, what can be seen in them."""

import gzip
from math import exp, log, pi
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import banbury
from banbury import Bernoulli, Categorical, Classifier, Gaussian, Multinomial, Poisson, Text
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.tables.column_weights import fit_weights
from banbury.text.model import TextModel
from banbury.text.settings import Settings
from small_table import KINDS, LABELS, ROWS, TABLE, noisy, some_rows, textbook, unzipped

# The textbook --------------------------------------------------------------------------------------------------------


def test_the_textbook_model_multiplies_the_likelihoods_of_its_columns() -> None:
    kinds = {**KINDS, "size": Gaussian(variance="biased", smoothing=0.0)}
    model = textbook(**kinds).fit(TABLE, LABELS)
    row = {"colour": "red", "size": 3.0, "flag": True, "note": "happy unheard-of"}

    def gaussian(values: list[float], x: float) -> Any:
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        return exp(-((x - mean) ** 2) / (2 * variance)) / (2 * pi * variance) ** 0.5

    # Three colours, so 3 in the denominators; five words: so, happy, day, sad.
    yes = 4 / 8 * (3 + 1) / (4 + 3) * gaussian([1.0, 1.5, 2.0], 3.0) * (4 + 1) / (4 + 2) * (2 + 1) / (4 + 4)
    no = 4 / 8 * (0 + 1) / (3 + 3) * gaussian([7.0, 6.5, 8.0, 7.5], 3.0) * (0 + 1) / (3 + 2) * (0 + 1) / (8 + 4)
    assert_allclose(model.joint_log_likelihood([row]), [[log(no), log(yes)]], rtol=1e-9)
    assert_allclose(model.predict_proba(row), [[no / (no + yes), yes / (no + yes)]], rtol=1e-9)
    assert model.predict(row) == "yes"


def test_a_missing_value_is_as_if_the_column_were_not_there() -> None:
    model = textbook().fit(TABLE, LABELS)
    for name in KINDS:
        without = textbook(**{other: kind for other, kind in KINDS.items() if other != name})
        without.fit({other: values for other, values in TABLE.items() if other != name}, LABELS)
        rows = [{**row, name: None} for row in ROWS]
        shorter = [{other: value for other, value in row.items() if other != name} for row in ROWS]
        assert_allclose(model.predict_proba(rows), without.predict_proba(shorter), rtol=1e-12)


def test_a_row_of_nothing_has_the_probabilities_of_the_prior() -> None:
    model = textbook().fit(TABLE, LABELS)
    assert_allclose(model.predict_proba({"colour": None}), [[0.5, 0.5]])
    assert_allclose(model.predict_proba({}, prior={"no": 0.1, "yes": 0.9}), [[0.1, 0.9]])
    automatic = Classifier(columns=KINDS).fit(TABLE, LABELS)
    assert_allclose(automatic.explain({}).score, automatic.explain({}).prior)


def test_a_category_that_was_never_seen_is_smoothed() -> None:
    model = textbook(colour=Categorical()).fit({"colour": ["red", "red", "blue"]}, ["yes", "yes", "no"])
    # One of the two colours that there are, with count 0: 1 / (2 + 2) and 1 / (1 + 2).
    assert_allclose(np.exp(model.joint_log_likelihood([{"colour": "mauve"}])), [[1 / 3 / 3, 2 / 3 / 4]])
    assert model.learn([{"colour": "mauve"}], ["no"]).predict({"colour": "mauve"}) == "no"


def test_numbers_are_categories_whatever_type_they_have() -> None:
    model = textbook(n=Categorical()).fit({"n": [1, 2, 2]}, ["a", "b", "b"])
    expected = model.predict_proba([{"n": 2}, {"n": 3}])
    assert_allclose(model.predict_proba(pd.DataFrame({"n": [2.0, 3.0]})), expected)
    assert_allclose(model.predict_proba({"n": np.array([2, 3], dtype=np.int8)}), expected)


def test_count_columns_can_be_one_multinomial() -> None:
    model = textbook(**{"so": Multinomial(), "happy": Multinomial(), "sad": Multinomial()})
    counts = {"so": [1, 1], "happy": [1, 0], "sad": [0, 1]}
    texts = Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"])
    assert_allclose(
        model.fit(counts, ["yes", "no"]).predict_proba({"so": 2, "happy": 1, "sad": 0}),
        texts.predict_proba(["so so happy"]),
    )
    same = Classifier.textbook(columns={("so", "happy", "sad"): "multinomial"}).fit(counts, ["yes", "no"])
    assert list(same.columns_) == ["so", "happy", "sad"]
    assert_allclose(same.predict_proba(counts), model.predict_proba(counts))


# The automatic model -------------------------------------------------------------------------------------------------


def test_a_column_that_is_there_three_times_does_not_count_three_times() -> None:
    table, labels = noisy(600)
    test, test_labels = noisy(600, seed=1)
    tripled, test_tripled = ({**one, "again": one["good"], "and again": one["good"]} for one in (table, test))

    def log_loss(model: Classifier, data: Any) -> float:
        logs = model.predict_log_proba(data)
        return -float(logs[np.arange(600), [model.classes_.tolist().index(label) for label in test_labels]].mean())

    once = log_loss(Classifier().fit(table, labels), test)
    assert log_loss(Classifier().fit(tripled, labels), test_tripled) < once + 0.005
    assert (
        log_loss(Classifier(likelihood="multinomial", calibration=None).fit(tripled, labels), test_tripled)
        > once + 0.05
    )


def test_weights_say_which_columns_count() -> None:
    report = Classifier().fit(*noisy(600)).report_
    weights = {one.name: one.weight for one in report.columns}
    assert min(weights.values()) >= 0
    assert weights["none"] < 0.5 * weights["good"]
    assert report.tried[2].log_loss <= report.tried[0].log_loss
    assert "good" in str(report)
    assert "Number, gaussian" in str(report)


def test_a_long_text_does_not_drown_a_column_that_knows() -> None:
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(200)])
    labels = rng.choice(["ham", "spam"], 200).tolist()
    body = [" ".join(rng.choice(words, 150)) for _ in labels]
    sender = [f"{'good' if label == 'ham' else 'bad'}{rng.integers(3)}" for label in labels]
    model = Classifier(columns={"body": "text", "sender": "categorical"}).fit({"body": body, "sender": sender}, labels)
    assert model.report_.accuracy > 0.98
    assert model.predict({"body": body[0], "sender": "bad1"}) == "spam"
    assert model.predict({"body": body[0], "sender": "good1"}) == "ham"


def test_a_single_column_of_texts_is_the_model_of_texts() -> None:
    texts, labels = demo()
    model = Classifier(columns={"text": Text()}).fit({"text": texts}, labels)
    expected = Classifier().fit(texts, labels)
    assert_allclose(model.predict_proba({"text": texts}), expected.predict_proba(texts), rtol=1e-12)
    assert model.report_.log_loss == expected.report_.log_loss
    frame = pd.DataFrame({"text": texts})
    assert_allclose(Classifier().fit(frame, labels).predict_proba(frame), expected.predict_proba(texts), rtol=1e-12)


@pytest.mark.parametrize("likelihood, smoothing", [("multinomial", "auto"), ("multinomial", 0.5), ("bernoulli", 0.5)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_text_left_out_says_what_the_others_say_of_it(likelihood: str, smoothing: Any, n_classes: int) -> None:
    texts = ["so happy", "happy day", "so sad", "sad sad day", "so so happy", "a sad day", "happy happy", "sad so"]
    labels = ["a", "a", "b", "b", "a", "b", "a", "b"] if n_classes == 2 else ["a", "a", "b", "b", "c", "c", "a", "b"]
    how = Settings(likelihood=likelihood, smoothing=smoothing)
    analyzer = banbury.Analyzer(ngrams=(1, 2))
    model, _ = TextModel.fitted(texts, labels, None, how, analyzer=analyzer, effort="counting", threads=1)
    found = model.evidence_without(texts, labels, how, threads=1)
    growth = model.reading(how).growth  # where scores start is that of all documents
    for row, text in enumerate(texts):
        model.remove([text], [labels[row]], None, threads=1)
        expected = model.reading(how)._replace(growth=growth).evidence([text], 1)[0]
        model.add([text], [labels[row]], None, threads=1)
        assert_allclose(found[row] - found[row].mean(), expected - expected.mean(), atol=1e-6)


def test_weights_are_found_in_groups_of_columns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    own = rng.integers(0, 3, 400)
    evidence = rng.normal(0, 1, (400, 3, 10))
    evidence[np.arange(400), own, :4] += 0.7
    evidence -= evidence.mean(axis=1, keepdims=True)
    documents = np.bincount(own).tolist()
    whole = fit_weights(evidence, own, np.ones(400), documents, threads=1)
    assert min(whole.weights) >= 0
    assert min(whole.weights[:4]) > max(whole.weights[4:])
    monkeypatch.setattr("banbury.tables.column_weights.WIDEST", 3)
    parts = fit_weights(evidence, own, np.ones(400), documents, threads=1)
    assert_allclose(parts.weights, whole.weights, atol=0.02)
    assert_allclose(parts.log_probabilities, whole.log_probabilities, atol=0.02)


# Looking -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [{}, {"likelihood": "multinomial", "calibration": None, "smoothing": 0.5}, {"likelihood": "bernoulli"}]
)
def test_an_explanation_is_the_prior_and_a_term_for_each_value_and_word(settings: dict[str, Any]) -> None:
    model = Classifier(columns=KINDS, **settings).fit(TABLE, LABELS)
    for row in [*ROWS, {"colour": "mauve", "note": "happy unheard-of"}, {}]:
        explanation = model.explain(row, label="yes")
        assert_allclose(explanation.prior + sum(one.weight for one in explanation.evidence), explanation.score)
        assert_allclose(explanation.score, model.decision_function([row])[0])
    terms = {(one.column, one.word): one for one in model.explain(ROWS[0]).evidence}
    assert {column for column, _ in terms} == {"colour", "size", "flag", "note"}
    assert terms["size", "1"].start is None
    assert terms["flag", "yes"].weight * terms["colour", "red"].weight > 0
    happy = terms["note", "happy"]
    assert (happy.start, happy.end) == (3, 8)


@given(some_rows(min_size=2), some_rows(min_size=1), st.booleans())
def test_an_explanation_of_any_row_sums_to_its_score(some: list[Any], asked: list[Any], automatic: bool) -> None:
    model = (Classifier(columns=KINDS) if automatic else textbook()).fit(*unzipped(some))
    assume(len(model.classes_) > 1)
    for row, _ in asked:
        explanation = model.explain(row)
        logs = dict(zip(model.classes_.tolist(), model.predict_log_proba([row])[0].tolist(), strict=True))
        total = explanation.prior + sum(one.weight for one in explanation.evidence)
        assert_allclose(total, explanation.score, rtol=1e-12, atol=1e-12)
        assert_allclose(explanation.score, logs[explanation.label] - logs[explanation.against], rtol=1e-12, atol=1e-12)


def test_one_row_can_be_a_dictionary_or_a_row_of_a_frame() -> None:
    model = textbook().fit(TABLE, LABELS)
    frame = pd.DataFrame(TABLE)
    assert model.predict(frame.iloc[3]) == model.predict(ROWS[3]) == "no"
    assert model.explain(frame.iloc[3]).score == model.explain(ROWS[3]).score == model.explain(frame[3:4]).score
    with pytest.raises(InputError, match="expected one row, not 8"):
        model.explain(frame)


def test_words_are_those_of_a_column() -> None:
    model = Classifier(columns={"a": Text(), "b": Text()}).fit({"a": ["x", "y"], "b": ["v v", "w"]}, ["p", "q"])
    assert model.words("p", top=1, column="b").words == ["v"]
    with pytest.raises(InputError, match="which column of texts\\? there is 'a', 'b'"):
        model.words("p")
    assert textbook().fit(TABLE, LABELS).words("yes", top=1).words == ["happy"]
    with pytest.raises(InputError, match="a model of texts, which has no columns"):
        Classifier().fit(["x", "y"], ["p", "q"]).words("p", column="a")


def test_an_evaluation_of_a_table_explains_its_mistakes(tmp_path: Path) -> None:
    table, labels = noisy(200)
    report = Classifier().fit(table, labels).evaluate(pd.DataFrame(table), labels)
    mistake = report.mistakes(top=1)[0]
    assert {one.column for one in mistake.explanation.evidence} == {"good", "weak", "none"}
    assert (
        mistake.explanation.text
        == f"good: {table['good'][mistake.index]:g}, " + mistake.explanation.text.split(", ", 1)[1]
    )
    assert report.words_at_fault(top=1)[0].word.split(" = ")[0] in table
    report.save(tmp_path / "report.html")
    assert "good = " in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_samples_look_like_what_was_learned() -> None:
    kinds = {"colour": Categorical(), "size": Gaussian(), "flag": Bernoulli(), "n": Poisson(), "note": Text()}
    table = {**TABLE, "n": [0, 1, 0, 5, 4, None, 3, 6]}
    model = Classifier(columns=kinds).fit(table, LABELS)
    rows, labels = model.sample(2000, seed=1)
    assert (rows, labels) == model.sample(2000, seed=1)
    assert set(rows[0]) == set(kinds)
    assert abs(labels.count("yes") / 2000 - 0.5) < 0.05
    assert (
        abs(
            np.mean([row["colour"] == "red" for row, label in zip(rows, labels, strict=True) if label == "yes"]) - 4 / 7
        )
        < 0.06
    )
    assert {row["colour"] for row in rows} == {"red", "blue", "green"}
    assert abs(np.mean([row["n"] for row, label in zip(rows, labels, strict=True) if label == "no"]) - 4) < 0.6
    twin = Classifier(columns=kinds).fit(rows, labels)
    assert twin.predict({"size": 1.0}) == "yes"
    assert model.sample(3, label="no", seed=0)[1] == ["no"] * 3
    assert model.sample(0) == ([], [])


def test_texts_can_be_drawn_too() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts, labels)
    drawn, of = model.sample(400, seed=3)
    n_words = model.counts_.narrowed(banbury.Analyzer()).occurrences
    assert abs(np.mean([len(text.split()) for text in drawn]) - sum(n_words) / 600) < 1
    assert np.mean(model.predict(drawn) == np.array(of)) > 0.8
    bernoulli = Classifier.textbook(likelihood="bernoulli").fit(["so happy", "so sad"], ["yes", "no"])
    assert set(" ".join(bernoulli.sample(50, label="yes", seed=0)[0]).split()) == {"so", "happy", "sad"}
    with pytest.raises(InputError, match="complement"):
        Classifier.textbook(likelihood="complement").fit(["so happy", "so sad"], ["yes", "no"]).sample(1)
    with pytest.raises(InputError, match="n is -1"):
        model.sample(-1)


# Data sets -----------------------------------------------------------------------------------------------------------


def test_votes_are_learned_with_their_missing_values(data_folder: Path) -> None:
    frame = pd.read_csv(data_folder / "house_votes_84.csv.gz", na_values="?")
    labels = frame.pop("Class")
    assert int(frame.isna().to_numpy().sum()) == 392
    report = Classifier().fit(frame, labels).report_
    assert report.accuracy > 0.93
    assert report.log_loss < 0.15
    assert report.calibration_error < 0.03


def test_zeros_are_told_from_ones_by_their_pixels(data_folder: Path) -> None:
    parts = []
    for name in ("train", "t10k"):
        with gzip.open(data_folder / "mnist" / f"{name}-images-idx3-ubyte.gz") as file:
            images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) >= 128
        with gzip.open(data_folder / "mnist" / f"{name}-labels-idx1-ubyte.gz") as file:
            labels = np.frombuffer(file.read(), np.uint8, offset=8).astype(int)
        parts.append((images[labels < 2], labels[labels < 2]))
    (train, labels), (test, test_labels) = parts
    model = Classifier.textbook().fit(train, labels)
    assert {type(kind) for kind in model.columns_.values()} == {Bernoulli}
    assert round(model.score(test, test_labels), 4) == 0.9967


def test_words_of_a_table_without_texts_say_what_there_is_instead() -> None:
    model = Classifier().fit({"size": [1.0, 2.0, 8.0, 9.0] * 20}, ["a", "a", "b", "b"] * 20)
    with pytest.raises(InputError, match=r"no column of texts, so it has no words; column\(\) says .* 'size'"):
        model.words("a")


def test_the_best_effort_on_texts_beside_other_columns_says_that_words_have_no_correction() -> None:
    rows = 40
    table = {"subject": ["free money", "lunch at noon"] * rows, "links": [3, 0] * rows}
    labels = ["spam", "ham"] * rows
    kinds = {"subject": Text(), "links": Poisson()}
    best, counting = (Classifier(columns=kinds, effort=effort).fit(table, labels) for effort in ("best", "counting"))
    assert "words have no correction" in best.report_.note
    assert "correction" not in counting.report_.note
    np.testing.assert_array_equal(best.predict_proba(table), counting.predict_proba(table))
    alone = Classifier(columns={"subject": Text()}, effort="best").fit({"subject": table["subject"]}, labels)
    assert "words have no correction" not in alone.report_.note
