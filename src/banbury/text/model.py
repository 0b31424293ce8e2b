"""TextModel: what a model of texts has learned, and how it is read: counts, what leave-one-out chose, scorers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import InputError, NotAvailable
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.results.terms import class_id_of
from banbury.stats.probability import log_difference
from banbury.stats.softmax import log_softmax
from banbury.text.analyzer import Analyzer
from banbury.text.calibration import calibrated
from banbury.text.choice import TextChoice, choose, uses_curves
from banbury.text.counts import Counts
from banbury.text.documents import Texts, check_kind, class_numbers, n_threads
from banbury.text.leave_one_out import EVERY_ONE, plain_scores
from banbury.text.likelihoods import log_prior, pseudo_counts, scorer
from banbury.text.reading import TextReading
from banbury.text.sampling import draw_texts
from banbury.text.settings import Settings, analyzers_for
from banbury.text.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from banbury.results.training_report import TrainingReport
    from banbury.results.word_table import WordTable

LARGEST_TABLE = 2**28  # cells of 16 bytes: more would take the memory of most machines


class TextModel:
    """Counts of texts, and what leave-one-out has chosen for them."""

    def __init__(self, counts: Counts, choice: TextChoice | None = None) -> None:
        self.counts = counts
        self.choice = choice or TextChoice()
        # A scorer becomes quicker with use, so it is kept as long as the counts are read in the same way.
        self._plain_scorer = Latest[_kernel.Scorer]()
        self._trust_scorer = Latest[_kernel.TrustScorer]()

    @classmethod
    def fitted(
        cls,
        texts: Texts,
        labels: list[Any],
        weights: Any,
        settings: Settings,
        *,
        analyzer: Analyzer | str | None,
        effort: str,
        threads: int | None,
    ) -> tuple[TextModel, TrainingReport | None]:
        """A model of these documents, with everything chosen, and how well it does."""
        texts = _kernel.hold(texts)
        is_open = analyzer is None and settings.is_automatic  # only then the length of the documents matters
        widest, narrower = analyzers_for(analyzer, *(_kernel.measure(texts) if is_open else (0, 0)), settings)
        counts = Counts(widest).add(texts, labels, weights=weights, threads=threads)
        return cls.chosen(counts, texts, labels, weights, settings, effort=effort, narrower=narrower, threads=threads)

    @classmethod
    def chosen(
        cls,
        counts: Counts,
        texts: Texts,
        labels: list[Any],
        weights: Any,
        settings: Settings,
        *,
        effort: str,
        narrower: Analyzer | None,
        threads: int | None,
    ) -> tuple[TextModel, TrainingReport | None]:
        """A model of documents that have been counted, with everything chosen by these, which are among them."""
        if not counts.classes:
            raise InputError("no documents to learn from")
        log_prior(counts.classes, counts.documents, settings.prior, settings.likelihood)
        counts, choice, report = choose(
            counts, texts, labels, weights, settings, effort=effort, narrower=narrower, threads=threads
        )
        return cls(counts, choice), report

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

    def add(self, texts: Texts, labels: list[Any], weights: Any, *, threads: int | None) -> None:
        """Count these documents too."""
        self.counts.add(texts, labels, weights=weights, threads=threads)

    def remove(self, texts: Texts, labels: list[Any], weights: Any, *, threads: int | None) -> None:
        """Take these documents away again."""
        self.counts.remove(texts, labels, weights=weights, threads=threads)

    def merge(self, other: object) -> None:
        """Add what another model of texts has counted."""
        if not isinstance(other, TextModel):
            raise InputError("a model of texts cannot be merged with a model of a table")
        self.counts.merge(other.counts)

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
        self, texts: Texts, labels: list[Any], weights: Any, settings: Settings, *, effort: str, threads: int | None
    ) -> TrainingReport | None:
        """Choose again what leave-one-out chooses, by documents that were counted."""
        check_kind(labels, self.classes)
        self.counts, self.choice, report = choose(
            self.counts, _kernel.hold(texts), labels, weights, settings, effort=effort, narrower=None, threads=threads
        )
        return report

    def hold(self, texts: Texts) -> tuple[Any, Callable[[int], Any]]:
        """Documents that can be read more than once, and a function from a row to its document."""
        held = _kernel.hold(texts)
        return held, lambda row: _kernel.text_at(held, row)

    def of_texts(self, purpose: str) -> TextModel:
        """This model; of a model of a table an error that says the purpose for which texts are needed."""
        return self

    # How it is read

    def state(self) -> tuple[Any, ...]:
        """What a reading depends on besides the settings: an equal state gives an equal reading."""
        classes, kernel = self.counts.classes, self.counts.kernel
        return classes, kernel, kernel.version, self.choice

    def reading(self, settings: Settings, prior: Any = None) -> TextReading:
        """How texts are scored; `prior` stands in for that of the settings."""
        classes, kernel, _, choice = self.state()
        if uses_curves(settings, len(classes)):
            return self._trusting(classes, kernel, choice, settings.prior if prior is None else prior)
        form = settings.plain_form(choice.smoothing)
        plain = self._plain_scorer.get((kernel, *form), lambda: scorer(kernel, *form))
        documents = kernel.documents
        asked = log_prior(classes, documents, settings.prior if prior is None else prior, settings.likelihood)
        reading = TextReading(classes, self.counts.analyzer, plain, asked)
        calibration = choice.calibration
        if settings.calibration is None or calibration is None or choice.form != form:
            return reading
        start = log_prior(classes, documents, settings.prior, settings.likelihood)
        moved = [log_difference(new, old) for new, old in zip(asked, start, strict=True)]
        shift = [shift + move for shift, move in zip(calibration.shift(classes), moved, strict=True)]
        return reading._replace(start=start, scale=calibration.scale, shift=shift)

    def _trusting(self, classes: list[Any], kernel: _kernel.Counts, choice: TextChoice, prior: Any) -> TextReading:
        """How the automatic model scores."""
        trust = self._curves(classes, choice.trust)
        # A correction belongs to the curves that it was fitted with.
        correction = choice.correction if trust is choice.trust else None
        corrected = None if correction is None else correction.read(classes)
        table, shifts = corrected or (None, [0.0] * len(classes))
        trusting = self._trust_scorer.get((kernel, choice), lambda: _kernel.TrustScorer(kernel, trust.curves, table))
        start = _start(trust, classes, kernel.documents, prior)
        start = [value + shift for value, shift in zip(start, shifts, strict=True)]
        return TextReading(classes, self.counts.analyzer, trusting, start, is_automatic=True)

    def _curves(self, classes: list[Any], trust: Trust | None) -> Trust:
        """The curves that were chosen; where they are for another number of classes, the universal ones."""
        universal = Trust.universal(self.counts.analyzer, len(classes))
        return universal if trust is None or len(trust.curves) != len(universal.curves) else trust

    def leave_one_out(
        self, texts: Texts, labels: list[Any], settings: Settings, *, threads: int | None
    ) -> NDArray[np.float64]:
        """log P(class | text) for each text and class by the model without that text; the labels are those learned.

        A correction is left out: it was fitted to all texts together.
        """
        reading, scores = self.reading(settings), self.evidence_without(texts, labels, settings, threads=threads)
        classes, kernel, _, choice = self.state()
        if reading.is_automatic:
            start = _start(self._curves(classes, choice.trust), classes, kernel.documents, settings.prior)
            return log_softmax(scores + np.array(start))
        calibration = None if reading.shift is None else choice.calibration
        return calibrated(scores + np.array(reading.start), calibration, classes)

    def evidence_without(
        self, texts: Texts, labels: list[Any], settings: Settings, *, threads: int | None
    ) -> NDArray[np.float64]:
        """What the words of each text say to the model without that text: scores that start at 0."""
        classes, kernel, _, choice = self.state()
        class_ids = class_numbers(labels, classes)
        documents = _kernel.Documents(kernel, texts, class_ids, None, EVERY_ONE, n_threads(threads))
        places = np.asarray(documents.places)
        if not self.reading(settings).is_automatic:
            likelihood, smoothing, vocabulary = settings.plain_form(choice.smoothing)
            scores = plain_scores(documents, self.counts, likelihood, smoothing, vocabulary, None, threads)
        else:
            scores = np.asarray(documents.scores(self._curves(classes, choice.trust).curves, n_threads(threads)))
            # With two classes the kernel gives the second's score; the first's is its negative.
            scores = np.outer(scores, [-1, 1]) if len(classes) == 2 else scores
        without: NDArray[np.float64] = scores[places]
        return without

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
        analyzer = self.counts.analyzer
        if settings.likelihood == "complement":
            raise InputError("the complement likelihood says what a class is not: nothing can be drawn from it")
        if analyzer.words is None or analyzer.ngrams[0] != 1:
            raise InputError("this analyzer does not count single words, so no texts can be drawn")
        words = TextModel(self.counts.narrowed(replace(analyzer, ngrams=(1, 1), characters=None)), self.choice)
        return draw_texts(rng, class_ids, words.counts, words._plain(settings), settings.likelihood)

    def _plain(self, settings: Settings) -> _kernel.Scorer:
        """The plain likelihood, as it is."""
        return scorer(self.counts.kernel, *settings.plain_form(self.choice.smoothing))

    def words(
        self,
        label: Any,
        settings: Settings,
        *,
        against: Any = None,
        column: str | None = None,
        names: list[str] | None = None,
        min_documents: int = 1,
    ) -> WordTable:
        """The table of words: probabilities by the plain likelihood, weights by the model that decides.

        Only words of at least `min_documents` documents are in it: those of few documents are most of a large model.
        """
        from banbury.results.word_table import WordTable  # nothing that predicts needs it

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
            reading.scale * np.asarray(reading.scorer.weights(names, min_documents)),
            label,
            against,
            "automatic" if reading.is_automatic else settings.plain_likelihood,
            pseudo_counts(likelihood, smoothing)[0],
            kernel.documents if likelihood == "bernoulli" else kernel.occurrences,
        )

    def spelling(self, word: str) -> list[str]:
        """The tokens that the analyzer makes of a word."""
        return [token.text for token in self.counts.analyzer.tokens(word)]


def _start(trust: Trust, classes: list[Any], documents: list[int], prior: Any) -> list[float]:
    """The score of each class before the first word; another prior than the empirical one moves it by Bayes' rule."""
    start = trust.start(classes, documents)
    if isinstance(prior, str) and prior == "empirical":
        return start
    asked, had = (log_prior(classes, documents, which) for which in (prior, "empirical"))
    return [value + log_difference(new, old) for value, new, old in zip(start, asked, had, strict=True)]
