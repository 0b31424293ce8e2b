"""From a journal to a model: entries in their order, the same on every server, to the bit."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from banbury.errors import BanburyError
from banbury.server import snapshots
from banbury.server.journal.entries import FORGET, LEARN, Entry
from banbury.server.journal.sql import SqlJournal
from banbury.server.models import Learned, load, n_documents

log = logging.getLogger("banbury.server")


class Step(NamedTuple):
    """A change as a model takes it: all of it, or nothing."""

    change: int
    act: str
    documents: list[Any]
    labels: list[Any]


class Built(NamedTuple):
    """A model, how far it has followed the journal, and how many documents its settings were chosen with."""

    classifier: Learned
    sequence: int
    chosen_at: int


def steps_of(entries: Iterable[Entry]) -> list[Step]:
    """Entries of one model by the changes that they came with."""
    steps = []
    for (change, act), group in groupby(entries, key=lambda entry: (entry.change, entry.act)):
        together = list(group)
        steps.append(Step(change, act, [entry.document for entry in together], [entry.label for entry in together]))
    return steps


def apply(classifier: Learned, steps: Iterable[Step]) -> dict[int, BanburyError]:
    """Learn and forget, in order; for each change that the model refuses, why.

    Neighbours that do the same are done together, which is quicker and comes to the same: counts add up in any order,
    and where all of them can be taken away, so can each.
    """
    refused: dict[int, BanburyError] = {}
    for act, group in groupby((step for step in steps if step.act in (LEARN, FORGET)), key=lambda step: step.act):
        run = list(group)
        do = classifier.learn if act == LEARN else classifier.forget
        try:
            do([one for step in run for one in step.documents], [one for step in run for one in step.labels])
        except BanburyError:
            for step in run:
                try:
                    do(step.documents, step.labels)
                except BanburyError as error:
                    refused[step.change] = error
    return refused


def choose(classifier: Learned, journal: SqlJournal, name: str, sequence: int) -> None:
    """Choose a model's settings again, by the documents of the journal as of an entry; the model is as of it too."""
    examples = journal.examples(name, sequence)
    try:
        classifier.refit_settings([entry.document for entry in examples], [entry.label for entry in examples])
    except BanburyError as error:  # it is the same error wherever these entries are read
        log.warning("the settings of %s stay as they are: %s", name, error)


def follow(built: Built, journal: SqlJournal, name: str, upto: int) -> Built:
    """The same model, changed in place, after the entries up to one."""
    classifier, sequence, chosen_at = built
    refit = journal.last_refit(name, upto)
    for end in (refit, upto):  # settings that were chosen before the last time do not matter
        if end > sequence:
            while entries := journal.entries(sequence, end, name):
                for change, error in apply(classifier, steps_of(entries)).items():
                    log.warning("entry %d of the journal is left out: %s", change, error)
                sequence = entries[-1].sequence
            sequence = end
            if end == refit:
                choose(classifier, journal, name, refit)
                chosen_at = n_documents(classifier)
    return Built(classifier, max(sequence, upto), chosen_at)


def build(path: Path, file: str, folder: Path | None, journal: SqlJournal, name: str, upto: int) -> Built:
    """A model from its file, or from a snapshot that fits, after the entries up to one."""
    head = journal.head()
    snapshot = snapshots.load(folder, name, file)
    if snapshot is not None:
        classifier, place = snapshot
        if place.journal == head.identity and head.compacted <= place.sequence <= upto:
            return follow(Built(classifier, place.sequence, place.chosen_at), journal, name, upto)
    classifier = load(path)
    return follow(Built(classifier, 0, n_documents(classifier)), journal, name, upto)
