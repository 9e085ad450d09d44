"""Knowing that a program has read what was typed: it answers a ping only after that."""

from __future__ import annotations

import select
import time
from typing import Any

from Xlib import X, display, error
from Xlib.protocol import event

FIRST_SECONDS = 1.5  # for a window that may never answer
LONGEST_SECONDS = 10.0  # for one that has answered before, and is busy now


class Ping:
    """Asks the active window, over a connection of its own; events come to a program in order."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._display: Any = None
        self._count = 0
        self._answers: dict[int, bool] = {}
        """Whether a window did when it was first asked: those of Qt 6 offer to, and do not."""

    def wait(self, otherwise: float) -> None:
        """Until the active window has read all that was sent to it; a while, if it cannot tell."""
        try:
            answered = self._asked()
        except (error.XError, error.ConnectionClosedError, OSError):
            answered = False
        if not answered:
            time.sleep(otherwise)  # it gives no sign that could be waited for

    def close(self) -> None:
        """Hang up."""
        if self._display is not None:
            self._display.close()
            self._display = None

    def _asked(self) -> bool:
        if self._display is None:
            self._display = display.Display(self._name)
        server, root = self._display, self._display.screen().root
        window = self._active(root)
        if window is None or self._answers.get(window.id) is False:
            return False
        protocols, ping = server.intern_atom("WM_PROTOCOLS"), server.intern_atom("_NET_WM_PING")
        offered = window.get_full_property(protocols, X.AnyPropertyType)
        if offered is None or ping not in offered.value:
            return False
        root.change_attributes(event_mask=X.SubstructureNotifyMask)
        try:
            self._count += 1
            data = (32, [ping, self._count, window.id, 0, 0])
            asked = event.ClientMessage(window=window, client_type=protocols, data=data)
            window.send_event(asked, event_mask=0)
            server.flush()
            known = self._answers.get(window.id, False)
            answered = self._answered(ping, LONGEST_SECONDS if known else FIRST_SECONDS)
            self._answers[window.id] = answered or known
            return answered
        finally:
            root.change_attributes(event_mask=X.NoEventMask)
            server.sync()

    def _answered(self, ping: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            while self._display.pending_events():
                found = self._display.next_event()
                if found.type == X.ClientMessage and list(found.data[1][:2]) == [ping, self._count]:
                    return True
            select.select([self._display.fileno()], [], [], left)
        return False

    def _active(self, root: Any) -> Any:
        name = self._display.intern_atom("_NET_ACTIVE_WINDOW")
        listed = root.get_full_property(name, X.AnyPropertyType)
        if listed is None or not len(listed.value) or not listed.value[0]:
            return None
        return self._display.create_resource_object("window", int(listed.value[0]))
