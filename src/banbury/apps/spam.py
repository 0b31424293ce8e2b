"""SpamFilter: whole e-mails in, spam or not out; sender, subject, text and links are separate pieces of evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.classifier import Classifier
from banbury.errors import FileFormatError, InputError
from banbury.readers.mail import Mail, parse
from banbury.tables.kinds import Bernoulli, Text
from banbury.text.analyzer import Analyzer
from banbury.text.documents import as_list

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from banbury.report.report import Report
    from banbury.results.explanation import Explanation
    from banbury.results.training_report import TrainingReport
    from banbury.text.documents import Labels

# Addresses and names by their parts, the pairs of these, and the characters: deals4417@mail.example.org has deals4417,
# mail, example, org, and what it shares with deals9302. By leave-one-out on mail a tenth less log loss than words.
# The numbers of links and recipients are left out: they add next to nothing, and of few messages they say too much.
ADDRESS_PARTS = Text(analyzer=Analyzer(words="python", ngrams=(1, 2), characters=(2, 4)))
MAIL_COLUMNS: dict[str, Any] = {
    "sender": ADDRESS_PARTS,
    "name": ADDRESS_PARTS,
    "subject": Text(),
    "body": Text(),
    "hosts": ADDRESS_PARTS,
    "attachments": ADDRESS_PARTS,
    "mailer": ADDRESS_PARTS,
    "tags": ADDRESS_PARTS,
    "is_answer": Bernoulli(),
    "answers_go_elsewhere": Bernoulli(),
}
LABELS = ("ham", "spam")
ONE = (str, bytes, bytearray, memoryview, Mail)
Messages = Any
"""One message, its source or parsed, or a list or a column of them."""
SPAM_THRESHOLD = 0.95  # one lost letter is as bad as nineteen spams that are read


class SpamFilter:
    """Learns from e-mails, as `bytes` or `str` of their source or already parsed, what is spam.

    >>> letters = [b"From: ann@example.org\\nSubject: Lunch?\\n\\nAt noon?", b"From: win@example.com\\n\\nFree money!"]
    >>> spam_filter = SpamFilter().fit(letters, ["ham", "spam"])
    >>> spam_filter.probability(b"From: win@example.com\\n\\nMoney, money") > 0.5
    True
    """

    def __init__(self, **settings: Any) -> None:
        self.model = Classifier(columns=MAIL_COLUMNS, **settings)

    def fit(self, messages: Messages, labels: Labels) -> SpamFilter:
        """Learn from these messages alone; labels are `"ham"` and `"spam"`."""
        self.model.fit(rows(messages), _checked(labels))
        return self

    def learn(self, messages: Messages, labels: Labels) -> SpamFilter:
        """Learn from these messages too; one at a time will do."""
        self.model.learn(rows(messages), _checked(labels))
        return self

    def forget(self, messages: Messages, labels: Labels) -> SpamFilter:
        """Unlearn messages, such as one that was filed wrongly."""
        self.model.forget(rows(messages), _checked(labels))
        return self

    def refit_settings(self, messages: Messages, labels: Labels) -> SpamFilter:
        """Choose again how much each part of a message counts, by messages that were learned."""
        self.model.refit_settings(rows(messages), _checked(labels))
        return self

    def probability(self, messages: Messages) -> Any:
        """How likely each message is to be spam, as an array; for one message its probability."""
        if isinstance(messages, ONE):
            return float(self.probability([messages])[0])
        classes, chances = self.model.classes_and_probabilities(rows(messages))
        return chances[:, classes.index("spam")] if "spam" in classes else 0 * chances[:, 0]

    def is_spam(self, messages: Messages, *, sure: float = SPAM_THRESHOLD) -> Any:
        """Whether each message is spam with at least this probability, as an array; for one message True or False."""
        if not isinstance(sure, (int, float)) or not 0 <= sure <= 1:
            raise InputError(f"sure is {sure!r}; it is a probability, from 0 to 1")
        return self.probability(messages) >= sure

    def explain(self, message: bytes | str | Mail) -> Explanation:
        """Why a message is spam or not: a weight for each word of each part."""
        return self.model.explain(rows([message])[0])

    def evaluate(self, messages: Messages, labels: Labels) -> Report:
        """How well these messages are told apart."""
        return self.model.evaluate(rows(messages), _checked(labels))

    @property
    def report_(self) -> TrainingReport:
        """Leave-one-out report: how well spam is told, and how much each part of a message counts."""
        return self.model.report_

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to a file; it holds counts, not messages."""
        self.model.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SpamFilter:
        """The filter in a file."""
        model = Classifier.load(path)
        if model.columns is None or set(model.columns) != set(MAIL_COLUMNS):
            raise FileFormatError(f"{path}: the model in it is not one of e-mails")
        spam_filter = cls()
        spam_filter.model = model
        return spam_filter


def is_filter(settings: Mapping[str, Any]) -> bool:
    """Whether the classifier that a file holds is a filter: by its columns and labels."""
    columns, classes = settings.get("columns"), settings.get("classes")
    if not isinstance(columns, list) or not isinstance(classes, list):
        return False
    names = [column[0] for column in columns if isinstance(column, list) and column]
    return sorted(map(str, names)) == sorted(MAIL_COLUMNS) and all(label in LABELS for label in classes)


def rows(messages: Messages) -> list[dict[str, Any]]:
    """Messages as rows of a table with the columns of the filter.

    >>> rows([b"From: ann@example.org\\n\\nHello"])[0]["body"]
    'Hello'
    """
    if isinstance(messages, ONE):
        raise InputError("expected a list of messages, not one of them: put it into a list")
    mails = [_parsed(message, number) for number, message in enumerate(as_list(messages, "messages"))]
    return [{name: value for name, value in mail.row().items() if name in MAIL_COLUMNS} for mail in mails]


def _parsed(message: Any, number: int) -> Mail:
    if not isinstance(message, ONE):
        raise InputError(
            f"message {number} is of type {type(message).__name__}; it must be the source of an e-mail, "
            "as bytes or str, or a Mail"
        )
    return message if isinstance(message, Mail) else parse(message)


def _checked(labels: Labels) -> list[str]:
    values = as_list(labels, "labels")
    for number, label in enumerate(values):
        if label not in LABELS:
            raise InputError(f"message {number} has label {label!r}; it is 'ham' or 'spam'")
    return values
