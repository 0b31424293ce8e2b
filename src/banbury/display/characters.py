"""Text as it is seen: hidden characters made visible, width in a terminal, padding, shortening."""

from __future__ import annotations

import re
from functools import cache

NAME_WIDTH = 28  # columns that the name of a class may take, on a page and in a picture

# Controls; marks of direction; what has no width; separators that some take for ends of lines; surrogates and
# noncharacters, which a page must not hold; tags, with which text can be hidden. What joins letters stays.
_NONCHARACTERS = "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb"
    f"\ud800-\udfff\U000e0000-\U000e007f{_NONCHARACTERS}]"
)

_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILE = f"({_MARKS}{{4}}){_MARKS}+"


def visible(text: str, *, lines: bool = False) -> str:
    """The text with a visible sign for every hidden or control character.

    No control character is left, so it can be written to a terminal. With `lines` the ends of lines and tabs stay.

    >>> visible("a\\tb\\x1b[31m \\u202etxt")
    'a␉b␛[31m [U+202E]txt'
    """

    def sign(match: re.Match[str]) -> str:
        character = match[0]
        code = ord(character)
        if lines and character in "\n\t":
            return character
        if code < 0x20:
            return chr(0x2400 + code)
        if code == 0x7F:
            return "\u2421"
        return "\ufffd" if 0xD800 <= code < 0xE000 else f"[U+{code:04X}]"

    return _compiled(_HIDDEN).sub(sign, text.replace("\r\n", "\n") if lines else text)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> width_of("word"), width_of("日本")
    (4, 4)
    """
    from rich.cells import cell_len  # here, and below: a command that shows nothing does not wait for it

    return cell_len(text)


def shorten(text: str, width: int) -> str:
    """A visible text of at most so many columns; what is left out becomes `…`, and no letter has a pile of marks.

    >>> shorten("a very long name", 8)
    'a very …'
    """
    from rich.cells import set_cell_size

    whole, text = len(text), text[: 8 * width]  # marks without width go no further than that
    shown = _compiled(_PILE).sub(r"\1", visible(text))
    if len(text) == whole and width_of(shown) <= width:
        return shown
    # Cut again: a mark that makes the sign before it wide is not seen at the first cut.
    while width_of(shown) > width - 1:
        shown = set_cell_size(shown[:-1], width - 1) if width > 1 else ""
    return shown + "…"


def padded(text: str, width: int) -> str:
    """A text filled up with spaces to so many columns of a terminal.

    >>> padded("日本", 6)
    '日本  '
    """
    return text + " " * (width - width_of(text))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern at its first use: most commands show nothing that needs one."""
    return re.compile(pattern)
