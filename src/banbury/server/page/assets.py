"""The style sheet and the scripts of the page, at addresses with a digest of their content: browsers keep them."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from starlette.responses import Response

from banbury.display.html import style_sheet
from banbury.server.problems import Problem

ASSETS_FOLDER = Path(__file__).parent / "assets"
MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"


@cache
def contents() -> dict[str, bytes]:
    """The files of the page, by name; the style of `display` comes first in the style sheet."""
    files = {path.name: path.read_bytes() for path in sorted(ASSETS_FOLDER.iterdir()) if path.suffix in MEDIA_TYPES}
    files["page.css"] = style_sheet().encode() + files["page.css"]
    return files


@cache
def version() -> str:
    """A digest of all files: one address changes with any of them, since scripts import each other."""
    return blake2b(b"\0".join(contents().values()), digest_size=6).hexdigest()


def address(name: str) -> str:
    """Where a file is found.

    >>> address("page.css").startswith("assets/")
    True
    """
    assert name in contents()
    return f"assets/{version()}/{name}"


def response(asked_version: str, name: str) -> Response:
    """A file; of another version than this server's, what it is now, and not to be kept."""
    content = contents().get(name)
    if content is None:
        raise Problem(404, f"the page has no file {name[:100]!r}")
    kept = FOR_EVER if asked_version == version() else "no-store"
    return Response(content, headers={"cache-control": kept}, media_type=MEDIA_TYPES[Path(name).suffix])
