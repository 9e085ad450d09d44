"""While a model uses the desktop: a banner that says so, and a key that stops it at once."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable
from typing import Any

from interpreter.desktop.keys import key_name

PANIC = ("ctrl", "alt", "escape")
PANIC_SAID = "Ctrl+Alt+Esc"
BANNER = f"A model uses this computer - {PANIC_SAID} stops it"
WIDTH, HEIGHT = 330, 22
RED, WHITE = 0xB3261E, 0xFFFFFF
LETTER = 6  # pixels of a letter of the font that every server has


class Watch:
    """A connection to the display of its own, in a thread of its own."""

    def __init__(self, name: str, stop: Callable[[], None]) -> None:
        from Xlib import display  # noqa: PLC0415  (an extra)

        self._display: Any = display.Display(name)
        self._stop = stop
        self._reader, self._writer = os.pipe()
        self.has_key = self._grab_key()
        """Whether the key is ours; another program may have it already."""
        self._window = self._banner()
        self.banner_id: int = self._window.id
        self._thread = threading.Thread(target=self._run, name="desktop-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take the banner away, and let go of the key."""
        if self._thread.is_alive():
            os.write(self._writer, b".")
            self._thread.join(5)
        os.close(self._writer)
        os.close(self._reader)

    def _grab_key(self) -> bool:
        from Xlib import XK, X, error  # noqa: PLC0415

        *held, last = PANIC
        code = self._display.keysym_to_keycode(XK.string_to_keysym(key_name(last)))
        masks = {"ctrl": X.ControlMask, "alt": X.Mod1Mask}
        modifiers = sum(masks[name] for name in held)
        refused = error.CatchError(error.BadAccess)
        for lock in (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask):
            self._display.screen().root.grab_key(
                code, modifiers | lock, True, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
            )
        self._display.sync()
        return refused.get_error() is None

    def _banner(self) -> Any:
        """A small window in the lower right corner, above others, through which clicks go."""
        from Xlib import X  # noqa: PLC0415
        from Xlib.ext import shape  # noqa: PLC0415

        screen = self._display.screen()
        left, top = screen.width_in_pixels - WIDTH, screen.height_in_pixels - HEIGHT
        window = screen.root.create_window(
            max(0, left), max(0, top), WIDTH, HEIGHT, 0, screen.root_depth,
            override_redirect=True, background_pixel=RED,
            event_mask=X.ExposureMask | X.VisibilityChangeMask,
        )  # fmt: skip
        window.set_wm_name(BANNER)
        if self._display.has_extension("SHAPE"):
            window.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, [])
        window.map()
        self._display.flush()
        return window

    def _run(self) -> None:
        from Xlib import error  # noqa: PLC0415

        with contextlib.suppress(error.ConnectionClosedError, OSError):
            while True:
                while self._display.pending_events():
                    self._handle(self._display.next_event())
                found, _, _ = select.select([self._display.fileno(), self._reader], [], [])
                if self._reader in found:
                    break
        with contextlib.suppress(error.ConnectionClosedError, OSError):
            self._display.close()

    def _handle(self, event: Any) -> None:
        from Xlib import X  # noqa: PLC0415

        if event.type == X.KeyPress:
            self._stop()
        elif event.type == X.Expose:
            pen = self._window.create_gc(foreground=WHITE, background=RED)
            said = BANNER[: WIDTH // LETTER]
            self._window.draw_text(pen, 10, 15, said.encode("ascii"))
            pen.free()
        elif event.type == X.VisibilityNotify and event.state != X.VisibilityUnobscured:
            self._window.configure(stack_mode=X.Above)
        self._display.flush()
