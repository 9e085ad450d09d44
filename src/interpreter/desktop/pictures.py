"""Frames of the screen as pictures that can be looked at, sent, marked and compared."""

from __future__ import annotations

import io
import time
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from interpreter.protocol.desktop import Box, Candidate, Desktop, Frame, NoDesktop, Point
from interpreter.protocol.errors import install_command

if TYPE_CHECKING:
    from PIL.Image import Image

STILL_SECONDS = 0.12  # how long a frame must stay the same to be called still
LONGEST_WAIT = 2.0
LOOK_SECONDS = 0.03
QUALITY = 82


def image_of(frame: Frame) -> Image:
    """The frame as a picture of Pillow."""
    try:
        from PIL import Image  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise NoDesktop(f"Pictures need Pillow: {install_command('os')}.") from error
    size = (frame.width, frame.height)
    return Image.frombuffer("RGB", size, frame.pixels, "raw", "BGRX", 0, 1)


def jpeg(frame: Frame, size: tuple[int, int] | None = None) -> bytes:
    """The frame for a model: small enough to send, and made in milliseconds."""
    picture: Any = image_of(frame)
    if size and size != picture.size:
        picture = picture.resize(size, resample=4, reducing_gap=None)  # 4: the mean of each area
    return encoded(picture, "JPEG")


def encoded(picture: Image, kind: str = "PNG") -> bytes:
    """A picture as a file's bytes."""
    buffer = io.BytesIO()
    options = {"quality": QUALITY} if kind == "JPEG" else {"compress_level": 1}
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def cropped(frame: Frame, box: Box) -> Frame:
    """A part of a frame."""
    x, y = frame.width / frame.box.width, frame.height / frame.box.height
    left, right = int((box.left - frame.box.left) * x), int((box.right - frame.box.left) * x)
    top, bottom = int((box.top - frame.box.top) * y), int((box.bottom - frame.box.top) * y)
    rows = (
        frame.pixels[(row * frame.width + left) * 4 : (row * frame.width + right) * 4]
        for row in range(top, bottom)
    )
    return Frame(box, b"".join(rows), right - left, bottom - top)


def marked(frame: Frame, candidates: Sequence[Candidate]) -> Image:
    """The frame with a numbered box around each candidate."""
    from PIL import ImageDraw, ImageFont  # noqa: PLC0415  (an extra)

    picture = image_of(frame).copy()
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=15)
    for number, one in enumerate(candidates, 1):
        left, top = one.box.left - frame.box.left, one.box.top - frame.box.top
        draw.rectangle(
            (left, top, left + one.box.width, top + one.box.height), outline="red", width=2
        )
        # Within its own box, so that it is not taken for a number of what is above.
        draw.rectangle((left, top, left + 9 * len(str(number)) + 8, top + 19), fill="red")
        draw.text((left + 5, top + 1), str(number), fill="white", font=font)
    return picture


def with_cross(frame: Frame, point: Point) -> Image:
    """The frame with a mark where something would be clicked."""
    from PIL import ImageDraw  # noqa: PLC0415  (an extra)

    picture = image_of(frame).copy()
    draw = ImageDraw.Draw(picture)
    x, y = point.x - frame.box.left, point.y - frame.box.top
    draw.ellipse((x - 14, y - 14, x + 14, y + 14), outline="red", width=3)
    draw.line((x - 22, y, x + 22, y), fill="red", width=2)
    draw.line((x, y - 22, x, y + 22), fill="red", width=2)
    return picture


def still_frame(desktop: Desktop, box: Box, longest: float = LONGEST_WAIT) -> Frame:
    """What is shown once nothing moves any more; what is shown then, if something always does."""
    deadline = time.monotonic() + longest
    frame = desktop.grab(box)
    digest, since = zlib.crc32(frame.pixels), time.monotonic()
    while time.monotonic() < min(deadline, since + STILL_SECONDS):
        time.sleep(LOOK_SECONDS)  # between two looks
        frame = desktop.grab(box)
        now = zlib.crc32(frame.pixels)
        if now != digest:
            digest, since = now, time.monotonic()
    return frame


def changed_box(before: Frame, after: Frame) -> Box | None:
    """The smallest box around what differs; None when nothing does."""
    if before.box != after.box or (before.width, before.height) != (after.width, after.height):
        return after.box
    if before.pixels == after.pixels:
        return None
    from PIL import ImageChops  # noqa: PLC0415  (an extra)

    found = ImageChops.difference(image_of(before), image_of(after)).getbbox()
    if found is None:
        return None
    x, y = after.box.width / after.width, after.box.height / after.height
    left, top = int(found[0] * x), int(found[1] * y)
    right, bottom = int(found[2] * x + 0.5), int(found[3] * y + 0.5)
    return Box(
        after.box.left + left, after.box.top + top, max(1, right - left), max(1, bottom - top)
    )
