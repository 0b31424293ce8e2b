"""TextModel: what a model of texts has learned, and how it is read: counts, what leave-one-out chose, scorers."""

from __future__ import annotations

from collections.abc import Callable

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, NamedTuple, NoReturn
from banbury.changes import Changes
from banbury.errors import FORGOTTEN, InputError, NotAvailable, NotFittedError
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.results.terms import class_id_of
from banbury.stats.softmax import log_difference, possible_log_softmax
from banbury.text.analyzer import Analyzer
from banbury.text.choice import TextChoice, uses_curves
from banbury.text.counts import Counts
from banbury.text.documents import (
    Column,
    Label,
    Texts,
    as_texts,
    check_collected,
    check_kind,
)
from banbury.text.likelihoods import Prior, log_prior, pseudo_counts, scorer
from banbury.text.reading import TextReading
from banbury.text.settings import Settings, analyzers_for
from banbury.text.trust import Trust, centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from banbury.results.training_report import TrainingReport
    from banbury.results.word_table import WordTable

LARGEST_TABLE = 2**28  # cells of 16 bytes: more would take the memory of most machines


class TextState(NamedTuple):
    """All that a reading of a model depends on besides the settings, of one moment."""

    classes: list[Any]
    kernel: _kernel.Counts
    version: int
    documents: list[int]
    choice: TextChoice


class TextModel:
    """Counts of texts, and what leave-one-out has chosen for them."""

    def __init__(self, counts: Counts, choice: TextChoice | None = None) -> None:
        self.counts = counts
        self.choice = choice or TextChoice()
        self.changes = Changes()
        # A scorer becomes quicker with use, so it is kept as long as the counts are read in the same way.
        self._plain_scorer = Latest[_kernel.PlainScorer]()
        self._trust_scorer = Latest[_kernel.TrustScorer]()

    @classmethod
    def fitted(
        cls,
        texts: Texts,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        analyzer: Analyzer | str | None,
        effort: str,
        groups: Column = None,
        threads: int | None,
    ) -> tuple[TextModel, TrainingReport | None]:
        """A model of these documents, with everything chosen, and how well it does."""
        if settings.is_open:
            texts = _kernel.hold(texts)  # else they are read once
        is_open = analyzer is None and settings.is_automatic  # only then the length of the documents matters
        widest, narrower = analyzers_for(analyzer, *(_kernel.measure(texts) if is_open else (0, 0)), settings)
        counts = Counts(widest).add(texts, labels, weights=weights, threads=threads)
        how: dict[str, Any] = {"effort": effort, "narrower": narrower, "groups": groups, "threads": threads}
        return cls.chosen(counts, texts, labels, weights, settings, **how)

    @classmethod
    def chosen(
        cls,
        counts: Counts,
        texts: Texts,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        effort: str,
        narrower: Analyzer | None,
        groups: Column = None,
        threads: int | None,
    ) -> tuple[TextModel, TrainingReport | None]:
        """A model of documents that have been counted, with everything chosen by these, which are among them."""
        if not counts.classes:
            raise InputError("no documents to learn from")
        log_prior(counts.classes, counts.documents, settings.prior, settings.likelihood)
        if not settings.is_open:
            return cls(counts), None
        from banbury.text.choosing import choose  # nothing that only counts or predicts needs it

        counts, choice, report = choose(
            counts, texts, labels, weights, settings, effort=effort, narrower=narrower, groups=groups, threads=threads
        )
        return cls(counts, choice), report

    def empty_copy(self) -> TextModel:
        """A model with the same settings, chosen and given, that has learned nothing."""
        copy = TextModel.from_parts(*self.parts())
        copy.counts = Counts(self.counts.analyzer)
        return copy

    def copy(self) -> TextModel:
        """The same model, which changes on its own from now on."""
        return self.changes.whole(lambda: TextModel(self.counts.copy(), self.choice))

    @classmethod
    def empty(cls, settings: Settings, analyzer: Analyzer | str | None) -> TextModel:
        """A model that has seen nothing yet."""
        return cls(Counts(analyzers_for(analyzer, 0, 0, settings)[0]))

    # What is learned

    @property
    def classes(self) -> list[Any]:
        """The labels, sorted."""
        return self.counts.classes

    @property
    def documents(self) -> list[int]:
        """The number of documents of each class."""
        return self.counts.documents

    @property
    def kinds(self) -> dict[str, Any]:
        """A model of texts has no columns: an `AttributeError`."""
        raise NotAvailable("a model of texts has no columns_; counts_ has what it has counted")

    def column(self, *names: str) -> NoReturn:
        """A model of texts has no columns: an `AttributeError`."""
        raise NotAvailable("a model of texts has no columns; words() says what was learned of its words")

    def add(self, texts: Texts, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Count these documents too; a label that nothing was fitted to gets a start of its own."""
        if self.choice.trust is None or self.choice.trust.knows(labels):
            self.counts.add(texts, labels, weights=weights, threads=threads)
            return
        from banbury.text.new_labels import with_new_labels  # nothing that predicts needs it

        rows = as_texts(texts)
        with self.changes:
            self.counts.add(rows, labels, weights=weights, threads=threads)
            trust = with_new_labels(self.choice.trust, self.counts, rows, labels, threads=threads)
            self.choice = self.choice.replace(trust=trust)

    def remove(self, texts: Texts, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Take these documents away again."""
        with self.changes:
            self.counts.remove(texts, labels, weights=weights, threads=threads)
            if self.choice.trust is not None and self.choice.trust.later:
                self.choice = self.choice.replace(trust=self.choice.trust.only(self.classes))

    def merge(self, other: object) -> None:
        """Add what another model of texts has counted."""
        if not isinstance(other, TextModel):
            raise InputError("a model of texts cannot be merged with a model of a table")
        with self.changes:
            self.counts.merge(other.counts)
            ours, theirs = self.choice.trust, other.choice.trust
            if ours is not None and theirs is not None and theirs.later:
                # A label that is new to both has the start that it has there, unless it has one here.
                known = {label for label, *_ in (*ours.shifts, *ours.later)}
                more = tuple(asked for asked in theirs.later if asked.label not in known)
                self.choice = self.choice.replace(trust=ours.replace(later=(*ours.later, *more)))

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""
        settings, arrays = self.counts.parts()
        choice, more = self.choice.parts()
        return {"chosen": choice, **settings}, arrays | more

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> TextModel:
        """The model that `parts` were taken from."""
        return cls(Counts.from_parts(settings, arrays), TextChoice.from_parts(settings["chosen"], arrays))

    def parameters(self) -> dict[str, Any]:
        """The parameters of a classifier that say what was learned: those that stay as they are after training."""
        return {"analyzer": self.counts.analyzer}

    def choose(
        self,
        texts: Texts,
        labels: list[Any],
        weights: Column,
        settings: Settings,
        *,
        effort: str,
        groups: Column = None,
        threads: int | None,
    ) -> TrainingReport | None:
        """Choose again what leave-one-out chooses, by documents that were counted."""
        from banbury.text.choosing import choose  # nothing that predicts needs it

        check_kind(labels, self.classes)
        how: dict[str, Any] = {"effort": effort, "narrower": None, "groups": groups, "threads": threads}
        counts, choice, report = choose(self.counts, _kernel.hold(texts), labels, weights, settings, **how)
        with self.changes:
            self.counts, self.choice = counts, choice
        return report

    def hold(self, texts: Texts) -> tuple[Any, Callable[[int], Any]]:
        """Documents that can be read more than once, and a function from a row to its document."""
        check_collected(texts)
        held = _kernel.hold(texts)
        return held, lambda row: _kernel.text_at(held, row)

    def of_texts(self, purpose: str) -> TextModel:
        """This model; of a model of a table an error that says the purpose for which texts are needed."""
        return self

    def of_table(self) -> None:
        """None: this is no model of a table."""

    # How it is read

    def state(self) -> TextState:
        """What a reading depends on besides the settings: an equal state gives an equal reading."""
        return self.changes.whole(self._look)

    def is_in(self, state: tuple[Any, ...]) -> bool:
        """Whether this is still the state but for the version of the counts, told by identity."""
        classes, kernel, _, _, choice = state
        known_classes, known_kernel = self.counts.learned
        return known_kernel is kernel and known_classes is classes and self.choice is choice

    def _look(self) -> TextState:
        classes, kernel = self.counts.learned
        return TextState(classes, kernel, *kernel.moment(), self.choice)

    def reading(self, settings: Settings, prior: Prior | None = None, state: TextState | None = None) -> TextReading:
        """How texts are scored in this state, by default the present one; `prior` stands in for the settings'."""
        state = state or self.state()
        classes, kernel, version, documents, choice = state
        if not classes:  # another thread has made it forget the last of them
            raise NotFittedError(FORGOTTEN)
        if uses_curves(settings, len(classes)):
            return self._trusting(state, settings.prior if prior is None else prior)
        form = settings.plain_form(choice.smoothing)
        is_calibrated = settings.calibration is not None and choice.form == form
        calibration = choice.calibration if is_calibrated else None
        length = None if calibration is None else calibration.length
        plain = self._plain_scorer.get((kernel, form, length), lambda: scorer(kernel, *form, length=length))
        start = log_prior(classes, documents, settings.prior if prior is None else prior, settings.likelihood)
        growth = None if calibration is None else calibration.growth(classes)
        how: dict[str, Any] = {"counts_absence": form[0] == "bernoulli", "version": version}
        return TextReading(classes, self.counts.analyzer, plain, start, growth, **how)

    def _trusting(self, state: TextState, prior: Prior) -> TextReading:
        """The reading of the automatic model."""
        classes, kernel, version, documents, choice = state
        trust, correction = self.trust_of(choice), choice.correction

        def make() -> _kernel.TrustScorer:
            table = None if correction is None else correction.read(classes)
            return _kernel.TrustScorer(kernel, trust.curves, trust.caps, table, factors)

        factors = trust.factors(classes, documents)
        trusting = self._trust_scorer.get((kernel, choice, classes, factors), make)
        log_priors = centred_log_prior(documents)
        start = _start(classes, documents, prior, log_priors)
        growth = trust.growth_by_prior(classes, documents, log_priors)
        return TextReading(classes, self.counts.analyzer, trusting, start, growth, is_automatic=True, version=version)

    def trust_of(self, choice: TextChoice) -> Trust:
        """The curves that were chosen; where there are none, the universal ones."""
        return choice.trust or Trust.universal(self.counts.analyzer)

    def leave_one_out(
        self, texts: Texts, labels: list[Any], settings: Settings, *, threads: int | None
    ) -> NDArray[np.float64]:
        """log P(class | text) for each text and class by the model without that text; the labels are those learned.

        Equal texts are left out together. A correction is left out: it was fitted to all texts together.
        """
        start = np.array(self.reading(settings).start)
        evidence = self.evidence_without(texts, labels, settings, start=start, threads=threads)
        return possible_log_softmax(evidence)

    def evidence_without(
        self,
        texts: Texts,
        labels: list[Any],
        settings: Settings,
        *,
        start: NDArray[np.float64] | None = None,
        weights: Column = None,
        groups: Sequence[str] | None = None,
        threads: int | None,
    ) -> NDArray[np.float64]:
        """Scores of each text and class by the model without that text and its copies, beginning at `start`.

        By default they start at 0, so that those of an empty text are 0.
        """
        from banbury.text.left_out_evidence import evidence_without  # nothing that predicts needs it

        how: dict[str, Any] = {"start": start, "weights": weights, "groups": groups, "threads": threads}
        return evidence_without(self, texts, labels, settings, **how)

    def joint_log_likelihood(self, texts: Texts, settings: Settings, *, coefficient: bool) -> NDArray[np.float64]:
        """log P(class) + log P(text | class) by the plain likelihood, for each text and class."""
        logs = self.log_likelihoods(texts, settings, coefficient=coefficient)
        if settings.likelihood == "complement" and len(self.classes) > 1:
            return logs
        return logs + log_prior(self.classes, self.documents, settings.prior, settings.likelihood)

    def n_parameters(self, settings: Settings) -> int:
        """The number of free parameters of the plain likelihood in one class."""
        return self.counts.n_features - (settings.likelihood != "bernoulli")

    def log_likelihoods(self, texts: Texts, settings: Settings, *, coefficient: bool) -> NDArray[np.float64]:
        """log P(text | class); with `coefficient` the probability of its words in any order."""
        plain = self._plain(settings)
        logs = np.asarray(plain.log_likelihoods(texts))
        return logs + np.asarray(plain.log_orders(texts))[:, None] if coefficient else logs

    def sample(self, rng: np.random.Generator, class_ids: NDArray[Any], settings: Settings) -> list[str]:
        """New texts of these classes, drawn from the plain likelihood of single words."""
        from banbury.text.sampling import draw_texts  # nothing that predicts needs it

        analyzer = self.counts.analyzer
        if settings.likelihood == "complement":
            raise InputError("the complement likelihood says what a class is not: nothing can be drawn from it")
        if analyzer.words is None or analyzer.ngrams[0] != 1:
            raise InputError("this analyzer does not count single words, so no texts can be drawn")
        words = TextModel(self.counts.narrowed(analyzer.replace(ngrams=(1, 1), characters=None)), self.choice)
        return draw_texts(rng, class_ids, words.counts, words._plain(settings), settings.likelihood)

    def _plain(self, settings: Settings) -> _kernel.PlainScorer:
        """The scorer of the plain likelihood, not calibrated."""
        return scorer(self.counts.kernel, *settings.plain_form(self.choice.smoothing))

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
        """The table of words: probabilities by the plain likelihood, weights by the model that decides.

        Only words of at least `min_documents` documents are in it: those of few documents are most of a large model.
        """
        from banbury.results.word_table import Totals, WordTable  # nothing that predicts needs it

        if column is not None:
            raise InputError(f"column is {column!r}, but this is a model of texts, which has no columns")
        reading = self.reading(settings)
        classes, kernel = reading.classes, self.counts.kernel
        label, against = (None if name is None else classes[class_id_of(name, classes)] for name in (label, against))
        if against is not None and label is None:
            raise InputError(f"against is {against!r}; name the label that it is compared with, too")
        if label is not None and label == against:
            raise InputError(f"label and against are both {label!r}; a table compares two classes")
        cells = len(classes) * self.counts.n_features
        if names is None and min_documents == 1 and cells > LARGEST_TABLE:
            raise InputError(
                f"the table would have {cells} cells, one for each word and class; "
                f"forget the rare words first: model.counts_.prune(min_documents=2)"
            )
        likelihood, smoothing, vocabulary = settings.plain_form(self.choice.smoothing)
        # Complement has weights, but no probabilities.
        likelihood = "multinomial" if likelihood == "complement" else likelihood
        plain = scorer(kernel, likelihood, smoothing, vocabulary)
        table = plain.table(names, min_documents)
        return WordTable(
            classes,
            table.names,
            np.asarray(plain.lengths(names, min_documents)),
            np.asarray(table.documents),
            np.asarray(table.occurrences),
            np.asarray(table.log_probabilities),
            np.asarray(self._weights(reading, names, min_documents)),
            label,
            against,
            "automatic" if reading.is_automatic else settings.plain_likelihood,
            pseudo_counts(likelihood, smoothing)[0],
            kernel.documents if likelihood == "bernoulli" else kernel.occurrences,
            Totals(kernel.occurrences, kernel.documents, kernel.vocabulary, kernel.n_features),
        )

    def _weights(self, reading: TextReading, names: list[str] | None, min_documents: int) -> _kernel.Array:
        """What each feature adds to the score of each class in a document of typical length."""
        if isinstance(reading.scorer, _kernel.TrustScorer):
            return reading.scorer.weights(names, min_documents, self.trust_of(self.choice).typical)
        calibration = self.choice.calibration
        return reading.scorer.weights(names, min_documents, 0.0 if calibration is None else calibration.typical)

    def spelling(self, word: str) -> list[str]:
        """The tokens that the analyzer makes of a word."""
        return [token.text for token in self.counts.analyzer.tokens(word)]


def _start(classes: list[Any], documents: list[int], prior: Prior, log_priors: list[float]) -> list[float]:
    """The score of each class before the first word; another prior than the empirical one moves it by Bayes' rule."""
    if isinstance(prior, str) and prior == "empirical":
        return log_priors
    asked, had = (log_prior(classes, documents, which) for which in (prior, "empirical"))
    return [value + log_difference(new, old) for value, new, old in zip(log_priors, asked, had, strict=True)]
