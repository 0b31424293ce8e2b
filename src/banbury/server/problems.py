"""Errors as HTTP has them: problem+json (RFC 9457), with the message that Python gives."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from banbury.errors import BanburyError, CountError, MissingExtra, NotFittedError

MEDIA_TYPE = b"application/problem+json"


class Problem(Exception):
    """What went wrong, for the client: a status, a sentence, and where it helps when to come back."""

    def __init__(self, status: int, detail: str, *, retry: int | None = None, headers: dict[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.retry = retry
        self.headers = headers or {}

    def body(self) -> bytes:
        """The problem as JSON. `error` is the name that the Open Inference Protocol has for the detail."""
        title = HTTPStatus(self.status).phrase
        return msgspec.json.encode(
            {
                "type": "about:blank",
                "title": title,
                "status": self.status,
                "detail": self.detail,
                "error": self.detail,
            }
        )

    def response_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of the answer, but for those that depend on the body."""
        headers = [(b"content-type", MEDIA_TYPE)]
        headers += [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        return headers if self.retry is None else [*headers, (b"retry-after", str(self.retry).encode())]


def problem_of(error: BanburyError) -> Problem:
    """What a `BanburyError` is in HTTP."""
    if isinstance(error, NotFittedError | CountError):
        return Problem(409, str(error))  # the request is well formed, but the model is not in a state for it
    if isinstance(error, MissingExtra):
        return Problem(501, str(error))
    return Problem(422, str(error))
