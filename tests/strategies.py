"""Random corpora for the laws: small, so that words meet in several documents and a failure can be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st

WORDS = ["good", "bad", "film", "not", "the", "plot", "a", "I", "great", "dull"]
LABELS = ["negative", "positive", "neutral"]

# Letters whose lower case has another length or depends on its place, digits and letters of many scripts, joiners,
# combining marks, odd spaces, control characters, emoji: whatever word rules tend to disagree about.
ODD_CHARACTERS = (
    "aAbB1_-'’.!?@#:/ \t\n\r\x00\x1c\x85\xa0\u1680\u2028\u3000\ufeff"
    "ßẞſİıΣσςǅŉﬁÅÅéÀ\u0301\u0308\u0345½²Ⅷⅷ٣۴५一二語の한국اعलहिไทย\u200d\u200c\u00ad🙂👩🏽‍🚀𝒜𐐀𐐨🄰"
)


@dataclass(frozen=True)
class Corpus:
    """Labelled documents, as texts."""

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def pick(self, rows: Sequence[int]) -> "Corpus":
        """These documents, in this order."""
        return Corpus([self.texts[i] for i in rows], [self.labels[i] for i in rows])


def documents(max_words: int = 8) -> st.SearchStrategy[list[str]]:
    """A document as its tokens; it may be empty."""
    return st.lists(st.sampled_from(WORDS), max_size=max_words)


def plain_texts(max_words: int = 8) -> st.SearchStrategy[str]:
    """A few known words with a space between."""
    return documents(max_words).map(" ".join)


def odd_texts(max_size: int = 30, *, unassigned: bool = True) -> st.SearchStrategy[str]:
    """Any Unicode, half of it from the corners of the standard.

    What is unassigned for this Python may be a letter for the kernel, which knows a newer Unicode: where the two are
    compared, such characters are left out.
    """
    any_character = st.characters(codec="utf-8", exclude_categories=None if unassigned else ["Cn"])
    return st.text(st.one_of(st.sampled_from(ODD_CHARACTERS), any_character), max_size=max_size)


def texts(*, unassigned: bool = True) -> st.SearchStrategy[str]:
    """Plain, odd, or both in one."""
    odd = odd_texts(unassigned=unassigned)
    return st.one_of(plain_texts(), odd, st.tuples(plain_texts(), odd).map(" ".join))


@st.composite
def corpora(
    draw: st.DrawFn,
    *,
    min_size: int = 1,
    max_size: int = 10,
    classes: int = 3,
    text: st.SearchStrategy[str] | None = None,
) -> Corpus:
    """Labelled texts of at most so many classes; a class or all words may be missing."""
    rows = st.tuples(plain_texts() if text is None else text, st.sampled_from(LABELS[:classes]))
    drawn = draw(st.lists(rows, min_size=min_size, max_size=max_size))
    return Corpus([text for text, _ in drawn], [label for _, label in drawn])


@st.composite
def token_corpora(draw: st.DrawFn, *, min_size: int = 1, max_size: int = 10) -> tuple[list[list[str]], list[str]]:
    """Labelled documents as lists of tokens."""
    rows = draw(st.lists(st.tuples(documents(), st.sampled_from(LABELS)), min_size=min_size, max_size=max_size))
    return [tokens for tokens, _ in rows], [label for _, label in rows]


def weights(size: int) -> st.SearchStrategy[list[int]]:
    """How often each of `size` documents counts, once at least."""
    return st.lists(st.integers(1, 4), min_size=size, max_size=size)


@st.composite
def parts(draw: st.DrawFn, corpus: Corpus, *, count: int = 2) -> list[Corpus]:
    """A corpus cut into `count` pieces, none of them empty; it needs that many documents."""
    inner = st.integers(1, len(corpus) - 1)
    cuts = sorted(draw(st.lists(inner, min_size=count - 1, max_size=count - 1, unique=True)))
    edges = [0, *cuts, len(corpus)]
    return [corpus.pick(range(start, end)) for start, end in pairwise(edges)]
