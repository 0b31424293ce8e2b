"""Plan: what a worker has to know to count a part of the data, and how a model is made of all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from banbury import __version__
from banbury.classifier import Classifier
from banbury.distributed.columns import Columns
from banbury.distributed.state import State, TableState, TextState
from banbury.errors import InputError
from banbury.parameters import check_parameters
from banbury.text.analyzer import Analyzer
from banbury.text.settings import Settings, as_analyzer
from banbury.text.tally import Tally


@dataclass(frozen=True)
class Plan:
    """Columns, parameters of a classifier, and whether documents are known to be short."""

    columns: Columns
    parameters: dict[str, Any] = field(default_factory=dict)
    is_for_short: bool = False

    @classmethod
    def of(
        cls,
        *,
        text: str | None = "text",
        columns: Any = None,
        label: str | None = "label",
        sample_weight: str | None = None,
        nulls: str = "error",
        **parameters: Any,
    ) -> Plan:
        """A plan to fit `Classifier(**parameters)`; `columns` makes it one of a table."""
        named = Columns.of(text=text, columns=columns, label=label, sample_weight=sample_weight, nulls=nulls)
        plan = cls(named, {"columns": columns, **parameters} if columns is not None else parameters)
        classifier = plan.classifier()
        check_parameters(classifier.settings, classifier.effort)
        if classifier.exact_forget and named.text is not None:
            raise InputError("exact_forget=True keeps a hash of every document, which workers do not send")
        as_analyzer(classifier.analyzer)
        return plan

    def classifier(self) -> Classifier:
        """The classifier to be fitted."""
        return Classifier(**self.parameters)

    def empty_state(self) -> State:
        """What was counted of nothing."""
        if self.columns.text is None:
            return TableState()
        classifier = self.classifier()
        tally = Tally(classifier.analyzer, classifier.settings, effort=classifier.effort)
        return TextState(tally.for_short_documents() if self.is_for_short else tally)

    def count(self, part: int, batches: Iterable[Any], where: str | None = None) -> State:
        """What Arrow tables or record batches have, which are a part of the data, one after another.

        Errors name the part by its number, or say `where` it is.
        """
        state, row = self.empty_state(), 0
        for batch in batches:
            rows = self.columns.read(batch, where or f"part {part}", row)
            row += batch.num_rows
            if len(rows):
                state.add(part, rows)
        return state

    def state_from_bytes(self, data: bytes, first_part: int = 0) -> State:
        """The state whose `to_bytes` these are; the numbers of its parts count from `first_part`."""
        state = self.empty_state()
        if isinstance(state, TableState):
            return state.read_bytes(data, lambda table: self.columns.read(table, "a state"), first_part)
        return state.with_bytes(data, first_part)

    def for_short_documents(self) -> Plan:
        """The same plan, which counts characters in every part: some parts alone looked as if that were not needed."""
        return replace(self, is_for_short=True)

    def fitted(self, state: State) -> Classifier:
        """The model of all that was counted, the same to the bit as of one machine that has all of it."""
        if state.must_be_counted_again:
            raise InputError(
                "the documents are short, but some parts had long ones: count by plan.for_short_documents()"
            )
        return state.fit(self.classifier())

    # What travels

    def to_json(self) -> str:
        """The plan as text: what a worker has to know, and by which version of banbury it was written."""
        classifier = self.classifier()
        analyzer = classifier.analyzer
        return json.dumps(
            {
                "version": __version__,
                "columns": self.columns.settings(),
                "analyzer": analyzer.settings() if isinstance(analyzer, Analyzer) else analyzer,
                "settings": classifier.settings.plain(),
                "effort": classifier.effort,
                "is_for_short": self.is_for_short,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan of `to_json`, for a worker: kinds of columns are found where the model is fitted."""
        plan: Mapping[str, Any] = json.loads(text)
        analyzer = plan["analyzer"]
        parameters = {
            "analyzer": Analyzer.from_settings(analyzer) if isinstance(analyzer, Mapping) else analyzer,
            "effort": plan["effort"],
            **Settings.from_plain(plan["settings"])._asdict(),
        }
        return cls(Columns.from_settings(plan["columns"]), parameters, plan["is_for_short"])
