"""The key that stops everything: what it does to a turn, and to code that uses the desktop."""

from __future__ import annotations

from interpreter.protocol.desktop import Button, Desktop, DesktopError, Point
from interpreter.protocol.interrupt import Interrupt

PIECE = 400  # letters that are typed at once
STOPPED = "Everything on the desktop was stopped by its key. Say 'go on' to continue."


class Emergency:
    """Whether the user has pressed it. The next turn begins anew."""

    def __init__(self) -> None:
        self._interrupt: Interrupt | None = None
        self._before_any_turn = False

    def serve(self, interrupt: Interrupt) -> None:
        """The turn that is to be stopped."""
        if self._before_any_turn:
            self._before_any_turn = False
            interrupt.request()
        self._interrupt = interrupt

    def press(self) -> None:
        """Stop now; from any thread."""
        if self._interrupt is None:
            self._before_any_turn = True
        else:
            self._interrupt.request()

    @property
    def pressed(self) -> bool:
        """Whether nothing may be done any more."""
        return self._before_any_turn or (self._interrupt is not None and self._interrupt.requested)


class Stoppable:
    """A desktop on which nothing is done once the key was pressed; looking goes on."""

    def __init__(self, inner: Desktop, emergency: Emergency) -> None:
        self._inner = inner
        self._emergency = emergency

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def move(self, point: Point) -> None:
        """Put the pointer there."""
        self._go_on()
        self._inner.move(point)

    def button(self, button: Button, *, down: bool) -> None:
        """Press a button; letting go is always possible."""
        if down:
            self._go_on()
        self._inner.button(button, down=down)

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel."""
        self._go_on()
        self._inner.scroll(x, y)

    def key(self, name: str, *, down: bool) -> None:
        """Press a key; letting go is always possible."""
        if down:
            self._go_on()
        self._inner.key(name, down=down)

    def type(self, text: str) -> None:
        """Type, in pieces, so that it can be stopped in the middle."""
        for start in range(0, len(text), PIECE):
            self._go_on()
            self._inner.type(text[start : start + PIECE])

    def open(self, name: str) -> None:
        """Start a program."""
        self._go_on()
        self._inner.open(name)

    def _go_on(self) -> None:
        if self._emergency.pressed:
            raise DesktopError(STOPPED)
