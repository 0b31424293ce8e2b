"""What teaching remembers besides the journal: planned labels, skips, who gave a label, and what the model had said.

One file of JSON Lines for each model, in the folder `teaching`; lines are added, never changed. Labels themselves are
in the journal: without this file no label is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from banbury.server.journal.entries import plain

NOTES_FOLDER = "teaching"
log = logging.getLogger("banbury.server")


class Notes:
    """Lines of one model's file; what cannot be read of it is left out."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[dict[str, Any]]:
        """All lines, in the order in which they were written."""
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            log.warning("%s cannot be read: %s", self.path, error)
            return []
        notes = []
        for line in lines:
            try:
                note = msgspec.json.decode(line)
            except msgspec.DecodeError:  # the last line of a process that was killed
                continue
            if isinstance(note, dict):
                notes.append(note)
        return notes

    def write(self, note: dict[str, Any]) -> None:
        """Add a line. A disk that is full loses it, and nothing else."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab") as file:
                file.write(b"\n" + msgspec.json.encode(note))  # before it, so that half a line spoils itself alone
        except OSError as error:
            log.warning("%s cannot be written: %s", self.path, error)

    @property
    def labels(self) -> list[str]:
        """The labels that were planned last."""
        planned = [note["labels"] for note in self.read() if isinstance(note.get("labels"), list)]
        return [one for one in planned[-1] if isinstance(one, str)] if planned else []


def digest(document: Any) -> str:
    """A document in a few letters.

    >>> len(digest("so happy")), digest({"a": 1}) == digest({"a": 1})
    (16, True)
    """
    return blake2b(plain(document).encode(), digest_size=8).hexdigest()


def skipped(notes: Iterable[dict[str, Any]]) -> set[str]:
    """The documents that were skipped since skips were last taken back, by their digests."""
    digests: set[str] = set()
    for note in notes:
        if "skip" in note:
            digests.add(str(note["skip"]))
        elif note.get("again"):
            digests.clear()
    return digests
