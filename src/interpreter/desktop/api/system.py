"""`computer.clipboard` and `computer.os`: what programs share, and the programs themselves."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interpreter.desktop.api.screen import picture_from
from interpreter.desktop.hands import Hands
from interpreter.desktop.pictures import encoded
from interpreter.protocol.desktop import Desktop, TargetNotFound, Window

if TYPE_CHECKING:
    from PIL.Image import Image

PNG = "image/png"
TEXT = "text/plain"
COPY_SECONDS = 2.0
LONGEST_NOTICE = 200
HOLD = "cmd" if sys.platform == "darwin" else "ctrl"


class Clipboard:
    """`computer.clipboard`: text and pictures."""

    def __init__(self, desktop: Callable[[], Desktop]) -> None:
        self._desktop = desktop

    def view(self) -> str | Image:
        """What is in it: a text, or a picture."""
        desktop = self._desktop()
        types = desktop.clipboard_types()
        if PNG in types and not any(one.startswith("text/") for one in types):
            return picture_from(desktop.read_clipboard(PNG))
        return desktop.read_clipboard(TEXT).decode("utf-8", "replace")

    def copy(self, text: str | Image | bytes | None = None) -> None:
        """Put a text or a picture into it; without either, what is selected, by its keys."""
        if text is None:
            Hands(self._desktop()).press((HOLD, "c"))
        elif isinstance(text, str):
            self._desktop().write_clipboard(text.encode(), TEXT)
        else:
            self._desktop().write_clipboard(encoded(picture_from(text)), PNG)

    def paste(self) -> None:
        """Press the keys that paste."""
        Hands(self._desktop()).press((HOLD, "v"))


class Os:
    """`computer.os`: programs, their windows, and notices."""

    def __init__(self, desktop: Callable[[], Desktop]) -> None:
        self._desktop = desktop

    def get_selected_text(self) -> str:
        """The text that is selected; copied by its keys where the system does not tell."""
        desktop = self._desktop()
        if selected := desktop.selection():
            return selected
        kind = PNG if PNG in desktop.clipboard_types() else TEXT
        before = desktop.read_clipboard(kind)
        desktop.write_clipboard(b"", TEXT)
        try:
            Hands(desktop).press((HOLD, "c"))
            deadline = time.monotonic() + COPY_SECONDS
            while not (now := desktop.read_clipboard(TEXT)) and time.monotonic() < deadline:
                time.sleep(0.02)  # between two looks: nobody tells
        finally:
            desktop.write_clipboard(before, kind)
        return now.decode("utf-8", "replace")

    def notify(self, text: str) -> None:
        """Show a notice, of at most 200 characters."""
        self._desktop().notify(text[:LONGEST_NOTICE])

    def active_window(self) -> dict[str, Any] | None:
        """The window that has the focus."""
        return next((_told(one) for one in self._desktop().windows() if one.active), None)

    def windows(self) -> list[dict[str, Any]]:
        """The windows that are shown, the one on top last."""
        return [_told(one) for one in self._desktop().windows()]

    def activate(self, title: str) -> dict[str, Any]:
        """Bring the window to the front that has this in its title."""
        for window in reversed(self._desktop().windows()):
            if title.casefold() in window.title.casefold():
                self._desktop().activate(window)
                return _told(window)
        raise TargetNotFound(f"No window has {title!r} in its title.")

    def open(self, app: str) -> None:
        """Start a program, or open a file or an address with the program made for it."""
        self._desktop().open(app)


def _told(window: Window) -> dict[str, Any]:
    box = window.box
    return {"title": window.title, "app": window.app, "active": window.active, "left": box.left,
            "top": box.top, "width": box.width, "height": box.height}  # fmt: skip
