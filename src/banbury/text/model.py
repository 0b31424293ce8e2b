"""TextModel: what a model of texts has learned, and how it is read: counts, what leave-one-out chose, scorers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.errors import InputError
from banbury.results.word_table import WordTable
from banbury.stats.probability import log_difference
from banbury.stats.softmax import log_softmax
from banbury.text.analyzer import Analyzer
from banbury.text.calibration import SMOOTHINGS, Calibration, calibrate, calibrated
from banbury.text.correction import Correction, correct
from banbury.text.counts import Counts
from banbury.text.documents import as_weights, check_kind, class_numbers, n_threads
from banbury.text.leave_one_out import EVERY_ONE, plain_scores
from banbury.text.likelihoods import log_prior, pseudo_counts, scorer
from banbury.text.trust import MOST_CLASSES, MOST_NUMBERS, Trust, choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from banbury.results.training_report import TrainingReport

Texts = Any
LARGEST_TABLE = 2**28  # cells of 16 bytes: more would take the memory of most machines
SHORT = 400  # characters: the mean document is longer where characters have nothing to add to words
# In mail and on pages tags are evidence, by leave-one-out on mail a sixth of the log loss; in prose there are none.
PAIRS = Analyzer(ngrams=(1, 2), tags="keep")
CHARACTERS = (2, 5)
MOST_NUMBERS_AT_BEST = 30_000_000  # of the basis of the curves


class Settings(NamedTuple):
    """How what was learned is read: the parameters of a classifier that can change after training."""

    likelihood: str = "multinomial"
    smoothing: Any = "auto"
    vocabulary: str = "shared"
    prior: Any = "empirical"
    calibration: str | None = "auto"

    @property
    def is_auto(self) -> bool:
        """Whether the smoothing is left to leave-one-out."""
        return isinstance(self.smoothing, str) and self.smoothing == "auto"

    @property
    def is_automatic(self) -> bool:
        """Whether this is the automatic model, not one plain likelihood."""
        return self.is_auto and self.likelihood == "multinomial"

    def plain_form(self, smoothing: Any) -> tuple[Any, ...]:
        """What a plain likelihood depends on, with the smoothing that was chosen where none is given."""
        return self.likelihood, smoothing if self.is_auto else self.smoothing, self.vocabulary

    def check(self) -> None:
        """A wrong setting is found before the work; a prior can only be compared with the labels after it."""
        scorer(Counts(PAIRS).kernel, *self.plain_form(1.0))
        if self.calibration not in ("auto", None):
            raise InputError(f"calibration is {self.calibration!r}; it can be 'auto' or None")


class Term(NamedTuple):
    """What one part of a document, from `start` to `end`, adds to the score of each class."""

    word: str
    """A feature of a text, or the value of a column."""
    start: int | None
    end: int | None
    weights: list[float] | None
    """None for what was never seen, nothing for what counts only once and was named before."""
    kind: str = "word"
    """Or `"characters"`; `"value"` of a column."""
    column: str | None = None
    """Of a table."""


@dataclass(frozen=True)
class Chosen:
    """What leave-one-out has chosen; it stays when the counts change."""

    trust: Trust | None = None
    """The curves of the automatic model."""
    smoothing: Any = 1.0
    calibration: Calibration | None = None
    """Of the plain likelihood, when it is read in the way for which this was fitted:"""
    form: tuple[Any, ...] = ()
    correction: Correction | None = None
    """Of the automatic model."""

    def scaled(self, factor: float) -> Chosen:
        """Surer or less sure by a factor; a correction, and a posterior that is left as it is, cannot be."""
        if self.correction is not None:
            return self
        trust, calibration = self.trust, self.calibration
        return replace(
            self,
            trust=None if trust is None else trust.scaled(factor),
            calibration=None if calibration is None else calibration.scaled(factor),
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        correction, arrays = (None, {}) if self.correction is None else self.correction.parts()
        settings = {
            "trust": None if self.trust is None else self.trust.settings(),
            "smoothing": self.smoothing,
            "calibration": None if self.calibration is None else self.calibration.settings(),
            "reading": list(self.form),
            "correction": correction,
        }
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Chosen:
        """What `parts` were taken from."""
        trust, calibration, correction = settings["trust"], settings["calibration"], settings["correction"]
        return cls(
            None if trust is None else Trust.from_settings(trust),
            settings["smoothing"],
            None if calibration is None else Calibration.from_settings(calibration),
            tuple(settings["reading"]),
            None if correction is None else Correction.from_parts(correction, arrays),
        )


class TextReading(NamedTuple):
    """How texts are scored, all of one moment: also when another thread is learning a new label."""

    classes: list[Any]
    analyzer: Analyzer
    scorer: _kernel.Scorer | _kernel.TrustScorer
    start: list[float]
    scale: float = 1.0
    shift: list[float] | None = None
    """What is done to the scores of a plain likelihood that is calibrated."""

    def best_one(self, text: str) -> int:
        """The number of the class with the highest score, the first of equal ones."""
        if self.shift is None:
            return self.scorer.best_one(text, self.start)
        return int(self.scores([text], 1).argmax())

    def best(self, texts: Texts, threads: int) -> NDArray[Any]:
        """The same for each text."""
        import numpy as np

        if self.shift is None:
            return np.asarray(self.scorer.best(texts, self.start, threads))
        best: NDArray[Any] = self.scores(texts, threads).argmax(axis=1)
        return best

    def scores(self, texts: Texts, threads: int) -> NDArray[Any]:
        """For each text and class, up to a number that the classes share."""
        import numpy as np

        scores = np.asarray(self.scorer.scores(texts, self.start, threads))
        return scores if self.shift is None else scores * self.scale + np.array(self.shift)

    def evidence(self, texts: Texts, threads: int) -> NDArray[Any]:
        """What the words alone say, without where the scores start."""
        import numpy as np

        return np.asarray(self.scorer.scores(texts, [0.0] * len(self.classes), threads))

    def scores_of(self, text: str) -> list[float]:
        """The scores of one text, without an array."""
        scores: list[float] = self.scorer.scores([text], self.start, 1).tolist()[0]
        if self.shift is None:
            return scores
        return [score * self.scale + shift for score, shift in zip(scores, self.shift, strict=True)]

    def terms(self, text: str) -> tuple[list[float], list[Term]]:
        """What a text's scores are the sums of: where they start without a word, and one term for each feature."""
        # Whatever is not a word's is found in the empty text: the prior, and for Bernoulli that every word is absent.
        start: list[float] = self.scores([""], 1)[0].tolist()
        features, weights = self.analyzer.features(text), self.scorer.terms(text)
        n_words = len(features) if self.analyzer.characters is None else self.analyzer.n_words(text)
        return start, [
            Term(
                one.text,
                one.start,
                one.end,
                None if own is None else [self.scale * weight for weight in own],
                "word" if at < n_words else "characters",
            )
            for at, (one, own) in enumerate(zip(features, weights, strict=True))
        ]


class TextModel:
    """Counts of texts, and what leave-one-out has chosen for them."""

    def __init__(self, counts: Counts, chosen: Chosen | None = None) -> None:
        self.counts = counts
        self.chosen = chosen or Chosen()
        self._scorer: tuple[Any, _kernel.Scorer | _kernel.TrustScorer] | None = None

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
        is_open = analyzer is None and settings.is_automatic  # only then it matters how long the documents are
        first, narrower = analyzers_for(analyzer, *(_kernel.measure(texts) if is_open else (0, 0)), settings)
        counts = Counts(first).add(texts, labels, weights=weights, threads=threads)
        if not counts.classes:
            raise InputError("no documents to learn from")
        log_prior(counts.classes, counts.documents, settings.prior, settings.likelihood)
        model = cls(counts)
        return model, model.chosen_by(texts, labels, weights, settings, effort, narrower, threads)

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
        """How many documents each class has."""
        return self.counts.documents

    def add(self, texts: Texts, labels: list[Any], weights: Any, *, threads: int | None) -> None:
        """Count these documents too."""
        self.counts.add(texts, labels, weights=weights, threads=threads)

    def remove(self, texts: Texts, labels: list[Any], weights: Any, *, threads: int | None) -> None:
        """Take these documents away again."""
        self.counts.remove(texts, labels, weights=weights, threads=threads)

    def merge(self, other: Any) -> None:
        """Add what another model has counted."""
        if not isinstance(other, TextModel):
            raise InputError("a model of texts cannot be merged with a model of a table")
        self.counts.merge(other.counts)

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""
        settings, arrays = self.counts.parts()
        chosen, more = self.chosen.parts()
        return {"chosen": chosen, **settings}, arrays | more

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> TextModel:
        """The model that `parts` were taken from."""
        return cls(Counts.from_parts(settings, arrays), Chosen.from_parts(settings["chosen"], arrays))

    # What is chosen

    def choose(
        self, texts: Texts, labels: list[Any], weights: Any, settings: Settings, *, effort: str, threads: int | None
    ) -> TrainingReport | None:
        """Choose again what leave-one-out chooses, by documents that were counted."""
        check_kind(labels, self.classes)
        return self.chosen_by(_kernel.hold(texts), labels, weights, settings, effort, None, threads)

    def chosen_by(
        self,
        texts: Texts,
        labels: list[Any],
        weights: Any,
        settings: Settings,
        effort: str,
        narrower: Analyzer | None,
        threads: int | None,
    ) -> TrainingReport | None:
        """What leave-one-out chooses by these documents.

        With `narrower`, an analyzer that lacks the last block, it also decides whether that block stays.
        """
        counts = self.counts
        n_classes = len(counts.classes)
        nothing_to_do = settings.calibration is None and not settings.is_auto
        is_trusting = settings.is_automatic and n_classes <= MOST_CLASSES
        if n_classes < 2 or nothing_to_do:
            self.counts = counts if narrower is None else counts.narrowed(narrower)
            self.chosen = Chosen()
            return None
        numbers = class_numbers(labels, counts.classes, weighted=weights is not None)
        weights = None if weights is None else as_weights(weights, len(labels))

        def text(row: int) -> str:
            return texts[row] if isinstance(texts, list) else _kernel.text_at(texts, row) or ""

        doubts = None
        if is_trusting:
            is_best = effort == "best"
            trust, analyzer, seen = choose(
                counts,
                texts,
                numbers,
                weights,
                narrower=narrower,
                most_numbers=MOST_NUMBERS_AT_BEST if is_best else MOST_NUMBERS,
                threads=threads,
            )
            if analyzer != counts.analyzer:
                self.counts = counts.narrowed(analyzer)
            correction = None
            if is_best:
                doubts = seen
                correction, seen = correct(self.counts, texts, numbers, weights, trust, seen, text, threads=threads)
            self.chosen = Chosen(trust, correction=correction)
        else:
            self.counts = counts = counts if narrower is None else counts.narrowed(narrower)
            smoothing, calibration, seen = calibrate(
                counts,
                texts,
                numbers,
                weights,
                likelihood=settings.likelihood,
                smoothings=SMOOTHINGS if settings.is_auto else [settings.smoothing],
                vocabulary=settings.vocabulary,
                prior=settings.prior,
                threads=threads,
            )
            self.chosen = Chosen(None, smoothing, calibration, settings.plain_form(smoothing))
        from banbury.results.training_report import training_report

        return training_report(list(counts.classes), seen, text, doubts=doubts)

    # How it is read

    def state(self) -> tuple[Any, ...]:
        """What a reading depends on besides the settings: where this is the same, the reading is."""
        classes, kernel = self.counts.classes, self.counts.kernel
        return classes, kernel, kernel.version, self.chosen

    def reading(self, settings: Settings, prior: Any = None) -> TextReading:
        """How texts are scored; `prior` stands in for that of the settings."""
        classes, kernel, _, chosen = self.state()
        if settings.is_automatic and settings.calibration is not None and 1 < len(classes) <= MOST_CLASSES:
            return self._trusting(classes, kernel, chosen, settings.prior if prior is None else prior)
        form = settings.plain_form(chosen.smoothing)
        plain = self._kept((kernel, *form), lambda: scorer(kernel, *form))
        of = (classes, kernel.documents)
        asked = log_prior(*of, settings.prior if prior is None else prior, settings.likelihood)
        reading = TextReading(classes, self.counts.analyzer, plain, asked)
        calibration = chosen.calibration
        if settings.calibration is None or calibration is None or chosen.form != form:
            return reading
        start = log_prior(*of, settings.prior, settings.likelihood)
        moved = [log_difference(new, old) for new, old in zip(asked, start, strict=True)]
        shift = [a + b for a, b in zip(calibration.shift(classes), moved, strict=True)]
        return reading._replace(start=start, scale=calibration.scale, shift=shift)

    def _trusting(self, classes: list[Any], kernel: _kernel.Counts, chosen: Chosen, prior: Any) -> TextReading:
        """The automatic model."""
        trust = self._curves(classes, chosen.trust)
        # A correction belongs to the curves that it was fitted with.
        correction = chosen.correction if trust is chosen.trust else None
        corrected = None if correction is None else correction.read(classes)
        table, shifts = corrected or (None, [0.0] * len(classes))
        trusting = self._kept((kernel, chosen), lambda: _kernel.TrustScorer(kernel, trust.curves, table))
        start = _start(trust, classes, kernel.documents, prior)
        start = [one + shift for one, shift in zip(start, shifts, strict=True)]
        return TextReading(classes, self.counts.analyzer, trusting, start)

    def _curves(self, classes: list[Any], trust: Trust | None) -> Trust:
        """Those that were chosen; where they are not for so many classes, the universal ones have to do."""
        universal = Trust.universal(self.counts.analyzer, len(classes))
        return universal if trust is None or len(trust.curves) != len(universal.curves) else trust

    def leave_one_out(
        self, texts: Texts, labels: list[Any], settings: Settings, *, threads: int | None
    ) -> NDArray[Any]:
        """log P(class | text) for each text and class, as if the text, which was learned with this label, were not.

        That is without a correction, which was fitted to all texts together.
        """
        import numpy as np

        reading, scores = self.reading(settings), self.evidence_without(texts, labels, settings, threads=threads)
        classes, kernel, _, chosen = self.state()
        if isinstance(reading.scorer, _kernel.TrustScorer):
            start = _start(self._curves(classes, chosen.trust), classes, kernel.documents, settings.prior)
            return log_softmax(scores + np.array(start))
        calibration = None if reading.shift is None else chosen.calibration
        return calibrated(scores + np.array(reading.start), calibration, classes)

    def evidence_without(
        self, texts: Texts, labels: list[Any], settings: Settings, *, threads: int | None
    ) -> NDArray[Any]:
        """What the words of each text say, without where the scores start, as if the text had not been learned."""
        import numpy as np

        classes, kernel, _, chosen = self.state()
        numbers = class_numbers(labels, classes)
        documents = _kernel.Documents(kernel, texts, numbers, None, EVERY_ONE, n_threads(threads))
        places = np.asarray(documents.places)
        if not isinstance(self.reading(settings).scorer, _kernel.TrustScorer):
            likelihood, smoothing, vocabulary = settings.plain_form(chosen.smoothing)
            scores = plain_scores(documents, self.counts, likelihood, smoothing, vocabulary, None, threads)
        else:
            scores = np.asarray(documents.scores(self._curves(classes, chosen.trust).curves, n_threads(threads)))
            # Of two classes the kernel has the second's, of which the first has the negative.
            scores = np.outer(scores, [-1, 1]) if len(classes) == 2 else scores
        without: NDArray[Any] = scores[places]
        return without

    def _kept(self, how: tuple[Any, ...], make: Any) -> Any:
        """A scorer, which becomes quicker with use: the same one as long as the counts are read in the same way."""
        known = self._scorer
        if known is None or known[0] != how:
            known = self._scorer = (how, make())
        return known[1]

    def joint_log_likelihood(self, texts: Texts, settings: Settings, *, coefficient: bool) -> NDArray[Any]:
        """log P(class) + log P(text | class) by the plain likelihood, for each text and class."""
        logs = self.log_likelihoods(texts, settings, coefficient=coefficient)
        if settings.likelihood == "complement" and len(self.classes) > 1:
            return logs
        return logs + self._plain(settings)[2]

    def log_likelihoods(self, texts: Texts, settings: Settings, *, coefficient: bool) -> NDArray[Any]:
        """log P(text | class); with `coefficient` the probability of its words in any order."""
        import numpy as np

        _, plain, _ = self._plain(settings)
        logs = np.asarray(plain.log_likelihoods(texts))
        return logs + np.asarray(plain.log_orders(texts))[:, None] if coefficient else logs

    def sample(self, rng: Any, numbers: NDArray[Any], settings: Settings) -> list[str]:
        """New texts of these classes: words by the plain likelihood, as many as the documents of the class have."""
        import numpy as np

        analyzer = self.counts.analyzer
        if settings.likelihood == "complement":
            raise InputError("the complement likelihood says what a class is not: nothing can be drawn from it")
        if analyzer.words is None or analyzer.ngrams[0] != 1:
            raise InputError("this analyzer does not count single words, so no texts can be drawn")
        words = TextModel(self.counts.narrowed(replace(analyzer, ngrams=(1, 1), characters=None)), self.chosen)
        _, plain, _ = words._plain(settings)
        table = plain.table()
        names = table.names
        order = sorted(range(len(names)), key=names.__getitem__)  # whatever order they were learned in
        chances = np.exp(np.asarray(table.log_probabilities)[order])
        sorted_names = np.array([names[at] for at in order], dtype=object)
        documents, occurrences = (np.array(of, dtype=float) for of in (words.documents, words.counts.occurrences))
        texts = []
        for number in numbers.tolist():
            if settings.likelihood == "bernoulli":
                drawn = sorted_names[rng.random(len(names)) < chances[:, number]]
            else:
                length = rng.poisson(occurrences[number] / max(documents[number], 1)) if len(names) else 0
                own = chances[:, number]
                drawn = rng.choice(sorted_names, size=length, p=own / own.sum()) if length else sorted_names[:0]
            texts.append(" ".join(drawn.tolist()))
        return texts

    def words(
        self,
        label: Any,
        settings: Settings,
        *,
        against: Any = None,
        names: list[str] | None = None,
        min_documents: int = 1,
    ) -> WordTable:
        """The table of words: probabilities by the plain likelihood, weights by the model that decides.

        Words of few documents are most of a large model; those of fewer than `min_documents` are not even named.
        """
        import numpy as np

        reading = self.reading(settings)
        classes, kernel = reading.classes, self.counts.kernel
        label, against = (None if one is None else classes[number_of(one, classes)] for one in (label, against))
        if against is not None and label is None:
            raise InputError(f"against is {against!r}; say also of which label it is to be told apart")
        if label is not None and label == against:
            raise InputError(f"label and against are both {label!r}; a table compares two classes")
        cells = len(classes) * self.counts.n_features
        if names is None and min_documents == 1 and cells > LARGEST_TABLE:
            raise InputError(
                f"the table would have {cells} cells, one for each word and class; "
                f"forget the rare words first: model.counts_.prune(min_documents=2)"
            )
        likelihood, smoothing, vocabulary = settings.plain_form(self.chosen.smoothing)
        # The complement has weights, which are no probabilities.
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
            "automatic" if isinstance(reading.scorer, _kernel.TrustScorer) else settings.likelihood,
            pseudo_counts(likelihood, smoothing)[0],
            kernel.documents if likelihood == "bernoulli" else kernel.occurrences,
        )

    def _plain(self, settings: Settings) -> tuple[list[Any], _kernel.Scorer, list[float]]:
        """The plain likelihood, as it is."""
        classes, kernel, _, chosen = self.state()
        prior = log_prior(classes, kernel.documents, settings.prior, settings.likelihood)
        return classes, scorer(kernel, *settings.plain_form(chosen.smoothing)), prior


def analyzers_for(
    analyzer: Analyzer | str | None, n_documents: int, n_characters: int, settings: Settings
) -> tuple[Analyzer, Analyzer | None]:
    """The analyzer, and where leave-one-out is to decide on its last block, the one without it."""
    match analyzer:
        case None if not settings.is_automatic:
            return Analyzer(), None
        case None:
            if n_characters < SHORT * n_documents:
                return replace(PAIRS, characters=CHARACTERS), PAIRS
            return PAIRS, None
        case Analyzer():
            return analyzer, None
        case str():
            return Analyzer.preset(analyzer), None  # type: ignore[arg-type]  # preset says what names there are
    raise InputError(f"analyzer is {analyzer!r}; it can be an Analyzer, the name of a preset, or None")


def _start(trust: Trust, classes: list[Any], documents: list[int], prior: Any) -> list[float]:
    """Where scores start; another prior than the documents' own moves them by Bayes' rule."""
    start = trust.start(classes, documents)
    if isinstance(prior, str) and prior == "empirical":
        return start
    asked, had = (log_prior(classes, documents, which) for which in (prior, "empirical"))
    return [one + log_difference(new, old) for one, new, old in zip(start, asked, had, strict=True)]


def number_of(label: Any, classes: list[Any]) -> int:
    """The number of a label among the classes, or an error that names those there are."""
    if label not in classes:
        raise InputError(f"there is no class {label!r}; this model knows {', '.join(map(repr, classes))}")
    return classes.index(label)
