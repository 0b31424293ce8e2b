"""BanburyError and its few children: everything that banbury raises on purpose.

Each is also the built-in exception a caller would catch anyway, so `except ValueError` keeps working:

>>> issubclass(LabelError, ValueError)
True
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class BanburyError(Exception):
    """Anything banbury refuses to do; catch this to catch them all."""


class InputError(BanburyError, ValueError):
    """What was given cannot be used; the message names the document, row or option."""


class LabelError(InputError):
    """A label is missing, of the wrong kind, or unknown to the model."""


class UnknownWordError(BanburyError, KeyError):
    """A word that the model has never seen."""

    __str__ = Exception.__str__  # that of KeyError puts the message into quotes


class FileFormatError(BanburyError, ValueError):
    """A file is damaged, foreign, or written by a newer banbury; the message names the file and the fault."""


class NotFittedError(BanburyError, ValueError, AttributeError):
    """The model has not learned anything yet: call `fit` or `learn` first."""


MALFORMED = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)
"""What plain data raise that are not what they should be: whoever reads a file makes a `FileFormatError` of it."""

FORGOTTEN = "this model has forgotten everything: call learn(texts, labels) first"


class NotAvailable(BanburyError, AttributeError):
    """The model has learned, but this attribute does not apply to it; the message says why."""


class MissingExtra(BanburyError, ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


class CountError(InputError):
    """Counts would become negative or too large; nothing was changed. `class_number` says for which class."""

    def __init__(self, message: str, class_number: int = 0) -> None:
        super().__init__(message)
        self.class_number = class_number


class ChangedError(BanburyError, RuntimeError):
    """The model has changed since this reading of it was made; whoever reads makes another and tries again."""

    def __init__(self, message: str = "the model has changed since it was looked at; try again") -> None:
        super().__init__(message)


class OptionError(InputError):
    """What was given can be used with another option; the message says which.

    The message has parts: texts, and the options that would help. A surface that has other names for its options than
    Python has, such as the command line, puts the message together with `worded`.

    >>> error = OptionError("sms.csv: which column is the text? Say ", Option("text"))
    >>> print(error)
    sms.csv: which column is the text? Say text=…
    >>> error.worded(lambda option: f"--{option.name}")
    'sms.csv: which column is the text? Say --text'
    """

    def __init__(self, *parts: "str | Option") -> None:
        super().__init__("".join(map(str, parts)))
        self.parts = parts

    def __reduce__(self) -> "tuple[type[OptionError], tuple[str | Option, ...]]":
        return type(self), self.parts

    def worded(self, name: "Callable[[Option], str]") -> str:
        """The message, with the options as this function writes them."""
        return "".join(part if isinstance(part, str) else name(part) for part in self.parts)


class Option:
    """An option that would help, as an `OptionError` names it: a keyword, and a value if there is only one to say.

    >>> str(Option("encoding")), str(Option("bad_rows", "skip")), str(Option("limits", "row"))
    ('encoding=…', "bad_rows='skip'", 'limits=Limits(row=…)')
    """

    def __init__(self, name: str, value: "str | None" = None) -> None:
        self.name = name
        self.value = value

    def __str__(self) -> str:
        if self.name == "limits":
            return f"limits=Limits({self.value}=…)"
        return f"{self.name}=…" if self.value is None else f"{self.name}={self.value!r}"


def check_top(top: object, least: int = 1) -> None:
    """That `top`, how many of the best are wanted, is a whole number of at least `least`; else an `InputError`.

    >>> check_top(0)
    Traceback (most recent call last):
    banbury.errors.InputError: top is 0; it must be a whole number, 1 or more
    """
    if isinstance(top, bool) or not isinstance(top, int) or top < least:
        raise InputError(f"top is {top!r}; it must be a whole number, {least} or more")
