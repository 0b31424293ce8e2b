"""Models of tables: kinds of columns, missing values, weights by leave-one-out, and the laws of all models."""

import gzip
import pickle
from math import exp, log, pi
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import banbury
from banbury import Bernoulli, Categorical, Classifier, Gaussian, Histogram, Multinomial, Number, Poisson, Text, storage
from banbury.column_weights import fit_weights
from banbury.columns import found
from banbury.datasets import demo
from banbury.errors import CountError, FileFormatError, InputError, LabelError, NotFittedError
from banbury.tables import column
from banbury.text_model import Settings, TextModel

COLOURS = ["red", "red", "blue", "green", None, "red", "blue", "blue"]
SIZES = [1.0, 1.5, None, 7.0, 6.5, 2.0, 8.0, 7.5]
FLAGS = [True, True, True, False, None, True, False, False]
NOTES = ["so happy", "happy day", None, "so sad", "sad sad day", "", "sad", "so so"]
LABELS = ["yes", "yes", "yes", "no", "no", "yes", "no", "no"]
TABLE: dict[str, list[Any]] = {"colour": COLOURS, "size": SIZES, "flag": FLAGS, "note": NOTES}
KINDS: dict[str, Any] = {"colour": Categorical(), "size": Gaussian(), "flag": Bernoulli(), "note": Text()}
ROWS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]


def textbook(**columns: Any) -> Classifier:
    """Every column counts once, and nothing is chosen."""
    return Classifier(columns=columns or KINDS, smoothing=1.0, calibration=None)


def some_rows(min_size: int = 0) -> st.SearchStrategy[list[tuple[dict[str, Any], str]]]:
    """Rows of the same columns, with labels."""
    row = st.fixed_dictionaries(
        {
            "colour": st.sampled_from([None, "red", "green", "blue"]),
            "size": st.none() | st.floats(-50, 50).map(lambda x: round(x, 1)),
            "flag": st.sampled_from([None, True, False]),
            "note": st.sampled_from([None, "", "so happy", "so sad", "sad day, happy day"]),
        }
    )
    return st.lists(st.tuples(row, st.sampled_from("abc")), min_size=min_size, max_size=12)


def unzipped(pairs: list[tuple[dict[str, Any], str]]) -> tuple[list[dict[str, Any]], list[str]]:
    return [row for row, _ in pairs], [label for _, label in pairs]


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
    same = Classifier(columns={("so", "happy", "sad"): "multinomial"}, calibration=None).fit(counts, ["yes", "no"])
    assert list(same.columns_) == ["so", "happy", "sad"]
    assert_allclose(same.predict_proba(counts), model.predict_proba(counts))


# Laws ----------------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(some_rows(min_size=1), some_rows())
def test_forgetting_undoes_learning(some: list[Any], more: list[Any]) -> None:
    model = textbook().fit(*unzipped(some))
    expected = model.joint_log_likelihood(ROWS)
    classes = model.classes_.tolist()
    model.learn(*unzipped(more)).forget(*unzipped(more))
    assert model.classes_.tolist() == classes
    assert_allclose(model.joint_log_likelihood(ROWS), expected, rtol=1e-12, atol=1e-12)


def test_a_column_of_zeros_is_one_again_when_other_numbers_are_forgotten() -> None:
    model = textbook(size=Gaussian()).fit({"size": [0.0, 0.0]}, ["a", "b"])
    expected = model.joint_log_likelihood({"size": [0.0, 1.0]})
    others = {"size": [0.0, 1.0]}, ["b", "b"]
    assert_allclose(model.learn(*others).forget(*others).joint_log_likelihood({"size": [0.0, 1.0]}), expected)


@settings(max_examples=25)
@given(some_rows(min_size=1), some_rows(min_size=1))
def test_the_parts_merged_are_the_whole(some: list[Any], more: list[Any]) -> None:
    whole = textbook().fit(*unzipped(some + more))
    parts = textbook().fit(*unzipped(some)).merge(textbook().fit(*unzipped(more)))
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert_allclose(parts.joint_log_likelihood(ROWS), whole.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=25)
@given(some_rows(min_size=1), st.randoms())
def test_the_order_of_rows_and_columns_does_not_matter(some: list[Any], random: Any) -> None:
    model = textbook().fit(*unzipped(some))
    random.shuffle(some)
    turned = textbook(**dict(reversed(KINDS.items()))).fit(*unzipped(some))
    assert_allclose(turned.joint_log_likelihood(ROWS), model.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=25)
@given(some_rows(min_size=1), st.data())
def test_a_row_of_weight_three_is_three_rows(some: list[Any], data: st.DataObject) -> None:
    rows, labels = unzipped(some)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    if not any(weights):
        weights[0] = 1
    repeated = [pair for pair, weight in zip(some, weights, strict=True) for _ in range(weight)]
    weighted = textbook().fit(rows, labels, weights)
    expected = textbook().fit(*unzipped(repeated))
    assert weighted.classes_.tolist() == expected.classes_.tolist()
    assert_allclose(weighted.joint_log_likelihood(ROWS), expected.joint_log_likelihood(ROWS), rtol=1e-12, atol=1e-12)


@settings(max_examples=10)
@given(some_rows(min_size=2))
def test_the_automatic_model_is_one_for_any_order_and_any_number_of_threads(some: list[Any]) -> None:
    rows, labels = unzipped(some)
    model = Classifier(threads=1).fit(rows, labels)
    expected = model.predict_proba(rows)
    assert_allclose(expected.sum(axis=1), 1)
    assert np.isfinite(expected).all()
    assert (Classifier(threads=3).fit(rows, labels).predict_proba(rows) == expected).all()
    turned = Classifier().fit(rows[::-1], labels[::-1])
    assert_allclose(turned.predict_proba(rows), expected, rtol=1e-6, atol=1e-9)
    assert_allclose(np.concatenate([model.predict_proba([row]) for row in rows]), expected, rtol=1e-12)


@settings(max_examples=10)
@given(some_rows(min_size=2))
def test_a_copy_of_any_kind_predicts_the_same(some: list[Any]) -> None:
    rows, labels = unzipped(some)
    model = Classifier(columns={**KINDS, "size": Number()}).fit(rows, labels)
    expected = model.predict_proba(ROWS)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(ROWS) == expected).all()


def test_a_saved_model_is_the_same_and_goes_on_learning(tmp_path: Path) -> None:
    kinds = {**KINDS, "size": Number(), "n": Poisson(), "x": Histogram(bins=3)}
    table = {**TABLE, "n": [0, 1, 0, 5, 4, None, 3, 6], "x": SIZES}
    model = Classifier(columns=kinds, prior={"no": 0.3, "yes": 0.7}).fit(table, LABELS)
    model.save(tmp_path / "model.banbury")
    loaded = banbury.load(tmp_path / "model.banbury")
    assert loaded.columns_ == model.columns_ == kinds
    assert (loaded.predict_proba(table) == model.predict_proba(table)).all()
    assert str(loaded.report_).split("doubtful")[0] == str(model.report_).split("doubtful")[0]
    for one in (model, loaded):
        one.learn(table, LABELS[::-1]).forget(table, LABELS)
    assert (loaded.predict_proba(table) == model.predict_proba(table)).all()
    loaded.save(tmp_path / "again.banbury")
    model.save(tmp_path / "other.banbury")
    assert (tmp_path / "again.banbury").read_bytes() == (tmp_path / "other.banbury").read_bytes()


def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path: Path) -> None:
    textbook().fit(TABLE, LABELS).save(tmp_path / "model.banbury")
    file = storage.read(tmp_path / "model.banbury")
    changes: list[dict[str, Any]] = [
        {"classes": ["a"]},
        {"documents": [1]},
        {"groups": []},
        {"columns": []},
        {"weights": 3},
    ]
    for change in changes:
        storage.write(tmp_path / "bad.banbury", {**file.settings, **change}, file.arrays)
        with pytest.raises(FileFormatError, match=r"bad\.banbury"):
            banbury.load(tmp_path / "bad.banbury")


# The automatic model -------------------------------------------------------------------------------------------------


def noisy(n: int, *, seed: int = 0) -> tuple[dict[str, Any], list[str]]:
    """A table of one column that tells the label, one that says little, one that says nothing."""
    rng = np.random.default_rng(seed)
    is_yes = rng.random(n) < 0.5
    table = {
        "good": np.where(is_yes, rng.normal(0, 1, n), rng.normal(1.5, 1, n)),
        "weak": np.where(rng.random(n) < 0.6, is_yes, ~is_yes),
        "none": rng.choice(["a", "b", "c"], n),
    }
    return table, np.where(is_yes, "yes", "no").tolist()


def test_a_column_that_is_there_three_times_does_not_count_three_times() -> None:
    table, labels = noisy(600)
    test, test_labels = noisy(600, seed=1)
    tripled, test_tripled = ({**one, "again": one["good"], "and again": one["good"]} for one in (table, test))

    def log_loss(model: Classifier, data: Any) -> float:
        logs = model.predict_log_proba(data)
        return -float(logs[np.arange(600), [model.classes_.tolist().index(label) for label in test_labels]].mean())

    once = log_loss(Classifier().fit(table, labels), test)
    assert log_loss(Classifier().fit(tripled, labels), test_tripled) < once + 0.005
    assert log_loss(Classifier(calibration=None).fit(tripled, labels), test_tripled) > once + 0.05


def test_weights_say_which_columns_count() -> None:
    report = Classifier().fit(*noisy(600)).report_
    weights = {one.name: one.weight for one in report.columns}
    assert min(weights.values()) >= 0
    assert weights["none"] < 0.5 * weights["good"]
    assert report.tried[-1].log_loss <= report.tried[0].log_loss
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
    for row, text in enumerate(texts):
        model.remove([text], [labels[row]], None, threads=1)
        plain = how if how.is_automatic else how._replace(calibration=None)
        expected = model.reading(plain).evidence([text], 1)[0]
        model.add([text], [labels[row]], None, threads=1)
        assert_allclose(found[row] - found[row].mean(), expected - expected.mean(), atol=1e-9)


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
    monkeypatch.setattr("banbury.column_weights.WIDEST", 3)
    parts = fit_weights(evidence, own, np.ones(400), documents, threads=1)
    assert_allclose(parts.weights, whole.weights, atol=0.02)
    assert_allclose(parts.log_probabilities, whole.log_probabilities, atol=0.02)


# Looking -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"calibration": None, "smoothing": 0.5}, {"likelihood": "bernoulli"}])
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
    with pytest.raises(InputError, match="column is None; the columns of texts are 'a', 'b'"):
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
    bernoulli = Classifier.textbook("bernoulli").fit(["so happy", "so sad"], ["yes", "no"])
    assert set(" ".join(bernoulli.sample(50, label="yes", seed=0)[0]).split()) == {"so", "happy", "sad"}
    with pytest.raises(InputError, match="complement"):
        Classifier.textbook("complement").fit(["so happy", "so sad"], ["yes", "no"]).sample(1)
    with pytest.raises(InputError, match="n is -1"):
        model.sample(-1)


# What goes in --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda table: table, lambda table: ROWS])
def test_a_table_of_any_library_gives_the_same_model(make: Any) -> None:
    expected = Classifier().fit(TABLE, LABELS)
    model = Classifier().fit(make(TABLE), LABELS)
    assert model.columns_ == expected.columns_
    assert_allclose(model.predict_proba(make(TABLE)), expected.predict_proba(TABLE), rtol=1e-12)
    assert model.evaluate(make(TABLE), LABELS).accuracy == expected.evaluate(TABLE, LABELS).accuracy


@pytest.mark.parametrize(
    "values, kind",
    [
        ([True, False, None], Bernoulli),
        ([0.5, 1.25, 3.0], Number),
        ([31, 45, 28, 31, 77], Number),
        ([1, 2, 3] * 10, Categorical),
        ([1.5, 2.5, 3.5] * 10, Number),
        ([0] * 99 + [7688], Number),
        (["red", "blue"] * 3, Categorical),
        ([f"user{n}" for n in range(30)] * 10, Categorical),
        ([f"subject {n}" for n in range(100)], Text),
        ([f"a longer text of the kind {n % 30}" for n in range(300)], Text),
        ([1, "one"], Categorical),
        ([None, None], Categorical),
    ],
)
def test_kinds_are_found_in_the_values(values: list[Any], kind: type) -> None:
    assert isinstance(found(column("x", values)), kind)


def test_a_kind_can_be_given_by_its_class_its_name_or_left_open() -> None:
    columns = {"colour": "categorical", "size": Gaussian, "flag": "auto"}
    model = Classifier(columns=columns).fit(pd.DataFrame({**TABLE, "id": range(8)}), LABELS)
    assert [type(kind) for kind in model.columns_.values()] == [Categorical, Gaussian, Bernoulli]


@pytest.mark.parametrize(
    "columns, data, message",
    [
        ({"age": Gaussian()}, TABLE, "there is no column 'age'; this table has 'colour', 'size'"),
        ({"size": "normal"}, TABLE, "column 'size' is to be 'normal'; it can be 'auto', 'bernoulli'"),
        ({}, TABLE, "columns is {}"),
        (KINDS, {**TABLE, "size": ["x"] * 8}, "row 0, column 'size' is 'x'; a column of kind Gaussian needs numbers"),
        (KINDS, {**TABLE, "flag": [2] * 8}, "row 0, column 'flag' has 2"),
        (KINDS, {**TABLE, "note": [*NOTES[:7], 3]}, "row 7, column 'note' is 3, of type int; a text must be a str"),
        (KINDS, {**TABLE, "colour": [*COLOURS[:7], []]}, "row 7, column 'colour' is of type list"),
        ({"flag": Poisson()}, {"flag": [-1] * 8}, "row 0, column 'flag' has -1"),
        (KINDS, {name: values[:7] for name, values in TABLE.items()}, "7 rows but 8 labels"),
        (None, {"a": [], "b": []}, "0 rows but 8 labels"),
        (None, {}, "the table has no columns to learn from"),
    ],
)
def test_fit_says_what_is_wrong_with_a_table(columns: Any, data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier(columns=columns).fit(data, LABELS)


@pytest.mark.parametrize(
    "row, label, message",
    [
        ({"size": "large"}, "yes", "row 0, column 'size' is 'large'; a column of kind Gaussian needs numbers"),
        ({"size": float("inf")}, "yes", "row 0, column 'size' is inf"),
        ({"note": 3}, "yes", "row 0, column 'note' is 3"),
        ({"seize": 3.0}, "yes", "a row has 'seize', which this model does not know: it has 'colour', 'size'"),
        ({"size": 3.0}, 1, "label 1 is of type int"),
        ({"size": 3.0}, None, "document 0 has no label"),
    ],
)
def test_a_wrong_row_is_an_error_that_names_it_and_changes_nothing(row: Any, label: Any, message: str) -> None:
    model = Classifier(columns=KINDS).fit(TABLE, LABELS)
    before = pickle.dumps(model)
    for act in (model.learn, model.forget):
        with pytest.raises(InputError, match=message):
            act([row], [label])
        assert pickle.dumps(model) == before


def test_what_was_never_learned_cannot_be_forgotten() -> None:
    model = textbook().fit(TABLE, LABELS)
    before = pickle.dumps(model)
    for row, label, message in [
        ({"colour": "mauve"}, "yes", "was never added"),
        ({"note": "unheard-of"}, "yes", "nothing was changed"),
        ({"flag": False}, "yes", "was never added"),
        ({}, "maybe", "no row with label 'maybe'"),
    ]:
        with pytest.raises(CountError, match=message):
            model.forget([row], [label])
        assert pickle.dumps(model) == before
    with pytest.raises(CountError, match="there are not so many rows with label 'yes'"):
        model.forget([{}] * 5, ["yes"] * 5)


def test_models_of_other_columns_are_not_merged() -> None:
    model = textbook().fit(TABLE, LABELS)
    before = pickle.dumps(model)
    others = [
        (textbook(size=Gaussian()).fit({"size": SIZES}, LABELS), "the other 'size'"),
        (textbook(**{**KINDS, "size": Number()}).fit(TABLE, LABELS), "column 'size' is Gaussian"),
        (textbook(**{**KINDS, "note": Text(analyzer=banbury.Analyzer(lowercase=False))}).fit(TABLE, LABELS), "'note'"),
        (Classifier().fit(["so happy", "so sad"], ["yes", "no"]), "cannot be merged with a model of texts"),
        (textbook().fit(TABLE, [1, 1, 1, 1, 2, 2, 2, 2]), "label 1 is of type int"),
    ]
    for other, message in others:
        with pytest.raises(InputError, match=message):
            model.merge(other)
        assert pickle.dumps(model) == before
    with pytest.raises(InputError, match="cannot be merged with a model of a table"):
        Classifier().fit(["so happy", "so sad"], ["yes", "no"]).merge(model)


def test_everything_can_be_forgotten_and_learned_again() -> None:
    model = textbook().fit(TABLE, LABELS)
    expected = model.joint_log_likelihood(ROWS)
    model.forget(TABLE, LABELS)
    with pytest.raises(NotFittedError, match="has forgotten everything"):
        model.predict(ROWS)
    assert_allclose(model.learn(TABLE, LABELS).joint_log_likelihood(ROWS), expected, rtol=1e-12)


def test_a_new_class_can_come_and_settings_can_be_chosen_again() -> None:
    table, labels = noisy(200)
    model = Classifier().fit(table, labels)
    weights = [one.weight for one in model.report_.columns]
    model.learn(table, ["maybe"] * 200)
    assert model.predict_proba(table).shape == (200, 3)
    assert [one.weight for one in model.report_.columns] == weights
    model.forget(table, ["maybe"] * 200).refit_settings(table, labels)
    assert_allclose([one.weight for one in model.report_.columns], weights, rtol=1e-6)


def test_a_model_of_one_class_waits_for_the_second() -> None:
    model = Classifier(columns=KINDS).fit(TABLE, ["yes"] * 8)
    assert set(model.predict(ROWS)) == {"yes"}
    model.learn({name: values[:2] for name, values in TABLE.items()}, ["no"] * 2)
    assert_allclose(model.predict_proba(ROWS).sum(axis=1), 1)


def test_a_column_without_a_value_says_nothing() -> None:
    nothing = {**TABLE, "size": [None] * 8, "note": [None] * 8, "colour": [None] * 8}
    model = Classifier(columns=KINDS).fit(nothing, LABELS)
    assert np.isfinite(model.predict_proba(ROWS)).all()
    assert model.predict({"flag": True}) == "yes"
    assert model.sample(2, seed=0)[0][0]["note"] is None


def test_labels_are_checked_as_for_texts() -> None:
    with pytest.raises(LabelError, match="document 1 has no label"):
        Classifier().fit({"a": [1, 2], "b": [1, 2]}, ["yes", None])
    model = Classifier().fit(TABLE, [1, 1, 1, 0, 0, 1, 0, 0])
    assert model.predict(ROWS[0]) == 1


def test_scikit_learn_takes_it_for_a_classifier() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    table, labels = noisy(150)
    model = Classifier(columns={"good": "auto", "weak": Bernoulli()})
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, pd.DataFrame(table), labels, cv=3).mean() > 0.6
    assert cross_val_score(Classifier(), np.column_stack([table["good"], table["weak"]]), labels, cv=3).mean() > 0.6


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
    model = Classifier(smoothing=1.0, calibration=None).fit(train, labels)
    assert {type(kind) for kind in model.columns_.values()} == {Bernoulli}
    assert round(model.score(test, test_labels), 4) == 0.9967
