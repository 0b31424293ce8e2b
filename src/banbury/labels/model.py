"""LabelModel: what was learned of documents with several labels each, and how it is read: counts, curves, shifts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.changes import Changes
from banbury.errors import InputError
from banbury.labels.counts import ALL_DOCUMENTS, LabelCounts
from banbury.labels.odds import log_odds_of_shares
from banbury.labels.thresholds import F1Thresholds
from banbury.labels.trust import LabelTrust
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.results.terms import Score, class_id_of, explanation_of
from banbury.text.documents import Texts, check_collected
from banbury.text.preprocessing import changes
from banbury.text.reading import terms_of
from banbury.text.tokens import as_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.labels.sets import LabelSet
    from banbury.results.explanation import Explanation
    from banbury.results.word_table import WordTable


class LabelState(NamedTuple):
    """All that a reading of a model depends on, of one moment."""

    labels: list[Any]
    kernel: _kernel.Counts
    version: int
    documents: list[int]
    """All of them, then those of each label."""
    trust: LabelTrust


class LabelReading(NamedTuple):
    """How texts are scored by one state of a model."""

    labels: list[Any]
    scorer: _kernel.TrustScorer
    start: list[float]
    """The log-odds of each label in an empty text; first comes a 0 for the class of all documents."""
    growth: list[float]
    """What they get besides as a text grows longer."""
    version: int

    def log_odds(self, texts: Texts, threads: int) -> NDArray[np.float64]:
        """The log-odds of each label, by text."""
        scores = np.asarray(self.scorer.scores(texts, self.start, threads, self.growth, self.version))
        return scores[:, 1:]


class LabelModel:
    """Counts of texts with several labels each, and what leave-one-out has chosen for them."""

    def __init__(self, counts: LabelCounts, trust: LabelTrust | None = None, f1: F1Thresholds | None = None) -> None:
        self.counts = counts
        self.trust = trust or LabelTrust.universal(counts.analyzer)
        self.f1 = f1
        self.changes = Changes()
        self._scorer = Latest[_kernel.TrustScorer]()  # it becomes quicker with use

    # What is learned

    @property
    def labels(self) -> list[Any]:
        """The labels, sorted."""
        return self.counts.labels

    def add(self, texts: Texts, sets: Sequence[LabelSet], weights: Any, *, threads: int | None) -> None:
        """Count these documents too."""
        self.counts.add(texts, sets, weights=weights, threads=threads)

    def remove(self, texts: Texts, sets: Sequence[LabelSet], weights: Any, *, threads: int | None) -> None:
        """Take these documents away again."""
        self.counts.remove(texts, sets, weights=weights, threads=threads)

    def merge(self, other: LabelModel) -> None:
        """Add what another model has counted."""
        self.counts.merge(other.counts)

    def set_choice(self, counts: LabelCounts, trust: LabelTrust, f1: F1Thresholds) -> None:
        """Take what leave-one-out has chosen."""
        with self.changes:
            self.counts, self.trust, self.f1 = counts, trust, f1

    def copy(self) -> LabelModel:
        """A model that changes on its own from now on."""
        return self.changes.whole(lambda: LabelModel(self.counts.copy(), self.trust, self.f1))

    def empty_copy(self) -> LabelModel:
        """A model with all that was chosen for this one, which has learned nothing."""
        return LabelModel(LabelCounts(self.counts.analyzer), self.trust, self.f1)

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""
        settings, arrays = self.counts.parts()
        f1 = None if self.f1 is None else self.f1.settings()
        return {"trust": self.trust.settings(), "f1": f1, **settings}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> LabelModel:
        """The model that `parts` were taken from."""
        counts, f1 = LabelCounts.from_parts(settings, arrays), settings["f1"]
        trust = LabelTrust.from_settings(settings["trust"], counts.analyzer)
        return cls(counts, trust, None if f1 is None else F1Thresholds.from_settings(f1))

    # How it is read

    def state(self) -> LabelState:
        """What a reading depends on: an equal state gives an equal reading."""
        return self.changes.whole(self._look)

    def _look(self) -> LabelState:
        labels, kernel = self.counts.learned
        return LabelState(labels, kernel, *kernel.moment(), self.trust)

    def reading(self) -> LabelReading:
        """How texts are scored now."""
        labels, kernel, version, documents, trust = self.state()
        n_documents, inside = documents[ALL_DOCUMENTS], documents[1:]
        start = log_odds_of_shares(inside, n_documents)
        growth = trust.growth(labels, start)
        factors = [0.0, *trust.factors(labels, inside)]

        def make() -> _kernel.TrustScorer:
            return _kernel.TrustScorer(kernel, trust.curves, trust.caps, None, factors)

        scorer = self._scorer.get((kernel, trust, labels, factors), make)
        return LabelReading(labels, scorer, [0.0, *start], [0.0, *growth], version)

    def read(self, use: Callable[[LabelReading], Any]) -> Any:
        """What `use` makes of a reading: of the model before or after a change of another thread, never half of it."""
        return self.changes.read(lambda: use(self.reading()))

    def log_odds(self, texts: Texts, threads: int) -> tuple[list[Any], NDArray[np.float64]]:
        """The labels, and the log-odds of each by text, of one moment."""
        check_collected(texts)
        labels, log_odds = self.read(lambda reading: (reading.labels, reading.log_odds(texts, threads)))
        return labels, log_odds

    def explain(self, text: object, label: Any, unit: str) -> Explanation:
        """Why a text has a label, by default the most probable one, or has it not."""
        document = as_document(text, "the text")

        def explained(reading: LabelReading) -> Explanation:
            if not reading.labels:
                raise InputError("this model knows no label: there is nothing to explain")
            odds = reading.log_odds([document], 1)[0]
            place = int(odds.argmax()) if label is None else class_id_of(label, reading.labels)
            name = reading.labels[place]
            how = (document, reading.start, reading.growth, reading.version)
            start, terms = terms_of(reading.scorer, self.counts.analyzer, *how)
            return explanation_of(
                Score(
                    [outside(name), name],
                    [0.0, float(odds[place])],
                    [0.0, start[place + 1]],
                    [term._replace(weights=term.weights and [0.0, term.weights[place + 1]]) for term in terms],
                    (),
                    changes(self.counts.analyzer, document),
                ),
                text=document,
                row=None,
                label=name,
                against=outside(name),
                unit=unit,
            )

        explanation: Explanation = self.read(explained)
        return explanation

    def words(self, label: Any, names: list[str] | None, min_documents: int) -> WordTable:
        """The table of words of a label: counts inside and outside it, and what each word says for it."""
        from banbury.results.word_table import Totals, WordTable  # nothing that predicts needs it

        reading = self.reading()
        labels, kernel = self.counts.learned
        number = class_id_of(label, labels) + 1
        plain = _kernel.PlainScorer(kernel, "multinomial", 1.0, 1.0, False)  # every likelihood has the same counts
        table = plain.table(names, min_documents)

        def sides(counts: Any) -> NDArray[Any]:
            both = np.asarray(counts)
            return np.stack([both[..., ALL_DOCUMENTS] - both[..., number], both[..., number]], axis=-1)

        weights = np.asarray(reading.scorer.weights(names, min_documents, self.trust.typical))[:, number]
        occurrences, in_class = sides(table.occurrences), sides(kernel.occurrences)
        n_features = kernel.n_features
        vocabulary = [int((column > 0).sum()) for column in sides(plain.table().occurrences).T]
        totals = Totals(in_class.tolist(), sides(kernel.documents).tolist(), vocabulary, n_features)
        return WordTable(
            [outside(label), labels[number - 1]],
            table.names,
            np.asarray(plain.lengths(names, min_documents)),
            sides(table.documents),
            occurrences,
            np.log((occurrences + 1.0) / (in_class + n_features)),
            np.stack([np.zeros_like(weights), weights], axis=1),
            label,
            outside(label),
            "automatic",
            1.0,
            in_class.tolist(),
            totals,
        )


def outside(label: Any) -> str:
    """The name of all that is outside a label.

    >>> outside("sport")
    'not sport'
    """
    return f"not {label}"
