"""From a transcript to a provider's messages: deterministic, append-only, each encoded once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any

from interpreter.models.pictures import described
from interpreter.protocol.messages import (
    Action,
    ActionResult,
    Display,
    Face,
    Message,
    Output,
    Part,
    Text,
)
from interpreter.protocol.values import frozen

NO_OUTPUT = "(no output)"
NOT_RUN = "(not run: the turn was interrupted before it)"
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")

Exchange = tuple[Message, ...]
"""What a user says; or a reply with the results of its actions."""

Encode = Callable[[Exchange, int], list[dict[str, Any]]]


@frozen
class Answered:
    """An action with what came of it; without messages it was never run."""

    action: Action
    call_id: str
    results: tuple[Message, ...]


def to_json(value: Any) -> bytes:
    """Compact JSON, the same bytes for the same value."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, which only an escape can carry
        return json.dumps(value, separators=(",", ":")).encode()


@frozen
class _Encoded:
    end: int  # where in the transcript the exchange ends
    json: bytes
    last_role: str


class EncodedHistory:
    """The encoded form of a growing transcript; only what is new is encoded."""

    def __init__(self, encode: Encode, *, alternate: bool = False) -> None:
        self._encode = encode
        self._alternate = alternate
        self._seen: list[Message] = []
        self._done: list[_Encoded] = []

    def messages(self, messages: Sequence[Message]) -> bytes:
        """The provider's messages as JSON, without the brackets around them."""
        known = _common(self._seen, messages)
        while self._done and self._done[-1].end >= known:  # results may have joined the last one
            self._done.pop()
        start = self._done[-1].end if self._done else 0
        for exchange, end in exchanges(messages, start, together=self._alternate):
            self._keep(exchange, end)
        self._seen = list(messages)
        return b",".join(done.json for done in self._done if done.json)

    def _keep(self, exchange: Exchange, end: int) -> None:
        messages = self._encode(exchange, len(self._done) + 1)
        previous = self._done[-1].last_role if self._done else ""
        if self._alternate:
            messages = alternating(messages, previous)
        last_role = messages[-1].get("role", "") if messages else previous
        encoded = b",".join(to_json(message) for message in messages)
        self._done.append(_Encoded(end, encoded, last_role))


def _common(one: Sequence[Message], other: Sequence[Message]) -> int:
    """How many messages two transcripts share from their beginning."""
    if len(other) >= len(one) and all(map(is_, one, other)):
        return len(one)
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a is not b), min(len(one), len(other)))


def alternating(messages: list[dict[str, Any]], previous: str) -> list[dict[str, Any]]:
    """The messages with a word of the other side between two of the same, as templates demand."""
    fillers = {"user": "(interrupted)", "assistant": "Go on."}
    spaced: list[dict[str, Any]] = []
    for message in messages:
        role = message["role"]
        if role == previous:
            other = "assistant" if role == "user" else "user"
            spaced.append({"role": other, "content": fillers[role]})
        spaced.append(message)
        previous = role
    return spaced


def exchanges(
    messages: Sequence[Message], start: int = 0, *, together: bool = False
) -> Iterator[tuple[Exchange, int]]:
    """The transcript from a place on: each reply with its results, and where that ends.

    What a user says in several messages, such as a picture and a question, may stay `together`.
    """
    current: list[Message] = []
    for at in range(start, len(messages)):
        message = messages[at]
        if message.audience == "user":
            continue
        joins = together and current and message.role == current[-1].role == "user"
        if current and not joins and not _belongs(message, current[0]):
            yield tuple(current), at
            current = []
        current.append(message)
    if current:
        yield tuple(current), len(messages)


def _belongs(message: Message, first: Message) -> bool:
    """Whether it is a result of what an exchange began with; a reply without actions has none."""
    return message.role == "computer" and (first.role != "assistant" or bool(first.actions))


def answered(exchange: Exchange, number: int, *, renumber: bool = False) -> list[Answered]:
    """The actions of a reply with their results, matched by id, or in order where there is none."""
    by_id: dict[str, list[Message]] = {}
    loose: list[Message] = []
    known = {action.call_id for action in exchange[0].actions if action.call_id}
    for message in exchange[1:]:
        named = next((result.call_id for result in message.results if result.call_id in known), "")
        (by_id.setdefault(named, []) if named else loose).append(message)
    pairs = []
    for place, action in enumerate(exchange[0].actions):
        results = by_id.get(action.call_id, []) if action.call_id else loose[:1]
        loose = loose if action.call_id else loose[1:]
        call_id = action.call_id if action.call_id and not renumber else f"c{number:05d}{place:03d}"
        pairs.append(Answered(action, call_id, tuple(results)))
    if pairs and loose:
        last = pairs[-1]
        pairs[-1] = Answered(last.action, last.call_id, (*last.results, *loose))
    return pairs


def result_text(messages: Sequence[Message], *, images: bool) -> str:
    """What a model reads about the result of an action."""
    if not messages:
        return NOT_RUN
    said = "".join(_said(part, images=images) for message in messages for part in message.parts)
    return _ESCAPES.sub("", said).strip("\n") or NO_OUTPUT


def _said(part: Part, *, images: bool) -> str:
    match part:
        case Output(text, _, omitted):
            return f"{text}\n[{omitted} characters left out]\n" if omitted else text
        case Display():
            return "\n".join(filter(None, ("", shown_text(part, images=images), "")))
        case ActionResult(_, outcome, summary):
            note = f"{outcome}: {summary}" if summary else outcome
            return "" if outcome == "ok" and not summary else f"\n[{note}]"
        case Text(text):
            return text
        case _:
            return ""


def shown_text(display: Display, *, images: bool) -> str:
    """The text that stands for a display; a picture the model cannot see is described."""
    if display.image is None or images:
        return display.text
    return described(display.image, display.text)


def pictures_of(messages: Sequence[Message]) -> list[Face]:
    """The pictures in messages, in order."""
    shown = (part for message in messages for part in message.parts if isinstance(part, Display))
    return [display.image for display in shown if display.image is not None]


def user_text(message: Message, *, images: bool) -> str:
    """The text of a message that a user sent."""
    pieces = [
        part.text if isinstance(part, Text) else shown_text(part, images=images)
        for part in message.parts
        if isinstance(part, Text | Display)
    ]
    return "\n".join(piece for piece in pieces if piece)
