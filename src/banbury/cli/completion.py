"""What a shell completes besides names of options and files: labels of a model, columns of files, presets, languages.

Completion never fails: where nothing can be found out, there is nothing to offer.
"""

from __future__ import annotations

import os

from banbury.annotations import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

MOST_COMPLETED_FILES = 4  # that are looked at


def labels(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The labels of the model that the command line names."""
    from banbury.classifier import Classifier

    for file in _files():
        try:
            return _beginning(map(str, Classifier.load(file).model_.classes), incomplete)
        except (OSError, ValueError):  # no model
            continue
    return []


def columns(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The columns of the files that the command line names."""
    return _beginning(dict.fromkeys(name for file in _files() for name in _columns_of(file)), incomplete)


def last_column(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Columns of the files, for the last name of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in columns(context, parameter, last)]


def presets(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of analyzers."""
    from banbury.text.analyzer import PRESETS

    return _beginning(PRESETS, incomplete)


def stemmers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The languages that have a stemmer."""
    from banbury import _kernel

    return _beginning(_kernel.stemmers(), incomplete)


def _files() -> list[str]:
    """The files among the words of the command line. An option without its value keeps click from reading the rest."""
    import shlex  # only a shell that completes needs it

    try:
        words = shlex.split(os.environ.get("COMP_WORDS", ""))
    except ValueError:  # a quote that is still open
        return []
    return [word for word in words[1:] if os.path.isfile(word)][:MOST_COMPLETED_FILES]


def _columns_of(file: str) -> tuple[str, ...]:
    from banbury.readers import read

    try:
        return read(file, text=False, label=False).layout.columns
    except (OSError, ValueError, ImportError):
        return ()


def _beginning(names: Any, incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
