"""Where a conversation that goes on was left."""

from __future__ import annotations

from collections.abc import Iterable

from interpreter.protocol.messages import Message
from interpreter.protocol.visible import visible

SHOWN = 200


def recap(session_id: str, messages: Iterable[Message]) -> str:
    """Which session it is, how long, and what was said last in it."""
    kept = tuple(messages)
    said = [one.text for one in kept if one.role == "user" and not one.is_private]
    answers = [one.text for one in kept if one.role == "assistant" and one.text.strip()]
    lines = [f"Session {session_id}, {len(kept)} messages."]
    lines += [f"You said last: {_short(said[-1])}"] if said else []
    lines += [f"The last words: {_short(answers[-1])}"] if answers else []
    return "\n".join(lines)


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
