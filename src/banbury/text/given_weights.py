"""GivenModel: a model of texts whose weights are given, not learned: a table of λ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from banbury import _kernel
from banbury.changes import Changes
from banbury.errors import FileFormatError, InputError, NotAvailable
from banbury.lazy import numpy as np
from banbury.text.analyzer import Analyzer
from banbury.text.documents import as_labels, as_texts
from banbury.text.likelihoods import Prior, log_prior
from banbury.text.reading import TextReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.word_table import WordTable
    from banbury.text.documents import Texts
    from banbury.text.settings import Settings

Weights = dict[str, list[float]]
LARGEST_GIVEN = 1e100  # weight: the sum over any text is a number


class GivenScorer:
    """Scores texts by given weights, as a scorer of the kernel does by counts."""

    def __init__(self, analyzer: Analyzer, weights: Weights) -> None:
        self._analyzer, self._weights = analyzer, weights

    def scores(
        self, texts: Texts, start: Sequence[float], threads: int, growth: object = None, version: object = None
    ) -> NDArray[Any]:
        """Scores by text and class: start + Σ weights. Given weights do not depend on the length, nor on `growth`."""
        rows = []
        for text in as_texts(texts):
            known = [weights for weights in self._weights_in(text) if weights is not None]
            rows.append([first + sum(weights[at] for weights in known) for at, first in enumerate(start)])
        return np.array(rows, dtype=float).reshape(len(rows), len(start))

    def best(
        self, texts: Texts, start: Sequence[float], threads: int, growth: object = None, version: object = None
    ) -> NDArray[Any]:
        """The class with the highest score, for each text."""
        best: NDArray[Any] = self.scores(texts, start, threads).argmax(axis=1)
        return best

    def best_one(self, text: str, start: Sequence[float], growth: object = None, version: object = None) -> int:
        """The class with the highest score for one text."""
        return int(self.best([text], start, 1)[0])

    def terms(
        self, text: str, start: Sequence[float], growth: object = None, version: object = None
    ) -> tuple[list[float], list[list[float] | None]]:
        """The scores before the first feature, and the weights of each, None for one that has none."""
        return list(start), self._weights_in(text)

    def _weights_in(self, text: str) -> list[list[float] | None]:
        return [self._weights.get(feature.text) for feature in self._analyzer.features(text)]


class GivenModel:
    """A model of texts that was not learned from documents. It predicts and explains; it cannot learn."""

    def __init__(self, classes: list[Any], weights: Weights, analyzer: Analyzer) -> None:
        self.classes = classes
        self.weights = weights
        self.analyzer = analyzer
        self.changes = Changes()

    @classmethod
    def of(cls, table: Mapping[str, Any], classes: Sequence[Any], analyzer: Analyzer | None = None) -> GivenModel:
        """A model of λ: for two classes a number for each word, how strongly it speaks for the second one.

        With more classes a word has a weight for each: a dictionary from labels to numbers.
        """
        analyzer = analyzer or Analyzer()
        labels = sorted(as_labels(list(classes)))
        if len(set(labels)) != len(labels) or len(labels) < 2:
            raise InputError(f"the classes are {list(classes)!r}; there must be two or more, all different")
        weights: Weights = {}
        for word, given in table.items():
            tokens = [token.text for token in analyzer.features(word)] if isinstance(word, str) else []
            if len(tokens) != 1 or tokens[0] in weights:
                fault = "is in the table twice" if len(tokens) == 1 else f"is not one word: {tokens or 'nothing'}"
                raise InputError(f"{word!r} {fault}; documents have it as {tokens}")
            weights[tokens[0]] = _weights_of(word, given, list(classes), labels)
        if not weights:
            raise InputError("the table of λ has no words")
        return cls(labels, weights, analyzer)

    @property
    def documents(self) -> list[int]:
        """One document of each class, though none was learned: no class is more frequent."""
        return [1] * len(self.classes)

    @property
    def counts(self) -> NoReturn:
        """There are none: an `AttributeError`."""
        raise NotAvailable("this model has no counts: its weights were given, not learned")

    @property
    def kinds(self) -> NoReturn:
        """There are none: an `AttributeError`."""
        raise NotAvailable("a model of texts has no columns_")

    def column(self, *names: str) -> NoReturn:
        """There are none: an `AttributeError`."""
        raise NotAvailable("a model of texts has no columns, and the weights of this one were given, not learned")

    def of_texts(self, purpose: str) -> NoReturn:
        """An error: this model has counted no texts."""
        raise NotAvailable(f"{purpose}, and a model that has counted them; the weights of this one were given")

    def of_table(self) -> None:
        """None: this is no model of a table."""

    def hold(self, texts: Texts) -> tuple[Any, Callable[[int], Any]]:
        """Documents that can be read more than once, and a function from a row to its document."""
        held = _kernel.hold(texts)
        return held, lambda row: _kernel.text_at(held, row)

    def add(self, *documents: Any, **options: Any) -> NoReturn:
        """An error: given weights cannot learn."""
        raise NotAvailable("the weights of this model were given, not learned: it cannot learn, forget or be merged")

    remove = merge = choose = empty_copy = add

    def copy(self) -> GivenModel:
        """This model: nothing ever changes it."""
        return self

    def state(self) -> tuple[Any, ...]:
        """What a reading depends on besides the settings: as in `TextModel`, though nothing of it ever changes."""
        return self.classes, self.weights, 0, None

    def is_in(self, state: tuple[Any, ...]) -> bool:
        """False: given weights have no labeller."""
        return False

    def reading(self, settings: Settings, prior: Prior | None = None, state: object = None) -> TextReading:
        """How texts are scored; `prior` stands in for that of the settings."""
        start = log_prior(self.classes, self.documents, settings.prior if prior is None else prior)
        scorer: Any = GivenScorer(self.analyzer, self.weights)
        return TextReading(self.classes, self.analyzer, scorer, start)

    def joint_log_likelihood(self, *documents: Any, **options: Any) -> NoReturn:
        """class).|An error: given weights say nothing of P(text | class).| class)."""
        raise NotAvailable("the weights of this model were given: they are ratios, and P(text | class) is not known")

    sample = n_parameters = joint_log_likelihood

    def words(self, *label: Any, **options: Any) -> WordTable:
        """An error: there are no counts to make a table from."""
        raise NotAvailable("this model has no counts to make a table of; its weights are those that were given")

    def spelling(self, word: str) -> list[str]:
        """The tokens that the analyzer makes of a word."""
        return [token.text for token in self.analyzer.tokens(word)]

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`."""
        weights = sorted([word, by_class] for word, by_class in self.weights.items())
        return {"analyzer": self.analyzer.settings(), "classes": self.classes, "given_weights": weights}, {}

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any]) -> GivenModel:
        """The model that `parts` were taken from."""
        classes = list(settings["classes"])
        weights = {str(word): [float(weight) for weight in by_class] for word, by_class in settings["given_weights"]}
        if sorted(set(classes)) != classes or any(len(by_class) != len(classes) for by_class in weights.values()):
            raise FileFormatError("its weights do not fit its classes")
        if not all(abs(weight) <= LARGEST_GIVEN for by_class in weights.values() for weight in by_class):
            raise FileFormatError("one of its weights is too large to be added up")
        return cls(classes, weights, Analyzer.from_settings(settings["analyzer"]))

    def parameters(self) -> dict[str, Any]:
        """The parameters of a classifier that say what was learned."""
        return {"analyzer": self.analyzer}


def _weights_of(word: str, given: Any, classes: list[Any], labels: list[Any]) -> list[float]:
    """The weights of a word, by class in their order."""
    if len(classes) == 2 and not isinstance(given, Mapping):
        given = {classes[0]: 0.0, classes[1]: given}
    if not isinstance(given, Mapping) or set(given) != set(classes):
        raise InputError(f"{word!r} has {given!r}; it must have a number for each of {', '.join(map(repr, classes))}")
    for value in given.values():
        if not isinstance(value, Real) or not abs(float(value)) <= LARGEST_GIVEN:
            raise InputError(f"the weight of {word!r} is {value!r}; it must be a number from -1e+100 to 1e+100")
    return [float(given[label]) for label in labels]
