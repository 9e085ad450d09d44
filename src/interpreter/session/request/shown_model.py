"""What the model is shown of the conversation: large pictures made smaller."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Display, Face, Message, Part
from interpreter.protocol.ports import Model, Request

LARGEST_PICTURE = 3_750_000  # bytes; as a data URL that is the 5 MB which providers accept
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MOST_PIXELS = 50_000_000


class ShownModel:
    """A model that is shown smaller pictures than were kept.

    A message that was shown before is the same object again: models encode each only once.
    """

    def __init__(self, model: Model) -> None:
        self.name, self.capabilities = model.name, model.capabilities
        self.model = model
        self._kept: tuple[Message, ...] = ()
        self._shown: tuple[Message, ...] = ()

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        return self.model.stream(replace(request, messages=self._view(request)), interrupt)

    def close(self) -> None:
        """Close the model."""
        self.model.close()

    def _view(self, request: Request) -> tuple[Message, ...]:
        messages, known = tuple(request.messages), len(self._kept)
        if messages[:known] != self._kept:  # the same objects, almost always: no look inside
            pairs = enumerate(zip(messages, self._kept, strict=False))
            least = min(known, len(messages))
            known = next((at for at, (new, old) in pairs if new is not old), least)
        self._shown = (*self._shown[:known], *(self._cut(new) for new in messages[known:]))
        self._kept = messages
        return self._shown

    def _cut(self, message: Message) -> Message:
        parts = tuple(_smaller(part) for part in message.parts)
        return message if parts == message.parts else replace(message, parts=parts)


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
        # No other formats: some of them run programs, and the picture may be anybody's.
        file = Image.open(io.BytesIO(data), formats=FORMATS)
        if file.width * file.height > MOST_PIXELS:
            return None
        picture = file.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
    for side in (2048, 1024, 512):
        picture.thumbnail((side, side))
        small = io.BytesIO()
        picture.save(small, "JPEG", quality=85)
        if small.tell() <= LARGEST_PICTURE:
            return small.getvalue()
    return None
