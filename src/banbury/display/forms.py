"""Elements of pages that ask something: forms, their controls, and links to the same server.

The same builder as `html.element`, with more words. No attribute holds a script or a style, and an address is a path
relative to the page, so that nothing leads to another host.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from banbury.display.html import ATTRIBUTES, ELEMENTS, Markup, Vocabulary

ASKING = Vocabulary(
    ELEMENTS
    | {"body", "button", "fieldset", "form", "head", "html", "input", "label", "legend", "link", "meta", "noscript"}
    | {"optgroup", "option", "output", "progress", "script", "select", "textarea"},
    ATTRIBUTES
    | {"accept", "action", "aria-busy", "aria-current", "aria-live", "aria-pressed", "autocomplete", "autofocus"}
    | {"charset", "checked", "content", "data-bar", "data-drop", "data-key", "data-live", "data-part", "data-poll"}
    | {
        "data-sets",
        "disabled",
        "download",
        "enctype",
        "for",
        "form",
        "formaction",
        "hidden",
        "inputmode",
        "list",
        "max",
    }
    | {
        "maxlength",
        "method",
        "min",
        "multiple",
        "name",
        "placeholder",
        "preserveaspectratio",
        "rel",
        "required",
        "rows",
    }
    | {"selected", "size", "spellcheck", "src", "step", "type", "value"},
    re.compile(r"#[!-~]*|\?[!-~]*|[a-z][a-z0-9_./-]*([?#][!-~]*)?"),
)
"""Of pages that a server shows."""


def control(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element of a page that asks; children and attributes are as in `html.element`.

    >>> print(control("input", name="word", value='"quoted"'))
    <input name="word" value="&quot;quoted&quot;">
    >>> control("a", "away", href="//example.org")
    Traceback (most recent call last):
    ValueError: '//example.org' leads out of the page
    """
    return ASKING.element(name, children, attributes)


def typed(text: str) -> Markup:
    """The content of a text area: what comes back from the form is this text, to the character.

    >>> print(typed("1 < 2"))
    <BLANKLINE>
    1 &lt; 2
    """
    return Markup("\n" + escape(text, quote=False))  # a browser drops the first line end


def choice(name: str, options: list[tuple[str, str]], chosen: str | None, **attributes: Any) -> Markup:
    """A list to choose one of: pairs of what is sent and what is shown.

    >>> print(choice("unit", [("nats", "nats"), ("db", "decibans")], "db"))
    <select name="unit"><option value="nats">nats</option><option value="db" selected>decibans</option></select>
    """
    entries = [control("option", shown, value=value, selected=value == chosen) for value, shown in options]
    return control("select", entries, name=name, **attributes)
