"""Whole conversations: several dictionaries make one message of ours."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from interpreter.lmc.messages import Dictionary, decode
from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import ActionResult, Code, Message

NOT_STORED = {"review", "confirmation", "status", "command"}

LARGEST = 1 << 30  # bytes of a conversation


def decode_all(dictionaries: Iterable[Dictionary]) -> list[Message]:
    """A whole conversation: code joins what was said before it, results find their code."""
    reader = _ConversationReader()
    for dictionary in dictionaries:
        message = decode(dictionary, strict=False)
        reader.add(message, is_console=dictionary.get("type") == "console")
    return reader.messages


class _ConversationReader:
    """Puts together what belongs together: one message of ours may be several dictionaries."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._unanswered: deque[str] = deque()
        self._calls = 0

    def add(self, message: Message, *, is_console: bool) -> None:
        if message.role == "computer":
            self._add_result(message, is_console=is_console)
        elif message.role == "assistant" and message.actions:
            self._add_code(message)
        else:
            self._unanswered.clear()
            self.messages.append(message)

    def _add_code(self, message: Message) -> None:
        self._calls += 1
        call = f"call_{self._calls}"
        self._unanswered.append(call)
        parts = tuple(replace(p, call_id=call) if isinstance(p, Code) else p for p in message.parts)
        self._join(replace(message, parts=parts))

    def _add_result(self, message: Message, *, is_console: bool) -> None:
        if is_console or not self._last_is(message):
            self.messages.append(self._answered(message))
        else:
            self._join(message)

    def _answered(self, message: Message) -> Message:
        if not self._unanswered or message.audience == "user":
            return message
        result = ActionResult(self._unanswered.popleft(), "ok")
        return replace(message, parts=(*message.parts, result))

    def _join(self, message: Message) -> None:
        if not self._last_is(message):
            self.messages.append(message)
            return
        last = self.messages[-1]
        results = last.results
        before = last.parts[: len(last.parts) - len(results)]
        self.messages[-1] = replace(last, parts=(*before, *message.parts, *results))

    def _last_is(self, message: Message) -> bool:
        if not self.messages:
            return False
        last = self.messages[-1]
        return (last.role, last.audience) == (message.role, message.audience)


def read_conversation(path: Path) -> list[Dictionary]:
    """A conversation that Open Interpreter saved: a JSON list of dictionaries, each checked."""
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        return conversation(safe_files.read_bytes(place, LARGEST).decode())
    except (OSError, UnicodeDecodeError, ConfigurationError) as error:
        raise ConfigurationError(f"Cannot read the conversation {path}: {error}") from error


def conversation(text: str) -> list[Dictionary]:
    """The dictionaries of a saved conversation; ConfigurationError if it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"It is not JSON: {error}.") from error
    if not isinstance(content, list):
        raise ConfigurationError("It is not a list of messages.")
    kept = [row for row in content if not _is_passing(row)]
    for dictionary in kept:
        decode(dictionary, strict=False)
    return kept


def is_conversation(text: str) -> bool:
    """Whether a text looks like a conversation that Open Interpreter saved."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(rows, list) and all(
        isinstance(row, dict) and "role" in row and "parts" not in row for row in rows
    )


def _is_passing(row: object) -> bool:
    """Whether it was meant for the moment, not for the record."""
    return isinstance(row, dict) and (row.get("type") in NOT_STORED or row.get("role") == "server")
