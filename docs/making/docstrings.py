"""Docstrings for the site, as Markdown: examples become blocks of code, sections of parameters become lists."""

import re
from typing import Any

from griffe import Docstring, Extension, Object

# From a line with >>> to the next empty line, or to the end.
EXAMPLE = re.compile(r"^( *)>>> .*?(?=\n *\n|\Z)", re.DOTALL | re.MULTILINE)
SECTION = re.compile(
    r"^(Parameters|Attributes|Returns|Raises)\n-+\n(.*?)(?=\n\n[^ \n].*\n(?! )|\Z)", re.DOTALL | re.MULTILINE
)
ENTRY = re.compile(r"^(\S.*)\n((?:^ .*\n?|^\n)*)", re.MULTILINE)


def markdown(docstring: str) -> str:
    """A docstring as Markdown."""
    text = EXAMPLE.sub(lambda example: f"{example[1]}```pycon\n{example[0]}\n{example[1]}```", docstring)
    return SECTION.sub(lambda section: f"**{section[1]}**\n\n{_entries(section[2])}", text)


def _entries(section: str) -> str:
    """The names of a section of numpydoc, each with what is said of it."""
    entries = [(name, " ".join(line.strip() for line in said.splitlines())) for name, said in ENTRY.findall(section)]
    return "\n".join(f"- `{name}`: {said.strip()}" for name, said in entries)


class Markdown(Extension):
    """Griffe's extension: every docstring that it reads becomes Markdown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of one module, class, function or attribute."""
        if isinstance(obj.docstring, Docstring):
            obj.docstring.value = markdown(obj.docstring.value)
