"""E-mails taken apart: what is read of them, and that nothing in them raises or takes long."""

import tarfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.errors import InputError
from banbury.readers.mail import LONGEST_TEXT, Mail, parse, read_html

NEWSLETTER = b"""From bounce@example.com Thu Aug 22 12:36:23 2002
Received: by mail.example.com; Thu, 22 Aug 2002 12:36:16 +0100
From: =?iso-8859-1?Q?Caf=E9_M=FCller?= <News@Example.COM>
Reply-To: answers@example.net
To: Ann <ann@example.org>, bob@example.org
Cc: carol@example.org
Subject: =?utf-8?B?w4RwZmVs?= and
 =?utf-8?Q?pears?=
X-Mailer: Pigeon 1.0
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8

The plain version.
--inner
Content-Type: text/html; charset=windows-1252
Content-Transfer-Encoding: quoted-printable

<html><head><style>p { color: red }</style></head><body><!-- hidden -->
<p>10=80 for you&nbsp;&amp; me<br>Click <a href=3D"http://shop.example.com/buy?x=3D1">here</a>
<img src=3Dhttp://pixel.example.net/1.gif alt=3D"an apple"></body></html>
--inner--
--outer
Content-Type: application/pdf; name="price list.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--outer
Content-Type: image/png

x
--outer--
"""


def test_a_message_is_what_its_reader_sees() -> None:
    mail = parse(NEWSLETTER)
    assert (mail.sender, mail.name, mail.domain) == ("news@example.com", "Café Müller", "example.com")
    assert mail.subject == "Äpfel and pears"
    assert mail.reply_to == "answers@example.net"
    assert mail.recipients == ("ann@example.org", "bob@example.org", "carol@example.org")
    assert " ".join(mail.body.split()) == "10€ for you & me Click here an apple"
    assert mail.links == ("http://shop.example.com/buy?x=1", "http://pixel.example.net/1.gif")
    assert mail.hosts == ("shop.example.com", "pixel.example.net")
    assert mail.attachments == ("price list.pdf", "image/png")
    assert mail.mailer == "Pigeon 1.0"
    assert mail.tags == ("html", "head", "style", "body", "p", "br", "a", "img")
    assert not mail.is_answer
    assert parse(b"In-Reply-To: <1@example.org>\n\nYes.").is_answer


def test_a_row_has_plain_values_for_a_table() -> None:
    row = parse(NEWSLETTER).row()
    assert {name: row[name] for name in ("hosts", "n_links", "n_recipients", "answers_go_elsewhere")} == {
        "hosts": "shop.example.com pixel.example.net",
        "n_links": 2,
        "n_recipients": 3,
        "answers_go_elsewhere": True,
    }
    assert parse(b"").row().keys() == row.keys()


@pytest.mark.parametrize(
    "source, part, expected",
    [
        (b"Subject: caf\xc3\xa9\n\n", "subject", "café"),  # bytes where only ASCII is allowed
        (b"Subject: caf\xe9\n\n", "subject", "café"),
        (b"Subject: =?nonsense?q?caf=C3=A9?=\n\n", "subject", "café"),
        (b"Subject: =?utf-8?b?not base64!?=\n\n", "subject", None),
        (b"Content-Type: text/plain; charset=klingon\n\ncaf\xe9", "body", "café"),
        (b"Content-Type: text/plain; charset=us-ascii\n\ncaf\xc3\xa9", "body", "café"),
        (b"Content-Type: text/plain; charset=punycode\n\nabc-", "body", "abc-"),
        (b"Content-Type: text/plain; charset=zlib\n\nhello", "body", "hello"),
        (b"Content-Type: text/plain; charset=\xdf\n\ncaf\xe9", "body", "café"),
        (b"Content-Type: text/plain; charset=utf-7\n\na+2AA-b", "body", "a?b"),  # half a character
        (b"Subject: =?utf-7?q?a+2AA-b?=\n\n", "subject", "a?b"),
        (b"Content-Type: x/\xe9\n\n", "attachments", ("x/é",)),
        (b"Content-Transfer-Encoding: base64\n\naGVsbG8", "body", "hello"),  # padding forgotten
        (b"Content-Transfer-Encoding: uuencode\n\nnot really", "body", "not really"),
        (b"Content-Type: multipart/mixed; boundary=x\n\nno parts at all", "body", "no parts at all"),
        (b"Content-Type: multipart/mixed\n\nno boundary", "body", "no boundary"),
        (b"<p>HTML that does not say so</p>", "body", "HTML that does not say so"),
        (b"no header, no nothing", "body", "no header, no nothing"),
        (b"\n\nonly a body", "body", "only a body"),
        (b"From: (((((\n\nx", "body", "x"),
        (b"From: nobody\n\n", "sender", "nobody"),
        (b"\x00\x01\x02", "sender", ""),
        ("From: ann@example.org\n\nÇa va?", "body", "Ça va?"),
    ],
)
def test_broken_messages_are_read_as_far_as_they_can_be(source: Any, part: str, expected: Any) -> None:
    value = getattr(parse(source), part)
    assert expected is None or value == expected


CHARSETS = [b"utf-7", b"utf-16", b"hz", b"iso2022_jp", b"idna", b"rot13", b"\xdf", b"x" * 99, b"''", b'"']
HEADERS = [b"Content-Type", b"Subject", b"From", b"To", b"Content-Transfer-Encoding", b"Content-Disposition"]
VALUES = [
    b'multipart/mixed; boundary="x"', b"text/html; charset=", b"message/rfc822", b"base64", b"=?utf-8?q?", b"?=",
    b"attachment; filename*0*=utf-8''%", b'"', b"<", b"@", b";", b"\n ", b"\xff", b"--x", b"\n", b"<a href=", b"&#x",
]  # fmt: skip

BYTES = st.sampled_from([*VALUES, *CHARSETS, b"=?utf-7?q?+2AA-?=", b"\n\n--x\n", b"\n\n", b"\x1b$B", b"+2AA-"])


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=20),
            BYTES,
            st.sampled_from(HEADERS).map(lambda name: b"\n" + name + b": "),
        ),
        max_size=30,
    ).map(b"".join)
)
def test_nothing_raises_and_everything_is_text(source: bytes) -> None:
    assert_readable(parse(source))


@given(
    st.lists(st.tuples(st.integers(0, len(NEWSLETTER)), st.integers(0, 40), st.one_of(BYTES, st.binary(max_size=9))))
)
def test_a_real_message_may_be_damaged_anywhere(damages: list[tuple[int, int, bytes]]) -> None:
    source = NEWSLETTER
    for start, length, instead in damages:
        source = source[:start] + instead + source[start + length :]
    assert_readable(parse(source))


def assert_readable(mail: Mail) -> None:
    for field in fields(Mail):
        value = getattr(mail, field.name)
        if not isinstance(value, bool):
            "".join([value] if isinstance(value, str) else value).encode()  # no half characters
    mail.row()


@given(st.text(alphabet="<>!-/ab =\"'&;", max_size=200))
def test_any_html_is_read(html: str) -> None:
    assert "<script" not in read_html(html + "<script>x</script>").text


@pytest.mark.parametrize(
    "hostile",
    [
        b"Content-Type: text/html\n\n" + b"<a " * 60_000,
        b"Content-Type: text/html\n\n" + b"<!--" * 60_000,
        b"Content-Type: text/html\n\n" + b"<a href='" * 30_000,
        b"Content-Type: text/html\n\n" + b"<script>" * 30_000,
        b"Content-Type: text/html\n\n" + b"&#" * 100_000,
        b'Content-Type: multipart/mixed; a="' + b'\\";' * 60_000 + b"\n\nx",
        b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n\n" * 60_000,
        b"".join(b"Content-Type: multipart/mixed; boundary=x%d\n\n--x%d\n" % (n, n) for n in range(90))
        + b"a\n" * 90_000,
        b"Content-Type: message/rfc822\n\n" * 9_000,
        b"Subject: " + b"=?a?q?x?=" * 30_000 + b"\n\n",
        b"From: " + b"a<" * 90_000 + b"\n\n",
        b"Subject: a\n" + b" b\n" * 60_000,
        b"www." * 60_000,
        b"Content-Type: text/plain; charset=idna\n\n" + b"xn--" * 60_000,
    ],
    ids=lambda hostile: repr(hostile[:40]),
)
def test_hostile_messages_take_no_longer_than_others(hostile: bytes) -> None:
    started = process_time()
    mail = parse(hostile)
    assert process_time() - started < 2
    assert len(mail.body) <= LONGEST_TEXT + 1


def test_what_is_no_message_is_an_error() -> None:
    with pytest.raises(InputError, match="a message is bytes or a str, not of type NoneType"):
        parse(None)  # type: ignore[arg-type]


def test_real_mail_is_read(data_folder: Path) -> None:
    path = data_folder / "spamassassin_raw.tar.xz"
    if not path.exists():
        pytest.skip(f"BANBURY_DATA has no {path.name}")
    with tarfile.open(path) as archive:
        sources = [archive.extractfile(member) for member in archive.getmembers()[::40]]
        mails = [parse(source.read()) for source in sources if source is not None]
    share: Callable[[str], float] = lambda name: sum(bool(getattr(mail, name)) for mail in mails) / len(mails)  # noqa: E731
    assert share("sender") > 0.99
    assert share("body") > 0.99
    assert share("subject") > 0.98
    assert 0.1 < share("tags") < 0.4
