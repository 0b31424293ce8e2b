"""Where a model fails and why."""

from collections.abc import Callable

import numpy as np
import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.results.evaluation import evaluate
from banbury.results.mistakes import confused_groups, surest

TEXTS, LABELS = demo()
REPORT = Classifier().fit(TEXTS[::2], LABELS[::2]).evaluate(TEXTS[1::2], LABELS[1::2])


def test_the_surest_mistakes_come_first_with_reasons_that_sum_to_the_score() -> None:
    found = REPORT.mistakes(top=1000)
    assert len(found) == REPORT.n_documents - REPORT.n_right
    assert [one.probability for one in found] == sorted((one.probability for one in found), reverse=True)
    for one in found:
        assert (TEXTS[1::2][one.index], LABELS[1::2][one.index]) == (one.explanation.text, one.label)
        assert (one.explanation.label, one.explanation.against) == (one.predicted, one.label)
        total = one.explanation.prior + sum(evidence.weight for evidence in one.explanation.evidence)
        assert total == pytest.approx(one.explanation.score)
        assert one.probability == pytest.approx(1 / (1 + np.exp(-one.explanation.score)))
    assert REPORT.mistakes(top=2) == found[:2]


def test_words_at_fault_are_those_that_speak_for_the_wrong_class() -> None:
    model = Classifier.textbook().fit(["good film"] * 9 + ["bad film"] * 9, ["yes"] * 9 + ["no"] * 9)
    report = model.evaluate(["good good film", "good film", "bad film"], ["no", "no", "no"])
    fault = report.words_at_fault()
    assert [(one.word, one.documents) for one in fault] == [("good", 2)]
    one_time = next(one.weight for one in model.explain("good").evidence)
    assert fault[0].nats == pytest.approx(3 * one_time)


def test_no_mistakes_no_faults() -> None:
    model = Classifier().fit(["good", "bad"], ["yes", "no"])
    report = model.evaluate(["good"], ["yes"])
    assert (report.mistakes(), report.words_at_fault(), report.confused_groups()) == ([], [], [])


def test_mistakes_at_random_make_no_groups() -> None:
    random = np.random.default_rng(0)
    found = 0
    for _ in range(100):
        confusion = random.poisson(5, (8, 8)) + np.diag([100] * 8)
        found += bool(confused_groups(list("abcdefgh"), confusion.tolist()))
    assert found <= 5


def test_classes_that_were_mixed_on_purpose_are_found() -> None:
    confusion = np.random.default_rng(0).poisson(1, (7, 7)) + np.diag([100] * 7)
    for group in ([0, 3, 5], [1, 6]):
        confusion[np.ix_(group, group)] += 12
    groups = confused_groups(list("abcdefg"), confusion.tolist())
    assert [group.classes for group in groups] == [["a", "d", "f"], ["b", "g"]]
    assert sum(group.share for group in groups) <= 1


def test_newsgroups_on_one_subject_are_confused(read_set: Callable[[str], list[dict[str, str]]]) -> None:
    rows = read_set("20newsgroups")
    train, test = ([row for row in rows if row["split"] == split] for split in ("train", "test"))
    model = Classifier.textbook(smoothing=0.1)
    model.fit([row["text"] for row in train], [row["label"] for row in train])
    report = model.evaluate([row["text"] for row in test], [row["label"] for row in test])
    groups = [set(group.classes) for group in report.confused_groups()]
    assert any({"comp.graphics", "comp.windows.x"} <= group for group in groups)
    assert any({"alt.atheism", "talk.religion.misc"} <= group for group in groups)
    assert not any({"alt.atheism", "comp.graphics"} <= group for group in groups)


def test_without_probabilities_nobody_knows_the_surest_mistakes() -> None:
    plain = evaluate(["a"], ["b"]).predictions
    assert plain is not None
    with pytest.raises(ValueError, match="without probabilities"):
        surest(plain, lambda row, label, against: REPORT.model.explain(""), 1)
