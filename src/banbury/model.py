"""Model and Reading: what a classifier holds and scores with. A model of texts is one, a model of tables another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from banbury.annotations import TYPE_CHECKING, Any, Protocol
from banbury.changes import Changes
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.terms import LONGEST_BY_WORDS, Score, compared, explanation_by_words, explanation_of
from banbury.text.model import TextModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury import _kernel
    from banbury.results.column_table import ColumnTable
    from banbury.results.explanation import Explanation
    from banbury.results.terms import AbsentWords, Change, PairTerms, Term
    from banbury.results.training_report import TrainingReport
    from banbury.results.word_table import WordTable
    from banbury.tables.model import TableModel
    from banbury.text.counts import Counts
    from banbury.text.documents import Column, Label
    from banbury.text.likelihoods import Prior
    from banbury.text.settings import Settings

Document = Any
"""One of them: a text, its tokens, or a row by the names of its columns."""
Documents = Any
"""Texts, or a table, of any library: `text.documents` and `tables.frame` say what is taken."""


class Reading(Protocol):
    """How documents are scored: by what was learned, at one moment, with some settings."""

    @property
    def classes(self) -> list[Any]:
        """The labels, sorted."""

    def is_one(self, documents: Documents) -> bool:
        """Whether this is one document rather than several."""

    def one(self, document: Document) -> Document:
        """One document, checked."""

    def shown(self, document: Document) -> str:
        """A document as people read it."""

    def best_one(self, document: Document) -> int:
        """The class id with the highest score, the first of equal ones."""

    def labeller(self, made_from: tuple[Any, ...]) -> _kernel.Labeller | None:
        """What labels single texts as long as the model is in the state of this reading; None where nothing does.

        `made_from` has what `Labeller.is_from` compares.
        """

    def best(self, documents: Documents, threads: int) -> NDArray[Any]:
        """The class id with the highest score, for each document."""

    def scores(self, documents: Documents, threads: int) -> NDArray[np.float64]:
        """The score of each document and class, up to a number that the classes share."""

    def scores_of(self, document: Document) -> list[float]:
        """The score of each class for one document."""

    def terms(self, document: Document) -> tuple[list[float], list[Term]]:
        """The terms that the scores of a document are the sums of: one start for each class, and the terms."""

    def all_terms(self, document: Document) -> tuple[list[float], list[Term], list[AbsentWords]]:
        """The same, and beside it the words that are absent, where that counts; then they are not in the start."""

    def pair_terms(self, document: Document, ours: int, theirs: int) -> PairTerms | None:
        """What each feature of a text says for one class against another; None where it cannot be said so shortly."""

    def changes(self, document: Document) -> list[Change]:
        """What preprocessing leaves out of a document, and what it counts under another name."""


class Model(Protocol):
    """What was learned of documents, and how it is read."""

    @property
    def classes(self) -> list[Any]:
        """The labels, sorted."""

    @property
    def documents(self) -> list[int]:
        """The number of documents of each class."""

    @property
    def changes(self) -> Changes:
        """The changes of this model; a reader sees all of one or nothing of it."""

    @property
    def counts(self) -> Counts:
        """What a model of texts has counted; of a table an `AttributeError`."""

    @property
    def kinds(self) -> dict[str, Any]:
        """The kind of each column of a table; of texts an `AttributeError`."""

    def of_texts(self, purpose: str) -> TextModel:
        """This model where it is one of texts, else an error that says the purpose for which texts are needed."""

    def of_table(self) -> TableModel | None:
        """This model where it is one of a table, else None."""

    def hold(self, documents: Documents) -> tuple[Documents, Callable[[int], Any]]:
        """Documents that can be read more than once, and a function from a row to its document."""

    # Learning

    def add(self, documents: Documents, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Learn these documents too."""

    def remove(self, documents: Documents, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Unlearn these documents."""

    def merge(self, other: object) -> None:
        """Learn all that another model of the same kind has learned."""

    def copy(self) -> Model:
        """The same model, which changes on its own from now on; it takes memory once one of them changes."""

    def empty_copy(self) -> Model:
        """A model with all that was chosen for this one, which has learned nothing."""

    def choose(
        self,
        documents: Documents,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        effort: str,
        groups: Column = None,
        threads: int | None,
    ) -> TrainingReport | None:
        """Choose again what leave-one-out chooses, by documents that were learned."""

    # Reading

    def state(self) -> tuple[Any, ...]:
        """What a reading depends on besides the settings: an equal state gives an equal reading."""

    def is_in(self, state: tuple[Any, ...]) -> bool:
        """Whether this is still the state, told by identity; a labeller asks by itself whether counts have changed."""

    def reading(self, settings: Settings, prior: Prior | None = None, state: Any = None) -> Reading:
        """How documents are scored in this `state`, by default the present one; `prior` stands in for the settings'."""

    def joint_log_likelihood(
        self, documents: Documents, settings: Settings, *, coefficient: bool
    ) -> NDArray[np.float64]:
        """log P(class) + log P(document | class) by the plain likelihood, for each document and class."""

    def n_parameters(self, settings: Settings) -> int:
        """The number of free parameters of the plain likelihood in one class."""

    def sample(self, rng: np.random.Generator, class_ids: NDArray[Any], settings: Settings) -> list[Any]:
        """New documents of these classes."""

    def words(
        self,
        label: Label | None,
        settings: Settings,
        *,
        against: Label | None = None,
        column: str | None = None,
        names: list[str] | None = None,
        min_documents: int = 1,
    ) -> WordTable:
        """The table of words, of texts or of a column of texts."""

    def column(self, *names: str) -> ColumnTable:
        """What was learned of a column of a table, or of two together; of texts an `AttributeError`."""

    def spelling(self, word: str) -> list[str]:
        """The tokens that the analyzer makes of a word."""

    # Keeping

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""

    def parameters(self) -> dict[str, Any]:
        """The parameters of a classifier that say what was learned: those that stay as they are after training."""


def clear_labels(reading: Reading, documents: Documents, margin: float, threads: int) -> Any:
    """The label of each document, None where it leads the next by no more than `margin` nats; of one document, its."""
    from banbury.results.decisions import Margin  # nothing that predicts needs it

    rule = Margin.of(reading.classes, margin)
    if reading.is_one(documents):
        return rule.decide_scores(np.array([reading.scores_of(documents)]))[0]
    return np.array(rule.decide_scores(reading.scores(documents, threads)), dtype=object)


def explained(
    reading: Reading, document: Document, *, label: Label | None, against: Label | None, unit: str, by: str = "features"
) -> Explanation:
    """Why a document is of class `label` rather than `against`, as `Classifier.explain` says it."""
    if by not in ("features", "words"):
        raise InputError(f"by is {by!r}; it can be 'features' or 'words'")
    document = reading.one(document)
    if by == "words" and isinstance(document, str) and len(document) > LONGEST_BY_WORDS:
        raise InputError(
            f"the text has {len(document):,} characters; up to {LONGEST_BY_WORDS:,} are explained by words, "
            "any number by features"
        )
    scores: list[float] = reading.scores([document], 1)[0].tolist()
    changes, text = reading.changes(document), reading.shown(document)
    if by == "words":
        pair = compared(scores, reading.classes, label, against)
        pair_terms = reading.pair_terms(document, *pair)
        if pair_terms is not None:
            quick = explanation_by_words(
                pair_terms, scores, reading.classes, pair, text=text, changes=changes, unit=unit
            )  # fmt: skip
            if quick is not None:
                return quick
    start, terms, absent = reading.all_terms(document)
    explanation = explanation_of(
        Score(reading.classes, scores, start, terms, absent, changes),
        text=text,
        row=None if isinstance(document, str) else document,
        label=label,
        against=against,
        unit=unit,
    )
    return explanation.by_words() if by == "words" else explanation


def model_from_parts(settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Model:
    """The model that `Model.parts` were taken from."""
    if "given_weights" in settings:
        from banbury.text.given_weights import GivenModel  # nothing that predicts needs it

        return GivenModel.from_parts(settings)
    if "columns" not in settings:
        return TextModel.from_parts(settings, arrays)
    from banbury.tables.model import TableModel  # it needs NumPy, which texts alone do not

    return TableModel.from_parts(settings, arrays)
