"""Which result belongs to which block.

By their places: the results of a reply's calls follow it in the same order. Models without tool
calls name no call at all, and others begin to count anew when a session is resumed.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.protocol.messages import (
    Action,
    ActionCall,
    Code,
    MalformedCall,
    Message,
)


def answers(messages: Sequence[Message]) -> dict[int, Message]:
    """The message with the result of each call, by the `id` of the call's part."""
    found: dict[int, Message] = {}
    waiting: list[Action] = []
    for message in messages:
        if message.role == "assistant":
            calls = (Code, ActionCall, MalformedCall)
            waiting = [part for part in message.parts if isinstance(part, calls)]
        for result in message.results[: len(waiting)]:
            place = _answered(waiting, result.call_id)
            found[id(waiting.pop(place))] = message
    return found


def _answered(waiting: list[Action], call_id: str) -> int:
    """The place of the call of that name; where none of the reply has it, of the first."""
    names = [call.call_id for call in waiting]
    return names.index(call_id) if call_id and call_id in names else 0
