"""An e-mail as a row of a table: sender, subject, text, links, attachments. Parsing never raises on message content.

The standard library's `email` takes a message apart; input that would take it quadratic time (long headers, deep
nesting, very many parts) is cut off first. HTML becomes text in one pass of our own, because `html.parser` needs
minutes for a hundred kilobytes of tags that do not end.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import Compat32
from email.utils import getaddresses
from html import unescape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from banbury.errors import InputError
from banbury.surrogates import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_MESSAGE = 2_000_000  # bytes; what comes after is not looked at
LONGEST_TEXT = 200_000  # characters of a part
HEADER_LIMIT = 2_000
LONGEST_LINK = 1_000
MOST_LINKS = 1_000
DEEPEST = 12  # multiparts inside each other or side by side; a message with more is read as text
MOST_SEPARATORS = 2_000
NO_CHARSETS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}  # slow, or no text

URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"'()\[\]{}]+", re.IGNORECASE)
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>")
ATTRIBUTE = re.compile(
    r"\b(href|src|action|alt|background)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
BLOCKS = frozenset(
    [
        *("p", "br", "hr", "div", "center", "pre", "blockquote", "title", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("table", "tr", "td", "th", "ul", "ol", "li", "form", "option"),
    ]
)
UNSEEN = ("script", "style")


@dataclass(frozen=True)
class Mail:
    """What a reader sees of a message, and what it brings along."""

    sender: str
    """The address that it says it comes from, in lower case."""
    name: str
    """The name beside that address."""
    reply_to: str
    recipients: tuple[str, ...]
    subject: str
    body: str
    """The text; of several versions of it the last, without the tags of HTML."""
    links: tuple[str, ...]
    attachments: tuple[str, ...]
    """The names of the files, or their types where they have none."""
    mailer: str
    """The program that wrote it."""
    tags: tuple[str, ...]
    """The names of the HTML tags, each once; none for plain text."""
    is_answer: bool
    """Whether it names a message that it answers."""

    @property
    def domain(self) -> str:
        """The domain of the sender's address."""
        return self.sender.rpartition("@")[2]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the links, each once."""
        return tuple(dict.fromkeys(filter(None, map(_host, self.links))))

    def row(self) -> dict[str, Any]:
        """The message as a row of a table, for a `Classifier` with columns.

        >>> parse(b"From: ann@example.org\\nSubject: Lunch?\\n\\nSee www.example.org/menu").row()["hosts"]
        'www.example.org'
        """
        return {
            "sender": self.sender,
            "domain": self.domain,
            "name": self.name,
            "subject": self.subject,
            "body": self.body,
            "hosts": " ".join(self.hosts),
            "attachments": " ".join(self.attachments),
            "mailer": self.mailer,
            "is_answer": self.is_answer,
            "answers_go_elsewhere": self.reply_to not in ("", self.sender),
            "tags": " ".join(self.tags),
            "n_recipients": len(self.recipients),
            "n_links": len(self.links),
        }


def parse(message: bytes | bytearray | memoryview | str) -> Mail:
    """Parse the source of a message. It never raises on content, and takes time proportional to the length.

    >>> mail = parse(b"From: Ann <ann@example.org>\\nSubject: =?utf-8?q?Caf=C3=A9?=\\n\\nAt noon?\\n")
    >>> mail.sender, mail.subject, mail.body
    ('ann@example.org', 'Café', 'At noon?')
    """
    if isinstance(message, str):
        message = message.encode("utf-8", "replace")
    if not isinstance(message, (bytes, bytearray, memoryview)):
        raise InputError(f"a message is bytes or a str, not of type {type(message).__name__}")
    source = bytes(message[:LONGEST_MESSAGE])
    parsed = _parsed(source)
    texts: list[str] = []
    links: dict[str, None] = {}
    attachments: list[str] = []
    tags: dict[str, None] = {}
    for part in _seen(parsed):
        kind = part.get_content_type()
        if name := _file_name(part):
            attachments.append(name)
        # What says that it has parts and has none is read as it is.
        if part.get_content_maintype() in ("text", "multipart"):
            text = _decoded(part)
            # A tag at the beginning is HTML, whatever it is called.
            if kind == "text/html" or TAG.match(text.lstrip()[:HEADER_LIMIT]):
                text, addresses, names = read_html(text)
                links.update(dict.fromkeys(addresses))
                tags.update(dict.fromkeys(names))
            links.update(dict.fromkeys(match[0][:LONGEST_LINK] for match in URL.finditer(text)))
            texts.append(text)
        elif not name:
            attachments.append(_words(kind))
    senders = _addresses(parsed, "From") or _addresses(parsed, "Sender") or [("", "")]
    name, sender = senders[0]
    answers = _addresses(parsed, "Reply-To")
    return Mail(
        sender=sender,
        name=name,
        reply_to=answers[0][1] if answers else "",
        recipients=tuple(address for header in ("To", "Cc") for _, address in _addresses(parsed, header)),
        subject=_header(parsed, "Subject"),
        body="\n".join(text.strip() for text in texts).strip(),
        links=tuple(links)[:MOST_LINKS],
        attachments=tuple(attachments),
        mailer=_header(parsed, "X-Mailer") or _header(parsed, "User-Agent"),
        tags=tuple(tags),
        is_answer=bool(_header(parsed, "In-Reply-To") or _header(parsed, "References")),
    )


class Html(NamedTuple):
    """What there is in HTML."""

    text: str
    links: list[str]
    tags: list[str]
    """The names of the tags, in order."""


def read_html(html: str) -> Html:
    """What a reader sees of HTML, where it links to, and its tags.

    >>> read_html("<p>Buy <b>n</b>ow<script>track()</script>, <a href='http://example.org'>here</a>!")
    Html(text='\\nBuy now, here!', links=['http://example.org'], tags=['p', 'b', 'script', 'a'])
    """
    pieces: list[str] = []
    links: list[str] = []
    tags: list[str] = []
    position = 0
    while (start := html.find("<", position)) >= 0:
        pieces.append(html[position:start])
        if html.startswith("<!--", start):
            end = html.find("-->", start + 4)
            position = end + 3 if end >= 0 else len(html)
        elif tag := TAG.match(html, start):
            closing, name, rest = tag[1], tag[2].lower(), tag[3]
            position = tag.end()
            if not closing:
                tags.append(name)
            if name in BLOCKS:
                pieces.append("\n")
            for match in ATTRIBUTE.finditer(rest):
                value = unescape(match[2] or match[3] or match[4] or "").strip()
                if match[1].lower() == "alt":
                    pieces.append(f" {value} ")
                elif value and value[0] != "#":
                    links.append(value[:LONGEST_LINK])
            if name in UNSEEN and not closing:
                end_tag = re.compile(f"</{name}", re.IGNORECASE).search(html, position)
                position = end_tag.start() if end_tag else len(html)
        elif html.startswith(("<!", "<?"), start):
            end = html.find(">", start)
            position = end + 1 if end >= 0 else len(html)
        else:
            pieces.append("<")
            position = start + 1
    pieces.append(html[position:])
    return Html(unescape("".join(pieces)), links, tags)


class _Bounded(Compat32):
    """Reads headers as they are, and not all of a long one."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:HEADER_LIMIT]

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value  # with bytes that are no ASCII as surrogates; `_words` finds out what they are


def _parsed(source: bytes) -> Message:
    policy = _Bounded()
    if source.lower().count(b"boundary=") <= DEEPEST and source.count(b"\n--") <= MOST_SEPARATORS:
        try:
            return message_from_bytes(source, policy=policy)
        except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            pass  # the library has been surprised; what it makes of the headers alone will do
    message = BytesHeaderParser(policy=policy).parsebytes(source)
    for header in ("Content-Type", "Content-Transfer-Encoding", "Content-Disposition"):
        del message[header]
    return message


def _seen(message: Message) -> Iterator[Message]:
    """The parts that a reader sees, in order: of alternatives the last, of which there is HTML or text."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if not part.is_multipart():
            yield part
            continue
        inside = [inner for inner in part.get_payload() if isinstance(inner, Message)]
        if part.get_content_type() == "multipart/alternative":
            readable = [inner for inner in inside if inner.get_content_maintype() in ("text", "multipart")]
            inside = readable[-1:] or inside
        waiting.extend(reversed(inside))


def _file_name(part: Message) -> str:
    """The name of a part that is a file; its type where it is one without a name."""
    try:
        name = part.get_filename()
        disposition = part.get_content_disposition()
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    if name:
        return _words(str(name))
    return _words(part.get_content_type()) if disposition == "attachment" else ""


def _decoded(part: Message) -> str:
    try:
        payload = part.get_payload(decode=True)
        charset = part.get_content_charset()
    except (ValueError, LookupError, TypeError, AttributeError):
        for header in ("Content-Type", "Content-Transfer-Encoding"):  # what has surprised the library is in these
            del part[header]
        payload, charset = part.get_payload(decode=True), None
    data = payload if isinstance(payload, bytes) else b""
    return _text(data[: 4 * LONGEST_TEXT], charset)[:LONGEST_TEXT]


def _text(data: bytes, charset: str | None) -> str:
    """Bytes as text, by the charset that they claim, by UTF-8, or by that of old Windows."""
    try:
        codec = codecs.lookup(charset or "utf-8")
        name = codec.name if codec.name.replace("-", "_") not in NO_CHARSETS else "utf-8"
        return without_surrogates(data.decode(name))  # UTF-7 can have them
    except (LookupError, ValueError, AssertionError):
        pass
    for name in ("utf-8", "windows-1252"):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _header(message: Message, name: str) -> str:
    try:
        value = message.get(name, "")
    except (MessageError, ValueError, LookupError, TypeError, AttributeError):
        return ""
    return _words(str(value))


def _words(value: str) -> str:
    """The text of a header: encoded words decoded, white space in one piece."""
    value = " ".join(value[:HEADER_LIMIT].split())
    try:
        pieces = decode_header(value)
        value = "".join(
            piece if isinstance(piece, str) else _text(piece, "ascii" if charset is None else charset)
            for piece, charset in pieces
        )
    except (HeaderParseError, ValueError, LookupError, TypeError):
        pass
    try:
        value = _text(value.encode("utf-8", "surrogateescape"), None)  # bytes that are no ASCII come as surrogates
    except UnicodeEncodeError:  # and so do half characters
        value = without_surrogates(value)
    return " ".join(value.split())


def _addresses(message: Message, header: str) -> list[tuple[str, str]]:
    """Names and addresses, the addresses in lower case."""
    try:
        values = [str(value)[:HEADER_LIMIT] for value in message.get_all(header, [])][:10]
        pairs = getaddresses(values)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []
    return [(_words(name), _words(address).lower()) for name, address in pairs if name or address]


def _host(link: str) -> str:
    try:
        host = urlsplit(link if "://" in link else f"//{link}").hostname
    except ValueError:
        return ""
    return host if host and "." in host else ""
