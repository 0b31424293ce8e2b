"""Lone surrogates: halves of characters, which a Python `str` can hold and UTF-8 cannot."""


def without_surrogates(text: str) -> str:
    """The text with `?` in place of every lone surrogate, so that it can be written to any file.

    >>> without_surrogates("so \\ud83d happy")
    'so ? happy'
    """
    return text.encode("utf-8", "replace").decode()
