"""The user's last message, in the wording that a template asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from interpreter.models.options import Templates
from interpreter.protocol.messages import Message, Text

AS_IT_IS = "{content}"


class Wording:
    """Applies `user_message_template` to the last message, or leaves it to the encoder for all."""

    def __init__(self, templates: Templates) -> None:
        self._template = templates.user_message_template
        self._always = templates.always_apply_user_message_template
        self._last: tuple[Message, Message] | None = None

    @property
    def for_all(self) -> str:
        """The template that every message is encoded with."""
        return self._template if self._always else AS_IT_IS

    def apply(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages, the user's last one reworded; the same object for the same message."""
        if self._always or self._template == AS_IT_IS:
            return messages
        worded = list(messages)
        for at in range(len(worded) - 1, -1, -1):
            if worded[at].role == "user":
                worded[at] = self._reworded(worded[at])
                break
        return worded

    def _reworded(self, message: Message) -> Message:
        if self._last is None or self._last[0] is not message:
            others = tuple(part for part in message.parts if not isinstance(part, Text))
            text = Text(self._template.replace("{content}", message.text))
            self._last = (message, replace(message, parts=(text, *others)))
        return self._last[1]
