"""Keys and text on X11: XTEST events, with letters that the layout lacks put on spare keys.

An application learns of a changed layout only after a while, and reads the letter of a key when it
handles the event: letters are therefore put on spare keys all at once, before the first is typed,
and stay there until the keys are needed for others. Every change costs all programs time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from Xlib import XK, X
from Xlib.ext import xtest

from interpreter.desktop.x11.ping import Ping
from interpreter.protocol.desktop import DesktopError

SETTLE_SECONDS = 0.05  # until applications have read a changed layout
READ_SECONDS = 0.15  # until they have read what was typed under it, where they do not tell
LONG_READ = 10.0  # after so many seconds everybody has
CONTROLS = {"\n": XK.XK_Return, "\r": XK.XK_Return, "\t": XK.XK_Tab, "\b": XK.XK_BackSpace}
UNICODE = 0x1000000


class X11Keyboard:
    """Presses keys of a display."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._ping = Ping(display.get_display_name())
        self._spare: list[int] = []
        self._lent: dict[int, int] = {}
        self._typed = 0.0
        XK.load_keysym_group("xkb")

    def key(self, name: str, *, down: bool) -> None:
        """Press or let go of a key; a letter that needs Shift is pressed without it."""
        symbol = keysym(name)
        places = self._layout()
        keycode = places[symbol][0] if symbol in places else 0
        if not keycode:
            keycode = self._lower(symbol, places)
        if not keycode:
            raise DesktopError(f"This keyboard layout has no key {name!r}; type it as text.")
        self._fake(X.KeyPress if down else X.KeyRelease, keycode)
        self._display.sync()
        self._typed = time.monotonic()

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        symbols = [keysym(letter) for letter in text.replace("\r\n", "\n")]
        with self._nothing_held():
            while symbols:
                symbols = symbols[self._type_some(symbols) :]

    def _type_some(self, symbols: list[int]) -> int:
        """Type as many as fit with the spare keys; how many that were."""
        places = self._layout()
        wanted: list[int] = []
        count = 0
        for symbol in symbols:
            if symbol not in places and symbol not in wanted:
                if len(wanted) == len(self._spare):
                    break
                wanted.append(symbol)
            count += 1
        if not count:
            raise DesktopError("This X server has no spare key for letters its layout lacks.")
        self._lend(wanted)
        shift = self._display.keysym_to_keycode(XK.XK_Shift_L)
        lent = {symbol: (keycode, False) for symbol, keycode in self._lent.items()}
        for symbol in symbols[:count]:
            keycode, shifted = places.get(symbol) or lent[symbol]
            self._press(keycode, shift if shifted else 0)
        self._display.sync()
        self._typed = time.monotonic()
        return count

    def _press(self, keycode: int, shift: int) -> None:
        if shift:
            self._fake(X.KeyPress, shift)
        self._fake(X.KeyPress, keycode)
        self._fake(X.KeyRelease, keycode)
        if shift:
            self._fake(X.KeyRelease, shift)

    def _lend(self, wanted: list[int]) -> None:
        """See to it that each of these is on a spare key; as few changes as possible."""
        new = [symbol for symbol in wanted if symbol not in self._lent]
        if not new:
            return
        free = [code for code in self._spare if code not in self._lent.values()]
        if len(free) < len(new):  # take keys back, once what was typed with them has been read
            self.until_read()
            self._lent = {s: code for s, code in self._lent.items() if s in wanted}
            free = [code for code in self._spare if code not in self._lent.values()]
        self._lent.update(zip(new, free, strict=False))
        self._map()
        self._ping.wait(SETTLE_SECONDS)

    def _map(self) -> None:
        """Put what is lent on the spare keys; every request is news to every program."""
        symbols = {code: symbol for symbol, code in self._lent.items()}
        start = 0
        for end in range(1, len(self._spare) + 1):
            if end == len(self._spare) or self._spare[end] != self._spare[end - 1] + 1:
                run = [symbols.get(code, X.NoSymbol) for code in self._spare[start:end]]
                self._display.change_keyboard_mapping(self._spare[start], [(s, s) for s in run])
                start = end
        self._display.sync()

    def give_back(self) -> None:
        """Leave the spare keys as they were."""
        if self._lent:
            self.until_read()
            self._lent = {}
            self._map()
        self._ping.close()

    def until_read(self) -> None:
        """Wait until what was typed has been read, by whoever has the focus."""
        if time.monotonic() < self._typed + LONG_READ:
            self._ping.wait(max(0.0, self._typed + READ_SECONDS - time.monotonic()))

    @contextmanager
    def _nothing_held(self) -> Iterator[None]:
        """Let go of modifiers that are held, and of Caps Lock, while a text is typed."""
        held = self._held_modifiers()
        capitals = self._display.screen().root.query_pointer().mask & X.LockMask
        lock = self._display.keysym_to_keycode(XK.XK_Caps_Lock) if capitals else 0
        for keycode in held:
            self._fake(X.KeyRelease, keycode)
        if lock:
            self._press(lock, 0)
        try:
            yield
        finally:
            if lock:
                self._press(lock, 0)
            for keycode in held:
                self._fake(X.KeyPress, keycode)
            self._display.sync()

    def _held_modifiers(self) -> list[int]:
        pressed = self._display.query_keymap()
        codes = {code for row in self._display.get_modifier_mapping() for code in row if code}
        lock = self._display.keysym_to_keycode(XK.XK_Caps_Lock)
        return [code for code in sorted(codes - {lock}) if pressed[code // 8] & 1 << code % 8]

    def _layout(self) -> dict[int, tuple[int, bool]]:
        """Where each symbol is in the layout that is active: its key, and whether with Shift."""
        group = self._display.screen().root.query_pointer().mask >> 13 & 3
        places: dict[int, tuple[int, bool]] = {}
        rows = dict(self._rows())
        # Whoever changes the layout meanwhile takes our letters off it.
        self._lent = {s: code for s, code in self._lent.items() if rows[code][0] == s}
        ours = self._lent.values()
        self._spare = [code for code, row in rows.items() if code in ours or not any(row)]
        for keycode, row in rows.items():
            if keycode in ours:
                continue
            first = group * 2 if len(row) > group * 2 and row[group * 2] else 0
            for level in (0, 1):
                symbol = row[first + level] if len(row) > first + level else 0
                if symbol and (symbol not in places or (places[symbol][1] and not level)):
                    places[symbol] = (keycode, bool(level))
        return places

    def _rows(self) -> Iterator[tuple[int, Any]]:
        low = self._display.display.info.min_keycode
        high = self._display.display.info.max_keycode
        rows = self._display.get_keyboard_mapping(low, high - low + 1)
        return zip(range(low, high + 1), rows, strict=True)

    def _lower(self, symbol: int, places: dict[int, tuple[int, bool]]) -> int:
        lower = symbol + 0x20 if XK.XK_A <= symbol <= XK.XK_Z else 0
        return places[lower][0] if lower in places else 0

    def _fake(self, kind: int, keycode: int) -> None:
        xtest.fake_input(self._display, kind, keycode)


def keysym(name: str) -> int:
    """The symbol of a key's name or of a letter."""
    if name in CONTROLS:
        return int(CONTROLS[name])
    if len(name) == 1:
        code = ord(name)
        return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else code | UNICODE
    symbol: int = XK.string_to_keysym(name)
    if symbol == X.NoSymbol:
        raise DesktopError(f"X11 has no key {name!r}.")
    return symbol
