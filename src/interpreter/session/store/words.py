"""The words of a message: those of its title, and those that it can be found by."""

from __future__ import annotations

from interpreter.protocol.messages import ActionCall, Code, Message, Output, Reasoning, Text
from interpreter.protocol.values import frozen

PLAIN_KEPT = 50_000  # characters of a message that can be searched
TITLE_KEPT = 80


@frozen
class Hit:
    """A message that was found, with the words around the match."""

    session: str
    place: int
    excerpt: str


def title_of(message: Message) -> str:
    """What a session is called after this message; empty if nothing."""
    if message.role != "user" or message.is_private:
        return ""
    return _whole_characters(" ".join(message.text.split())[:TITLE_KEPT])


def words_of(message: Message) -> str:
    """The words of a message that can be searched."""
    texts = []
    for part in message.parts:
        match part:
            case Text(text) | Output(text) | Reasoning(text) | Code(_, text) | ActionCall(_, text):
                texts.append(text)
            case _:
                pass
    return _whole_characters("\n".join(texts)[:PLAIN_KEPT])


def _whole_characters(text: str) -> str:
    """Text that the database takes: half a character, as a paste may bring, is a question mark."""
    return text.encode(errors="replace").decode()
