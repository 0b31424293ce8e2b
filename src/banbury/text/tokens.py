"""Tokens: a document that is already cut into tokens, by spaCy, NLTK or a program of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from banbury.annotations import Any, Self
from banbury.errors import InputError

MARK = "\ufdd0"  # stands before each token of a document as the kernel reads it


class Tokens(str):
    """A document that is already tokens: it reads as the tokens with a space between them, and is never cut otherwise.

    Wherever a text is taken, so is this. In a list of documents, a list of strings, or spaCy's `Doc`, becomes one by
    itself. Each token is a word, whatever it looks like; what the analyzer does with words it does with tokens: lower
    case, negation, stop words, `min_length`, stems, keywords, runs of words, runs of characters. What finds words in a
    text has no say: `words`, `urls`, `handles`, `emails`, `tags`, `punctuation`, `emoticons`. White space inside a
    token becomes `_`, and a token of white space alone is none.

    >>> document = Tokens(["New York", "is", "n't", "far", "!"])
    >>> document
    Tokens(['New_York', 'is', "n't", 'far', '!'])
    >>> print(document)
    New_York is n't far !
    >>> from banbury import Analyzer
    >>> [token.text for token in Analyzer(ngrams=(2, 2)).features(document)]
    ['new_york is', "is n't", "n't far", 'far !']
    """

    __slots__ = ("marked", "tokens")

    marked: str
    """The document as the kernel reads it."""
    tokens: tuple[str, ...]

    def __new__(cls, tokens: Iterable[Any]) -> Self:
        """The document of these tokens: each a `str`, or an object that has one as its `text`."""
        spelled = tuple(
            spelled for place, token in enumerate(tokens) if (spelled := "_".join(_token(place, token).split()))
        )
        document = super().__new__(cls, " ".join(spelled))
        document.tokens = spelled
        document.marked = MARK + MARK.join(spelled)
        return document

    def __repr__(self) -> str:
        return f"Tokens({list(self.tokens)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and self.tokens == other.tokens

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.marked)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.tokens,)


def is_document(value: object) -> bool:
    """Whether this is one document rather than several: a `str`, or an object with a text of its own, as spaCy's `Doc`.

    >>> is_document("free money"), is_document(["free", "money"])
    (True, False)
    """
    if isinstance(value, str):
        return True
    kind = type(value)  # a data frame may have a column `text`, but its class has none
    return hasattr(kind, "text") and hasattr(kind, "__iter__") and isinstance(getattr(value, "text", None), str)


def as_document(value: Any, what: str = "a document") -> str:
    """One document: a text as it is, anything that is a sequence of tokens as `Tokens`, or an error.

    >>> as_document(["free", "money"])
    Tokens(['free', 'money'])
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | Set | Mapping) or not isinstance(value, Iterable):
        shown = f"of type {type(value).__name__}" if isinstance(value, Set | Mapping | Iterable) else repr(value)
        raise InputError(f"{what} is {shown}; it must be a str, or a list of tokens")
    try:
        return Tokens(value)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def from_marked(marked: str) -> Tokens:
    """The document that was `marked` so.

    >>> from_marked(Tokens(["ice", "cream"]).marked)
    Tokens(['ice', 'cream'])
    """
    return Tokens(marked[1:].split(MARK))


def _token(place: int, token: Any) -> str:
    text = token if isinstance(token, str) else getattr(token, "text", None)
    if not isinstance(text, str):
        raise InputError(f"token {place} is {token!r}, of type {type(token).__name__}; a token is a str")
    return text.replace(MARK, "\ufffd")
