"""Analyzer: a document to its features, from plain settings. The kernel does the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, Literal, NamedTuple
from banbury.errors import InputError
from banbury.records import Record
from banbury.text.tokens import as_document

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from banbury.text.documents import Texts
    from banbury.text.matrix import TermMatrix

Treatment = Literal["keep", "remove", "replace", "split"]

# What is recognised, and what becomes of it where the settings do not say.
THINGS: dict[str, dict[str | None, Treatment]] = {
    "urls": {"unicode": "replace", "python": "split", None: "split"},
    "handles": {"unicode": "replace", "python": "split", None: "split"},
    "emails": {"unicode": "keep", "python": "split", None: "split"},
    "tags": {"unicode": "remove", "python": "split", None: "split"},
}
PLACEHOLDERS = ("<url>", "<user>", "<email>", "<tag>")

CHOICES: dict[str, tuple[Any, ...]] = {
    "words": ("unicode", "python", None),
    "lowercase": (True, False),
    **dict.fromkeys(THINGS, ("keep", "remove", "replace", "split", None)),
    "punctuation": ("none", "expressive", "all"),
    "emoticons": (True, False),
    "negation": (True, False),
}


class Token(NamedTuple):
    """A piece of a document, and where it stands: `document[start:end]`."""

    text: str
    start: int
    end: int


class Analyzer(Record, kw_only=True):
    """Says what the features of a document are.

    Parameters
    ----------
    words
        `"unicode"`: words of any language with apostrophes and hyphens inside them, numbers, hashtags; Chinese
        characters one by one. `"python"`: runs of `\\w`, as Python's `re` finds them. None: no words.
    lowercase
        Whether upper and lower case are the same.
    urls, handles, emails, tags
        What becomes of web addresses, @handles, e-mail addresses and HTML tags: `"keep"` as one token, `"remove"`,
        `"replace"` by `<url>`, `<user>`, `<email>`, `<tag>`, or `"split"`: not recognised, ordinary text. None: with
        unicode words URLs and handles are replaced, addresses kept and tags removed; with Python's all are split.
    punctuation
        Which signs are tokens: `"none"` (and no `#` before a hashtag, no `_` around a word), `"expressive"` (`!`, `?`,
        two of them for more, `..`, currency signs, `%`) or `"all"`. Inside words apostrophes and hyphens stay.
        Emoticons have a setting of their own. For unicode words only.
    emoticons
        Whether emoticons and emoji are tokens; unicode words only.
    negation
        Whether words between an English negation and the next punctuation get the prefix `not_`.
    stop_words
        Words to leave out: `"english"`, or a list. None by default: in most tasks such words carry evidence.
    stemmer
        The language by whose Snowball rules words are cut to their stems, such as `"english"`.
    min_length
        The characters a word must have.
    ngrams
        The shortest and the longest run of words that is a feature.
    characters
        The shortest and the longest run of characters that is a feature, inside words with a space at each end.
    keywords
        If given, the only words that count.

    >>> [token.text for token in Analyzer().tokens("I'm sooo happy :-) http://example.org #joy")]
    ["i'm", 'sooo', 'happy', ':-)', '<url>', '#joy']
    >>> Analyzer(ngrams=(1, 2)).features("Ice, cream")[-1]
    Token(text='ice cream', start=0, end=10)
    """

    words: Literal["unicode", "python"] | None = "unicode"
    lowercase: bool = True
    urls: Treatment | None = None
    handles: Treatment | None = None
    emails: Treatment | None = None
    tags: Treatment | None = None
    punctuation: Literal["none", "expressive", "all"] = "expressive"
    emoticons: bool = True
    negation: bool = False
    stop_words: str | Collection[str] | None = None
    stemmer: str | None = None
    min_length: int = 1
    ngrams: tuple[int, int] = (1, 1)
    characters: tuple[int, int] | None = None
    keywords: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name, choices in {**CHOICES, "stemmer": (None, *_kernel.stemmers())}.items():
            value = getattr(self, name)
            if not (value is None or isinstance(value, (str, bool))) or value not in choices:
                raise InputError(f"{name} is {value!r}; it can be {', '.join(map(repr, choices))}")
        if not isinstance(self.min_length, int) or not 0 <= self.min_length < 2**32:
            raise InputError(f"min_length is {self.min_length!r}; it must be a number, 0 or more")
        object.__setattr__(self, "ngrams", _pair("ngrams", self.ngrams))
        if self.characters is not None:
            object.__setattr__(self, "characters", _pair("characters", self.characters))
        elif self.words is None:
            raise InputError("without words and without characters there is nothing to count; give one of them")
        if self.stop_words is not None and not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", tuple(sorted(set(_words("stop_words", self.stop_words)))))
        if self.keywords is not None:
            object.__setattr__(self, "keywords", _words("keywords", self.keywords))
        _compiled(self)

    @classmethod
    def preset(cls, name: Literal["words", "tweets", "authors", "characters", "python"]) -> Analyzer:
        """The settings for plain prose, for short informal messages, for style, for characters instead of words, or for
        exactly the words of scikit-learn's `CountVectorizer`.

        >>> [token.text for token in Analyzer.preset("tweets").tokens("not good, @ann!")]
        ['not', 'not_good', '<user>', '!']
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise InputError(f"there is no preset {name!r}; there is {', '.join(PRESETS)}")
        return cls(**PRESETS[name])

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.settings().items() if value != self.field_defaults[name]]
        return f"Analyzer({', '.join(given)})"

    def tokens(self, text: Any) -> list[Token]:
        """The words of a document, a text or `Tokens`, and their places in it.

        >>> Analyzer().tokens("Ça va?")
        [Token(text='ça', start=0, end=2), Token(text='va', start=3, end=5), Token(text='?', start=5, end=6)]
        """
        return [Token(*token) for token in _compiled(self).tokens(as_document(text))]

    def features(self, text: Any) -> list[Token]:
        """Everything that is counted of a document, repeated as often as it stands there."""
        return [Token(*token) for token in _compiled(self).features(as_document(text))]

    def n_words(self, text: Any) -> int:
        """How many of the features are words and runs of words; those of characters come after them.

        >>> analyzer = Analyzer(characters=(2, 3))
        >>> [feature.text for feature in analyzer.features("so so")[: analyzer.n_words("so so")]]
        ['so', 'so']
        """
        return 0 if self.words is None else len(self.replace(characters=None).compiled().features(as_document(text)))

    def vector(self, text: Any, *, binary: bool = False) -> list[int]:
        """How often each of the keywords stands in a document, or with `binary` whether it does.

        >>> analyzer = Analyzer(keywords=["waste", "great", "useless"])
        >>> analyzer.vector("This phone is useless, useless, useless!  What a waste!", binary=True)
        [1, 0, 1]
        """
        if self.keywords is None:
            raise InputError("vector needs keywords: Analyzer(keywords=[...]).vector(text)")
        counted = Counter(token.text for token in self.tokens(text))
        speller = self.replace(keywords=None)
        counts = [counted[speller._spelled(keyword)] for keyword in self.keywords]
        return [int(count > 0) for count in counts] if binary else counts

    def matrix(
        self,
        texts: Texts,
        *,
        binary: bool = False,
        names: Sequence[str] | None = None,
        min_documents: int = 1,
        threads: int | None = None,
    ) -> TermMatrix:
        """The document-term matrix of texts, sparse, with the name of each column: what `CountVectorizer` makes.

        A cell has how often a feature stands in a document, or with `binary` whether it does. Columns are words by
        name, then runs of words, then of characters; those of fewer than `min_documents` documents are left out. With
        `names`, as those of another matrix, columns are these.

        >>> counted = Analyzer().matrix(["to be or not to be", "be quick"])
        >>> counted.names
        ['be', 'not', 'or', 'quick', 'to']
        >>> counted.matrix.toarray().tolist()
        [[2, 1, 1, 0, 2], [1, 0, 0, 1, 0]]
        >>> Analyzer().matrix(["quick, quick"], names=counted.names, binary=True).matrix.toarray().tolist()
        [[0, 0, 0, 1, 0]]
        """
        from banbury.text.matrix import term_matrix  # it needs NumPy and SciPy

        how: dict[str, Any] = {"binary": binary, "names": names, "min_documents": min_documents, "threads": threads}
        return term_matrix(_compiled(self), texts, **how)

    def _spelled(self, keyword: str) -> str:
        """A keyword as a document's words are spelled: in lower case, stemmed."""
        if keyword in PLACEHOLDERS:
            return keyword
        prefix = "not_" if self.negation and keyword.startswith("not_") else ""
        return prefix + self.tokens(keyword.removeprefix(prefix))[0].text

    def settings(self) -> dict[str, Any]:
        """The settings as plain data, for a file.

        >>> Analyzer(**Analyzer(min_length=2).settings()) == Analyzer(min_length=2)
        True
        """
        return {name: getattr(self, name) for name in self.field_names}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Analyzer:
        """The analyzer that `settings` came from."""
        return cls(**settings)

    def with_settings(self, **settings: Any) -> Analyzer:
        """The same analyzer with some settings changed.

        >>> Analyzer(min_length=2).with_settings(ngrams=(1, 2))
        Analyzer(min_length=2, ngrams=(1, 2))
        """
        if unknown := [name for name in settings if name not in self.field_names]:
            raise InputError(f"an analyzer has no setting {unknown[0]!r}; it has {', '.join(self.field_names)}")
        return self.replace(**settings)

    def compiled(self) -> _kernel.Analyzer:
        """The analyzer as the kernel uses it."""
        return _compiled(self)


PRESETS: dict[str, dict[str, Any]] = {
    "words": {},
    "tweets": {"negation": True, "ngrams": (1, 2)},
    "authors": {"punctuation": "all", "lowercase": False, "ngrams": (1, 2), "characters": (2, 5)},
    "characters": {"words": None, "characters": (2, 5)},
    "python": {"words": "python", "min_length": 2},
}


def _pair(name: str, value: Any) -> tuple[int, int]:
    match tuple(value) if isinstance(value, (tuple, list)) else value:
        case (int(low), int(high)) if 1 <= low <= high <= 255:
            return low, high
    raise InputError(f"{name} is {value!r}; it must be two numbers, the shortest and the longest, such as (1, 2)")


def _words(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{name} is {value!r}; it must be a list of words")
    words = tuple(value)
    for word in words:
        if not isinstance(word, str):
            raise InputError(f"{name} has {word!r} in it, of type {type(word).__name__}; it must be a list of words")
    return words


@lru_cache(maxsize=64)
def _compiled(analyzer: Analyzer) -> _kernel.Analyzer:
    settings = analyzer.settings()
    for name, by_rule in THINGS.items():
        if settings[name] is None:
            settings[name] = by_rule[analyzer.words]
    settings["stop_words"] = _stop_words(analyzer.stop_words)
    return _kernel.Analyzer(**settings)


def _stop_words(words: str | Collection[str] | None) -> list[str]:
    if words is None:
        return []
    if isinstance(words, str):
        known = _kernel.stop_words(words)
        if known is None:
            raise InputError(f"there are no stop words {words!r}; there is 'english', or give a list of your own")
        return known
    return list(words)
