"""A key becomes a cookie that scripts cannot read and other sites cannot send."""

from __future__ import annotations

from starlette.responses import Response

from banbury.display.forms import control
from banbury.display.html import element
from banbury.server.access import COOKIE
from banbury.server.page import layout
from banbury.server.page.visit import Visit, answer, redirect
from banbury.server.problems import Problem

MAKE_KEY = "banbury serve … --keys FILE --add-key NAME=SCOPE"
SECONDS = 30 * 24 * 3600


def form(visit: Visit, wrong: str | None = None) -> Response:
    """The form that asks for a key."""
    body = control(
        "form",
        element("h1", "This server needs a key"),
        element(
            "p", "Whoever runs it can make one: ", element("code", "banbury serve … --keys FILE --add-key NAME=SCOPE")
        ),
        layout.field(
            "Key",
            control(
                "input", name="key", type="password", required=True, autocomplete="current-password", maxlength=200
            ),
        ),
        None if wrong is None else element("p", wrong, class_="wrong", role="alert"),
        control("button", "Enter", class_="main"),
        action="key",
        method="post",
        class_="card narrow",
    )
    return answer(layout.page(visit, "key", "Key", body), 401)


async def enter(visit: Visit) -> Response:
    """Take a key, and remember it in the browser."""
    keys = visit.server.access.keys
    if keys is None:
        return redirect("try")
    key = visit.field("key").strip()
    try:
        keys.scopes(b"Bearer " + key.encode("utf-8", "replace"))
    except Problem:
        return form(visit, "This key is not known here.")
    done = redirect("try")
    secure = visit.request.url.scheme == "https"
    done.set_cookie(COOKIE, key, max_age=SECONDS, path=_path(visit), httponly=True, samesite="strict", secure=secure)
    return done


def _path(visit: Visit) -> str:
    """The page's, also where another application is around this one."""
    return f"{visit.request.scope.get('root_path', '')}/page"


async def leave(visit: Visit) -> Response:
    """Forget the key."""
    done = redirect("try")
    done.delete_cookie(COOKIE, path=_path(visit), httponly=True, samesite="strict")
    return done
