"""The desktop as a port: screen, pointer, keyboard, clipboard, windows, and what is on them.

All coordinates are pixels of the whole desktop, in which a monitor may begin left of or above 0.
"""

from __future__ import annotations

from typing import Literal, Protocol

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.values import frozen

Ability = Literal[
    "screen", "pointer", "keyboard", "clipboard", "windows", "accessibility", "launcher"
]
Button = Literal["left", "middle", "right", "back", "forward"]
CLICKABLE = frozenset({
    "button", "toggle button", "radio button", "check box", "link", "menu item", "menu",
    "check menu item", "radio menu item", "page tab", "list item", "combo box", "tree item",
    "icon", "entry", "text", "password text", "spin button", "slider", "switch", "table cell",
})  # fmt: skip


class DesktopError(InterpreterError):
    """Something about the desktop cannot be done; the text says what to do instead."""


class NoDesktop(DesktopError):
    """There is no display here, or what is needed to use it is not installed."""


class TargetNotFound(DesktopError, ValueError):
    """Nothing on the screen is what was looked for."""


class OutOfRange(DesktopError, ValueError):
    """A point that lies on no monitor."""


@frozen
class Point:
    """A pixel of the desktop."""

    x: int
    y: int


@frozen
class Box:
    """A rectangle of the desktop."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column beyond it."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """The first row beyond it."""
        return self.top + self.height

    @property
    def center(self) -> Point:
        """The point in the middle."""
        return Point(self.left + self.width // 2, self.top + self.height // 2)

    def holds(self, point: Point) -> bool:
        """Whether a point lies in it."""
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom

    def common(self, other: Box) -> Box | None:
        """What it shares with another one, if anything."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None

    def moved(self, x: int, y: int) -> Box:
        """The same size elsewhere."""
        return Box(self.left + x, self.top + y, self.width, self.height)


@frozen
class Monitor:
    """One screen. `scale` is physical pixels per point, where a system tells them apart."""

    name: str
    box: Box
    primary: bool = False
    scale: float = 1.0


@frozen
class Frame:
    """A picture of a part of the desktop: rows of pixels of blue, green, red and one unused byte.

    Where points are not physical pixels, it has more pixels than its box has points.
    """

    box: Box
    pixels: bytes | bytearray
    width: int
    height: int


@frozen
class Window:
    """A window of a program."""

    id: str
    title: str
    app: str
    box: Box
    active: bool = False
    pid: int = 0


@frozen
class Element:
    """Something that a program says is on the screen."""

    name: str
    role: str
    box: Box
    app: str = ""
    window: str = ""
    value: str = ""
    states: frozenset[str] = frozenset()

    @property
    def clickable(self) -> bool:
        """Whether it is of a kind that people click."""
        return self.role in CLICKABLE


@frozen
class Proxy:
    """What a browser reaches everything through."""

    address: str
    password: str


@frozen
class Candidate:
    """Something that was found for a search: where, how, and how well it fits (1 is exactly)."""

    text: str
    box: Box
    how: str
    score: float = 1.0
    role: str = ""
    app: str = ""


class AmbiguousTarget(DesktopError, ValueError):
    """Several things fit equally well: nothing was clicked, and the caller chooses."""

    def __init__(self, wanted: str, candidates: tuple[Candidate, ...]) -> None:
        listed = "; ".join(
            f"{number}. {' '.join(filter(None, (one.role, repr(one.text), one.app)))} "
            f"at ({one.box.center.x}, {one.box.center.y})"
            for number, one in enumerate(candidates, 1)
        )
        super().__init__(
            f"{wanted!r} is there {len(candidates)} times: {listed}. Use one of the points."
        )
        self.candidates = candidates


class Desktop(Protocol):
    """A desktop. What it lacks raises a DesktopError with the remedy."""

    def lacks(self) -> dict[Ability, str]:
        """What cannot be done here, each with the reason and the remedy."""
        ...

    def monitors(self) -> tuple[Monitor, ...]:
        """The screens, the primary one first."""
        ...

    def grab(self, box: Box) -> Frame:
        """A picture of this part of the desktop, as it is now."""
        ...

    def pointer(self) -> Point:
        """Where the pointer is."""
        ...

    def move(self, point: Point) -> None:
        """Put the pointer there at once."""
        ...

    def button(self, button: Button, *, down: bool) -> None:
        """Press or let go of a button of the mouse."""
        ...

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel by notches; down and right are positive."""
        ...

    def key(self, name: str, *, down: bool) -> None:
        """Press or let go of a key by its name; see `keys` for the names."""
        ...

    def type(self, text: str) -> None:
        """Type a text of any letters into what has the focus."""
        ...

    def clipboard_types(self) -> tuple[str, ...]:
        """The media types of what is in the clipboard; text is `text/plain`."""
        ...

    def read_clipboard(self, media_type: str) -> bytes:
        """What is in the clipboard, as this type."""
        ...

    def write_clipboard(self, data: bytes, media_type: str) -> None:
        """Put something into the clipboard."""
        ...

    def selection(self) -> str:
        """The text that is selected now, where the system knows without any key being pressed."""
        ...

    def windows(self) -> tuple[Window, ...]:
        """The windows that are shown, the one on top last."""
        ...

    def activate(self, window: Window) -> None:
        """Bring a window to the front and give it the focus."""
        ...

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """What programs say is shown: in one window, or everywhere."""
        ...

    def notify(self, text: str) -> None:
        """Show a notice."""
        ...

    def open(self, name: str) -> None:
        """Start a program, or open a file or an address with the program made for it."""
        ...

    def close(self) -> None:
        """Let go of the display."""
        ...
