"""Models on disk that say up to which entry of which journal they reach, so that a start need not replay it all.

They are a cache: without them a model is made of its file and the whole journal, and is the same to the bit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from banbury import storage
from banbury.errors import BanburyError
from banbury.server.models import Learned, from_parts

log = logging.getLogger("banbury.server")
Parts = tuple[Mapping[str, Any], Mapping[str, Any]]


class Place(NamedTuple):
    """Where a model stands."""

    journal: str
    """The identity of the journal …"""
    sequence: int
    """… and the last of its entries that the model has."""
    file: str
    """The digest of the file that the model started from."""
    chosen_at: int
    """How many documents there were when its settings were chosen."""


def save(folder: Path, name: str, parts: Parts, place: Place) -> None:
    """Write a snapshot, in the place of the one before."""
    os.makedirs(folder, exist_ok=True)
    settings, arrays = parts
    storage.write(_path(folder, name), {**settings, "journal": place._asdict()}, arrays)


def load(folder: Path | None, name: str, file: str) -> tuple[Learned, Place] | None:
    """The snapshot of a model that started from this file; None where there is none that can be used."""
    if folder is None or not _path(folder, name).exists():
        return None
    try:
        content = storage.read(_path(folder, name))
        place = Place(**content.settings["journal"])
        return (from_parts(content.settings, content.arrays), place) if place.file == file else None
    except (BanburyError, OSError, KeyError, TypeError) as error:
        log.warning("the snapshot of %s is not used: %s", name, error)
        return None


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}.banbury"
