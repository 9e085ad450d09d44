"""The whole of an X11 desktop behind the port."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from interpreter.desktop import programs
from interpreter.desktop.accessibility import Accessibility
from interpreter.desktop.keys import key_name
from interpreter.desktop.x11.keyboard import X11Keyboard
from interpreter.desktop.x11.windows import Windows
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

BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
HELD: dict[Button, int] = {"left": 1 << 8, "middle": 1 << 9, "right": 1 << 10}
"""Which bit of a pointer's mask says that a button is down."""
UP, DOWN, LEFT, RIGHT = 4, 5, 6, 7  # the wheel's notches are buttons, too
MOST_NOTCHES = 200
FOCUS_SECONDS = 1.0  # for a window manager to hand a click on, and the focus with it


class X11Desktop(Desktop):
    """One X11 display: mss for pictures, XTEST for input, AT-SPI for what is shown."""

    def __init__(self, name: str) -> None:
        from Xlib import display, error  # noqa: PLC0415  (an extra)

        try:
            self._display: Any = display.Display(name)
        except (error.DisplayError, OSError) as reason:
            raise NoDesktop(f"The X11 display {name!r} cannot be reached: {reason}.") from reason
        if not self._display.has_extension("XTEST"):
            raise NoDesktop(f"The X11 display {name!r} has no XTEST, so nothing can be clicked.")
        self._name = name
        self._root = self._display.screen().root
        self._lock = threading.RLock()
        self._keyboard = X11Keyboard(self._display)
        self._windows = Windows(self._display)
        self._clicked = 0
        self._let_go = 0
        self._camera: Any = None
        self._accessibility = Accessibility()

    def lacks(self) -> dict[Ability, str]:
        """What cannot be done here."""
        missing: dict[Ability, str] = {}
        if not programs.first("xclip", "xsel"):
            missing["clipboard"] = "Install xclip for the clipboard."
        if why := self._accessibility.unavailable():
            missing["accessibility"] = why
        return missing

    def monitors(self) -> tuple[Monitor, ...]:
        """The screens as RandR has them now."""
        with self._lock:
            if not self._display.has_extension("RANDR"):
                return (Monitor("screen", self._whole(), primary=True),)
            listed = self._root.xrandr_get_monitors().monitors
            found = [
                Monitor(
                    self._display.get_atom_name(one.name),
                    Box(one.x, one.y, one.width_in_pixels, one.height_in_pixels),
                    primary=bool(one.primary),
                )
                for one in listed
            ]
        found.sort(key=lambda one: (not one.primary, one.box.left, one.box.top))
        return tuple(found) or (Monitor("screen", self._whole(), primary=True),)

    def grab(self, box: Box) -> Frame:
        """A picture of this part."""
        from mss import MSS, ScreenShotError  # noqa: PLC0415  (an extra)

        with self._lock:
            if self._camera is None:
                self._camera = MSS(display=self._name)
            try:
                shot = self._camera.grab((box.left, box.top, box.right, box.bottom))
            except ScreenShotError as error:
                raise DesktopError(f"The screen cannot be read there: {error}") from error
        return Frame(box, shot.raw, shot.width, shot.height)

    def pointer(self) -> Point:
        """Where the pointer is."""
        with self._lock:
            place = self._root.query_pointer()
        return Point(place.root_x, place.root_y)

    def move(self, point: Point) -> None:
        """Put the pointer there at once."""
        from Xlib import X  # noqa: PLC0415

        with self._lock:
            self._await_focus()
            self._display.xtest_fake_input(X.MotionNotify, 0, x=point.x, y=point.y)
            self._display.sync()

    def button(self, button: Button, *, down: bool) -> None:
        """Press or let go of a button."""
        with self._lock:
            bit = HELD.get(button, 0)
            self._let_go = self._let_go & ~bit if down else self._let_go | bit
            if down:
                under = self._windows.under_pointer()
                # What has the focus already may have opened another window before a key comes.
                self._clicked = under if under and self._windows.will_get_focus(under) else 0
            self._press(BUTTONS[button], down=down)
            self._display.sync()

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel."""
        with self._lock:
            for notches, back, on in ((x, LEFT, RIGHT), (y, UP, DOWN)):
                for _ in range(min(abs(notches), MOST_NOTCHES)):
                    self._press(on if notches > 0 else back, down=True)
                    self._press(on if notches > 0 else back, down=False)
            self._display.sync()

    def key(self, name: str, *, down: bool) -> None:
        """Press or let go of a key."""
        with self._lock:
            self._await_focus()
            self._keyboard.key(key_name(name), down=down)

    def type(self, text: str) -> None:
        """Type a text."""
        with self._lock:
            self._await_focus()
            self._keyboard.type(text)

    def clipboard_types(self) -> tuple[str, ...]:
        """The types of what is in the clipboard."""
        listed = self._read("TARGETS").decode("ascii", "replace").split()
        types = ["text/plain"] if {"UTF8_STRING", "STRING"} & set(listed) else []
        return (*types, *(one for one in listed if "/" in one and one != "text/plain"))

    def read_clipboard(self, media_type: str) -> bytes:
        """What is in it."""
        return self._read("UTF8_STRING" if media_type == "text/plain" else media_type)

    def write_clipboard(self, data: bytes, media_type: str) -> None:
        """Put something into it; a program of its own holds it from then on."""
        self._keys_first()
        target = "UTF8_STRING" if media_type == "text/plain" else media_type
        words = ("xclip", "-in", "-selection", "clipboard", "-target", target)
        programs.feed(words, data, self._environment())

    def selection(self) -> str:
        """The primary selection."""
        self._keys_first()
        words = ("xclip", "-out", "-selection", "primary", "-target", "UTF8_STRING")
        return programs.read(words, self._environment(), empty_on_failure=True).decode(
            "utf-8", "replace"
        )

    def windows(self) -> tuple[Window, ...]:
        """The windows, the one on top last."""
        with self._lock:
            return self._windows.all()

    def activate(self, window: Window) -> None:
        """Bring a window to the front."""
        with self._lock:
            self._windows.activate(window)
            self._clicked = int(window.id)

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """What programs say is shown."""
        return self._accessibility.elements(self.windows(), window)

    def notify(self, text: str) -> None:
        """Show a notice."""
        programs.read(("notify-send", "--", text), self._environment())

    def open(self, name: str) -> None:
        """Start a program, or open a file or address; browsers tell what they show from then on."""
        self._accessibility.unavailable()
        programs.open_with_system(name, self._environment())

    def close(self) -> None:
        """Let go of the display."""
        with self._lock:
            if self._camera is not None:
                self._camera.close()
            self._accessibility.close()
            self._keyboard.give_back()
            self._display.close()

    def _await_focus(self) -> None:
        """Wait until a click has arrived, and the window that was clicked has the focus.

        A window manager sees a click first. Keys that come before it has handed it on go to what
        had the focus, and so does the click itself when the pointer is elsewhere by then.
        """
        deadline = time.monotonic() + FOCUS_SECONDS
        while self._is_on_its_way() and time.monotonic() < deadline:
            time.sleep(0.002)  # between two looks
        self._clicked = self._let_go = 0

    def _keys_first(self) -> None:
        """Wait until the keys that came before have been read: they may select, copy or paste."""
        with self._lock:
            self._keyboard.until_read()

    def _is_on_its_way(self) -> bool:
        """Whether the server holds a button down that was let go, or the focus comes yet."""
        if self._let_go and self._root.query_pointer().mask & self._let_go:
            return True
        return self._clicked != 0 and self._windows.will_get_focus(self._clicked)

    def _press(self, number: int, *, down: bool) -> None:
        from Xlib import X  # noqa: PLC0415

        self._display.xtest_fake_input(X.ButtonPress if down else X.ButtonRelease, number)

    def _whole(self) -> Box:
        screen = self._display.screen()
        return Box(0, 0, screen.width_in_pixels, screen.height_in_pixels)

    def _read(self, target: str) -> bytes:
        self._keys_first()
        words = ("xclip", "-out", "-selection", "clipboard", "-target", target)
        return programs.read(words, self._environment(), empty_on_failure=True)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "DISPLAY": self._name}
