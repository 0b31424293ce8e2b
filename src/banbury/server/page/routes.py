"""Which path of the page is shown by whom, and who may ask. Problems become pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from banbury.errors import BanburyError
from banbury.server.page import (
    assets,
    findings,
    health,
    layout,
    login,
    mistakes,
    teaching,
    training,
    trying,
    uploads,
    words,
)
from banbury.server.page.visit import Visit, answer, redirect
from banbury.server.problems import Problem, problem_of

if TYPE_CHECKING:
    from banbury.server.application import Application

Handler = Callable[[Visit], Awaitable[Response]]


class PageRoute(NamedTuple):
    """A path, who shows it, and what a key needs."""

    methods: str
    path: str
    handler: Handler
    scope: str
    needs_one_label: bool = False
    """Whether it is about a model, of which a document has one label."""


async def _first(visit: Visit) -> Response:
    """The room to begin in."""
    return redirect(_begin(visit.server))


def _begin(server: Application) -> str:
    if server.models and all(model.is_several for model in server.models.values()):
        return "page/health"  # the room that shows models of several labels, too
    return "page/try" if server.models or server.files.home is None else "page/train"


PAGE_ROUTES = [
    PageRoute("GET", "/page", _first, ""),
    PageRoute("GET POST", "/page/try", trying.show, "read", True),
    PageRoute("GET POST", "/page/words", words.show, "read", True),
    PageRoute("GET POST", "/page/train", training.show, "admin"),
    PageRoute("POST", "/page/correct", findings.correct, "admin"),
    PageRoute("GET", "/page/download", training.download, "admin"),
    PageRoute("GET POST", "/page/teach", teaching.show, "learn", True),
    PageRoute("GET POST", "/page/mistakes", mistakes.show, "read", True),
    PageRoute("GET", "/page/report", mistakes.keep, "read", True),
    PageRoute("GET", "/page/health", health.show, "read"),
    PageRoute("POST", "/page/forget", health.forget, "learn"),
    PageRoute("POST", "/page/files", uploads.take, "learn"),
    PageRoute("POST", "/page/remove", uploads.remove, "learn"),
    PageRoute("POST", "/page/key", login.enter, ""),
    PageRoute("POST", "/page/leave", login.leave, ""),
]


def page_routes(server: Application) -> list[StarletteRoute]:
    """The table as Starlette has it, and the files of the page."""

    async def root(request: Request) -> Response:
        request.scope["banbury.route"] = "/"
        return redirect(_begin(server))

    async def asset(request: Request) -> Response:
        request.scope["banbury.route"] = "/page/assets"
        return assets.response(request.path_params["version"], request.path_params["name"])

    return [
        StarletteRoute("/", root, methods=["GET"]),
        StarletteRoute("/page/assets/{version}/{name}", asset, methods=["GET"]),
        *(StarletteRoute(one.path, _endpoint(server, one), methods=one.methods.split()) for one in PAGE_ROUTES),
    ]


def _endpoint(server: Application, route: PageRoute) -> Callable[[Request], Awaitable[Response]]:
    room = [*route.path.split("/"), ""][2] or "try"

    async def endpoint(request: Request) -> Response:
        request.scope["banbury.route"] = route.path
        if request.method == "POST":
            check_same_site(request)
        visit = Visit(server, request, [])
        if route.scope and not visit.scopes:
            return login.form(visit)
        try:
            if route.scope and not visit.can(route.scope):
                raise Problem(403, f"your key may not do this: it needs the scope {route.scope}")
            visit = await Visit.of(server, request)
            for model in visit.models if route.needs_one_label else ():
                model.check_one_label()
            return await route.handler(visit)
        except (Problem, BanburyError) as error:
            problem = error if isinstance(error, Problem) else problem_of(error)
            headers = (
                problem.headers if problem.retry is None else problem.headers | {"retry-after": str(problem.retry)}
            )
            shown = layout.problem_page(Visit(server, request, []), room, problem.detail)
            return answer(shown, problem.status, headers)

    return endpoint


def check_same_site(request: Request) -> None:
    """A 403 for a form that did not come from this page: every browser says where a POST comes from.

    `Access` has compared the Origin, where there is one, with the Host.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        raise Problem(403, "this form comes from another site")
    if site is None and "origin" not in request.headers:
        raise Problem(403, "a form of the page comes from a browser, which says from where; programs ask /v1")
