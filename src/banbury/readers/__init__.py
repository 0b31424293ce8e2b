"""Rows of files: any of the usual formats, compressed or not, in batches that fit into memory.

`read` is the way in. `formats` knows extensions; `streams` opens, expands and decodes; `guessing` finds format and
columns; `plain`, `sources` and `mailboxes` read the formats; `several` has several labels a row. Imports errors and
the kernel alone.
"""

from banbury.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.readers.batch import BadRow, Batch
    from banbury.readers.guessing import Layout
    from banbury.readers.options import Limits
    from banbury.readers.reader import Reader, read

__all__ = ["BadRow", "Batch", "Layout", "Limits", "Reader", "read"]

__getattr__ = lazy_names(
    __name__,
    {
        "BadRow": "batch",
        "Batch": "batch",
        "Layout": "guessing",
        "Limits": "options",
        "Reader": "reader",
        "read": "reader",
    },
)
