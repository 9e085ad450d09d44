"""Models that are sent something else than was kept, such as large pictures made smaller."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace

from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Display, Face, Message, Part
from interpreter.protocol.ports import Model, Request

LARGEST_PICTURE = 3_750_000  # bytes; as a data URL that is the 5 MB which providers accept
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MOST_PIXELS = 50_000_000


class RewrittenModel:
    """A model that is sent other messages than were kept."""

    def __init__(
        self, model: Model, rewrite: Callable[[tuple[Message, ...]], tuple[Message, ...]]
    ) -> None:
        self.name, self.capabilities = model.name, model.capabilities
        self.model = model
        self._rewrite = rewrite

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        messages = self._rewrite(tuple(request.messages))
        return self.model.stream(replace(request, messages=messages), interrupt)

    def close(self) -> None:
        """Close the model."""
        self.model.close()


class OneByOne:
    """Rewrites each message by itself, and once.

    One that was sent before is the same object again: models encode each only once.
    """

    def __init__(self, rewrite: Callable[[Message], Message]) -> None:
        self._rewrite = rewrite
        self._kept: tuple[Message, ...] = ()
        self._sent: tuple[Message, ...] = ()

    def __call__(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """What is sent for these messages."""
        known = len(self._kept)
        if messages[:known] != self._kept:  # the same objects, almost always: no look inside
            pairs = enumerate(zip(messages, self._kept, strict=False))
            least = min(known, len(messages))
            known = next((at for at, (new, old) in pairs if new is not old), least)
        self._sent = (*self._sent[:known], *map(self._rewrite, messages[known:]))
        self._kept = messages
        return self._sent


def with_small_pictures(model: Model) -> RewrittenModel:
    """A model that is shown smaller pictures than were kept."""
    return RewrittenModel(model, OneByOne(lambda message: with_parts(message, _smaller)))


def with_parts(message: Message, change: Callable[[Part], Part]) -> Message:
    """The message with each part changed; the same object if none was."""
    parts = tuple(map(change, message.parts))
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
