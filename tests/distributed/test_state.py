"""States of parts: any partition, order and tree of merges, and a part counted twice, give the bytes of one machine."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Classifier, storage
from banbury.distributed.plan import Plan
from banbury.distributed.state import MOST_NUMBERED_PARTS, State, TextState, merge, together
from banbury.errors import FileFormatError, InputError
from banbury.text import tally

WORDS = ["free", "money", "lunch", "noon", "now", "so", "ä", "long " * 200]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"likelihood": "multinomial", "smoothing": 1.0, "calibration": None},
    {"likelihood": "bernoulli", "analyzer": "words", "prior": {"a": 0.2, "b": 0.3, "c": 0.5}},
]
DOCUMENTS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), st.sampled_from("abc"), st.integers(0, 3)),
    max_size=25,
)
# Each class has a document, whatever was drawn: a prior may name it.
EACH = [("free now", "a", 1), ("lunch noon", "b", 1), ("so ä", "c", 2)]


def batch(rows: list[Any]) -> pa.RecordBatch:
    texts, labels, weights = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    types = {"text": pa.string(), "label": pa.string(), "weight": pa.int64()}
    return (
        pa.record_batch([texts, labels, weights], schema=pa.schema(types))
        if not rows
        else pa.record_batch({"text": texts, "label": labels, "weight": weights})
    )


def content(model: Classifier) -> bytes:
    return storage.to_bytes(*model.parts())


def cut(rows: list[Any], places: list[int]) -> list[list[Any]]:
    places = sorted(min(place, len(rows)) for place in places)
    return [rows[start:end] for start, end in zip([0, *places], [*places, len(rows)], strict=True)]


def counted(plan: Plan, parts: list[list[Any]], order: Any) -> State:
    """The states of the parts, by bytes and back, merged two at a time as `order` draws, and one of them once more."""
    states = [plan.count(number, [batch(rows)]).to_bytes() for number, rows in enumerate(parts)]
    twice = states[order.draw(st.integers(0, len(parts) - 1))]  # of a task that ran twice
    while len(states) > 1:
        first, second = (states.pop(order.draw(st.integers(0, len(states) - 1))) for _ in range(2))
        states.append(merge(plan.state_from_bytes(first), plan.state_from_bytes(second)).to_bytes())
    last = [plan.state_from_bytes(data) for data in order.draw(st.permutations([states[0], twice]))]
    state = merge(*last)
    assert state.to_bytes() == states[0]
    return state


@given(DOCUMENTS, st.lists(st.integers(0, 28), min_size=1, max_size=4), st.sampled_from(OPTIONS), st.data())
@settings(max_examples=40)
def test_parts_in_any_tree_of_merges_give_the_bytes_of_one_machine(
    documents: Any, places: list[int], options: dict[str, Any], order: Any
) -> None:
    rows = EACH + documents
    texts, labels, weights = map(list, zip(*rows, strict=True))
    plan = Plan.of(sample_weight="weight", **options)
    parts = cut(rows, places)
    state = counted(plan, parts, order)
    if state.must_be_counted_again:
        plan = plan.for_short_documents()
        state = counted(plan, parts, order)
    model = plan.fitted(state)
    whole = Classifier(**options).fit(texts, labels, weights)
    assert content(model) == content(whole)
    if "calibration" not in options:
        assert model.report_.doubtful == whole.report_.doubtful
        assert model.report_.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


@given(DOCUMENTS, st.lists(st.integers(0, 28), min_size=1, max_size=3), st.integers(1, 4))
@settings(max_examples=15)
def test_shards_merged_on_their_own_give_the_bytes_of_one_machine(documents: Any, places: list[int], n: int) -> None:
    rows = EACH + documents
    plan = Plan.of(sample_weight="weight").for_short_documents()
    shards = [
        shard
        for number, part in enumerate(cut(rows, places))
        if isinstance(state := plan.count(number, [batch(part)]), TextState) and part
        for shard in state.shards(n)
    ]
    merged = [merge(*[shard for shard in shards if shard.shard == number]) for number in range(n)]
    texts, labels, weights = map(list, zip(*rows, strict=True))
    model = plan.fitted(together(reversed(merged)))  # type: ignore[arg-type]
    assert content(model) == content(Classifier().fit(texts, labels, weights))


def test_shards_pruned_on_their_own_are_the_whole_pruned() -> None:
    plan = Plan.of(sample_weight="weight")
    rows = [(f"free word{n % 7} lunch", "ab"[n % 2], 1) for n in range(40)]
    whole, parts = plan.count(0, [batch(rows)]), [plan.count(n, [batch(rows[n::2])]) for n in (0, 1)]
    assert isinstance(whole, TextState)
    whole.prune(min_documents=4)
    shards = [[part.shards(3)[number] for part in parts] for number in range(3)]  # type: ignore[union-attr]
    pruned = []
    for several in shards:
        state = merge(*several)
        assert isinstance(state, TextState)
        state.prune(min_documents=4)
        pruned.append(plan.state_from_bytes(state.to_bytes()))
    assert content(plan.fitted(together(pruned))) == content(plan.fitted(whole))  # type: ignore[arg-type]


def test_a_sample_of_many_documents_is_that_of_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("curves.MOST_FITTED_DOCUMENTS", "tally.MOST_DOCUMENTS"):
        monkeypatch.setattr(f"banbury.text.{limit}", 60)
    assert tally.sample_size("counting") == 60
    rows = [(f"word{n % 17} word{n % 5} {'free' if n % 3 else 'lunch'}", "ab"[n % 3 > 0], 1) for n in range(300)]
    plan = Plan.of()
    states = [plan.count(part, [batch(rows[part::7])]) for part in (3, 1, 6, 0, 5, 2, 4)]
    model = plan.fitted(merge(*states))
    in_order = [row for part in range(7) for row in rows[part::7]]
    whole = Classifier().fit([row[0] for row in in_order], [row[1] for row in in_order])
    assert content(model) == content(whole)
    assert model.report_.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


def test_labels_that_no_document_of_the_sample_has_are_in_every_tree_of_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banbury.text.tally.MOST_DOCUMENTS", 3)
    rows = [(f"word{n}", f"label{n}", 1) for n in range(30)]
    plan, parts = Plan.of(), {part: [batch(rows[part::3])] for part in range(3)}
    states = {part: plan.count(part, batches).to_bytes() for part, batches in parts.items()}
    merged = {
        merge(*(plan.state_from_bytes(states[part]) for part in order)).to_bytes()
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0))
    }
    assert len(merged) == 1


def test_where_nothing_is_chosen_no_documents_travel() -> None:
    rows = [(f"secret{n} free", "ab"[n % 2], 1) for n in range(40)]
    plain = Plan.of(likelihood="multinomial", smoothing=1.0, calibration=None, sample_weight="weight")
    assert b"secret7 free" in Plan.of(sample_weight="weight").count(0, [batch(rows)]).to_bytes()
    assert b"secret7 free" not in plain.count(0, [batch(rows)]).to_bytes()


def test_a_table_in_parts_is_the_table() -> None:
    ages = [None if n % 9 == 0 else (n * 37) % 60 + 20 * (n % 2) for n in range(120)]
    plans, labels = [["free", "paid", "gone"][n % 3] for n in range(120)], [n % 2 == 1 for n in range(120)]
    table = pa.table({"age": ages, "plan": plans, "left": labels})
    plan = Plan.of(columns=["age", "plan"], label="left")
    parts = {2: table.slice(90), 0: table.slice(0, 50), 1: table.slice(50, 40)}
    states = [plan.state_from_bytes(plan.count(part, rows.to_batches(11)).to_bytes()) for part, rows in parts.items()]
    model = plan.fitted(merge(*states, states[0]))
    assert content(model) == content(Classifier(columns=["age", "plan"]).fit(table.select(["age", "plan"]), labels))


def test_what_does_not_belong_together_is_refused() -> None:
    plan, rows = Plan.of(), [batch(EACH)]
    with pytest.raises(InputError, match="part 1 is in both states"):
        merge(merge(plan.count(0, rows), plan.count(1, rows)), merge(plan.count(1, rows), plan.count(2, rows)))
    shards = plan.count(0, rows).shards(3)  # type: ignore[union-attr]
    with pytest.raises(InputError, match="shard 0 cannot be merged with shard 1"):
        shards[0].merge(shards[1])
    with pytest.raises(InputError, match=r"shards \[0, 2\] are not all there"):
        together([shards[0], shards[2]])
    with pytest.raises(InputError, match="different parts"):
        together([shards[0], plan.count(1, rows).shards(2)[1]])  # type: ignore[union-attr]
    with pytest.raises(InputError, match="a state of texts cannot be merged with one of a table"):
        merge(plan.count(0, rows), Plan.of(columns=["text"]).count(1, rows))
    with pytest.raises(InputError, match="part 16777216: the parts of the data are numbered from 0 to 16777215"):
        plan.count(MOST_NUMBERED_PARTS, rows)
    with pytest.raises(InputError, match="part 16777216: the parts of the data are numbered from 0 to 16777215"):
        plan.state_from_bytes(plan.count(0, rows).to_bytes(), first_part=MOST_NUMBERED_PARTS)
    with pytest.raises(InputError, match="no documents to learn from"):
        plan.fitted(plan.count(0, []))
    with pytest.raises(InputError, match="no rows to learn from"):
        Plan.of(columns=["text"]).fitted(Plan.of(columns=["text"]).count(0, []))


def test_damaged_bytes_are_refused_whole() -> None:
    plan = Plan.of()
    data = plan.count(0, [batch(EACH)]).to_bytes()
    for damaged in (b"", data[:-1], data[:300] + b"x" + data[301:], data[:-1] + bytes([data[-1] ^ 1])):
        with pytest.raises(FileFormatError):
            plan.state_from_bytes(damaged)
    with pytest.raises(FileFormatError, match="it holds a 'state of texts', not a state of a table"):
        Plan.of(columns=["text"]).state_from_bytes(data)
    with pytest.raises(FileFormatError, match="not a state of this version"):
        plan.state_from_bytes(storage.to_bytes({"kind": "state of texts"}, {}))
