"""BanburyError and its few children: everything that banbury raises on purpose.

Each is also the built-in exception a caller would catch anyway, so `except ValueError` keeps working:

>>> issubclass(LabelError, ValueError)
True
"""


class BanburyError(Exception):
    """Anything banbury refuses to do; catch this to catch them all."""


class InputError(BanburyError, ValueError):
    """What was given cannot be used; the message names the document, row or option."""


class LabelError(InputError):
    """A label is missing, of the wrong kind, or unknown to the model."""


class FileFormatError(BanburyError, ValueError):
    """A file is damaged, foreign, or written by a newer banbury; the message names the file and the fault."""


class NotFittedError(BanburyError, ValueError, AttributeError):
    """The model has not learned anything yet: call `fit` or `learn` first."""


class NotAvailable(BanburyError, AttributeError):
    """The model has learned, but this attribute does not apply to it; the message says why."""


class MissingExtra(BanburyError, ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


class CountError(InputError):
    """Counts would become negative or too large; nothing was changed. `class_number` says for which class."""

    def __init__(self, message: str, class_number: int = 0) -> None:
        super().__init__(message)
        self.class_number = class_number
