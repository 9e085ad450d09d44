"""macOS and Windows by mss, pynput and the systems' own commands. Nobody has run this yet.

It is as small as can be: pictures, pointer, keys, text and the clipboard's text.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from interpreter.desktop import programs
from interpreter.desktop.keys import key_name
from interpreter.protocol.desktop import (
    Ability,
    Box,
    Button,
    Desktop,
    DesktopError,
    Element,
    Frame,
    Monitor,
    Point,
    Window,
)

NOT_YET = "This is not there on macOS and Windows yet."
COPY = {"darwin": ("pbcopy",), "win32": ("clip",)}
PASTE = {
    "darwin": ("pbpaste",),
    "win32": ("powershell", "-NoProfile", "-Command", "Get-Clipboard -Raw"),
}
OPEN = {"darwin": ("open", "-a"), "win32": ("explorer",)}
KEYS = {
    "Control_L": "ctrl", "Shift_L": "shift", "Alt_L": "alt", "Super_L": "cmd", "Return": "enter",
    "Tab": "tab", "space": "space", "Escape": "esc", "BackSpace": "backspace", "Delete": "delete",
    "Prior": "page_up", "Next": "page_down", "Caps_Lock": "caps_lock",
}  # fmt: skip


class OtherDesktop(Desktop):
    """The desktop of a system that is not X11 or Wayland."""

    def __init__(self) -> None:
        from mss import MSS  # noqa: PLC0415  (an extra)
        from pynput import keyboard, mouse  # noqa: PLC0415  (an extra)

        self._camera: Any = MSS()
        self._mouse: Any = mouse.Controller()
        self._keyboard: Any = keyboard.Controller()
        self._buttons: Any = mouse.Button
        self._keys: Any = keyboard.Key

    def lacks(self) -> dict[Ability, str]:
        """What cannot be done here."""
        return {"windows": NOT_YET, "accessibility": NOT_YET}

    def monitors(self) -> tuple[Monitor, ...]:
        """The screens."""
        return tuple(
            Monitor(f"monitor {number}", Box(one["left"], one["top"], one["width"], one["height"]),
                    primary=number == 1)
            for number, one in enumerate(self._camera.monitors[1:], 1)
        )  # fmt: skip

    def grab(self, box: Box) -> Frame:
        """A picture; on HiDPI screens it has more pixels than the box has points."""
        shot = self._camera.grab((box.left, box.top, box.right, box.bottom))
        return Frame(box, bytes(shot.raw), shot.width, shot.height)

    def pointer(self) -> Point:
        """Where the pointer is."""
        x, y = self._mouse.position
        return Point(int(x), int(y))

    def move(self, point: Point) -> None:
        """Put the pointer there."""
        self._mouse.position = (point.x, point.y)

    def button(self, button: Button, *, down: bool) -> None:
        """Press or let go of a button."""
        act = self._mouse.press if down else self._mouse.release
        act(getattr(self._buttons, button, self._buttons.left))

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel."""
        self._mouse.scroll(x, -y)

    def key(self, name: str, *, down: bool) -> None:
        """Press or let go of a key."""
        key = key_name(name)
        known = KEYS.get(key, key.lower())
        act = self._keyboard.press if down else self._keyboard.release
        act(key if len(key) == 1 else getattr(self._keys, known))

    def type(self, text: str) -> None:
        """Type a text."""
        self._keyboard.type(text)

    def clipboard_types(self) -> tuple[str, ...]:
        """Text alone."""
        return ("text/plain",)

    def read_clipboard(self, media_type: str) -> bytes:
        """The text in it."""
        if media_type != "text/plain":
            _cannot()
        return programs.read(PASTE[sys.platform], os.environ)

    def write_clipboard(self, data: bytes, media_type: str) -> None:
        """Put a text into it."""
        if media_type != "text/plain":
            _cannot()
        programs.feed(COPY[sys.platform], data, os.environ)

    def selection(self) -> str:
        """Nobody tells without a key being pressed."""
        return ""

    def windows(self) -> tuple[Window, ...]:
        """Not there yet."""
        _cannot()

    def activate(self, window: Window) -> None:
        """Not there yet."""
        _cannot()

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """Not there yet."""
        _cannot()

    def notify(self, text: str) -> None:
        """Show a notice."""
        script = "on run argv\ndisplay notification (item 1 of argv)\nend run"
        if sys.platform != "darwin":
            _cannot()
        programs.read(("osascript", "-e", script, text), os.environ)

    def open(self, name: str) -> None:
        """Open a program or a file."""
        programs.read((*OPEN[sys.platform], name), os.environ)

    def close(self) -> None:
        """Let go of the screen."""
        self._camera.close()


def _cannot() -> NoReturn:
    raise DesktopError(NOT_YET)
