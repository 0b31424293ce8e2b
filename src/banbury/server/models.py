"""The models that are served: by name, each from a file, each replaced whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from banbury import storage
from banbury.classifier import Classifier
from banbury.errors import InputError, NotAvailable
from banbury.labels.classifier import MultiLabelClassifier
from banbury.server.limits import INLINE, Workers
from banbury.server.problems import Problem
from banbury.server.turns import Turns
from banbury.storage import ENDING

T = TypeVar("T")
Learned = Classifier | MultiLabelClassifier
"""What a model file may hold: a classifier of one label a document, or of several."""
REMEMBERED = 500  # documents that came in …
LONGEST_REMEMBERED = 10_000  # … and characters of each
Stamp = tuple[int, int, int]


class ServedModel:
    """A model, the file that it comes from, and how far it has followed the journal."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.turns = Turns()
        self.incoming: deque[Any] = deque(maxlen=REMEMBERED)
        """The last documents that were asked about over HTTP; they can be labelled on the page."""
        self.copies = 0
        """How many copies of the classifier are being worked with aside."""
        self.stamp = stamp(path)
        self.refused: str | None = None
        """Why the file that lies there now is not the one that is served."""
        self.take(load(path), digest(path))

    def take(self, learned: Learned, file: str, *, chosen_at: int | None = None) -> None:
        """Serve this classifier from now on, whole."""
        self.learned = learned
        self.file = file
        """The digest of the file that the model, or what it was before it learned, comes from."""
        self.columns = columns_of(learned)
        self.chosen_at = n_documents(learned) if chosen_at is None else chosen_at
        """How many documents there were when the settings were chosen."""

    def remember(self, documents: list[Any]) -> None:
        """Keep the last documents that came in, as far as they are short."""
        for document in documents[-REMEMBERED:]:
            size = len(document) if isinstance(document, str) else sum(map(len, map(str, document.values())))
            if size <= LONGEST_REMEMBERED:
                self.incoming.append(document)

    @property
    def labels(self) -> list[Any]:
        """The labels that it knows."""
        return labels_of(self.learned)

    @property
    def is_several(self) -> bool:
        """Whether a document may have several labels, or none."""
        return isinstance(self.learned, MultiLabelClassifier)

    @property
    def classifier(self) -> Classifier:
        """The classifier, where a document has one label; else a problem that says so."""
        learned = self.learned
        if isinstance(learned, MultiLabelClassifier):
            raise Problem(
                422,
                f"{self.name!r} is a model of several labels a document, which cannot be shown here; programs ask "
                f"/v1/models/{self.name}/predict, and the command line has banbury several",
            )
        return learned

    def check_one_label(self) -> None:
        """A 422 where a document may have several labels."""
        _ = self.classifier

    async def read(
        self,
        size: int,
        look: Callable[[Classifier], T],
        workers: Workers,
        several: Callable[[MultiLabelClassifier], T] | None = None,
    ) -> T:
        """What a function finds in the model, before or after a change; for large requests in a thread.

        `look` is for a model of one label a document, `several` for one of several, which is a problem without it.
        Whoever asks for little does not wait for a change that is being made: a classifier is whole at any time. What
        takes long asks it several times, and so has a turn in which nobody changes it.
        """
        if size <= INLINE:
            return self._look(look, several)
        async with self.turns.reading():
            return await workers.run(lambda: self._look(look, several))

    def _look(self, look: Callable[[Classifier], T], several: Callable[[MultiLabelClassifier], T] | None = None) -> T:
        if several is not None and isinstance(self.learned, MultiLabelClassifier):
            return several(self.learned)
        return look(self.classifier)


class Models(Mapping[str, ServedModel]):
    """The models by name, of files and folders that were named."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        self.paths = [Path(path) for path in paths]
        self._by_name: dict[str, ServedModel] = {}
        for name, path in self.files().items():
            self._by_name[name] = ServedModel(name, path)
        if not self._by_name and not any(path.is_dir() for path in self.paths):
            raise InputError("no model to serve: name a model file, or a folder with some")

    def files(self) -> dict[str, Path]:
        """The model files that there are now, by the names of the models."""
        files: dict[str, Path] = {}
        for path in self.paths:
            for file in sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]:
                name = file.name.removesuffix(ENDING)
                if name in files and files[name] != file:
                    raise InputError(f"{files[name]} and {file} would both be the model {name!r}")
                files[name] = file
        return files

    @property
    def folder(self) -> Path | None:
        """The first folder among them: where new models go."""
        return next((path for path in self.paths if path.is_dir()), None)

    def add(self, model: ServedModel) -> None:
        """Serve one more."""
        self._by_name[model.name] = model

    def remove(self, name: str) -> None:
        """Serve one less."""
        del self._by_name[name]

    def named(self, name: str) -> ServedModel:
        """The model of this name, or a 404 that says which there are."""
        try:
            return self._by_name[name]
        except KeyError:
            known = ", ".join(map(repr, sorted(self._by_name)[:20])) or "none"
            raise Problem(404, f"there is no model {name[:100]!r}; there is {known}") from None

    def __getitem__(self, name: str) -> ServedModel:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


def stamp(path: Path) -> Stamp:
    """What changes when a file is replaced or written to."""
    status = os.stat(path)
    return status.st_ino, status.st_mtime_ns, status.st_size


def digest(path: Path) -> str:
    """The content of a file in 32 letters."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def load(path: Path) -> Learned:
    """The classifier in a file."""
    file = storage.read(path)
    return from_parts(file.settings, file.arrays, path)


def from_parts(settings: Mapping[str, Any], arrays: Mapping[str, Any], path: Path | None = None) -> Learned:
    """The classifier that parts were taken from."""
    kind = MultiLabelClassifier if settings.get("kind") == "multi-label classifier" else Classifier
    return kind.from_parts(settings, arrays, path)


def columns_of(classifier: Learned) -> dict[str, Any] | None:
    """What the columns of a model of tables are; None for one of texts."""
    if isinstance(classifier, MultiLabelClassifier):
        return None
    try:
        return classifier.columns_
    except NotAvailable:
        return None


def labels_of(classifier: Learned) -> list[Any]:
    """The labels that a model knows."""
    labels: list[Any] = classifier.classes_.tolist()
    return labels


def n_documents(classifier: Learned) -> int:
    """How many documents a model has learned."""
    if isinstance(classifier, MultiLabelClassifier):
        return classifier.n_documents_
    return sum(classifier.documents_)


def documents_of(classifier: Learned) -> list[int]:
    """How many documents of each label a model has learned."""
    if isinstance(classifier, MultiLabelClassifier):
        by_label = classifier.documents_
        return [by_label.get(label, 0) for label in labels_of(classifier)]
    return list(classifier.documents_)
