"""The spam filter: what it takes, what it says, and that it learns letter by letter."""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Classifier, SpamFilter
from banbury.apps.spam import MAIL_COLUMNS
from banbury.errors import BanburyError, FileFormatError, InputError, NotFittedError
from banbury.readers.mail import parse
from commands import Here

HAM = [b"From: ann@example.org\nSubject: Lunch?\n\nAt noon?", b"From: bob@example.org\n\nThe minutes of the meeting"]
SPAM = [
    b"From: win@example.com\nSubject: FREE\n\n<b>Money</b> http://deals.example",
    b"From: x@example.com\n\nfree money",
]
LABELS = ["ham", "ham", "spam", "spam"]


def spam_filter() -> SpamFilter:
    return SpamFilter().fit(HAM + SPAM, LABELS)


def test_letters_are_told_from_spam_and_the_reasons_are_given() -> None:
    model = spam_filter()
    assert model.probability(b"From: new@example.com\n\nfree money now") > 0.5 > model.probability(HAM[0])
    assert model.is_spam(SPAM[0], sure=0.5)
    assert not model.is_spam(HAM[0])
    explanation = model.explain(SPAM[0])
    assert explanation.label == "spam"
    assert {"sender", "body"} <= {evidence.column for evidence in explanation.evidence}
    assert model.evaluate(HAM + SPAM, LABELS).accuracy == 1


def test_sources_strings_and_parsed_mails_are_the_same() -> None:
    model = spam_filter()
    source = SPAM[0]
    assert model.probability(source) == model.probability(source.decode()) == model.probability(parse(source))


def test_many_letters_are_asked_of_as_one_is() -> None:
    model = spam_filter()
    assert model.probability(HAM + SPAM).tolist() == [model.probability(letter) for letter in HAM + SPAM]
    assert model.is_spam(HAM + SPAM, sure=0.5).tolist() == [False, False, True, True]
    assert model.probability([]).tolist() == []
    assert SpamFilter().fit(SPAM, ["spam", "spam"]).probability(HAM).tolist() == [1, 1]
    assert SpamFilter().fit(HAM, ["ham", "ham"]).probability(SPAM).tolist() == [0, 0]


@settings(max_examples=20)
@given(st.lists(st.tuples(st.binary(max_size=200), st.sampled_from(LABELS)), min_size=1, max_size=6))
def test_whatever_comes_as_a_message_is_learned_explained_and_forgotten(stream: list[tuple[bytes, str]]) -> None:
    model = spam_filter()
    before = model.probability(HAM + SPAM)
    for message, label in stream:
        assert 0 <= model.probability(message) <= 1
        explanation = model.explain(message)
        total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
        assert total == pytest.approx(explanation.score)
        model.learn([message], [label])
    messages, labels = map(list, zip(*stream, strict=True))
    assert model.forget(messages, labels).probability(HAM + SPAM) == pytest.approx(before)


def test_how_much_parts_count_is_chosen_again_by_more_letters() -> None:
    one_by_one = SpamFilter()
    for letter, label in zip(HAM + SPAM, LABELS, strict=True):
        one_by_one.learn([letter], [label])
    chosen = one_by_one.refit_settings(HAM + SPAM, LABELS).report_
    assert chosen.n_documents == 4
    assert [column.name for column in chosen.columns] == list(MAIL_COLUMNS)


def test_one_letter_is_learned_and_unlearned() -> None:
    model = spam_filter()
    before = model.probability(b"pills")
    assert model.learn([b"pills pills"], ["spam"]).probability(b"pills") > before
    assert model.forget([b"pills pills"], ["spam"]).probability(b"pills") == pytest.approx(before)
    assert SpamFilter().learn(HAM[:1], ["ham"]).probability(HAM[0]) < 0.5


def test_a_saved_filter_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "spam.banbury"
    spam_filter().save(path)
    assert SpamFilter.load(path).probability(SPAM[1]) == spam_filter().probability(SPAM[1])
    Classifier().fit(["a", "b"], ["x", "y"]).save(path)
    with pytest.raises(FileFormatError, match="not one of e-mails"):
        SpamFilter.load(path)


def test_the_command_asks_and_teaches_a_saved_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, path = Here(tmp_path, monkeypatch), tmp_path / "spam.banbury"
    spam_filter().save(path)
    result = here("mail", "spam.banbury", "--spam-above", 0.5, stdin=SPAM[0])
    assert result.code == 0
    assert f"X-Banbury: spam; probability={spam_filter().probability(SPAM[0]):.6f}" in result.out
    assert here("mail", "spam.banbury", "--train", "spam", stdin=b"pills").code == 0
    assert SpamFilter.load(path).probability(b"pills") == spam_filter().learn([b"pills"], ["spam"]).probability(
        b"pills"
    )


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: SpamFilter().fit(HAM, ["ham", "junk"]), "message 1 has label 'junk'; it is 'ham' or 'spam'"),
        (lambda: SpamFilter().fit(HAM[0], ["ham"]), "put it into a list"),
        (lambda: SpamFilter().fit([b"", None], LABELS[:2]), "message 1 is of type NoneType; it must be the source of"),
        (lambda: spam_filter().probability([{"body": "x"}]), "message 0 is of type dict"),
        (lambda: spam_filter().probability(None), "messages is None; it must be a list"),
        (lambda: SpamFilter().fit(HAM, None), "labels is None; it must be a list"),
        (lambda: SpamFilter().fit(HAM, [False, True]), "message 0 has label False; it is 'ham' or 'spam'"),
        (lambda: spam_filter().is_spam(HAM, sure=95), "sure is 95; it is a probability, from 0 to 1"),
        (lambda: spam_filter().is_spam(HAM, sure=float("nan")), "sure is nan; it is a probability"),
        (lambda: spam_filter().evaluate([], []), "no documents to evaluate"),
        (lambda: SpamFilter().fit(HAM, ["ham", "ham"]).explain(HAM[0]), "knows one class only"),
        (lambda: SpamFilter().fit([], []), "no rows to learn from"),
        (lambda: SpamFilter().fit(HAM, ["ham"]), "2 rows but 1 labels"),
    ],
)
def test_the_filter_says_what_is_wrong(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


@pytest.mark.parametrize(
    "act",
    [
        lambda model: model.fit([], []),
        lambda model: model.fit(HAM, ["ham", "junk"]),
        lambda model: model.learn([b"pills", None], ["spam", "spam"]),
        lambda model: model.learn([b"pills", b"pills"], ["spam"]),
        lambda model: model.forget([SPAM[1], b"pills"], ["spam", "spam"]),  # of which the second was never learned
        lambda model: model.refit_settings([b"pills"], [None]),
    ],
)
def test_a_filter_that_refuses_is_as_it_was(act: Callable[[SpamFilter], Any]) -> None:
    model = spam_filter()
    before = model.model.parts()
    with pytest.raises(BanburyError):
        act(model)
    assert str(model.model.parts()) == str(before)
    assert model.probability(HAM + SPAM).tolist() == spam_filter().probability(HAM + SPAM).tolist()


@pytest.mark.parametrize("ask", [SpamFilter.probability, SpamFilter.is_spam, SpamFilter.explain])
def test_a_filter_that_has_learned_nothing_says_so(ask: Callable[[SpamFilter, bytes], Any]) -> None:
    with pytest.raises(NotFittedError, match="has not learned anything yet"):
        ask(SpamFilter(), HAM[0])


def test_real_mail_is_told_from_spam(data_folder: Path) -> None:
    path = data_folder / "spamassassin_raw.tar.xz"
    if not path.exists():
        pytest.skip(f"BANBURY_DATA has no {path.name}")
    messages, labels = [], []
    with tarfile.open(path) as archive:
        for member in archive.getmembers()[::6]:
            file = archive.extractfile(member)
            messages.append(file.read() if file else b"")
            labels.append("spam" if member.name.startswith("spam") else "ham")
    learned = [at for at in range(len(labels)) if at % 4]
    model = SpamFilter().fit([messages[at] for at in learned], [labels[at] for at in learned])
    assert model.evaluate(messages[::4], labels[::4]).accuracy >= 0.97
