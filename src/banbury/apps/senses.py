"""SenseTagger: which sense a word has, by the words around it.

What surrounds a word are different kinds of evidence: the words anywhere in the context say what it is about, the
neighbours at each place how the word is used. Each is a column of a table, so each has a weight of its own, learned by
leave-one-out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.classifier import Classifier
from banbury.errors import FileFormatError, InputError
from banbury.tables.kinds import Categorical, Text
from banbury.text.analyzer import Analyzer
from banbury.text.documents import Label, as_list
from banbury.text.tokens import as_document, is_document

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.report.report import Report
    from banbury.results.explanation import Explanation
    from banbury.results.training_report import TrainingReport
    from banbury.text.documents import Labels

Context = str | tuple[str, str, str]
Contexts = Any
"""One context, or a list or a column of them."""

MARKED = re.compile(r"\*([^\s*][^*\n]{0,80})\*")
TOKENS = Analyzer(punctuation="all")
EDGE = "(edge)"
GAP = "_"  # stands where the word was
PLACES = (-2, -1, 1, 2)  # of neighbours, counted from the word
WINDOWS = (2, 5)  # tokens to either side
NEAR = 1_000  # characters to either side, among which the neighbours are


@dataclass(frozen=True)
class _Found:
    """A word in its context."""

    left: str
    word: str
    right: str

    def row(self) -> dict[str, str]:
        left, right = self.left[-NEAR:], self.right[:NEAR]
        before, after = TOKENS.tokens(left), TOKENS.tokens(right)
        near = {-distance: token.text for distance, token in enumerate(before[:-3:-1], 1)}
        near |= {distance: token.text for distance, token in enumerate(after[:2], 1)}
        row = {"words": f"{self.left} {GAP} {self.right}", "word": self.word.lower()}
        row |= {_place(place): near.get(place, EDGE) for place in PLACES}
        row["either side"] = f"{near.get(-1, EDGE)} {GAP} {near.get(1, EDGE)}"
        for width in WINDOWS:
            start = before[-width].start if len(before) >= width else 0
            end = after[width - 1].end if len(after) >= width else len(right)
            row |= {f"up to {width} left": f"{left[start:]} {GAP}"}
            row |= {f"up to {width} right": f"{GAP} {right[:end]}"}
        return row


def _place(place: int) -> str:
    return f"{abs(place)} {'left' if place < 0 else 'right'}"


CONTEXT_COLUMNS: dict[str, Any] = {
    "words": Text(),
    "word": Categorical(),
    **{_place(place): Categorical() for place in PLACES},
    "either side": Categorical(),
    **{f"up to {width} {side}": Text() for width in WINDOWS for side in ("left", "right")},
}


class SenseTagger:
    """Tells the senses of a word apart.

    A context is a text in which the word is marked, `"that is *hard* to do"`; or three texts, what is left of the word,
    the word, and what is right of it; or, where the tagger is told which word it is about, a text without a mark, of
    which the first form of the word is taken.

    Parameters
    ----------
    word
        Which word to look for in a text without a mark.
    language
        By whose rules the forms of the word are recognised: those with the same stem. None: the word as it is.
    settings
        Of the `Classifier` inside, which is `model`.

    >>> tagger = SenseTagger("bank").fit(
    ...     ["sat on the *bank* of the river", "the river's *bank*", "money in the *bank*", "a *bank* lends money"],
    ...     ["shore", "shore", "firm", "firm"],
    ... )
    >>> tagger.predict("The banks of the river Cherwell")
    'shore'
    """

    def __init__(self, word: str | None = None, *, language: str | None = "english", **settings: Any) -> None:
        self.word = word
        self.language = language
        self.model = Classifier(columns=CONTEXT_COLUMNS, **settings)
        self._forms = Analyzer(stemmer=language, punctuation="none", emoticons=False)
        stems = self._forms.tokens(word) if isinstance(word, str) else []
        if word is not None and len(stems) != 1:
            raise InputError(f"word is {word!r}; it must be one word, or None where it is always marked")
        self._stem = stems[0].text if stems else None

    def fit(self, contexts: Contexts, senses: Labels) -> SenseTagger:
        """Learn from these contexts alone."""
        self.model.fit(self.rows(contexts), senses)
        return self

    def learn(self, contexts: Contexts, senses: Labels) -> SenseTagger:
        """Learn from these contexts too."""
        self.model.learn(self.rows(contexts), senses)
        return self

    def forget(self, contexts: Contexts, senses: Labels) -> SenseTagger:
        """Unlearn these contexts."""
        self.model.forget(self.rows(contexts), senses)
        return self

    def refit_settings(self, contexts: Contexts, senses: Labels) -> SenseTagger:
        """Choose again how much each kind of evidence counts, by contexts that were learned."""
        self.model.refit_settings(self.rows(contexts), senses)
        return self

    def predict(self, contexts: Contexts) -> Any:
        """The sense of the word in each context, as an array; for one context its sense."""
        if _is_one(contexts):
            return self.model.predict(self.rows([contexts])[0])
        return self.model.predict(self.rows(contexts))

    def predict_proba(self, contexts: Contexts) -> NDArray[Any]:
        """The probability of each sense for each context; columns follow `classes_`."""
        return self.model.predict_proba(self.rows(contexts))

    def explain(self, context: Context, *, label: Label | None = None, against: Label | None = None) -> Explanation:
        """Why the word has this sense rather than another: a weight for each word and each neighbour."""
        return self.model.explain(self.rows([context])[0], label=label, against=against)

    def evaluate(self, contexts: Contexts, senses: Labels) -> Report:
        """How well the senses of these contexts are told."""
        return self.model.evaluate(self.rows(contexts), senses)

    @property
    def classes_(self) -> NDArray[Any]:
        """The senses, sorted."""
        return self.model.classes_

    @property
    def report_(self) -> TrainingReport:
        """Leave-one-out report: how well senses are told, and how much each kind of evidence counts."""
        return self.model.report_

    def rows(self, contexts: Contexts) -> list[dict[str, str]]:
        """The contexts as rows of a table: the words, and the neighbours at each place."""
        if _is_one(contexts):
            raise InputError("expected a list of contexts, not one of them: put it into a list")
        return [self._found(context, number).row() for number, context in enumerate(as_list(contexts, "contexts"))]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tagger to a file, which is that of its model with one setting more."""
        settings, arrays = self.model.parts()
        storage.write(path, {**settings, "senses": {"word": self.word, "language": self.language}}, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SenseTagger:
        """The tagger in a file."""
        file = storage.read(path)
        if not isinstance(file.settings.get("senses"), dict):
            raise FileFormatError(f"{path}: it holds a {file.settings.get('kind')}, not a sense tagger")
        try:
            tagger = cls(**file.settings["senses"])
            tagger.model = Classifier.from_parts(file.settings, file.arrays)
        except (TypeError, ValueError) as error:
            raise FileFormatError(f"{path}: not a sense tagger of this version of banbury: {error}") from error
        return tagger

    def _found(self, context: Any, number: int) -> _Found:
        if is_document(context):
            context = as_document(context)
        if isinstance(context, (tuple, list)):
            if len(context) != 3 or not all(isinstance(part, str) for part in context):
                raise InputError(f"context {number} is {context!r}; it must be three texts: left, the word, right")
            return _Found(*context)
        if not isinstance(context, str):
            raise InputError(f"context {number} is of type {type(context).__name__}; it must be a str or three of them")
        if marked := MARKED.search(context):
            return _Found(context[: marked.start()], marked[1], context[marked.end() :])
        if self._stem is None:
            raise InputError(
                f"context {number} has no marked word; put asterisks around it, *so*, or name it: SenseTagger('so')"
            )
        for token in self._forms.tokens(context):
            if token.text == self._stem:
                return _Found(context[: token.start], context[token.start : token.end], context[token.end :])
        raise InputError(f"context {number} has no form of {self.word!r}; put asterisks around the word that is meant")


def _is_one(contexts: Contexts) -> bool:
    return is_document(contexts) or (
        isinstance(contexts, tuple) and len(contexts) == 3 and all(isinstance(part, str) for part in contexts)
    )
