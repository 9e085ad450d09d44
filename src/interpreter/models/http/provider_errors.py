"""What can go wrong on the way to a model, and the one sentence that says what to do next."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time

from interpreter.protocol.errors import (
    AuthenticationFailed,
    ContextTooLong,
    ModelError,
    RateLimited,
    UnknownModel,
    Unreachable,
)
from interpreter.protocol.values import frozen

_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|exceeds? the (available )?context|input length and `?max_tokens|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|payment|out of credits",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not found|does not exist|not exist|unknown|invalid|not supported)"
    r"|(unknown|invalid|no such) model|model_not_found|pull.{0,10}model|no endpoints found",
    re.IGNORECASE | re.DOTALL,
)
_RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_LONGEST_QUOTE = 300


class Transient(Exception):
    """The request may be sent again; `error` is what to raise when that does not help."""

    def __init__(self, error: ModelError, retry_after: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


class Rejected(Exception):
    """The server understood the request and does not want it; `message` says why."""

    def __init__(self, status: int, message: str, error: ModelError) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.error = error


@frozen
class Address:
    """Who is asked, in the words of error messages."""

    provider: str
    url: str
    model: str
    key_name: str = ""
    is_local: bool = False
    start_hint: str = ""


def refusal(address: Address, status: int, body: bytes, headers: Mapping[str, str]) -> Exception:
    """The exception for an answer that is not a success: Transient or Rejected."""
    message = message_in(body)
    error = _error_for(address, status, message)
    gave_up = isinstance(error, RateLimited) and _QUOTA.search(message)
    if status in _RETRIED_STATUS and not gave_up and not isinstance(error, ContextTooLong):
        return Transient(error, retry_after(headers))
    return Rejected(status, message, error)


def in_stream(trouble: Exception) -> Exception:
    """The same in the middle of a reply, where it is too late to ask in another way."""
    return trouble.error if isinstance(trouble, Rejected) else trouble


def _error_for(address: Address, status: int, message: str) -> ModelError:
    who, quote = _capital(address.provider), _quoted(message)
    if status in (401, 403):
        hint = f"set {address.key_name} or --api_key" if address.key_name else "set --api_key"
        return AuthenticationFailed(f"{who} refused the key; {hint}{quote}.")
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(message)):
        return ContextTooLong(
            f"The conversation does not fit into the window of {address.model}; start a new one, "
            f"or set --context_window to its real size{quote}."
        )
    if status == 402 or _QUOTA.search(message):
        return RateLimited(
            f"The quota at {address.provider} is used up; check the plan or use another "
            f"--model{quote}."
        )
    if status == 429:
        return RateLimited(f"{who} wants fewer requests; wait a little and ask again{quote}.")
    if status in (400, 404) and (_NO_MODEL.search(message) or (status == 404 and not message)):
        return UnknownModel(
            f"{who} has no model {address.model!r} at {address.url}; check --model and "
            f"--api_base{quote}."
        )
    if status == 404:
        return Unreachable(f"There is nothing at {address.url}; check --api_base{quote}.")
    if status >= 500:
        return ModelError(f"{who} has trouble (status {status}); ask again later{quote}.")
    return ModelError(f"{who} did not accept the request (status {status}){quote}.")


def no_answer(address: Address, why: str) -> Unreachable:
    """Nobody answers at the address."""
    if address.is_local:
        hint = address.start_hint or "start the server, or check --api_base"
        return Unreachable(f"No answer from {address.url} ({why}); {hint}.")
    return Unreachable(
        f"No answer from {address.url} ({why}); check the connection and --api_base."
    )


def gone_silent(address: Address, seconds: float) -> Unreachable:
    """The server has been silent for too long."""
    return Unreachable(
        f"{_capital(address.provider)} has said nothing for {seconds:g} seconds; ask again, or "
        "check the server."
    )


def broken_off(address: Address) -> Unreachable:
    """The connection was lost in the middle of a reply."""
    return Unreachable(
        f"The connection to {address.provider} was lost in the middle of a reply; ask again."
    )


def nonsense(address: Address, sample: str) -> ModelError:
    """What came is not what a model server sends."""
    return ModelError(
        f"{address.url} does not answer like a model server{_quoted(sample)}; check --api_base."
    )


def message_in(body: bytes) -> str:
    """The text of an error answer, wherever the server has put it."""
    text = body[:20_000].decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except ValueError:
        return "" if text.startswith("<") else text
    return said_in(value) or text


def said_in(value: object) -> str:
    """The human part of an error object."""
    if isinstance(value, list) and value:
        return said_in(value[0])
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    inner = value.get("error") or value.get("message") or value.get("detail")
    if isinstance(inner, dict):
        code = inner.get("code") or inner.get("type")
        return " ".join(str(part) for part in (inner.get("message"), code and f"({code})") if part)
    return said_in(inner)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How long the server asks us to wait, in seconds."""
    in_ms, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if in_ms:
            return max(0.0, float(in_ms) / 1000)
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value or "").timestamp() - time())
    except ValueError:
        return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _quoted(message: str) -> str:
    message = " ".join(message.split())
    if not message:
        return ""
    cut = message if len(message) <= _LONGEST_QUOTE else message[:_LONGEST_QUOTE] + "…"
    return f' (it said: "{cut.rstrip(".")}")'
