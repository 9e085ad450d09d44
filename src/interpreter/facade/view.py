"""What the model is shown of the conversation: long outputs cut, large pictures made smaller."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from interpreter import lmc
from interpreter.protocol.messages import Display, Face, Message, Output, Part, user_says
from interpreter.protocol.ports import Request

Prepare = Callable[[Sequence[Message]], Request]
LARGEST_PICTURE = 3_750_000  # bytes; as a data URL that is the 5 MB which providers accept


@dataclass
class View:
    """Shows each message once: a message that was shown before is the same object again."""

    prepare: Prepare
    most_output: int
    shrink_images: bool
    _seen: list[Message] = field(default_factory=list)
    _shown: list[Message] = field(default_factory=list)

    def __call__(self, history: Sequence[Message]) -> Request:
        """The request for a history."""
        if len(history) < len(self._seen) or (self._seen and history[0] is not self._seen[0]):
            self._seen, self._shown = [], []
        for message in history[len(self._seen) :]:
            self._seen.append(message)
            self._shown.append(self._cut(message))
        return self.prepare(self._shown)

    def _cut(self, message: Message) -> Message:
        parts = _end_of_output(message.parts, self.most_output)
        if self.shrink_images:
            parts = tuple(_smaller(part) for part in parts)
        return message if parts == message.parts else replace(message, parts=parts)


def with_last_word(prepare: Prepare, text: str) -> Prepare:
    """The same requests with one more thing said by the user, which is not part of the history."""

    def prepared(history: Sequence[Message]) -> Request:
        request = prepare(history)
        return replace(request, messages=(*request.messages, user_says(text)))

    return prepared


def _end_of_output(parts: tuple[Part, ...], most: int) -> tuple[Part, ...]:
    printed = [part for part in parts if isinstance(part, Output)]
    if most <= 0 or sum(len(part.text) for part in printed) <= most:
        return parts
    text = lmc.end_of("".join(part.text for part in printed), most)
    others = tuple(part for part in parts if not isinstance(part, Output))
    return (Output(text), *others)


def _smaller(part: Part) -> Part:
    face = part.image if isinstance(part, Display) else None
    if face is None or len(face.data) <= LARGEST_PICTURE or isinstance(face.data, str):
        return part
    data = _scaled_down(face.data)
    return Display((Face("image/jpeg", data),)) if data else part


def _scaled_down(data: bytes) -> bytes | None:
    """A picture as JPEG that is small enough; None without Pillow, or if it is no picture."""
    try:
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (optional)
    except ImportError:
        return None
    try:
        picture = Image.open(io.BytesIO(data)).convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
    for side in (2048, 1024, 512):
        picture.thumbnail((side, side))
        small = io.BytesIO()
        picture.save(small, "JPEG", quality=85)
        if small.tell() <= LARGEST_PICTURE:
            return small.getvalue()
    return None
