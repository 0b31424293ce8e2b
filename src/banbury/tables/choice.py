"""How much each column of a table counts: chosen by what all other rows say of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from banbury.results.training_report import ColumnUse, TrainingReport, training_report
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.probability import log_difference
from banbury.tables.column_weights import fit_weights, most_rows
from banbury.tables.columns import described
from banbury.tables.frame import show_row
from banbury.tables.learned import Learned, Rows
from banbury.tables.scoring import aligned
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import sample_note
from banbury.text.likelihoods import log_prior
from banbury.text.model import TextModel
from banbury.text.settings import Settings
from banbury.text.trust import centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from banbury.tables.kinds import Text

AT_ONCE = 64  # columns whose leave-one-out is in memory
LARGEST = 100.0  # nats: what is impossible counts as much as this when weights are fitted


@dataclass(frozen=True)
class ColumnChoice:
    """What leave-one-out has chosen; it stays when more is learned."""

    weights: tuple[tuple[str, float], ...] = ()
    """How much each column counts; one that is not named as much as all usually do."""
    shifts: tuple[tuple[Any, float], ...] = ()
    """What the score of each label starts with besides its prior; a label that came later has 0."""

    def start(self, classes: list[Any], documents: list[int], prior: Any) -> list[float]:
        """Where the score of each class starts.

        The weights take the classes' shares of the rows for their prior; another one comes in by Bayes' rule.
        """
        shifts = dict(self.shifts)
        asked, had = (log_prior(classes, documents, which) for which in (prior, "empirical"))
        return [
            centred + shifts.get(label, 0.0) + log_difference(new, old)
            for label, centred, new, old in zip(classes, centred_log_prior(documents), asked, had, strict=True)
        ]

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {
            "columns": [list(pair) for pair in self.weights],
            "shifts": [list(pair) for pair in self.shifts],
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> ColumnChoice:
        """What `settings` came from."""
        weights, shifts = (
            tuple((name, float(value)) for name, value in settings[which]) for which in ("columns", "shifts")
        )
        return cls(weights, shifts)


def choose_weights(
    kinds: Mapping[str, Any],
    learned: Learned,
    texts: Mapping[str, TextModel],
    rows: Rows,
    settings: Settings,
    *,
    threads: int | None,
) -> tuple[ColumnChoice, TrainingReport]:
    """A weight for each column by rows that were learned, of two or more classes, and how well it does."""
    import numpy as np

    units = _units(learned, texts)
    rows = rows.take(rows.by_content()[: most_rows(len(learned.classes), len(units))])
    own = rows.numbers(learned.classes)
    of = np.ones(len(own)) if rows.weights is None else rows.weights.astype(float)
    evidence = np.concatenate(
        [_values_evidence(learned, rows, own), _texts_evidence(kinds, learned, texts, rows, settings, threads)], axis=2
    )
    fitted = fit_weights(evidence.clip(-LARGEST, LARGEST), own, of, learned.documents, threads=n_threads(threads))
    weights = {name: weight for unit, weight in zip(units, fitted.weights, strict=True) for name in unit}
    tried = [
        Tried("every column counts once", *figures(fitted.plain_log_probabilities, own, of)),
        Tried("every column counts the same", *figures(fitted.level_log_probabilities, own, of)),
        Tried("a weight for each column", *figures(fitted.log_probabilities, own, of)),
    ]
    note = sample_note(learned.documents, of)
    seen = Seen(tried, tried[-1].name, note, rows.places.tolist(), own, of, fitted.log_probabilities)
    at = {place: row for row, place in enumerate(rows.places.tolist())}
    report = training_report(list(learned.classes), seen, lambda place: show_row(rows.table.row(at[place])))
    choice = ColumnChoice(
        tuple((name, weights[name]) for name in kinds), tuple(zip(learned.classes, fitted.shifts, strict=True))
    )
    return choice, replace(report, columns=_uses(kinds, learned, weights))


def report_of_one_text(
    kinds: Mapping[str, Any], learned: Learned, rows: Rows, report: TrainingReport | None
) -> TrainingReport | None:
    """The only column is a text: then this is the model of texts, and its report, of the same rows."""
    if report is None:
        return None
    (name,) = kinds
    places = rows.places[rows.texts(name)[3]].tolist()
    doubtful = [replace(one, index=places[one.index]) for one in report.doubtful]
    return replace(report, doubtful=doubtful, columns=_uses(kinds, learned, {name: 1.0}))


def text_settings(kind: Text, settings: Settings) -> Settings:
    """How the texts of a column are read: what its kind leaves open is the classifier's."""
    is_open = isinstance(kind.smoothing, str) and kind.smoothing == "auto"
    return settings._replace(
        likelihood=settings.likelihood if kind.likelihood == "multinomial" else kind.likelihood,
        smoothing=settings.smoothing if is_open else kind.smoothing,
        prior="empirical",
    )


def _units(learned: Learned, texts: Mapping[str, TextModel]) -> list[tuple[str, ...]]:
    """The columns that have a weight of their own; those of a group that is one thing share it."""
    units: list[tuple[str, ...]] = []
    for group in learned.groups:
        units += [group.names] if group.is_tied else [(name,) for name in group.names]
    return units + [(name,) for name in texts]


def _values_evidence(learned: Learned, rows: Rows, own: NDArray[Any]) -> NDArray[Any]:
    """What the columns but for texts say: by row, class and unit, without each row itself."""
    import numpy as np

    # Seven digits are enough for what only weights are fitted to.
    parts = [np.zeros((len(own), len(learned.classes), 0), np.float32)]
    for group in learned.groups:
        values, n = group.values(rows.table), len(group.names)
        width = n if group.is_tied else AT_ONCE
        for start in range(0, n, width):
            places = list(range(start, min(start + width, n)))
            logs = group.statistics.columns(places).leave_one_out(values[:, places], own)
            logs = logs.sum(axis=2, keepdims=True) if group.is_tied else logs
            parts.append((logs - logs.mean(axis=1, keepdims=True)).astype(np.float32))
    return np.concatenate(parts, axis=2)


def _texts_evidence(
    kinds: Mapping[str, Any],
    learned: Learned,
    models: Mapping[str, TextModel],
    rows: Rows,
    settings: Settings,
    threads: int | None,
) -> NDArray[Any]:
    """What the texts say, in the same form; a missing text says nothing."""
    import numpy as np

    evidence = np.zeros((len(rows.labels), len(learned.classes), len(models)), np.float32)
    for place, (name, model) in enumerate(models.items()):
        texts, labels, _, present = rows.texts(name)
        if texts:
            how = text_settings(kinds[name], settings)
            said = model.evidence_without(texts, labels, how, threads=threads)
            said = aligned(said, model.classes, learned.classes)
            evidence[present, :, place] = said - said.mean(axis=1, keepdims=True)
    return evidence


def _uses(kinds: Mapping[str, Any], learned: Learned, weights: Mapping[str, float]) -> list[ColumnUse]:
    of = {name: group.described(at) for group in learned.groups for at, name in enumerate(group.names)}
    return [ColumnUse(name, of.get(name) or described(kind), weights[name]) for name, kind in kinds.items()]
