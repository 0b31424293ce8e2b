"""The OpenAPI document, made of the routes and of the types that check requests and write answers: so it is true."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

import banbury
from banbury.server.messages import ProblemAnswer
from banbury.server.routes import ROUTES, Route

REFERENCE = "#/components/schemas/{name}"
NAME_PARAMETER: dict[str, Any] = {
    "name": "name",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "pattern": "^[^/]+$"},
    "description": "The name of the model's file, without the ending.",
}
IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "A request that is sent again under the same key is answered again, and learned once.",
}
PROBLEMS = {
    "400": "The body is not JSON.",
    "401": "A key is needed.",
    "403": "The key, or the page that asks, may not do this.",
    "404": "There is no such model or document.",
    "405": "The method is not for this path.",
    "408": "The body took too long.",
    "409": "The model or the server is not in a state for this.",
    "413": "The body is too long.",
    "421": "The Host header names another server.",
    "422": "The request cannot be used; the detail is what Python says.",
    "429": "Too many documents are waiting to be learned; Retry-After says when to come back.",
    "501": "An optional package is missing on the server.",
    "503": "The server cannot do this now; Retry-After says when to come back.",
}


@cache
def document() -> bytes:
    """The document, as JSON."""
    types = {one for route in ROUTES for one in (route.request, *_answers(route)) if isinstance(one, type)}
    ordered = sorted({*types, ProblemAnswer}, key=lambda one: one.__name__)
    _, schemas = msgspec.json.schema_components(ordered, ref_template=REFERENCE)
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "banbury",
                "version": banbury.__version__,
                "description": "Naive Bayes over HTTP: predict, explain, learn.",
                "license": {"name": "MIT"},
            },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            },
        }
    )


def _operation(route: Route) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [NAME_PARAMETER] if "{name}" in route.path else []
    parameters += [
        {"name": one.name, "in": "query", "schema": one.schema, "description": one.description}
        for one in route.parameters
    ]
    if route.scope == "learn":
        parameters.append(IDEMPOTENCY_KEY)
    problem = {"application/problem+json": {"schema": _reference(ProblemAnswer)}}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": f"{route.method.lower()}{route.path}".replace("/", "_").replace("{name}", "model"),
        "parameters": parameters,
        "responses": {
            "200": {"description": route.summary, "content": _content(_answers(route))},
            **{status: {"description": text, "content": problem} for status, text in PROBLEMS.items()},
        },
    }
    if route.ready_is_503:
        operation["responses"]["503"]["content"] = problem | _content(_answers(route))
    if route.request is not None:
        operation["requestBody"] = {"required": True, "content": _content([route.request])}
    if route.scope:
        operation["security"] = [{}, {"key": []}]
        operation["description"] = f"Where keys are needed: one of scope `{route.scope}`."
    return operation


def _answers(route: Route) -> list[Any]:
    return list(route.answer) if isinstance(route.answer, tuple) else [route.answer]


def _content(kinds: list[Any]) -> dict[str, Any]:
    types = [kind for kind in kinds if isinstance(kind, type)]
    content: dict[str, Any] = {
        kind: {"schema": {"type": "object" if kind == "application/json" else "string"}}
        for kind in kinds
        if isinstance(kind, str)
    }
    if types:
        schemas = [_reference(kind) for kind in types]
        content["application/json"] = {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
    return content


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=kind.__name__)}
