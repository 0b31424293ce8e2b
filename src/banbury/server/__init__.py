"""The server: models over HTTP, for programs in any language.

A surface: it parses, calls, answers. It imports the rooms below it, and nothing imports it; the command line starts it
by name. It offers `app`, an ASGI application; `banbury serve` runs the same one in a process of its own.

`command.py`, `studio.py`, `process.py`: `banbury serve` and `studio`; the process, with time-outs of connections
`application.py`, `routes.py`: the ASGI application; which path is answered by whom, and who may ask
`messages.py`, `openapi.py`: what requests and answers look like; the same as an OpenAPI document
`reading.py`, `several.py`: predict, explain, words, evaluate, report; the same of models of several labels
`changing.py`: learn, forget, export, compact
`streaming.py`, `inference.py`, `status.py`: batch and mail; the Open Inference Protocol; health, metrics, models
`requests.py`, `limits.py`, `problems.py`: bodies and parameters; how much is too much; errors as problem+json
`access.py`, `keys.py`: Host, Origin and keys of a request; the file of keys
`models.py`, `turns.py`, `watcher.py`: the models that are served; readers and writer take turns; replaced files
`journal/`: what was learned, on disk: SQLite or PostgreSQL
`learner.py`, `replay.py`, `snapshots.py`: the single writer; from a journal to a model; models with their place in it
`metrics.py`: counters for Prometheus
`page/`: all of it for people, in a browser
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

from banbury.errors import MissingExtra

if TYPE_CHECKING:
    from banbury.server.application import Application

Path = str | PathLike[str]


def app(
    models: Path | Iterable[Path],
    *,
    journal: str | None = None,
    snapshots: Path | None = None,
    keys: Path | None = None,
    hosts: Iterable[str] | None = None,
    origins: Iterable[str] = (),
    folder: Path | None = None,
) -> Application:
    """An ASGI application that serves models: files, or folders of them.

    Parameters
    ----------
    models
        Model files and folders. The name of a model is its file's name without the ending.
    journal
        A file for SQLite, or a `postgresql://` address. Without one, nothing can be learned.
    snapshots
        The folder of snapshots, which make starting quicker; beside the journal's file by default.
    keys
        The file of keys. Without one, whoever reaches the application may ask for everything.
    hosts
        Which names a Host header may have; None leaves that check to the application around this one.
    origins
        Which web pages of other origins may ask (CORS).
    folder
        Where the page keeps dropped files and the models it trains; the first folder among the models by default.

    >>> import tempfile
    >>> from banbury import Classifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Classifier().fit(["so happy", "so sad"], ["positive", "negative"]).save(folder + "/mood.banbury")
    ...     application = app(folder)
    >>> list(application.models)
    ['mood']
    """
    try:
        from banbury.server.application import Application
    except ImportError as error:  # pragma: no cover
        raise MissingExtra(f"the server needs {error.name}: pip install 'banbury[serve]'") from error
    return Application(
        models, journal=journal, snapshots=snapshots, keys=keys, hosts=hosts, origins=origins, folder=folder
    )
