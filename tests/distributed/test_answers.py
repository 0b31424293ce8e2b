"""Answers of workers: a model is made of all of them, or of none."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Classifier, __version__, storage
from banbury.distributed import answers
from banbury.distributed.answers import Answer
from banbury.distributed.columns import Columns
from banbury.distributed.plan import Plan
from banbury.errors import InputError

TEXTS = [f"{'free money' if n % 2 else 'lunch at noon'} {n % 7}" for n in range(40)]
LABELS = ["spam" if n % 2 else "ham" for n in range(40)]


def parts(texts: list[str] = TEXTS, labels: list[Any] = LABELS) -> list[pa.RecordBatch]:
    return [pa.record_batch({"text": texts[n : n + 10], "label": labels[n : n + 10]}) for n in range(0, len(texts), 10)]


def count(plan: Plan, n_shards: int = 1) -> list[Answer]:
    text = plan.to_json()
    return [answer for n, batch in enumerate(parts()) for answer in answers.counted(text, n, [batch], n_shards)]


def content(model: Classifier) -> bytes:
    return storage.to_bytes(*model.parts())


@pytest.mark.parametrize("n_shards", [1, 3])
def test_answers_give_the_model_of_one_machine(n_shards: int) -> None:
    whole = content(Classifier().fit(TEXTS, LABELS))
    plan = Plan.of()
    assert content(answers.fitted(plan, lambda plan: reversed(count(plan, n_shards)))) == whole

    def merged_first(plan: Plan) -> Iterator[Answer]:
        return answers.merged(plan.to_json(), count(plan, n_shards))

    assert content(answers.fitted(plan, merged_first)) == whole


@given(st.lists(st.integers(0, 40), max_size=6), st.data())
@settings(max_examples=20)
def test_parts_without_numbers_follow_on_each_other_in_any_tree_of_merges(places: list[int], draw: Any) -> None:
    plan = Plan.of().for_short_documents()
    text, ends = plan.to_json(), [0, *sorted(places), 40]
    batches = [pa.record_batch({"text": TEXTS[a:b], "label": LABELS[a:b]}) for a, b in pairwise(ends)]
    # Each worker takes its part for the first; a table is how answers travel.
    counted = [Answer(*row.values()) for batch in batches for row in table_of(answers.counted(text, 0, [batch]))]
    while len(counted) > 1 and draw.draw(st.booleans()):
        n = draw.draw(st.integers(0, len(counted) - 2))
        counted[n : n + 2] = answers.merged(text, counted[n : n + 2], in_order=True)
    found, whole = answers.fitted(plan, lambda plan: counted, in_order=True), Classifier().fit(TEXTS, LABELS)
    assert content(found) == content(whole)
    assert found.report_.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


def table_of(counted: Iterator[Answer]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = answers.answers_table(counted).to_pylist()
    return rows


def test_rows_of_a_table_without_numbers_follow_on_each_other() -> None:
    table = pa.table({"age": [(n * 37) % 60 for n in range(40)], "label": LABELS})
    plan = Plan.of(columns=["age"])
    counted = [answer for n in (0, 15) for answer in answers.counted(plan.to_json(), 0, [table.slice(n, 15)])]
    last = list(answers.counted(plan.to_json(), 0, [table.slice(30)]))
    two = [*answers.merged(plan.to_json(), counted, in_order=True), *last]
    whole = Classifier(columns=["age"]).fit(table.select(["age"]), LABELS)
    assert content(answers.fitted(plan, lambda plan: two, in_order=True)) == content(whole)


def test_features_of_few_documents_go_where_shards_are_merged_or_at_the_end() -> None:
    plan = Plan.of()

    def merged(plan: Plan) -> Iterator[Answer]:
        return answers.merged(plan.to_json(), count(plan, 3), 6)

    pruned = answers.fitted(plan, merged)
    assert content(pruned) == content(answers.fitted(plan, count, min_documents=6))
    assert pruned.counts_.n_features < Classifier().fit(TEXTS, LABELS).counts_.n_features


def test_short_documents_beside_long_ones_are_counted_again() -> None:
    texts, labels = ["word and more words " * 40, *["short", "shorter"] * 20], ["a", *["a", "b"] * 20]
    batches = parts(texts, labels)
    asked: list[bool] = []

    def count(plan: Plan) -> Iterator[Answer]:
        asked.append(plan.is_for_short)
        for n, batch in enumerate(batches[::-1]):
            yield from answers.counted(plan.to_json(), len(batches) - n, [batch.slice(0, 1), batch.slice(1)])

    assert content(answers.fitted(Plan.of(), count)) == content(Classifier().fit(texts, labels))
    assert asked == [False, True]


def test_an_error_is_an_answer_that_names_the_host() -> None:
    bad = pa.record_batch({"text": ["a", "b"], "label": ["x", None]})
    (answer,) = answers.counted(Plan.of().to_json(), 4, [bad])
    assert "column 'label' is null in row 1 of part 4" in answer.error
    assert "(on host " in answer.error
    with pytest.raises(InputError, match="column 'label' is null"):
        answers.fitted(Plan.of(), lambda plan: [*count(plan), answer])
    (again,) = answers.merged(Plan.of().to_json(), [answer])
    assert "column 'label' is null" in again.error
    with pytest.raises(InputError, match="no documents to learn from"):
        answers.fitted(Plan.of(), lambda plan: [])


def test_what_workers_learned_is_learned_or_nothing_is() -> None:
    model, whole = (Classifier().fit(TEXTS[:20], LABELS[:20]) for _ in range(2))
    before = content(model)
    columns = Columns.of(text="text", columns=None, label="label")
    rows = [[columns.read(batch, "part")] for batch in parts(TEXTS[20:], LABELS[20:])]
    learned = [answer for part, several in enumerate(rows) for answer in answers.learned(model, part, several)]
    with pytest.raises(InputError, match="lost"):
        answers.learn(model, [*learned, Answer(9, 0, "lost", b"")])
    assert content(model) == before
    assert content(answers.learn(model, reversed(learned))) == content(whole.learn(TEXTS[20:], LABELS[20:]))
    assert list(answers.learned(model, 0, [])) == []


def test_another_version_is_an_error_with_the_host() -> None:
    assert answers.version_error(__version__) == ""
    assert "but the driver has 9.9" in answers.version_error("9.9")
