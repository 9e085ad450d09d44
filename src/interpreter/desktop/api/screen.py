"""`computer.display` and `computer.vision`: seeing."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.finding.pictures import find_picture
from interpreter.desktop.geometry import whole
from interpreter.desktop.pictures import encoded, image_of
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import (
    Box,
    Candidate,
    Desktop,
    DesktopError,
    Frame,
    Monitor,
    TargetNotFound,
)

if TYPE_CHECKING:
    from PIL.Image import Image

Ask = Callable[[str, str | None], str]
QUADRANTS = {1: (0, 0), 2: (1, 0), 3: (0, 1), 4: (1, 1)}
LARGEST_PICTURE = 1 << 26
MOST_PIXELS = 40_000_000  # more than the largest screens have
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")  # Pillow knows others, which start programs
DESCRIBE = "Describe this picture."


class Display:
    """`computer.display`: what the monitors show."""

    def __init__(self, desktop: Callable[[], Desktop], finder: Callable[[], Finder]) -> None:
        self._desktop = desktop
        self._finder = finder

    @property
    def width(self) -> int:
        """Of the primary monitor."""
        return self._monitor(0).box.width

    @property
    def height(self) -> int:
        """Of the primary monitor."""
        return self._monitor(0).box.height

    def size(self) -> tuple[int, int]:
        """Width and height of the primary monitor."""
        return self.width, self.height

    def center(self) -> tuple[int, int]:
        """The point in the middle of the primary monitor."""
        point = self._monitor(0).box.center
        return point.x, point.y

    def info(self) -> list[dict[str, Any]]:
        """All monitors: name, place, size, scale, and which is the primary one."""
        return [
            {"name": one.name, "left": one.box.left, "top": one.box.top, "width": one.box.width,
             "height": one.box.height, "scale": one.scale, "primary": one.primary}
            for one in self._desktop().monitors()
        ]  # fmt: skip

    def screenshot(
        self, screen: int = 0, show: bool = True, quadrant: int | None = None,
        active_app_only: bool = False, combine_screens: bool = False,
    ) -> Image:  # fmt: skip
        """A picture of a monitor, or of the active window, a quarter, or all monitors together."""
        return image_of(
            self._desktop().grab(self._part(screen, quadrant, active_app_only, combine_screens))
        )

    def view(
        self, show: bool = True, quadrant: int | None = None, screen: int = 0,
        combine_screens: bool = False, active_app_only: bool = False,
    ) -> Image:  # fmt: skip
        """The same."""
        return self.screenshot(screen, show, quadrant, active_app_only, combine_screens)

    def find(self, description: str, screenshot: Image | None = None) -> list[dict[str, Any]]:
        """Where something is, by its name or the text on it."""
        return self.find_text(description.strip().strip("\"'"), screenshot)

    def find_text(self, text: str, screenshot: Image | None = None) -> list[dict[str, Any]]:
        """Where a text is: `point` in pixels, `coordinates` as parts of all monitors together."""
        around = whole(self._desktop().monitors())
        try:
            found = self._finder().candidates(text)
        except TargetNotFound:
            return []
        return [_told(one, around) for one in found]

    def find_picture(self, picture: Image | bytes) -> list[dict[str, Any]]:
        """Where a picture that was saved before is, such as an icon."""
        around = whole(self._desktop().monitors())
        wanted = picture_from(picture)
        return [_told(one, around) for one in find_picture(self._desktop().grab(around), wanted)]

    def get_text_as_list_of_lists(self, screenshot: Image | None = None) -> list[list[str]]:
        """The words that are shown, line by line."""
        found = self._finder().read(whole(self._desktop().monitors()))
        return [one.text.split() for one in found]

    def _monitor(self, number: int) -> Monitor:
        monitors = self._desktop().monitors()
        if not 0 <= number < len(monitors):
            raise DesktopError(f"There is no screen {number}; there are {len(monitors)}, from 0.")
        return monitors[number]

    def _part(
        self, screen: int, quadrant: int | None, active_app_only: bool, combine_screens: bool
    ) -> Box:
        around = whole(self._desktop().monitors())
        if active_app_only:
            active = next((one for one in self._desktop().windows() if one.active), None)
            box = (active.box.common(around) if active else None) or around
        else:
            box = around if combine_screens or screen < 0 else self._monitor(screen).box
        if quadrant is None:
            return box
        if quadrant not in QUADRANTS:
            raise DesktopError("A quadrant is 1, 2, 3 or 4.")
        column, row = QUADRANTS[quadrant]
        half, middle = box.width // 2, box.height // 2
        return Box(box.left + column * half, box.top + row * middle, half, middle)


class Vision:
    """`computer.vision`: pictures as text, read on this machine or by the session's model."""

    def __init__(self, finder: Callable[[], Finder], ask: Ask) -> None:
        self._finder = finder
        self._ask = ask

    def load(self, load_moondream: bool = True, load_easyocr: bool = True) -> bool:
        """Nothing has to be loaded: it happens by itself when it is needed."""
        return True

    def ocr(
        self, base_64: str | None = None, path: str | None = None,
        lmc: dict[str, Any] | None = None, pil_image: Image | bytes | None = None,
    ) -> str:  # fmt: skip
        """The text in a picture, read locally."""
        picture = _given(base_64, path, lmc, pil_image).convert("RGB")
        box = Box(0, 0, *picture.size)
        return "\n".join(
            line.text for line in self._finder().read_frame(
                Frame(box, picture.tobytes("raw", "BGRX"), *picture.size))
        )  # fmt: skip

    def query(
        self, query: str = DESCRIBE, base_64: str | None = None, path: str | None = None,
        lmc: dict[str, Any] | None = None, pil_image: Image | bytes | None = None,
    ) -> str:  # fmt: skip
        """What the session's model says about a picture."""
        picture = _given(base_64, path, lmc, pil_image)
        return self._ask(query, base64.b64encode(encoded(picture.convert("RGB"))).decode())


def picture_from(given: Image | bytes) -> Image:
    """A picture, or the bytes of its file."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (an extra)

    if not isinstance(given, bytes):
        return given
    try:
        picture = Image.open(io.BytesIO(given), formats=FORMATS)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise DesktopError(f"This is no picture: {error}") from error
    if picture.width * picture.height > MOST_PIXELS:  # a few bytes can say that they are millions
        raise DesktopError(f"The picture is too large: {picture.width} by {picture.height}.")
    return picture


def _given(
    base_64: str | None, path: str | None, lmc: dict[str, Any] | None, image: Image | bytes | None
) -> Image:
    if image is not None:
        return picture_from(image)
    if lmc is not None:
        kind, content = str(lmc.get("format", "")), str(lmc.get("content", ""))
        base_64, path = (None, content) if kind == "path" else (content, None)
    if path is not None:
        file = safe_files.named_by_user(Path(path), Path.cwd())
        return picture_from(safe_files.read_bytes(file, LARGEST_PICTURE))
    try:
        return picture_from(base64.b64decode((base_64 or "").rpartition(",")[2], validate=True))
    except binascii.Error as error:
        raise DesktopError(f"The picture is not in base64: {error}") from error


def _told(found: Candidate, around: Box) -> dict[str, Any]:
    point = found.box.center
    part = (
        (point.x - around.left) / around.width,
        (point.y - around.top) / around.height,
    )
    return {"coordinates": part, "point": (point.x, point.y), "text": found.text,
            "similarity": round(found.score, 3), "how": found.how, "role": found.role}  # fmt: skip
