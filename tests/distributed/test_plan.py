"""Plans: as text and back, and what they refuse before any worker is asked."""

from typing import Any

import pyarrow as pa
import pytest

from banbury import Analyzer, Dirichlet
from banbury.distributed.plan import Plan
from banbury.errors import InputError


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"analyzer": Analyzer(ngrams=(1, 3)), "likelihood": "bernoulli", "smoothing": 0.5},
        {"analyzer": "words", "prior": {"a": 0.25, "b": 0.75}, "effort": "best"},
        {"prior": Dirichlet(1)},
        {"text": "body", "label": "y", "sample_weight": "w", "nulls": "skip"},
    ],
)
def test_a_plan_comes_back_from_its_text(options: dict[str, Any]) -> None:
    plan = Plan.of(**options)
    again = Plan.from_json(plan.to_json())
    assert again.columns == plan.columns
    assert again.to_json() == plan.to_json()
    assert Plan.from_json(plan.for_short_documents().to_json()).is_for_short


def test_a_worker_reads_the_columns_of_a_table_without_their_kinds() -> None:
    plan = Plan.from_json(Plan.of(columns={"age": "gaussian"}, label="y").to_json())
    assert plan.count(0, [pa.record_batch({"age": [1.0], "y": ["a"]})]).parts == {0: 1}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"likelihood": "gaussian"}, "likelihood is 'gaussian'"),
        ({"effort": "most"}, "effort is 'most'"),
        ({"analyzer": "no such preset"}, "preset"),
    ],
)
def test_parameters_are_checked_before_anything_is_counted(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Plan.of(**options)


def test_parts_of_long_documents_ask_for_a_second_count() -> None:
    plan = Plan.of()
    long = pa.record_batch({"text": ["word and more words " * 40, "more"], "label": ["a", "b"]})
    short = pa.record_batch({"text": ["short", "shorter"] * 9, "label": ["a", "b"] * 9})
    state = plan.count(0, [long, short])
    with pytest.raises(InputError, match=r"count by plan\.for_short_documents"):
        plan.fitted(state)
    assert plan.for_short_documents().fitted(plan.for_short_documents().count(0, [long, short])).documents_ == [10, 10]


def test_what_workers_do_not_send_is_refused_before_they_count() -> None:
    with pytest.raises(InputError, match="exact_forget=True keeps a hash of every document"):
        Plan.of(exact_forget=True)
    assert Plan.of(columns=["age"], exact_forget=True).classifier().exact_forget  # rows of a table travel as they are
