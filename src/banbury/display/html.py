"""Safe HTML from plain data: a small builder in which no text can become markup.

`element` knows the few elements and attributes that pages need. Every text and every attribute is escaped, and what
cannot be seen (control characters, marks that turn the direction of writing) is made visible. There are no scripts, no
`style` attributes and no addresses of other places, so that no text can bring them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from banbury.display.characters import shorten, visible

ELEMENTS = frozenset((
    "a", "article", "aside", "b", "bdi", "br", "caption", "code", "col", "colgroup", "dd", "details", "div", "dl", "dt",
    "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "header", "hr", "i", "kbd", "li", "main", "mark",
    "nav", "ol", "p", "pre", "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "u", "ul",
    "circle", "desc", "g", "line", "path", "polygon", "polyline", "rect", "svg", "text", "title", "tspan",
))  # fmt: skip
EMPTY = frozenset(("br", "col", "hr", "input", "link", "meta"))
ATTRIBUTES = frozenset((
    "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby", "class", "colspan", "dir", "headers", "href",
    "id", "lang", "open", "role", "rowspan", "scope", "tabindex", "title",
    "cx", "cy", "d", "dominant-baseline", "fill", "fill-opacity", "font-size", "height", "opacity", "points", "r", "rx",
    "stroke", "stroke-dasharray", "stroke-linejoin", "stroke-opacity", "stroke-width", "text-anchor", "transform",
    "viewBox", "width", "x", "x1", "x2", "y", "y1", "y2",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that was made by this module's functions, and is put into a page as it is."""

    html: str

    def __str__(self) -> str:
        return self.html

    def __html__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        return self.html


def element(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element of HTML or SVG with escaped children and attributes.

    Children are texts, numbers, `Markup`, None for nothing, and lists of these. In the names of attributes `_` stands
    for `-`, and `class_` for `class`; None and False leave an attribute out, True has no value.

    >>> print(element("p", "1 < 2, ", element("b", 'a "quoted" word'), class_="note"))
    <p class="note">1 &lt; 2, <b>a &quot;quoted&quot; word</b></p>
    """
    return RESULTS.element(name, children, attributes)


@dataclass(frozen=True)
class Vocabulary:
    """The elements and attributes that a kind of page may have, and where its links may lead."""

    elements: frozenset[str]
    attributes: frozenset[str]
    address: re.Pattern[str]

    def element(self, name: str, children: Iterable[Any], attributes: dict[str, Any]) -> Markup:
        """An element of this vocabulary; one that is not in it is an error."""
        if name not in self.elements:
            raise ValueError(f"{name!r} is no element that a page may have")
        opening = "".join([name, *self._attributes(attributes)])
        if name in EMPTY:
            return Markup(f"<{opening}>")
        return Markup(f"<{opening}>{fragment(*children)}</{name}>")

    def _attributes(self, attributes: dict[str, Any]) -> Iterator[str]:
        for key, value in attributes.items():
            name = _attribute_name(key)
            if name not in self.attributes:
                raise ValueError(f"{name!r} is no attribute that an element may have")
            if value is None or value is False:
                continue
            if name in ADDRESSES and not self.address.fullmatch(str(value)):
                raise ValueError(f"{value!r} leads out of the page")
            # What a form sends back has to be what it was given: only there, nothing is made visible.
            text = escape(str(value), quote=True) if name == "value" else _text(_number(value))
            yield f" {name}" if value is True else f' {name}="{text}"'


@cache
def _attribute_name(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


ADDRESSES = frozenset(("href", "action", "src"))
RESULTS = Vocabulary(ELEMENTS, ATTRIBUTES, re.compile(r"#[!-~]*"))
"""Of results, in notebooks and files: their links stay within the page."""


def fragment(*children: Any) -> Markup:
    """Children of an element on their own, escaped in the same way.

    >>> print(fragment("<i>", None, [1, element("br")]))
    &lt;i&gt;1<br>
    """
    return Markup("".join(_children(children)))


def isolated(text: object, *, width: int | None = None) -> Markup:
    """A text whose direction of writing does not affect what stands beside it.

    With `width`, a longer text is shortened, and a title has it whole.

    >>> print(isolated("שלום"))
    <bdi>שלום</bdi>
    """
    text = str(text)
    shown = text if width is None else shorten(text, width)
    return element("bdi", shown, title=None if shown == visible(text) else text)


def page(title: str, *children: Any, language: str = "en", style: str = "") -> str:
    """A whole HTML document in one file. It loads and runs nothing, and its content security policy forbids it.

    `style` is CSS of the page's own; it is written as it is, so nothing that others have written belongs there.

    >>> page("Mood", element("p", "Hello")).startswith("<!doctype html>")
    True
    """
    page_style = f"<style>{style}</style>\n" if style else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        f'<!doctype html>\n<html lang="{_text(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(title)}</title>\n{STYLE}\n{page_style}</head>\n"
        f'<body class="banbury banbury-page">\n{fragment(*children)}\n</body>\n</html>\n'
    )


def piece(*children: Any) -> str:
    """HTML for a notebook: what is shown, with the style that it needs."""
    return str(fragment(STYLE, element("div", children, class_="banbury")))


def _children(children: Iterable[Any]) -> Iterator[str]:
    for child in children:
        match child:
            case None:
                pass
            case Markup():
                yield child.html
            case str():
                yield _text(child, lines=True)
            case bool() | int() | float():
                yield _text(_number(child))
            case Iterable():
                yield from _children(child)
            case _:
                raise TypeError(f"a child of type {type(child).__name__} cannot be shown; make a text of it")


def _number(value: object) -> str:
    # Places in a drawing do not need more than a hundredth of a point.
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


# Most texts have nothing to escape and nothing hidden; knowing it at one look makes pages twice as quick.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,;:!?()%+#/*=-]*")


def _text(text: str, *, lines: bool = False) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return escape(visible(text, lines=lines), quote=True)


# Blue speaks for, orange against: they differ for every kind of colour vision, and in lightness from the paper. Every
# text has a contrast of 4.5 at least, also on the strongest tint.
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "quiet": "#57606a",
    "line": "#c8d0d8",
    "for": "#0b62b5",
    "against": "#a84300",
}
DARK = {
    "paper": "#14181d",
    "ink": "#e9ecef",
    "quiet": "#a3adb7",
    "line": "#3d464f",
    "for": "#6cb6ff",
    "against": "#ffa657",
}
TINT_STEPS = 8
STRONGEST_TINT = 0.45
"""The share of colour in the strongest tint."""


def tint(strength: float) -> str | None:
    """CSS class of a background tint, from −1 (against) to +1 (for); None if it would be invisible.

    >>> tint(1.0), tint(-0.3), tint(0.0)
    ('for-8', 'against-3', None)
    """
    step = -(-abs(strength) * TINT_STEPS // 1)
    name = "for" if strength > 0 else "against"
    return f"{name}-{min(int(step), TINT_STEPS)}" if abs(strength) >= 0.02 else None


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue.

    >>> channels("#0b62b5")
    (11, 98, 181)
    """
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue


def _palette(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{' '.join(map(str, channels(colour)))}" for name, colour in colours.items())


def style_sheet() -> str:
    """The style of everything that this room makes, as CSS."""
    light, dark = _palette(LIGHT), _palette(DARK)
    tints = "\n".join(
        f".banbury .{name}-{step}{{background-color:rgb(var(--{name})/{STRONGEST_TINT * step / TINT_STEPS:.3f});"
        f"border-bottom-color:rgb(var(--{name})/{step / TINT_STEPS:.3f})}}"
        for name in ("for", "against")
        for step in range(1, TINT_STEPS + 1)
    )
    return f"""
.banbury{{{light};color-scheme:light;color:rgb(var(--ink));background:rgb(var(--paper));
 font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;padding:.6em .8em;text-align:start}}
@media (prefers-color-scheme:dark){{.banbury{{{dark};color-scheme:dark}}}}
[data-jp-theme-light="true"] .banbury,.vscode-light .banbury,html[theme="light"] .banbury{{{light};color-scheme:light}}
[data-jp-theme-light="false"] .banbury,.vscode-dark .banbury,html[theme="dark"] .banbury{{{dark};color-scheme:dark}}
.banbury-page{{margin:0 auto;max-width:70rem;padding:1.5rem 1rem}}
.banbury *{{box-sizing:border-box}}
.banbury h1,.banbury h2,.banbury h3,.banbury h4{{line-height:1.25;margin:1.2em 0 .4em;color:inherit}}
.banbury p{{margin:.4em 0}}
.banbury .quiet{{color:rgb(var(--quiet))}}
.banbury .for{{color:rgb(var(--for))}}
.banbury .against{{color:rgb(var(--against))}}
.banbury .document{{white-space:pre-wrap;overflow-wrap:anywhere;max-height:24em;overflow:auto;
 margin:.5em 0;line-height:1.8}}
.banbury .document span{{padding:.12em 0;border-radius:.15em;color:rgb(var(--ink))}}
.banbury .document [class^="for-"]{{border-bottom-width:2px;border-bottom-style:solid}}
.banbury .document [class^="against-"]{{border-bottom-width:2px;border-bottom-style:dashed}}
.banbury .scroll{{overflow-x:auto}}
.banbury table{{border-collapse:collapse;margin:.5em 0;background:transparent;font-variant-numeric:tabular-nums}}
.banbury th,.banbury td{{padding:.2em .7em;border-bottom:1px solid rgb(var(--line));text-align:end;
 color:rgb(var(--ink));background-color:transparent;vertical-align:top}}
.banbury th,.banbury td{{white-space:nowrap}}
.banbury td.text,.banbury th.text{{text-align:start}}
.banbury td.text{{overflow-wrap:anywhere;white-space:normal}}
.banbury caption{{text-align:start;color:rgb(var(--quiet));padding:.2em 0}}
.banbury code,.banbury pre{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:inherit;
 background:transparent}}
.banbury svg{{display:block;max-width:100%;height:auto;margin:.5em 0}}
.banbury svg text{{fill:rgb(var(--ink));font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
.banbury svg .faint{{fill:rgb(var(--quiet))}}
.banbury svg .axis{{stroke:rgb(var(--quiet));fill:none}}
.banbury svg .grid{{stroke:rgb(var(--line));fill:none}}
.banbury svg .bar-for{{fill:rgb(var(--for))}}
.banbury svg .bar-against{{fill:rgb(var(--against))}}
.banbury svg .bar-total{{fill:rgb(var(--quiet))}}
.banbury svg .line-0{{stroke:rgb(var(--for));fill:none;stroke-width:2}}
.banbury svg .line-1{{stroke:rgb(var(--against));fill:none;stroke-width:2;stroke-dasharray:7 4}}
.banbury svg .line-2{{stroke:rgb(var(--quiet));fill:none;stroke-width:2;stroke-dasharray:2 3}}
.banbury svg .dot-0{{fill:rgb(var(--for))}}
.banbury svg .dot-1{{fill:rgb(var(--against))}}
.banbury svg .dot-2{{fill:rgb(var(--quiet))}}
{tints}
@media print{{.banbury{{{light};color-scheme:light;print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.banbury .document{{max-height:none}}.banbury svg,.banbury tr{{break-inside:avoid}}
.banbury h2,.banbury h3{{break-after:avoid}}}}
"""


STYLE = Markup(f"<style>{style_sheet()}</style>")
