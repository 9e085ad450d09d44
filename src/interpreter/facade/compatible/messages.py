"""The `messages` of an interpreter: a plain list that the user may change at any time."""

from __future__ import annotations

from collections.abc import Sequence

from interpreter import lmc
from interpreter.protocol.messages import Action, Message


class Ledger:
    """The user's list beside what the session knows of it, so that every change is noticed."""

    def __init__(self, messages: list[lmc.Dictionary] | None = None) -> None:
        self.messages: list[lmc.Dictionary] = [] if messages is None else messages
        self._known: list[lmc.Dictionary] = []
        self._followed = 0
        self.revision = 0
        """Grows whenever something other than the end has changed."""

    def news(self) -> list[lmc.Dictionary] | None:
        """What was appended since the session last knew all of it; None if the past was changed."""
        known = len(self._known)
        if self.messages[:known] != self._known:
            self.revision += 1
            return None
        return self.messages[known:]

    def settle(self, followed: int) -> None:
        """The session, with so many messages, knows all of the list now."""
        self._known = [dict(dictionary) for dictionary in self.messages]
        self._followed = followed

    def add(self, dictionary: lmc.Dictionary) -> None:
        """What the user says is kept as the user wrote it; the session is about to record it."""
        self.messages.append(dictionary)
        self._known.append(dict(dictionary))

    def follow(self, transcript: Sequence[Message], *, most_output: int) -> None:
        """Add what the session has recorded since; what the user said is in the list already."""
        for message in transcript[self._followed :]:
            self._followed += 1
            if message.role != "user":
                self._extend(lmc.encode(message, most_output=most_output))

    def mirror(self, transcript: Sequence[Message], *, most_output: int) -> None:
        """Make the list, which stays the same one, say what the session has recorded."""
        self._known = []
        self.messages.clear()
        self.revision += 1
        for message in transcript:
            if not _is_remark(message):
                self._extend(lmc.encode(message, most_output=most_output))
        self._followed = len(transcript)

    def _extend(self, new: list[lmc.Dictionary]) -> None:
        self.messages.extend(new)
        self._known.extend(dict(dictionary) for dictionary in new)

    def edit_of(self, proposed: Action) -> Action | None:
        """The proposed code as the user has changed it meanwhile, if so."""
        for place in range(len(self._known) - 1, -1, -1):
            if place >= len(self.messages) or self._known[place].get("type") != "code":
                return None
            if lmc.edited(self._known[place], proposed) is None:
                self.revision += self._known[place] != self.messages[place]
                self._known[place] = dict(self.messages[place])
                return lmc.edited(self.messages[place], proposed)
        return None


def _is_remark(message: Message) -> bool:
    """Whether the session told it to the model beside what the user says, as about a file."""
    return message.role == "user" and message.audience == "assistant"


def user_dictionary(text: str) -> lmc.Dictionary:
    """What a user says in plain words."""
    return {"role": "user", "type": "message", "content": text}
