"""Wayland, as far as a compositor lets other programs: pictures, keys, text and the clipboard.

No protocol that all compositors share moves the pointer or lists windows; those calls say so.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import NoReturn

from interpreter.desktop import programs
from interpreter.desktop.accessibility import Accessibility
from interpreter.desktop.keys import MODIFIERS, key_name
from interpreter.protocol.desktop import (
    Ability,
    Box,
    Button,
    Desktop,
    DesktopError,
    Element,
    Frame,
    Monitor,
    NoDesktop,
    Point,
    Window,
)
from interpreter.protocol.errors import install_command

POINTER = (
    "Wayland lets no other program move the pointer here; use the keyboard or accessibility, "
    "or log in to an X11 session."
)
WINDOWS = "Wayland tells no other program which windows there are; log in to an X11 session."
TOOLS: dict[Ability, str] = {"screen": "grim", "keyboard": "wtype", "clipboard": "wl-copy"}
HELD = {"Control_L": "ctrl", "Shift_L": "shift", "Alt_L": "alt", "Super_L": "logo"}


class WaylandDesktop(Desktop):
    """A compositor of the wlroots family, through grim, wtype and wl-clipboard."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._accessibility = Accessibility()
        self._held: list[str] = []

    def lacks(self) -> dict[Ability, str]:
        """What cannot be done here."""
        missing: dict[Ability, str] = {"pointer": POINTER, "windows": WINDOWS}
        for ability, tool in TOOLS.items():
            if not programs.first(tool):
                missing[ability] = f"Install {programs.PACKAGES.get(tool, tool)}."
        if why := self._accessibility.unavailable():
            missing["accessibility"] = why
        return missing

    def monitors(self) -> tuple[Monitor, ...]:
        """The outputs, as sway tells; else one, of the size of a picture of everything."""
        if programs.first("swaymsg"):
            listed = json.loads(
                programs.read(("swaymsg", "-t", "get_outputs", "-r"), self._environment)
            )
            return tuple(
                Monitor(one["name"], Box(*(one["rect"][k] for k in ("x", "y", "width", "height"))),
                        primary=not number, scale=one.get("scale") or 1.0)
                for number, one in enumerate(one for one in listed if one.get("active"))
            )  # fmt: skip
        picture = self._picture(())
        return (Monitor("all", Box(0, 0, *picture.size), primary=True),)

    def grab(self, box: Box) -> Frame:
        """A picture by grim."""
        picture = self._picture(("-g", f"{box.left},{box.top} {box.width}x{box.height}"))
        return Frame(box, picture.convert("RGB").tobytes("raw", "BGRX"), *picture.size)

    def _picture(self, options: tuple[str, ...]):  # type: ignore[no-untyped-def]  # noqa: ANN202
        try:
            from PIL import Image  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise NoDesktop(f"Pictures need Pillow: {install_command('os')}.") from error
        try:
            data = programs.read(("grim", *options, "-t", "ppm", "-"), self._environment)
        except DesktopError as error:
            raise DesktopError(
                f"{error} GNOME and KDE show their screen only to their own tools: "
                "log in to an X11 session there."
            ) from error
        return Image.open(io.BytesIO(data))

    def pointer(self) -> Point:
        """Nobody tells."""
        _cannot(POINTER)

    def move(self, point: Point) -> None:
        """Nobody may."""
        _cannot(POINTER)

    def button(self, button: Button, *, down: bool) -> None:
        """Nobody may."""
        _cannot(POINTER)

    def scroll(self, x: int, y: int) -> None:
        """Nobody may."""
        _cannot(POINTER)

    def key(self, name: str, *, down: bool) -> None:
        """Press a key with the modifiers that are held; wtype lets go of all when it ends."""
        key = key_name(name)
        if key in MODIFIERS:
            (self._held.append if down else self._held.remove)(key)
            return
        if down:
            around = [HELD[one] for one in self._held]
            words = ["wtype", *(w for m in around for w in ("-M", m)), "-k", key]
            programs.read((*words, *(w for m in around for w in ("-m", m))), self._environment)

    def type(self, text: str) -> None:
        """Type a text; the pause before it is for programs that miss the first key otherwise."""
        programs.read(("wtype", "-k", "Shift_L", "-s", "80", "--", text), self._environment)

    def clipboard_types(self) -> tuple[str, ...]:
        """The types in the clipboard."""
        listed = programs.read(
            ("wl-paste", "--list-types"), self._environment, empty_on_failure=True
        )
        return tuple(listed.decode("utf-8", "replace").split())

    def read_clipboard(self, media_type: str) -> bytes:
        """What is in it."""
        words = ("wl-paste", "--no-newline", "--type", media_type)
        return programs.read(words, self._environment, empty_on_failure=True)

    def write_clipboard(self, data: bytes, media_type: str) -> None:
        """Put something into it."""
        programs.feed(("wl-copy", "--type", media_type), data, self._environment)

    def selection(self) -> str:
        """The primary selection."""
        words = ("wl-paste", "--primary", "--no-newline")
        found = programs.read(words, self._environment, empty_on_failure=True)
        return found.decode("utf-8", "replace")

    def windows(self) -> tuple[Window, ...]:
        """Nobody tells."""
        _cannot(WINDOWS)

    def activate(self, window: Window) -> None:
        """Nobody may."""
        _cannot(WINDOWS)

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """What programs say is shown; boxes may count from their own window."""
        return self._accessibility.elements((), window)

    def notify(self, text: str) -> None:
        """Show a notice."""
        programs.read(("notify-send", "--", text), self._environment)

    def open(self, name: str) -> None:
        """Start a program, or open a file or address."""
        programs.open_with_system(name, self._environment)

    def close(self) -> None:
        """Leave the bus."""
        self._accessibility.close()


def _cannot(why: str) -> NoReturn:
    raise DesktopError(why)
