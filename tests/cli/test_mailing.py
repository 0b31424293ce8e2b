"""E-mails on the command line: one from a mail server, mailboxes to train with."""

import re
import subprocess
import sys

import pytest

from banbury import SpamFilter
from commands import Here, json_rows, model

MESSAGE = b"From: ann@example.org\nSubject: A lovely day\n\nThe wonderful weather is great.\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("front", [b"", b"From ann@example.org Mon Nov 16 10:00:00 2026\n"])
def test_a_message_gets_one_header_and_stays_as_it_is(mood: Here, newline: bytes, front: bytes) -> None:
    message = (front + MESSAGE).replace(b"\n", newline)
    forged = message.replace(b"Subject", b"X-Banbury: ham;" + newline + b"\tprobability=0" + newline + b"Subject")
    names = ["--spam", "positive", "--ham", "negative"]
    for sent in (message, forged):
        result = mood("mail", "mood.banbury", *names, stdin=sent)
        header = re.findall(r"(?m)^X-Banbury: (\w+); probability=([\d.]+)\r?$", result.out)
        assert [name for name, _ in header] == ["spam"]
        text = "A lovely day\n\nThe wonderful weather is great."
        assert float(header[0][1]) == pytest.approx(model().probabilities(text)["positive"], abs=1e-6)
        assert re.sub(r"X-Banbury: .*\n", "", result.out).encode() == message
        assert result.out.startswith("From " if front else "X-Banbury")
        assert result.code == 0


def test_the_exit_code_is_the_class_and_no_mail_is_lost(mood: Here) -> None:
    names = ["--spam", "positive", "--ham", "negative"]
    chance = model().probabilities("A lovely day\n\nThe wonderful weather is great.")["positive"]
    assert mood("mail", "mood.banbury", *names, "-q", stdin=MESSAGE).code == 0
    assert mood("mail", "mood.banbury", *names, "-q", "--ham-below", 1, "--spam-above", 1, stdin=MESSAGE).code == 1
    assert mood("mail", "mood.banbury", *names, "--spam-above", (1 + chance) / 2, stdin=MESSAGE).code == 2
    assert mood("mail", "mood.banbury", *names, "-e", "--spam-above", (1 + chance) / 2, stdin=MESSAGE).code == 0
    for arguments in (["no.banbury"], ["mood.jsonl"], ["mood.banbury", "--spam", "eggs"]):
        result = mood("mail", *arguments, stdin=MESSAGE)
        assert (result.code, result.out) == (3, MESSAGE.decode())
        assert result.err.startswith("Error: ")
    assert mood("mail", "mood.banbury", "--nonsense", stdin=MESSAGE).code == 3


def test_a_filter_grows_from_its_first_message_also_by_several_at_once(here: Here) -> None:
    other = b"From: win@example.com\nSubject: Win money\n\nFree money now\n"
    assert here("mail", "mail.banbury", "--train", "ham", stdin=MESSAGE).out == MESSAGE.decode()
    result = here("mail", "mail.banbury", stdin=other)
    assert (result.code, "X-Banbury: unsure" in result.out) == (2, True)  # it has not seen any spam so far
    assert here("mail", "mail.banbury", "--train", "spam", stdin=other).code == 0
    command = [sys.executable, "-m", "banbury", "mail", "mail.banbury", "--train", "spam", "-q"]
    processes = [subprocess.Popen(command, cwd=here.folder, stdin=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        process.communicate(other)
    assert here("mail", "mail.banbury", "--forget", "spam", "--train", "ham", stdin=other).code == 0
    known = SpamFilter().learn([MESSAGE], ["ham"])
    for _ in range(4):
        known.learn([other], ["spam"])
    known.forget([other], ["spam"]).learn([other], ["ham"]).save(here.folder / "expected.banbury")
    assert (here.folder / "mail.banbury").read_bytes() == (here.folder / "expected.banbury").read_bytes()
    result = here("mail", "none.banbury", "--forget", "spam", stdin=other)
    assert (result.code, "nothing to forget" in result.err) == (3, True)


def letters(here: Here) -> tuple[list[bytes], list[str]]:
    """Messages in two mailboxes, and what they are."""
    found, labels = [], []
    for name, subject, sender in [("ham", b"Lunch", b"ann@example.org"), ("spam", b"Money", b"win@example.com")]:
        messages = [b"From: %s\nSubject: %s %d\n\nbody\n\n" % (sender, subject, n) for n in range(9)]
        box = b"".join(b"From x@y Mon Nov 16 10:00:00 2026\n" + message for message in messages)
        (here.folder / f"{name}.mbox").write_bytes(box)
        found += messages
        labels += [name] * len(messages)
    return found, labels


def test_mailboxes_train_the_filter_of_the_library(here: Here) -> None:
    known = SpamFilter().fit(*letters(here))
    result = here("train", "ham.mbox", "spam.mbox", "-o", "mail.banbury")
    assert (result.code, "Next: banbury mail mail.banbury" in result.err) == (0, True)
    assert known.report_.scorecard() in result.out
    known.save(here.folder / "expected.banbury")
    assert (here.folder / "mail.banbury").read_bytes() == (here.folder / "expected.banbury").read_bytes()
    message = b"From: win@example.com\nSubject: Money\n\nbody\n"
    answer = here("mail", "mail.banbury", stdin=message).out
    assert answer.startswith(f"X-Banbury: spam; probability={known.probability(message):.6f}\n")
    for arguments in (["evaluate", "mail.banbury", "ham.mbox", "spam.mbox"], ["explain", "mail.banbury", "ham.mbox"]):
        assert here(*arguments).code == 0
    rows = json_rows(here("predict", "mail.banbury", "spam.mbox").out)
    assert [row["predicted"] for row in rows] == ["spam"] * 9


def test_mailboxes_are_also_texts_where_that_is_asked_for(here: Here) -> None:
    letters(here)
    for arguments in (["--text", "text"], ["--plain"], ["--text", "subject"]):
        assert here("train", "ham.mbox", "spam.mbox", "-o", "mail.banbury", *arguments).code == 0
        result = here("mail", "mail.banbury", "--spam-above", "0.5", stdin=b"Subject: Money\n\nbody\n")
        assert "X-Banbury: spam" in result.out
        assert "Money" not in here("predict", "mail.banbury", "Money").err


@pytest.mark.parametrize("option", ["--text", "--label", "--weight"])
@pytest.mark.parametrize("name", ["ham.mbox", "folder", "rows.ft", "mails"])
def test_a_column_that_a_format_does_not_have_is_an_error(here: Here, option: str, name: str) -> None:
    message = letters(here)[0][0]
    for folder, content in [("folder", b"text"), ("mails", b"Received: x\n" + message)]:
        (here.folder / folder / "ham").mkdir(parents=True)
        (here.folder / folder / "ham" / "one").write_bytes(content)
    (here.folder / "rows.ft").write_text("__label__a b\n")
    result = here("train", name, option, "nonsense", "-o", "x.banbury")
    assert (result.code, "no column 'nonsense' for the" in result.err) == (3, True), result.err
