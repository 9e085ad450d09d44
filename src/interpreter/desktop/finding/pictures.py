"""Finding a picture that was saved before, such as an icon, also at another size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interpreter.desktop.finding.reading import EXTRA
from interpreter.protocol.desktop import Box, Candidate, DesktopError, Frame

if TYPE_CHECKING:
    from PIL.Image import Image

SCALES = (1.0, 1.25, 0.8, 1.5, 0.667, 2.0, 0.5)
SURE = 0.9
SAME = 0.985


def find_picture(frame: Frame, picture: Image) -> tuple[Candidate, ...]:
    """Where a picture is in a frame, the best place first."""
    try:
        import cv2  # noqa: PLC0415  (an extra)
        import numpy  # noqa: PLC0415
    except ImportError as error:
        raise DesktopError(EXTRA) from error
    pixels = numpy.frombuffer(frame.pixels, numpy.uint8).reshape(frame.height, frame.width, 4)
    screen = cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY)
    template = cv2.cvtColor(numpy.asarray(picture.convert("RGB")), cv2.COLOR_RGB2GRAY)
    found: list[Candidate] = []
    for scale in SCALES:
        sized = cv2.resize(template, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        height, width = sized.shape
        if height > frame.height or width > frame.width or min(height, width) < 6:
            continue
        fits = cv2.matchTemplate(screen, sized, cv2.TM_CCOEFF_NORMED)
        _, top, _, (left, row) = cv2.minMaxLoc(fits)
        if top >= SURE:
            box = Box(frame.box.left + left, frame.box.top + row, width, height)
            found.append(Candidate("picture", box, "picture", float(top)))
        if top >= SAME:
            break
    return tuple(sorted(found, key=lambda one: -one.score))
