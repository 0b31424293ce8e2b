"""How much each column of a table counts: chosen by what all other rows say of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.errors import FileFormatError, InputError
from banbury.results.training_report import ColumnUse, TrainingReport, training_report
from banbury.results.trials import Seen, Tried, figures, with_each_once, with_prior
from banbury.stats.intervals import Interval
from banbury.stats.softmax import log_difference, log_softmax
from banbury.tables.columns import described, groups_of
from banbury.tables.fit import Fit
from banbury.tables.frame import show_row
from banbury.tables.importance import Importance, importances
from banbury.tables.kinds import Text
from banbury.tables.ladder import FEWEST_CLIMBED_ROWS, MOST_CLIMBED_COLUMNS, RUNG_PENALTIES, Ladder
from banbury.tables.learned import Learned, Rows
from banbury.tables.rungs import Part
from banbury.tables.scoring import aligned
from banbury.tables.votes import CellChoice
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import sample_note
from banbury.text.likelihoods import Prior, log_prior
from banbury.text.model import TextModel
from banbury.text.settings import Settings
from banbury.text.trust import centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


SHOWN = {
    "P": "a weight for each column",
    "S": "columns by cells",
    "G": "all pairs of columns",
    "K": "the best pairs of columns",
    "T": "all triples of columns",
    "T+": "all pairs, triples that help",
    "KT": "the best pairs, triples that help",
}


@dataclass(frozen=True)
class ColumnChoice:
    """What leave-one-out has chosen; it stays when more is learned."""

    weights: tuple[tuple[str, float], ...] = ()
    """How much each column counts; one that is not named as much as all usually do."""
    shifts: tuple[tuple[Any, float], ...] = ()
    """What the score of each label starts with besides its prior; a label that came later has 0."""
    cells: CellChoice | None = None
    """How cells of columns, pairs and triples count, where they do."""

    def start(self, classes: list[Any], documents: list[int], prior: Prior) -> list[float]:
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
        """The choice as plain data, for a file."""
        return {
            "columns": [list(pair) for pair in self.weights],
            "shifts": [list(pair) for pair in self.shifts],
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], cells: CellChoice | None = None) -> ColumnChoice:
        """What `settings` came from; that of cells is kept by itself."""
        weights, shifts = (
            tuple((name, float(value)) for name, value in settings[which]) for which in ("columns", "shifts")
        )
        if not all(isinstance(name, str | int | float) for name, _ in (*weights, *shifts)):
            raise FileFormatError("its columns or classes have impossible names")
        return cls(weights, shifts, cells)


def choose(
    kinds: Mapping[str, Any],
    learned: Learned,
    texts: Mapping[str, TextModel],
    rows: Rows,
    settings: Settings,
    *,
    effort: str,
    threads: int | None,
) -> tuple[ColumnChoice, Learned, TrainingReport]:
    """What counts how much, by rows of two or more classes that were learned; what is counted for it; a report."""
    said = _TextEvidence(kinds, learned, texts, rows, settings, threads)
    part = Part(learned._replace(terms=None), rows, said, n_threads(threads))
    ladder = None
    n_columns = len(part.terms.names)
    can_climb = len(rows.labels) >= FEWEST_CLIMBED_ROWS and 0 < n_columns <= MOST_CLIMBED_COLUMNS
    if can_climb and part.terms.fits(learned.documents):

        def learned_from(some: Rows) -> Learned:
            return Learned([], [], groups_of(kinds, 0)).plus(some)

        ladder = Ladder(rows, learned.classes, learned_from, said, threads=n_threads(threads))
    fitted = part.fit("P" if ladder is None else ladder.climbed()) or part.fit("P")
    assert fitted is not None
    penalty = None if ladder is None or effort != "best" or fitted.name == "P" else ladder.penalty(fitted.name)
    cells = None if fitted.name == "P" else CellChoice.of(fitted)
    if cells is not None and penalty is not None:
        corrected, several = part.corrections(fitted, [one for one in RUNG_PENALTIES if one >= penalty])
        labels = tuple(learned.classes)
        cells = replace(cells, corrected=tuple(corrected), correction=several[-1], labels=labels)
    units = [*part.units, *((name,) for name in texts)]
    weights = {name: weight for unit, weight in zip(units, fitted.weights.tolist(), strict=True) for name in unit}
    shifts = (fitted.bias - part.bias).tolist()
    choice = ColumnChoice(
        tuple((name, weights[name]) for name in kinds if name in weights),
        tuple(zip(learned.classes, shifts, strict=True)),
        cells,
    )
    learned = learned._replace(terms=None if fitted.name == "P" else fitted.terms)
    report = _report(learned, rows, part, ladder, fitted, penalty, settings.prior)
    nats = importances(part, fitted)
    importance = {name: one for unit, one in zip(units, nats, strict=True) for name in unit}
    return choice, learned, replace(report, columns=_uses(kinds, learned, choice, weights, importance))


def _corrected(rung: str, penalty: float) -> str:
    return f"{SHOWN[rung]}, corrected with penalty {penalty:g}"


class _TextEvidence:
    """What texts say of rows at some places, each without itself; looked at once."""

    def __init__(
        self,
        kinds: Mapping[str, Any],
        learned: Learned,
        models: Mapping[str, TextModel],
        rows: Rows,
        settings: Settings,
        threads: int | None,
    ) -> None:
        self._how = kinds, learned, models
        self._rows, self._settings, self._threads = rows, settings, threads
        self._known = np.full((len(rows.labels), len(learned.classes), len(models)), np.nan, np.float32)

    def __call__(self, places: NDArray[Any]) -> NDArray[Any]:
        new = places[np.isnan(self._known[places]).any(axis=(1, 2))] if self._known.shape[2] else places[:0]
        if len(new):
            kinds, learned, models = self._how
            self._known[new] = _texts_evidence(kinds, learned, models, self._rows, new, self._settings, self._threads)
        known: NDArray[Any] = self._known[places]
        return known


def _report(
    learned: Learned,
    rows: Rows,
    part: Part,
    ladder: Ladder | None,
    fitted: Fit,
    penalty: float | None,
    prior: Prior,
) -> TrainingReport:
    """A report by leave-one-out; above the first rung by held-out rows, since leave-one-out is too hopeful there."""
    class_ids, counted = part.sample.row_classes, part.sample.weights
    logs = log_softmax(fitted.scores)
    by_kinds = part.weighed
    tried = [
        Tried("every column counts once", *figures(by_kinds.plain_log_probabilities, class_ids, counted)),
        Tried("every column counts the same", *figures(by_kinds.level_log_probabilities, class_ids, counted)),
        Tried(SHOWN["P"], *figures(by_kinds.log_probabilities, class_ids, counted)),
    ]
    every = np.ones(len(rows.labels)) if rows.weights is None else rows.weights.astype(float)
    trials = {} if ladder is None else {SHOWN[name]: trial for name, trial in ladder.trials.items()}
    if ladder is not None:
        trials |= {_corrected(fitted.name, one): trial for one, trial in ladder.penalties.items()}
    for name, trial in trials.items():
        held = part.class_ids[trial.rows], every[trial.rows]
        tried.append(Tried(f"held out: {name}", *figures(trial.log_probabilities, *held)))
    chosen = SHOWN[fitted.name] if penalty is None else _corrected(fitted.name, penalty)
    note = "; ".join(filter(None, [sample_note(learned.documents, counted), part.sample.note]))
    seen = Seen(tried, chosen, note, rows.places[part.sample.places].tolist(), class_ids, counted, logs)
    doubts = seen
    if fitted.name != "P":
        trial = trials[chosen]
        note = f"judged by {len(trial.rows)} rows that were held out, with all that was chosen made without them"
        note = "; ".join(filter(None, [note, part.sample.note]))
        places = rows.places[trial.rows].tolist()
        seen = Seen(tried, chosen, note, places, part.class_ids[trial.rows], every[trial.rows], trial.log_probabilities)
    row_at = {place: row for row, place in enumerate(rows.places.tolist())}

    def shown(place: int) -> str:
        return show_row(rows.table.row(row_at[place]))

    priors = (log_prior(learned.classes, learned.documents, which) for which in (prior, "empirical"))
    seen, n_learned = with_each_once(with_prior(seen, *priors)), sum(learned.documents)
    return training_report(list(learned.classes), seen, shown, doubts=doubts, n_learned=n_learned)


def report_of_one_text(
    kinds: Mapping[str, Any], learned: Learned, rows: Rows, report: TrainingReport | None
) -> TrainingReport | None:
    """The only column is a text: then this is the model of texts, and its report, of the same rows."""
    if report is None:
        return None
    (name,) = kinds
    places = rows.places[rows.texts(name)[3]].tolist()
    doubtful = [replace(one, index=places[one.index]) for one in report.doubtful]
    return replace(report, doubtful=doubtful, columns=_uses(kinds, learned, ColumnChoice(), {name: 1.0}, {}))


def text_settings(kind: Text, settings: Settings) -> Settings:
    """How the texts of a column are read: what its kind leaves open is the classifier's."""
    likelihood = settings.likelihood if kind.likelihood is None else kind.likelihood
    is_open = isinstance(kind.smoothing, str) and kind.smoothing == "auto"
    if likelihood == "automatic" and is_open:
        return Settings(vocabulary=settings.vocabulary)
    smoothing = settings.smoothing if is_open else kind.smoothing
    return Settings(likelihood, smoothing, settings.vocabulary, "empirical", settings.calibration)


def check_text_settings(kinds: Mapping[str, Any], settings: Settings) -> None:
    """Raise an error for a column of texts whose settings cannot be used; it names the column."""
    for name, kind in kinds.items():
        if isinstance(kind, Text):
            try:
                text_settings(kind, settings).check()
            except InputError as error:
                raise InputError(f"column {name!r}: {error}") from None


def _texts_evidence(
    kinds: Mapping[str, Any],
    learned: Learned,
    models: Mapping[str, TextModel],
    rows: Rows,
    places: NDArray[Any],
    settings: Settings,
    threads: int | None,
) -> NDArray[Any]:
    """What the texts of the rows at some places say, in the same form; a missing text says nothing."""
    evidence = np.zeros((len(places), len(learned.classes), len(models)), np.float32)
    for number, (name, model) in enumerate(models.items()):
        texts, labels, weights, present = rows.texts(name)
        asked = np.isin(present, places)
        if not asked.any():
            continue
        # Copies and members of groups leave with a text wherever they are.
        known = {texts[at] for at in np.flatnonzero(asked)}
        leave = np.array([text in known for text in texts])
        if rows.groups is not None:
            leave |= np.isin(rows.groups[present], rows.groups[places])
        kept = np.flatnonzero(leave)
        how = text_settings(kinds[name], settings)
        said = model.evidence_without(
            [texts[at] for at in kept],
            [labels[at] for at in kept],
            how,
            weights=None if weights is None else [weights[at] for at in kept],
            groups=rows.group_names(present[kept]),
            threads=threads,
        )
        said = aligned(said, model.classes, learned.classes)[asked[kept]]
        row_of = {place: row for row, place in enumerate(places.tolist())}
        text_rows = [row_of[place] for place in present[asked].tolist()]
        evidence[text_rows, :, number] = said - said.mean(axis=1, keepdims=True)
    return evidence


def _uses(
    kinds: Mapping[str, Any],
    learned: Learned,
    choice: ColumnChoice,
    weights: Mapping[str, float],
    importance: Mapping[str, Importance],
) -> list[ColumnUse]:
    shown = {name: group.described(at) for group in learned.groups for at, name in enumerate(group.names)}
    if choice.cells is not None and learned.terms is not None:
        for name, is_cells in zip(learned.terms.names, choice.cells.by_cells, strict=True):
            if is_cells:
                shown[name] = f"{described(kinds[name])}, cells"
    uses = []
    for name, kind in kinds.items():
        use = ColumnUse(name, shown.get(name) or described(kind), weights.get(name, 0.0))
        if name in importance:
            nats, low, high = importance[name]
            use = replace(use, importance=nats, importance_interval=Interval(low, high))
        uses.append(use)
    return uses
