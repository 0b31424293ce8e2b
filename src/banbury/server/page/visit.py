"""A person's request: the fields of its form, the models it is about, and what it is answered with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from banbury.display.html import Markup
from banbury.server.models import ServedModel
from banbury.server.problems import Problem
from banbury.server.requests import label_of, read_body

if TYPE_CHECKING:
    from banbury.server.application import Application

MOST_FIELDS = 2_000
# No script but the page's own, nothing from or to any other host, and in no other page's frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    # `no-referrer` would make the Origin of forms `null`, by which they are told from those of other sites.
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
Fields = list[tuple[str, str]]


class Visit:
    """A request as the rooms see it."""

    def __init__(self, server: Application, request: Request, fields: Fields) -> None:
        self.server = server
        self.request = request
        self.fields = fields
        self.scopes: frozenset[str] = request.scope["banbury.scopes"]
        self.part = request.headers.get("banbury-part")
        """The part of the page that a script asks for; None for all of it."""

    @classmethod
    async def of(cls, server: Application, request: Request) -> Visit:
        """The visit of a request, its form read."""
        fields = _fields(request.scope.get("query_string", b""))
        kind = request.headers.get("content-type", "")
        if request.method == "POST" and kind.startswith("application/x-www-form-urlencoded"):
            fields = _fields(await read_body(request.receive)) + fields
        return cls(server, request, fields)

    def field(self, name: str, default: str = "") -> str:
        """The first value of a field."""
        return next((value for key, value in self.fields if key == name), default)

    def values(self, name: str) -> list[str]:
        """All values of a field."""
        return [value for key, value in self.fields if key == name]

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A field that is a number within bounds; the default where it is none."""
        try:
            number = float(self.field(name))
        except ValueError:
            return default
        return min(max(number, low), high) if number == number else default

    @property
    def models(self) -> list[ServedModel]:
        """The models that the visit names, or the first that a page can show; nothing where there are none."""
        named = [self.server.models.named(name) for name in dict.fromkeys(self.values("model")) if name]
        by_name = [self.server.models[name] for name in sorted(self.server.models)]
        return named or sorted(by_name, key=lambda model: model.is_several)[:1]

    @property
    def model(self) -> ServedModel:
        """The first of them; a problem where there is none."""
        if not self.models:
            raise Problem(404, "there is no model yet: train one")
        return self.models[0]

    def label(self, name: str, model: ServedModel) -> Any:
        """The label that a field names; None where it names none that the model knows."""
        label = label_of(self.field(name), model.labels)
        return label if label in model.labels else None

    def can(self, scope: str) -> bool:
        """Whether whoever asks may do this."""
        return scope in self.scopes

    def address(self, path: str, **fields: Any) -> str:
        """The address of a page about the same models; a field that is None is left out.

        It is relative, so that the server can stand below a path of another one.
        """
        kept = [("model", model.name) for model in self.models] if "model" not in fields else []
        return path_of(path, [*kept, *((name, value) for name, value in fields.items() if value is not None)])


def path_of(path: str, fields: Iterable[tuple[str, Any]]) -> str:
    """An address with fields.

    >>> path_of("try", [("text", "a & b")])
    'try?text=a+%26+b'
    """
    query = urlencode([(name, str(value)) for name, value in fields], errors="replace")
    return f"{path}?{query}" if query else path


def answer(html: Markup | str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """HTML, with the headers that every page has."""
    body = str(html).encode("utf-8", "replace")
    return Response(body, status, PAGE_HEADERS | (headers or {}), "text/html; charset=utf-8")


def redirect(address: str) -> Response:
    """Go on there, with GET: a reload sends no form twice."""
    return RedirectResponse(address, 303, headers={"cache-control": "no-store"})


def _fields(query: bytes) -> Fields:
    try:
        return parse_qsl(
            query.decode("latin-1"),
            keep_blank_values=True,
            encoding="utf-8",
            errors="replace",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Problem(413, f"a form has at most {MOST_FIELDS} fields") from None
