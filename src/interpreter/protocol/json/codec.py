"""Our values as JSON and back: one tagged object per dataclass, checked on the way in.

JSON from somebody who is not trusted is counted before it becomes objects: a text of 30 MB can
stand for more than a gigabyte of empty lists.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args

from interpreter.protocol import actions, events, live, messages

_SMALL = 1 << 16  # bytes that cannot do harm, whatever they say
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{,]', re.DOTALL)


class TooManyValues(ValueError):
    """It would take up far more memory than its text."""


def bounded_json(text: bytes, most: int) -> Any:
    """The value of a text with no more than so many values; ValueError, or RecursionError."""
    if len(text) > _SMALL:
        for count, _ in enumerate(_TOKENS.finditer(text), 1):
            if count > most:
                raise TooManyValues(f"it has more than {most} values")
    return json.loads(text)


KeepBytes = Callable[[bytes], str]
FetchBytes = Callable[[str], bytes]

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *get_args(live.LiveEvent),
        *get_args(messages.Part),
        messages.Message,
        messages.Face,
        events.Usage,
        events.FileChange,
        actions.Decision,
        actions.Finding,
        actions.Verdict,
    )
}


def tagged_kinds() -> tuple[type[Any], ...]:
    """Every dataclass that is written as a tagged object."""
    return tuple(_KINDS.values())


class CodecError(ValueError):
    """The text is not one of our values."""


def encode(value: Any, keep: KeepBytes | None = None) -> str:
    """A value as one line of JSON; `keep` may put bytes elsewhere and return a reference."""
    plain = _plain(value, keep)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    if _is_unicode(text):
        return text
    return json.dumps(plain, separators=(",", ":"))


def decode(text: str, fetch: FetchBytes | None = None) -> Any:
    """The value that `encode` wrote; CodecError if it is anything else."""
    try:
        return _value(json.loads(text), fetch)
    except CodecError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise CodecError(f"not a stored value: {error}") from error


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return False
    return True


_ATOMS = (str, int, float, type(None))


def _plain(value: Any, keep: KeepBytes | None) -> Any:
    if isinstance(value, _ATOMS):
        return value
    kind: Any = type(value)
    names = _fields(kind)
    if names is not None:
        content = {name: _plain(getattr(value, name), keep) for name in names}
        return {"type": kind.__name__, **content}
    if isinstance(value, bytes):
        if keep is not None:
            return {"type": "bytes", "kept": keep(value)}
        return {"type": "bytes", "base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, tuple):
        return [_plain(item, keep) for item in value]
    return value


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    """The names of what a dataclass holds, which may be nothing; None if it is no dataclass."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def _value(plain: Any, fetch: FetchBytes | None) -> Any:
    if isinstance(plain, list):
        return tuple(_value(item, fetch) for item in plain)
    if not isinstance(plain, dict):
        return plain
    kind = plain.pop("type", None)
    if kind == "bytes":
        return _bytes(plain, fetch)
    if kind not in _KINDS:
        raise CodecError(f"unknown kind {kind!r}")
    return _KINDS[kind](**{name: _value(item, fetch) for name, item in plain.items()})


def _bytes(plain: dict[str, str], fetch: FetchBytes | None) -> bytes:
    if "base64" in plain:
        return base64.b64decode(plain["base64"], validate=True)
    if fetch is None:
        raise CodecError("the bytes are kept elsewhere")
    return fetch(plain["kept"])
