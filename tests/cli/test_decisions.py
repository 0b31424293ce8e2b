"""Options by which a command decides: which rule they ask for, and which of them do not go together."""

import json
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier
from banbury.cli.decisions import costs_of, rule_of, rules
from banbury.cli.declared import UsageError, command
from banbury.datasets import demo
from banbury.results.decisions import Costs, Margin, Promise

NONE: dict[str, Any] = dict.fromkeys(("costs", "unsure", "margin", "promise", "promised_on", "above"))


@pytest.fixture(scope="module")
def model() -> Classifier:
    texts, labels = demo()
    return Classifier().fit(texts[::2], labels[::2])


def test_without_options_the_most_likely_label_is_taken(model: Classifier) -> None:
    assert rule_of(NONE, model) is None


def test_costs_are_named_by_the_labels_of_the_model(model: Classifier) -> None:
    rule = rule_of({**NONE, "costs": "negative:positive=20, positive : negative=0.5,", "unsure": 0.25}, model)
    expected = {("negative", "positive"): 20.0, ("positive", "negative"): 0.5}
    assert rule == Costs.of(["negative", "positive"], expected, unsure=0.25)
    numbered = Classifier().fit(["a", "b"], [1, 2])
    assert rule_of({**NONE, "costs": "1:2=3"}, numbered) == Costs.of([1, 2], {(1, 2): 3.0})
    assert rule_of({**NONE, "unsure": 0.0}, model) == Costs.of(["negative", "positive"], unsure=0.0)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"costs": "a:b"}, "is not TRUE:PREDICTED=COST, a cost of 0 or more"),
        ({"costs": "negative:positive=nan"}, "is not TRUE:PREDICTED=COST"),
        ({"unsure": -0.5}, "it costs -0.5; a cost is 0 or more"),
        ({"unsure": float("nan")}, "a cost is 0 or more"),
        ({"promise": 0.1}, "A promise needs both"),
        ({"promised_on": "rows.csv"}, "A promise needs both"),
        ({"promise": 0.1, "promised_on": "rows.csv", "unsure": 1.0}, "by --costs and --unsure, or by --promise"),
        ({"promise": 0.1, "promised_on": "rows.csv", "above": 0.9}, "finds the threshold that --above would set"),
    ],
)
def test_what_cannot_be_asked_for_is_said(model: Classifier, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rule_of({**NONE, **options}, model)


def test_a_promise_is_measured_on_the_rows_of_a_file(
    model: Classifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, labels = demo()
    rows = [{"text": text, "label": label} for text, label in zip(texts[1::2], labels[1::2], strict=True)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rule = rule_of({**NONE, "promise": 0.2, "promised_on": str(path)}, model)
    assert isinstance(rule, Promise)
    assert rule.error == 0.2
    assert str(rule).splitlines()[0] in capsys.readouterr().err


def test_a_command_has_all_options() -> None:
    @command()
    @rules
    def decide(**given: Any) -> None:
        """Decide."""

    assert [option.name for option in decide.parameters] == ["costs", "unsure", "margin", "promise", "promised_on"]


def test_a_margin_is_a_rule_of_its_own(model: Classifier) -> None:
    assert rule_of({**NONE, "margin": 0.5}, model) == Margin(["negative", "positive"], 0.5)
    for other in ({"unsure": 1.0}, {"promise": 0.1}, {"above": 0.9}):
        with pytest.raises(UsageError, match="decides by itself"):
            rule_of({**NONE, "margin": 0.5, **other}, model)
    assert costs_of(NONE, ["negative", "positive"]) is None
