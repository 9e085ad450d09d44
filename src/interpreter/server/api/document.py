"""The OpenAPI document, made from the same table that requests are checked by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from interpreter._version import __version__
from interpreter.server.api.endpoint import Endpoint
from interpreter.server.api.other_requests import OtherRequest, described
from interpreter.server.api.shapes import ERROR, PLAIN

REFUSALS = (400, 401, 403, 404, 408, 409, 413, 416, 422, 429, 503)


def document(endpoints: Iterable[Endpoint], others: Iterable[OtherRequest]) -> dict[str, Any]:
    """The whole protocol for machines."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    for one in others:
        told = described(one, _in_path(one.path), {"description": "Refused."})
        paths.setdefault(one.path, {})[one.method.lower()] = told
    return {
        "openapi": "3.1.0",
        "info": {"title": "reploop", "version": __version__},
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-KEY"},
            },
            "schemas": {"Error": ERROR},
        },
        "security": [{"bearer": []}, {"key": []}],
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": endpoint.handler.__name__,
        "parameters": [*_in_path(endpoint.path), *_in_query(endpoint)],
        "responses": {
            str(endpoint.status): _answer(endpoint),
            **({"206": _answer(endpoint)} if isinstance(endpoint.answer, str) else {}),
            **{str(code): {"description": "Refused.", "content": error} for code in REFUSALS},
        },
    }
    if endpoint.body is not None:
        content = {"application/json": {"schema": dict(endpoint.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    if endpoint.raw:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": PLAIN}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _in_query(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": "default" not in schema, "schema": schema}
        for name, schema in endpoint.query.items()
    ]


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.answer is None:
        return {"description": "Done."}
    if isinstance(endpoint.answer, str):
        return {"description": "A file.", "content": {endpoint.answer: {"schema": {}}}}
    content = {"application/json": {"schema": dict(endpoint.answer)}}
    return {"description": "Done.", "content": content}
