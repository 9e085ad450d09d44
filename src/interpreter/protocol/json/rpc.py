"""JSON-RPC 2.0 messages: values for what travels, read from bytes that nobody vouches for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MOST_VALUES = 400_000  # in one message
LONGEST_TEXT = 2_000  # characters of an error's text that are kept

Id = int | str


class NotJsonRpc(ValueError):
    """The bytes are no message; the text says why."""


@frozen
class Fault:
    """Why a call failed, as the other side tells it."""

    code: int
    message: str
    data: Any = None


@frozen
class Call:
    """Somebody wants an answer."""

    id: Id
    method: str
    params: Mapping[str, Any]


@frozen
class Note:
    """Somebody says something, and wants no answer."""

    method: str
    params: Mapping[str, Any]


@frozen
class RpcAnswer:
    """The answer to a call: a result, or a fault. A fault that nobody's call led to has no id."""

    id: Id | None
    result: Any = None
    fault: Fault | None = None


Rpc = Call | Note | RpcAnswer


def encoded(message: Rpc) -> bytes:
    """A message as one line of JSON, without the line's end."""
    return json.dumps(
        as_object(message), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode("utf-8", "surrogatepass")


def as_object(message: Rpc) -> dict[str, Any]:
    """A message as the object that travels."""
    fields: dict[str, Any]
    match message:
        case Call(id, method, params):
            fields = {"id": id, "method": method, "params": dict(params)}
        case Note(method, params):
            fields = {"method": method, **({"params": dict(params)} if params else {})}
        case RpcAnswer(id, result, None):
            fields = {"id": id, "result": result}
        case RpcAnswer(id, _, Fault(code, text, data)):
            more = {} if data is None else {"data": data}
            told = {"code": code, "message": text, **more}
            fields = {**({} if id is None else {"id": id}), "error": told}
    return {"jsonrpc": "2.0", **fields}


def decoded(text: bytes, most: int = MOST_VALUES) -> Rpc:
    """The message in some bytes; NotJsonRpc if there is none."""
    try:
        found = bounded_json(text, most)
    except (ValueError, RecursionError) as error:
        raise NotJsonRpc(f"it is no JSON: {error}") from error
    return from_object(found)


def from_object(found: Any) -> Rpc:
    """The message that an object stands for; NotJsonRpc if it stands for none."""
    if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
        raise NotJsonRpc("it is no JSON-RPC 2.0 message")
    number, method = found.get("id"), found.get("method")
    if number is not None and (isinstance(number, bool) or not isinstance(number, int | str)):
        raise NotJsonRpc("its id is neither a number nor a text")
    if method is None:
        return _answer(found, number)
    params = found.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        raise NotJsonRpc("its method or its params are of the wrong kind")
    return Note(method, params) if number is None else Call(number, method, params)


def _answer(found: Mapping[str, Any], number: Id | None) -> RpcAnswer:
    error = found.get("error")
    if error is None:
        if number is None or "result" not in found:
            raise NotJsonRpc("it is neither a call nor an answer")
        return RpcAnswer(number, found["result"])
    if not isinstance(error, dict):
        raise NotJsonRpc("its error is no object")
    code, text = error.get("code"), error.get("message")
    known = code if isinstance(code, int) and not isinstance(code, bool) else INTERNAL_ERROR
    return RpcAnswer(number, fault=Fault(known, str(text)[:LONGEST_TEXT], error.get("data")))
