"""Answers: what workers send to the driver, a state or an error; and the model that is made of all of them.

An error is an answer like any other: a worker that raised it would be tried again, and its message would come wrapped
in that of the engine. Nothing is made of the answers before all of them are there and none is an error.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from banbury import __version__, storage
from banbury.classifier import Classifier
from banbury.distributed.columns import arrow
from banbury.distributed.filtering import Rule
from banbury.distributed.plan import Plan
from banbury.distributed.sketch import Sketch
from banbury.distributed.state import State, TextState, merge, together
from banbury.errors import BanburyError, InputError

FAN_IN = 16  # states that one task merges, where there are more parts than the driver should merge alone


class Answer(NamedTuple):
    """What a worker has to say: the bytes of a state, or of a model, or what went wrong."""

    part: int
    shard: int
    error: str
    data: bytes


def answers_table(answers: Iterable[tuple[int, int, str, bytes]]) -> Any:
    """The answers as an Arrow table, for engines whose tasks give tables back."""
    pa = arrow()
    kinds = (pa.int64(), pa.int32(), pa.string(), pa.large_binary())
    schema = pa.schema(list(zip(Answer._fields, kinds, strict=True)))
    return pa.Table.from_pylist([dict(zip(Answer._fields, answer, strict=True)) for answer in answers], schema)


def answers_of(work: Callable[[], Iterable[Answer]]) -> Iterator[Answer]:
    """The answers of some work, or that it went wrong, and on which host."""
    try:
        yield from work()
    except BanburyError as error:
        yield Answer(0, 0, f"{error} (on host {socket.gethostname()})", b"")


def version_error(version: str) -> str:
    """What is wrong with the version of banbury on this host, where the driver has another; else nothing."""
    if version == __version__:
        return ""
    host = socket.gethostname()
    return f"host {host} has banbury {__version__}, but the driver has {version}: install the same on both"


def counted(
    plan_text: str, part: int, batches: Iterable[Any], n_shards: int = 1, where: str | None = None
) -> Iterator[Answer]:
    """The state of a part of the data, in so many shards; nothing, where the part is empty."""

    def work() -> Iterator[Answer]:
        state = Plan.from_json(plan_text).count(part, batches, where)
        if state.parts:
            for shard in state.shards(n_shards) if isinstance(state, TextState) and n_shards > 1 else [state]:
                yield Answer(part, shard.shard, "", shard.to_bytes())

    return answers_of(work)


def merged(
    plan_text: str, answers: Iterable[Answer], min_documents: int = 1, *, in_order: bool = False
) -> Iterator[Answer]:
    """One answer for each shard among these; where all parts are here, features of too few documents can go.

    With `in_order`, workers did not know which parts they had: parts follow on each other as the answers do.
    """

    def work() -> Iterator[Answer]:
        for shard, state in _states(Plan.from_json(plan_text), answers, in_order).items():
            if isinstance(state, TextState) and min_documents > 1:
                state.prune(min_documents=min_documents)
            yield Answer(min(state.parts), shard, "", state.to_bytes())

    return answers_of(work)


def learned(model: Classifier, part: int, rows: Iterable[Any]) -> Iterator[Answer]:
    """An empty copy of a model that has learned these `Rows` alone; nothing, where there are none."""

    def work() -> Iterator[Answer]:
        copy = model.empty()
        for several in rows:
            if len(several):
                copy.learn(several.documents, several.labels, several.weights)
        if len(copy.model_.classes):
            yield Answer(part, 0, "", storage.to_bytes(*copy.parts()))

    return answers_of(work)


def sketched(model: Classifier, part: int, rows: Iterable[Any], rule: str) -> Iterator[Answer]:
    """The sketch of the scores of these `Rows`, for the label that a rule keeps; nothing, where there are none."""

    def work() -> Iterator[Answer]:
        scores = Rule.from_json(rule).scores
        sketch = Sketch().merge(*(Sketch.of(scores(model, several.documents)) for several in rows if len(several)))
        if sketch.n:
            yield Answer(part, 0, "", sketch.to_bytes())

    return answers_of(work)


def merged_sketches(answers: Iterable[Answer]) -> Iterator[Answer]:
    """One sketch of all of them."""

    def work() -> Iterator[Answer]:
        several = list(checked(answers))
        if several:
            yield Answer(min(answer.part for answer in several), 0, "", sketch_of(several).to_bytes())

    return answers_of(work)


def sketch_of(answers: Iterable[Answer]) -> Sketch:
    """The sketch of all scores that workers have counted; each part answers once."""
    sketch = Sketch()
    for answer in checked(answers):
        sketch = sketch.merge(Sketch.from_bytes(answer.data))
    return sketch


def checked(answers: Iterable[Answer]) -> Iterator[Answer]:
    """The answers, or the first error among them."""
    for answer in answers:
        if answer.error:
            raise InputError(answer.error)
        yield answer


def fitted(
    plan: Plan, count: Callable[[Plan], Iterable[Answer]], *, min_documents: int = 1, in_order: bool = False
) -> Classifier:
    """The model of all that an engine's `count` answers; it is asked again where the documents are short unexpectedly.

    Shards come whole and pruned, or as one state for each part, in any order, or `in_order` as in `merged`.
    """
    for attempt in (plan, plan.for_short_documents()):
        states = _states(attempt, list(checked(count(attempt))), in_order) or {0: attempt.empty_state()}
        whole = together(states.values()) if len(states) > 1 else states[0]  # type: ignore[arg-type]
        if not whole.must_be_counted_again:
            break
    if isinstance(whole, TextState) and min_documents > 1:
        whole.prune(min_documents=min_documents)
    return attempt.fitted(whole)


def learn(model: Classifier, answers: Iterable[Answer]) -> Classifier:
    """The model, which has learned what workers have; where one of them failed, it is unchanged."""
    together = model.empty()
    for answer in sorted(checked(answers)):
        file = storage.from_bytes(answer.data)
        together.merge(Classifier.from_parts(file.settings, file.arrays))
    return model.merge(together)


def _states(plan: Plan, answers: Iterable[Answer], in_order: bool) -> dict[int, State]:
    """The merged state of each shard."""
    states: dict[int, State] = {}
    for answer in checked(answers):
        before = states.get(answer.shard)
        state = plan.state_from_bytes(answer.data, first_part=len(before.parts) if before and in_order else 0)
        states[answer.shard] = merge(before, state) if before else state
    return states
