"""load: whatever a file of banbury holds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.classifier import Classifier
from banbury.errors import FileFormatError

if TYPE_CHECKING:
    from os import PathLike

# A classifier's file says in one setting more where the classifier belongs to something else.
OWNERS = {"senses": ("banbury.apps.senses", "SenseTagger"), "spam": ("banbury.apps.spam", "SpamFilter")}
KINDS = {
    "ranker": ("banbury.apps.ranking", "Ranker"),
    "spelling": ("banbury.apps.spelling", "SpellingCorrector"),
}


def load(path: str | PathLike[str]) -> Any:
    """What was saved in a file: a `Classifier`, `Ranker`, `SenseTagger`, `SpamFilter` or `SpellingCorrector`.

    Nothing is copied: the file is read where it is needed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Classifier().fit(["so happy", "so sad"], ["positive", "negative"]).save(folder + "/mood.banbury")
    ...     model = load(folder + "/mood.banbury")
    >>> model.predict("happy")
    'positive'
    """
    file = storage.read(path)
    kind = file.settings.get("kind")
    if kind == "classifier":
        home = next((home for name, home in OWNERS.items() if name in file.settings), None)
        if home is None:
            return Classifier.from_file(file, path)
    elif isinstance(kind, str) and kind in KINDS:
        home = KINDS[kind]
    else:
        raise FileFormatError(f"{path}: it holds a {kind!r}, which this version of banbury does not know")
    module, name = home
    return getattr(import_module(module), name).load(path)
