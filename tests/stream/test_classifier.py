"""StreamClassifier: the front door, its laws, and what is refused."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import banbury
from banbury import Classifier, StreamClassifier
from banbury.errors import BanburyError, CountError, FileFormatError, InputError, LabelError, NotFittedError
from banbury.stream.ageing import PeriodCounts
from banbury.text.counts import Counts
from stream_texts import DATES, LABELS, TEXTS, TIMES

WORDS: dict[str, Any] = {"period": 1, "analyzer": "words"}


def fitted(**parameters: Any) -> StreamClassifier:
    return StreamClassifier(**(WORDS | parameters)).fit(TEXTS, LABELS, TIMES)


def parts(model: StreamClassifier) -> Any:
    settings, arrays = model.parts()
    return settings, {name: bytes(array) for name, array in arrays.items()}


def test_where_nothing_ages_it_is_a_classifier() -> None:
    stream, plain = fitted(half_life=None), Classifier(analyzer="words").fit(TEXTS, LABELS)
    assert stream.predict_proba(TEXTS).tolist() == plain.predict_proba(TEXTS).tolist()
    assert stream.classes_.tolist() == ["ham", "spam"]
    assert stream.predict("coins and a token") == plain.predict("coins and a token") == "spam"
    assert stream.probabilities("lunch") == plain.probabilities("lunch")
    assert stream.explain("lunch").label == "ham"
    assert stream.words("spam", top=1).rows()[0]["word"] in {
        "prize",
        "money",
        "winner",
        "cash",
        "coins",
        "wallet",
        "token",
        "airdrop",
    }
    assert stream.score(TEXTS, LABELS) == stream.evaluate(TEXTS, LABELS).accuracy == plain.score(TEXTS, LABELS)


def test_counts_are_halved_every_half_life() -> None:
    stream = fitted(half_life=2)
    # Periods 6 and 7 whole, 4 and 5 halved, 2 and 3 twice, 0 and 1 three times: 60 + 30 + 15 + 7.5 documents.
    assert stream.current_.documents_ == [40 + 20 + 10 + 5, 20 + 10 + 5 + 3]
    assert stream.half_life_ == 2
    assert stream.set_params(half_life=None).current_.documents_ == [160, 80]


def test_the_half_life_is_that_which_predicts_the_next_period_best() -> None:
    stream = fitted()
    assert stream.half_life_ == min(stream.half_lives_, key=lambda name: stream.half_lives_[name])
    chosen = Classifier(analyzer="words").fit(TEXTS, LABELS).empty()
    for half_life in (None, 2):
        losses: list[float] = []
        for period in range(1, 8):
            past = [row for row, time in enumerate(TIMES) if time < period]
            now = [row for row, time in enumerate(TIMES) if time == period]
            aged = PeriodCounts(chosen.counts_.analyzer)
            for row in past:
                aged.add(TIMES[row], Counts(chosen.counts_.analyzer).add([TEXTS[row]], [LABELS[row]]))
            before = chosen.empty()
            before.counts_.merge(aged.aged(now=period, half_life=half_life))
            logs = before.predict_log_proba([TEXTS[row] for row in now])
            columns = [before.classes_.tolist().index(LABELS[row]) for row in now]
            losses += (-logs[np.arange(len(now)), columns]).tolist()
        assert stream.half_lives_[half_life] == pytest.approx(np.mean(losses), abs=1e-5)
        assert fitted(half_life=half_life).half_lives_ == {half_life: stream.half_lives_[half_life]}


def test_the_change_is_seen_when_in_which_label_and_by_which_words() -> None:
    drift = fitted(half_life=None).drift(top=4)
    assert [row.period for row in drift.drifted][:1] == ["4"]
    row = drift.drifted[0]
    assert [label.label for label in row.labels if label.has_drifted] == ["spam"]
    assert {word.word for word in row.words} <= {
        "money",
        "prize",
        "winner",
        "cash",
        "coins",
        "wallet",
        "token",
        "airdrop",
    }
    assert {word.label for word in row.words} == {"spam"}


@pytest.mark.parametrize("order", [slice(None, None, -1), [*range(100, 240), *range(100)]])
def test_order_and_threads_do_not_matter(order: Any) -> None:
    rows = np.arange(len(TEXTS))[order]
    other = StreamClassifier(threads=3, **WORDS).fit(
        [TEXTS[row] for row in rows], [LABELS[row] for row in rows], [TIMES[row] for row in rows]
    )
    assert parts(other) == parts(fitted(threads=1))


def test_documents_of_a_period_may_come_in_any_batches() -> None:
    first = [row for row, time in enumerate(TIMES) if time < 4]
    rest = [row for row, time in enumerate(TIMES) if time >= 4]
    base = StreamClassifier(**WORDS).fit(*([column[row] for row in first] for column in (TEXTS, LABELS, TIMES)))
    at_once, one_by_one = pickle.loads(pickle.dumps(base)), base
    at_once.learn(*([column[row] for row in rest] for column in (TEXTS, LABELS, TIMES)))
    for period in range(4, 8):
        members = [row for row in reversed(rest) if TIMES[row] == period]
        for some in (members[:7], members[7:]):
            one_by_one.learn(*([column[row] for row in some] for column in (TEXTS, LABELS, TIMES)))
    assert parts(at_once) == parts(one_by_one)


def test_what_is_learned_and_forgotten_was_never_there() -> None:
    model = fitted()
    before = parts(model)
    more = ["a brand new thing", "coins now", "old lunch"], ["other", "spam", "ham"], [9, 7, 2]
    model.learn(*more, [1, 2, 3])
    assert parts(model) != before
    assert model.documents_["9"] == {"other": 1}
    model.forget(*more, [1, 2, 3])
    assert parts(model) == before


def test_parts_merged_are_the_whole() -> None:
    model = fitted()
    half = len(TEXTS) // 2 + 5  # in the middle of a period
    cuts = (slice(0, half), slice(half, None))
    one, other = (model.empty().learn(TEXTS[cut], LABELS[cut], TIMES[cut]) for cut in cuts)
    whole = one.empty().merge(other).merge(one)
    assert whole.documents_ == model.documents_
    for half_life in (None, 1, 3):
        for each in (whole, model):
            each.set_params(half_life=half_life)
        assert whole.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()


def test_forget_before_keeps_a_window() -> None:
    model = StreamClassifier(analyzer="words").fit(TEXTS, LABELS, DATES)
    assert model.periods_ == [f"2026-{month:02}" for month in range(1, 9)]
    model.set_params(half_life=None).forget_before("2026-05-20")
    assert model.periods_ == ["2026-05", "2026-06", "2026-07", "2026-08"]
    rows = [row for row, time in enumerate(TIMES) if time >= 4]
    window = model.empty().learn(*([column[row] for row in rows] for column in (TEXTS, LABELS, DATES)))
    assert window.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()
    model.forget_before("2030-01-01")
    with pytest.raises(NotFittedError, match="forgotten everything"):
        model.predict("a")
    assert model.learn(["a lunch"], ["ham"], ["2030-02-01"]).predict("lunch") == "ham"


def test_saved_and_loaded_is_identical(tmp_path: Path) -> None:
    for model in (fitted(), fitted(half_life=3), StreamClassifier(analyzer="words").fit(TEXTS, LABELS, DATES)):
        model.save(tmp_path / "model")
        for again in (banbury.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
            assert isinstance(again, StreamClassifier)
            assert again.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()
            assert str(again.drift()) == str(model.drift())
            again.save(tmp_path / "again")
            assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    with pytest.raises(FileFormatError, match="it holds a stream classifier, not a classifier"):
        Classifier.load(tmp_path / "model")
    settings, arrays = fitted().parts()
    wrong: list[dict[str, Any]] = [
        {"half_life": 0},
        {"period": "fortnight"},
        {"record": [[None, 1]]},
        {"periods": settings["periods"][:1] * 2},
        {"kind": "classifier"},
    ]
    for change in wrong:
        with pytest.raises(FileFormatError):
            StreamClassifier.from_parts({**settings, **change}, arrays)


def test_settings_are_chosen_again_and_counts_stay() -> None:
    model = fitted()
    before = model.documents_, model.half_lives_
    model.refit_settings(TEXTS[120:], LABELS[120:])
    assert (model.documents_, model.half_lives_) == before
    expected = Classifier(analyzer="words").fit(TEXTS[120:], LABELS[120:]).empty().learn(TEXTS, LABELS)
    assert model.set_params(half_life=None).predict_proba(TEXTS).tolist() == expected.predict_proba(TEXTS).tolist()


def test_it_keeps_the_contract_of_scikit_learn_as_far_as_times_allow() -> None:
    model = StreamClassifier(period=7, half_life=3)
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "StreamClassifier(period=7, half_life=3)"
    with pytest.raises(InputError, match="there is no parameter 'alpha'"):
        model.set_params(alpha=1)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda model: model.predict(["a"]), NotFittedError, "has not learned anything yet"),
        (lambda model: model.fit("a text", ["x"], [1]), InputError, "expected a list of documents"),
        (lambda model: model.fit(["a"], ["x"], [None]), InputError, "document 0 has time None"),
        (lambda model: model.fit(["a", "b"], ["x", "y"], [1, "2026-01-01"]), InputError, "document 1 has time"),
        (lambda model: model.fit(["a", "b"], ["x", "y"], [1, float("nan")]), InputError, "document 1 has time nan"),
        (lambda model: model.fit(["a"], ["x"], None), InputError, "times is None; it must be a list"),
        (lambda model: model.fit(["a"], ["x"], [1]).learn(["a"], ["x"], ["2026-01-01"]), InputError, "of type str"),
        (lambda model: model.fit(["a"], ["x"], [1]).forget_before(None), InputError, "forget_before has time None"),
        (lambda model: model.fit(["a"], ["x"], [1]).forget_before("soon"), InputError, "forget_before has time 'soon'"),
        (lambda model: model.fit(["a"], ["x"], [1, 2]), InputError, "1 documents but 2 times"),
        (lambda model: model.fit(["a"], ["x", "y"], [1]), InputError, "1 documents but 2 labels"),
        (lambda model: model.fit([], [], []), InputError, "no documents"),
        (lambda model: model.fit(["a", None], ["x", "y"], [1, 1]), BanburyError, "document 1 is None"),
        (lambda model: model.set_params(half_life=0).fit(["a"], ["x"], [1]), InputError, "half_life is 0"),
        (lambda model: model.set_params(half_life="long").fit(["a"], ["x"], [1]), InputError, "half_life is 'long'"),
        (lambda model: model.set_params(period="era").fit(["a"], ["x"], [1]), InputError, "period is 'era'"),
        (lambda model: model.fit(["a"], ["x"], [1]).learn(["b"], [3], [2]), LabelError, "of type int"),
        (
            lambda model: model.fit(["a"], ["x"], [1]).forget(["a"], ["x"], [2]),
            CountError,
            "no document of this period",
        ),
        (lambda model: model.fit(["a"], ["x"], [1]).forget(["b"], ["x"], [1]), CountError, "never added"),
        (lambda model: model.fit(["a"], ["x"], [1]).merge(Classifier()), InputError, "another StreamClassifier"),
        (
            lambda model: model.fit(["a"], ["x"], [1]).merge(StreamClassifier(period=2).fit(["a"], ["x"], [1])),
            InputError,
            "different periods, 1 and 2",
        ),
        (lambda model: model.fit(["a"], ["x"], [1]).drift(top=0), InputError, "top is 0"),
    ],
)
def test_bad_input_is_one_clear_error(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(StreamClassifier(period=1))


def test_bad_input_changes_nothing() -> None:
    model = fitted()
    before = parts(model)
    acts: list[Callable[[], Any]] = [
        lambda: model.learn(["x", "y"], ["ham", "ham"], [8, None]),
        lambda: model.learn(["x", None], ["ham", "ham"], [8, 9]),
        lambda: model.forget([TEXTS[0], "never seen"], [LABELS[0], "ham"], [TIMES[0], 3]),
        lambda: model.learn(["x"], [3], [8]),
    ]
    for act in acts:
        with pytest.raises(BanburyError):
            act()
        assert parts(model) == before
