"""`banbury mail`: classify one message; the class is the exit code, and a header of the message."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.cli import options as reading
from banbury.cli.console import put_bytes
from banbury.cli.declared import Choice, FloatRange, Path, UsageError, argument, command, option
from banbury.cli.tables import classes_of, columns_of

if TYPE_CHECKING:
    from banbury.classifier import Classifier

SPAM, HAM, UNDECIDED = 0, 1, 2
HEADER = b"X-Banbury"
OURS = re.compile(rb"(?im)^X-Banbury[ \t]*:.*(?:\r?\n[ \t].*)*(?:\r?\n|\Z)")


@command(
    epilog="""\b
Examples:
  banbury train ham.mbox spam.mbox -o mail.banbury
  banbury mail mail.banbury < message           (exit code 0 spam, 1 ham, 2 unsure, 3 error)
  banbury mail mail.banbury --train spam < missed
\b
In .procmailrc:
  :0fw
  | banbury mail $HOME/mail.banbury --exit-zero
  :0:
  * ^X-Banbury: spam
  spam"""
)
@argument("model", type=Path(dir_okay=False))
@option("--spam", "spam_label", default="spam", show_default=True, metavar="LABEL", help="What spam is called.")
@option("--ham", "ham_label", default="ham", show_default=True, metavar="LABEL", help="What all else is called.")
@option("--spam-above", type=FloatRange(0, 1), default=0.9, show_default=True, metavar="P", help="Spam from here on.")
@option("--ham-below", type=FloatRange(0, 1), default=0.1, show_default=True, metavar="P", help="Ham up to here.")
@option("--train", type=Choice(["spam", "ham"]), help="Learn the message; a new MODEL is made for it.")
@option("--forget", type=Choice(["spam", "ham"]), help="Unlearn the message.")
@option("-e", "--exit-zero", is_flag=True, help="Exit with 0 for every class: for callers that want that.")
@option("-q", "--quiet", is_flag=True, help="Do not write the message, only exit.")
def mail(model: str, train: str | None, forget: str | None, exit_zero: bool, quiet: bool, **given: Any) -> int:
    """Classify the message on standard input.

    It is written to standard output with a header, X-Banbury: spam|ham|unsure; probability=P. Where something goes
    wrong it is written as it was, so that no mail is lost.
    """
    message = sys.stdin.buffer.read()
    try:
        if train or forget:
            names = {"spam": given["spam_label"], "ham": given["ham_label"]}
            _change(model, message, None if train is None else names[train], None if forget is None else names[forget])
            code, header = 0, b""
        else:
            code, header = _classified(reading.load(model), message, given)
    except BaseException:
        if not quiet:
            put_bytes(message)
        raise
    if not quiet:
        put_bytes(_with_header(message, header) if header else message)
    return 0 if exit_zero else code


def _document(message: bytes, columns: dict[str, Any] | None) -> Any:
    """The text of a message, or the columns that a model of tables needs: `banbury.SpamFilter`'s, or any others."""
    from banbury.readers.mailboxes import row_of

    row = row_of(message)
    return [row["text"]] if columns is None else {name: [row.get(name)] for name in columns}


def _classified(classifier: Classifier, message: bytes, given: dict[str, Any]) -> tuple[int, bytes]:
    """The exit code and the header."""
    classes, columns = classes_of(classifier), columns_of(classifier)
    if list(map(str, classes)) in ([given["spam_label"]], [given["ham_label"]]):
        chance = 0.5  # it has seen only one kind of mail so far, and cannot know
    else:
        spam = reading.label_of(given["spam_label"], classes)
        document = _document(message, columns)
        if columns is None:
            chance = classifier.probabilities(document[0])[spam]
        else:
            chance = float(classifier.predict_proba(document)[0][classes.index(spam)])
    code = SPAM if chance >= given["spam_above"] else HAM if chance <= given["ham_below"] else UNDECIDED
    name = ("spam", "ham", "unsure")[code]
    return code, b"%s: %s; probability=%.6f" % (HEADER, name.encode(), chance)


def _change(path: str, message: bytes, learned: str | None, forgotten: str | None) -> None:
    """Learn and forget under a lock, so that two deliveries at once lose nothing; both happen or neither."""
    from banbury.apps.spam import MAIL_COLUMNS, SpamFilter

    with storage.locked(path):
        if not os.path.exists(path):
            if forgotten is not None or learned is None:
                raise UsageError(f"{path} does not exist: there is nothing to forget.")
            SpamFilter().model.learn(_document(message, MAIL_COLUMNS), [learned]).save(path)
            return
        model = reading.load(path)
        document = _document(message, columns_of(model))
        if forgotten is not None:
            model.forget(document, [reading.label_of(forgotten, classes_of(model))])
        if learned is not None:
            model.learn(document, [reading.new_label(learned, classes_of(model))])
        model.save(path)


def _with_header(message: bytes, header: bytes) -> bytes:
    """The message with our header in front, but behind an mbox's `From ` line; a forged one is removed."""
    end = b"\r\n" if re.match(rb"[^\n]*\r\n", message) else b"\n"
    blank = re.search(rb"\r?\n\r?\n", message)
    head_end = len(message) if blank is None else blank.end() - len(end)
    head, body = OURS.sub(b"", message[:head_end]), message[head_end:]
    first = re.match(rb"From [^\n]*\n", head)
    start = first.end() if first else 0
    return head[:start] + header + end + head[start:] + body
