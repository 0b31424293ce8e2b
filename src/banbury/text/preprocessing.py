"""What preprocessing does to a text: what it leaves out, and what it counts under another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from banbury.results.terms import LONG_TEXT, Change
from banbury.text.tokens import as_document

if TYPE_CHECKING:
    from banbury.text.analyzer import Analyzer

PIECE_PATTERN = re.compile(r"[^\s,.;:!?](?:\S*[^\s,.;:!?])?|[,.;:!?]+")
SPELLINGS = str.maketrans("’‐‑", "'--", "\u00ad")  # spelled in another way, and still the same word


def changes(analyzer: Analyzer, document: Any) -> list[Change]:
    """The parts of a document that are no tokens, and those that are tokens of another spelling, in their order.

    Upper and lower case alone make no other spelling. Of a text of more than `LONG_TEXT` characters none are listed.

    >>> from banbury import Analyzer
    >>> analyzer = Analyzer(stop_words="english", stemmer="english")
    >>> [(change.text, change.token) for change in changes(analyzer, "The dogs: http://dogs.example")]
    [('The', None), ('dogs', 'dog'), (':', None), ('http://dogs.example', '<url>')]
    """
    if analyzer.words is None or len(document) > LONG_TEXT:
        return []
    text, last_end = str(document), 0
    parts: list[Change] = []
    for name, start, end in analyzer.compiled().tokens(as_document(document)):
        # Most tokens stand as they are between single spaces: that is asked first.
        if start > last_end and (between := text[last_end:start]) != " " and not between.isspace():
            parts += _left_out(text, last_end, start)
        piece = text[start:end]
        if piece == name or (name.isascii() and piece.lower() == name):
            pass
        elif piece.translate(SPELLINGS).casefold() != name.casefold():
            parts.append(Change(piece, name, start, end))
        last_end = end
    return parts + _left_out(text, last_end, len(text))


def _left_out(text: str, start: int, end: int) -> list[Change]:
    """The pieces of a part of a text that makes no token: between white space, without the signs that end them."""
    if end - start == 1:  # most are one sign
        return [] if text[start].isspace() else [Change(text[start], None, start, end)]
    return [Change(piece[0], None, piece.start(), piece.end()) for piece in PIECE_PATTERN.finditer(text, start, end)]
