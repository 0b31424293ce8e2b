"""Filtering: rules keep the rows that the same model keeps on one machine."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from banbury import Classifier
from banbury.distributed import answers, predicting
from banbury.distributed.columns import Columns
from banbury.distributed.filtering import Rule
from banbury.distributed.sketch import Sketch
from banbury.errors import InputError, LabelError

TEXTS = [f"{'free money' if n % 2 else 'lunch at noon'} {n % 7} {'now' * (n % 3)}" for n in range(60)]
LABELS = [["ham", "spam", "news"][n % 2 + (n % 10 == 0) * (1 + n % 4 // 2)] for n in range(60)]
COLUMNS = Columns.of(text="text", columns=None, label=None)


@pytest.fixture(scope="module")
def model() -> Classifier:
    return Classifier().fit(TEXTS, LABELS)


def kept(model: Classifier, rule: Rule, texts: list[Any] = TEXTS, probability: str | None = None) -> pa.RecordBatch:
    batch = pa.record_batch({"text": pa.array(texts, pa.string()), "row": range(len(texts))})
    return predicting.kept(model, batch, COLUMNS, rule.to_json(), probability)


def test_rows_of_a_label_and_above_a_probability_are_those_of_one_machine(model: Classifier) -> None:
    predicted, chances = model.predict(TEXTS), model.predict_proba(TEXTS)[:, model.classes_.tolist().index("spam")]
    rows = kept(model, Rule.of(model, "spam"))
    assert rows["row"].to_pylist() == np.flatnonzero(predicted == "spam").tolist()
    rows = kept(model, Rule.of(model, "spam", above=0.7), probability="P")
    assert rows["row"].to_pylist() == np.flatnonzero(chances >= 0.7).tolist()
    assert rows["P"].to_pylist() == chances[chances >= 0.7].tolist()
    assert rows.schema.names == ["text", "row", "P"]


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
def test_the_best_are_those_of_sorted_log_odds(model: Classifier, share: float) -> None:
    rule = Rule.of(model, "spam", top=share)
    scores = rule.scores(model, TEXTS)
    by_rule = rule.by(Sketch.of(scores[:20]).merge(Sketch.of(scores[20:])))
    exact = np.sort(scores)[::-1][int(share * 60 + 0.5) - 1]
    rows = kept(model, by_rule)["row"].to_pylist()
    assert set(np.flatnonzero(scores >= exact).tolist()) <= set(rows)
    assert min(scores[rows]) >= exact - abs(exact) / 4096


def test_log_odds_are_those_of_the_probabilities_and_finite_beyond_them(model: Classifier) -> None:
    for label in ("ham", "spam", "news"):
        rule = Rule.of(model, label)
        chances = rule.chances(model, TEXTS)
        assert rule.scores(model, TEXTS) == pytest.approx(np.log(chances / (1 - chances)), rel=1e-6)
    plain = Classifier.textbook().fit(["free money", "lunch"], ["spam", "ham"])
    (score,) = Rule.of(plain, "spam").scores(plain, ["free " * 500])
    assert Rule.of(plain, "spam").chances(plain, ["free " * 500])[0] == 1.0
    assert 100 < score < 1000
    alone = Classifier.textbook().fit(["free"], ["spam"])
    assert Rule.of(alone, "spam").scores(alone, ["free", "x"]).tolist() == [math.inf] * 2


def test_an_impossible_label_has_the_lowest_score() -> None:
    model = Classifier.textbook(smoothing=0).fit(["a", "b", "c"], ["x", "y", "z"])
    scores = Rule.of(model, "x").scores(model, ["a", "b"])
    assert scores.tolist() == [math.inf, -math.inf] or scores[0] > 100 > -100 > scores[1]


def test_rows_without_text_are_not_kept_and_a_batch_may_be_empty(model: Classifier) -> None:
    rule = Rule.of(model, "spam", above=0.0)
    assert kept(model, rule, [None, "free money", None])["row"].to_pylist() == [1]
    for texts in ([], [None]):
        assert kept(model, rule, texts, "P").num_rows == 0
        assert kept(model, rule, texts, "P").schema.names == ["text", "row", "P"]
    assert kept(model, Rule.of(model, "spam", above=1.0), ["lunch"], "P").num_rows == 0


def test_rows_of_a_table_are_kept() -> None:
    table = pa.table({"age": [20, 30, 60, 70] * 10})
    model = Classifier(columns=["age"]).fit(table, ["young", "young", "old", "old"] * 10)
    columns = predicting.columns_for(model, "text")
    rows = predicting.kept(model, table, columns, Rule.of(model, "old").to_json(), "P")
    assert set(rows["age"].to_pylist()) == {60, 70}


def test_parts_answer_with_sketches_that_merge_to_one(model: Classifier) -> None:
    rule = Rule.of(model, "spam", top=0.1).to_json()
    parts = [TEXTS[:20], [], TEXTS[20:35], TEXTS[35:]]
    batches = [pa.record_batch({"text": pa.array(texts, pa.string())}) for texts in parts]
    found = [
        answer
        for part, batch in enumerate(batches)
        for answer in answers.sketched(model, part, [COLUMNS.read(batch, "part", for_prediction=True)], rule)
    ]
    assert [answer.part for answer in found] == [0, 2, 3]
    whole = Sketch.of(Rule.from_json(rule).scores(model, TEXTS)).to_bytes()
    merged = [*answers.merged_sketches(found[:2]), *found[2:]]
    assert answers.sketch_of(merged).to_bytes() == answers.sketch_of(reversed(found)).to_bytes() == whole
    lost = answers.Answer(0, 0, "lost", b"")
    (again,) = answers.merged_sketches([*found, lost])
    assert "lost" in again.error
    with pytest.raises(InputError, match="lost"):
        answers.sketch_of([*found, lost])
    assert list(answers.merged_sketches([])) == []


def test_bad_rules_are_refused(model: Classifier) -> None:
    with pytest.raises(LabelError, match="there is no label 'eggs' to keep; this model knows 'ham', 'news', 'spam'"):
        Rule.of(model, "eggs")
    with pytest.raises(InputError, match=r"say above=… or top=…, not both"):
        Rule.of(model, "spam", above=0.5, top=0.1)
    with pytest.raises(InputError, match=r"above is 1\.5; a probability lies between 0 and 1"):
        Rule.of(model, "spam", above=1.5)
    for top in (0, 10, math.nan):
        with pytest.raises(InputError, match="it is a share of the rows"):
            Rule.of(model, "spam", top=top)
