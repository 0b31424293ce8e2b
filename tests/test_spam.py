"""The spam filter: what it takes, what it says, and that it learns letter by letter."""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier, SpamFilter
from banbury.errors import FileFormatError, InputError
from banbury.mail import parse

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


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: SpamFilter().fit(HAM, ["ham", "junk"]), "message 1 has label 'junk'; it is 'ham' or 'spam'"),
        (lambda: SpamFilter().fit(HAM[0], ["ham"]), "put it into a list"),
        (lambda: SpamFilter().fit([None], ["ham"]), "a message is bytes or a str"),
    ],
)
def test_the_filter_says_what_is_wrong(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


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
