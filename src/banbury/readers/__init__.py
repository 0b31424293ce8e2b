"""Rows of files: any of the usual formats, compressed or not, in batches that fit into memory.

`read` is the way in. `formats` knows extensions; `streams` opens, expands and decodes; `guessing` finds format and
columns; `plain`, `sources` and `mailboxes` read the formats. Imports errors and the kernel alone.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.readers.batch import BadRow, Batch
    from banbury.readers.guessing import Layout
    from banbury.readers.options import Limits
    from banbury.readers.reader import Reader, read

__all__ = ["BadRow", "Batch", "Layout", "Limits", "Reader", "read"]

_HOMES = {
    "BadRow": "batch",
    "Batch": "batch",
    "Layout": "guessing",
    "Limits": "options",
    "Reader": "reader",
    "read": "reader",
}


def __getattr__(name: str) -> object:
    """The names of this room, each imported when it is first used: the command line needs the formats alone."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
