"""A desktop made of data, for tests and for trying things where there is no screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from interpreter.desktop.geometry import monitor_at
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

ONE_MONITOR = (Monitor("fake", Box(0, 0, 800, 600), primary=True),)
BACKGROUND = b"\x60\x60\x60\x00"


class FakeDesktop(Desktop):
    """Elements with boxes on monitors; it draws them, and notes what is done to them."""

    def __init__(
        self,
        elements: Sequence[Element] = (),
        monitors: tuple[Monitor, ...] = ONE_MONITOR,
        on_click: Callable[[FakeDesktop, Element], None] | None = None,
    ) -> None:
        self.shown = list(elements)
        self.done: list[tuple[object, ...]] = []
        self.held: list[str] = []
        self.text = ""
        self.clipboard: dict[str, bytes] = {}
        self.selected = ""
        self.opened: list[str] = []
        self.notices: list[str] = []
        self.window_list: list[Window] = []
        self._monitors = monitors
        self._place = monitors[0].box.center
        self._on_click = on_click

    def lacks(self) -> dict[Ability, str]:
        """Nothing is missing."""
        return {}

    def monitors(self) -> tuple[Monitor, ...]:
        """The screens that it was made with."""
        return self._monitors

    def grab(self, box: Box) -> Frame:
        """Its elements as rectangles, each in a colour of its own."""
        rows = [bytearray(BACKGROUND * box.width) for _ in range(box.height)]
        for element in self.shown:
            seen = element.box.common(box)
            if seen is None:
                continue
            colour = hash((element.name, element.value, *sorted(element.states))) & 0xFFFFFF
            line = (colour.to_bytes(3, "big") + b"\x00") * seen.width
            start = (seen.left - box.left) * 4
            for row in rows[seen.top - box.top : seen.bottom - box.top]:
                row[start : start + len(line)] = line
        return Frame(box, b"".join(rows), box.width, box.height)

    def pointer(self) -> Point:
        """Where the pointer is."""
        return self._place

    def move(self, point: Point) -> None:
        """Put the pointer there."""
        monitor_at(self._monitors, point)
        self._place = point
        self.done.append(("move", point))

    def button(self, button: Button, *, down: bool) -> None:
        """Press or let go; letting go over an element clicks it."""
        self.done.append(("down" if down else "up", button))
        under = [one for one in self.shown if one.box.holds(self._place)]
        if not down and under and self._on_click and button == "left":
            self._on_click(self, under[-1])

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel."""
        self.done.append(("scroll", x, y))

    def key(self, name: str, *, down: bool) -> None:
        """Press or let go of a key."""
        key = key_name(name)
        self.done.append(("key down" if down else "key up", key))
        if down:
            self.held.append(key)
        elif key in self.held:
            self.held.remove(key)

    def type(self, text: str) -> None:
        """Add a text to what was typed."""
        self.done.append(("type", text))
        self.text += text

    def clipboard_types(self) -> tuple[str, ...]:
        """The types in the clipboard."""
        return tuple(self.clipboard)

    def read_clipboard(self, media_type: str) -> bytes:
        """What is in it."""
        return self.clipboard.get(media_type, b"")

    def write_clipboard(self, data: bytes, media_type: str) -> None:
        """Put something into it."""
        self.clipboard = {media_type: data}

    def selection(self) -> str:
        """What is selected."""
        return self.selected

    def windows(self) -> tuple[Window, ...]:
        """The windows that it was given."""
        return tuple(self.window_list)

    def activate(self, window: Window) -> None:
        """Make a window the active one."""
        self.window_list = [replace(one, active=one.id == window.id) for one in self.window_list]

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """What is shown."""
        return tuple(one for one in self.shown if window is None or one.window == window.title)

    def notify(self, text: str) -> None:
        """Keep a notice."""
        self.notices.append(text)

    def open(self, name: str) -> None:
        """Note what was opened."""
        if not name:
            raise DesktopError("There is no program '' here.")
        self.opened.append(name)

    def close(self) -> None:
        """Nothing is held."""
