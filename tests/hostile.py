"""Texts that try to break out of wherever they are shown, and a look at what became of them."""

from html.parser import HTMLParser

from hypothesis import strategies as st

from banbury.display.html import ATTRIBUTES, ELEMENTS

HOSTILE = [
    "<script>window.broken = 1</script>",
    "</script><script>window.broken = 1</script>",
    '"><img src=x onerror="window.broken = 1">',
    "' onmouseover='window.broken = 1' x='",
    "<svg onload=window.broken=1>",
    "</title></style></svg></text><script>window.broken = 1</script>",
    "</style><script>window.broken=1</script>",
    "<style>*{display:none}</style>",
    "<!--", "-->", "<![CDATA[", "]]>", "<?xml", "&lt;script&gt;", "&#60;script&#62;", "&", "&amp",
    "javascript:window.broken=1",
    "<a href='javascript:window.broken=1'>x</a>",
    "<iframe srcdoc='<script>parent.broken=1</script>'>",
    "<base href=//example.org>", "<meta http-equiv=refresh content=0>",
    "<form><input autofocus onfocus=window.broken=1>",
    "url(//example.org/x)", "expression(window.broken=1)", "@import '//example.org'",
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r\nover", "\b\b\b", "a\x00b", "\x7f",
    "\u202etxt.exe", "\u2066left\u2069", "\u200f", "\u061c", "\u2028line\u2029", "\ufeff", "\u200b",
    "\ufffe", "\U000e0041",
    "שלום <b>עולם</b>", "مرحبا", "日本語のラベル", "👩🏽‍🚀", "e" + "\u0301" * 50,
    "\ud800", "a\udfffb",
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "=cmd|' /C calc'!A0", "＝1",
    "$x^2$", "$", "\\$\\frac{1}{0}$", "_under_", "{}", "%s", "%(x)s", "{0.__class__}", "[red]rich[/red]",
    "[/]", "[link=x]",
    "", " ", "\n", "word " * 400, "W" * 2000,
]  # fmt: skip


def hostile_texts() -> st.SearchStrategy[str]:
    """One of them, some of them side by side, or any characters that are markup somewhere."""
    pieces = st.one_of(
        st.sampled_from(HOSTILE), st.text("<>&\"'/=`;:!-[]{}()$\\\x00\x1b\x9b\u202e\ud800 ab", max_size=12)
    )
    return st.lists(pieces, max_size=4).map(" ".join)


class Look(HTMLParser):
    """What a browser would find in HTML: its elements, their attributes, and its texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.odd: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.lasttag != "style":
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    def handle_pi(self, data: str) -> None:
        self.odd.append(data)

    def unknown_decl(self, data: str) -> None:
        self.odd.append(data)

    @property
    def text(self) -> str:
        """All that can be read."""
        return "".join(self.texts)


def assert_harmless(html: str, *, whole_page: bool = False) -> None:
    """No element and no attribute but those that pages are made of; nothing runs, nothing leads out, nothing hides."""
    look = Look(html)
    frame = {"html", "head", "meta", "body", "style"} if whole_page else {"style"}
    attributes = {name.lower() for name in ATTRIBUTES}
    if whole_page:
        attributes |= {"charset", "http-equiv", "content", "name"}
    assert not look.odd
    assert {tag for tag, _ in look.elements} <= ELEMENTS | frame
    for tag, found in look.elements:
        assert set(found) <= attributes, tag
        assert (found.get("href") or "#").startswith("#")
    styles = [tag for tag, _ in look.elements if tag == "style"]
    assert html.count("</style") == len(styles) <= 1
    assert is_visible(look.text.replace("\n", "").replace("\t", ""))
    html.encode()  # a page can be written to a file


def is_visible(text: str) -> bool:
    """Whether nothing in it turns, hides or controls the rest; a terminal gets no commands from it."""
    hidden = {0x061C, 0x200B, 0x200E, 0x200F, 0xFEFF, 0xFFFE, *range(0x2028, 0x202F), *range(0x2066, 0x206A)}
    return not any(ord(c) < 32 or 127 <= ord(c) < 160 or ord(c) in hidden or 0xD800 <= ord(c) < 0xE000 for c in text)
