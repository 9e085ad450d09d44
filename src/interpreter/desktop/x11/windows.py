"""The windows of an X11 display, as its window manager lists them."""

from __future__ import annotations

from typing import Any

from Xlib import X, Xatom
from Xlib.error import XError
from Xlib.protocol import event

from interpreter.protocol.desktop import Box, Window

LONGEST_TITLE = 500
MOST_WINDOWS = 200


class Windows:
    """Reads and raises windows."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._root = display.screen().root

    def all(self) -> tuple[Window, ...]:
        """The windows that are shown, the one on top last."""
        active = self._active()
        found = (self._window(number, active) for number in self._numbers()[-MOST_WINDOWS:])
        return tuple(window for window in found if window)

    def activate(self, window: Window) -> None:
        """Bring it to the front; without a window manager it is raised and focused."""
        number = int(window.id)
        target = self._display.create_resource_object("window", number)
        if self._property(self._root, "_NET_SUPPORTED"):
            wish = event.ClientMessage(
                window=target,
                client_type=self._display.intern_atom("_NET_ACTIVE_WINDOW"),
                data=(32, [2, X.CurrentTime, 0, 0, 0]),  # 2: on behalf of the user
            )
            mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
            self._root.send_event(wish, event_mask=mask)
        else:
            target.configure(stack_mode=X.Above)
            target.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def under_pointer(self) -> int:
        """The managed window under the pointer; 0 where there is none, as over a menu."""
        if not self._property(self._root, "_NET_SUPPORTED"):  # nobody there to move the focus
            return 0
        listed = set(self._numbers())
        window = self._root.query_pointer().child
        while window and window.id not in listed:
            window = window.query_pointer().child
        return int(window.id) if window else 0

    def will_get_focus(self, number: int) -> bool:
        """Whether a window is shown to which keys do not go yet, nor to one within it."""
        wanted = self._display.create_resource_object("window", number)
        window = self._display.get_input_focus().focus
        try:
            while hasattr(window, "id") and window.id not in (number, self._root.id):
                window = window.query_tree().parent
            shown = wanted.get_attributes().map_state == X.IsViewable
        except XError:  # it was closed meanwhile
            return False
        return shown and getattr(window, "id", 0) != number

    def _numbers(self) -> list[int]:
        for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
            if listed := self._property(self._root, name):
                return [int(number) for number in listed]
        return [child.id for child in self._root.query_tree().children]

    def _active(self) -> int:
        listed = self._property(self._root, "_NET_ACTIVE_WINDOW")
        if listed:
            return int(listed[0])
        focus = self._display.get_input_focus().focus
        return focus.id if hasattr(focus, "id") else 0

    def _window(self, number: int, active: int) -> Window | None:
        window = self._display.create_resource_object("window", number)
        try:
            if window.get_attributes().map_state != X.IsViewable:
                return None
            size = window.get_geometry()
            origin = window.translate_coords(self._root, 0, 0)
            pid = self._property(window, "_NET_WM_PID")
            classes = window.get_wm_class()
            title = self._title(window)
        except XError:  # it was closed meanwhile
            return None
        # python-xlib gives the offset the other way round
        box = Box(-origin.x, -origin.y, size.width, size.height)
        app = classes[1] if classes else ""
        return Window(str(number), title, app, box, number == active, int(pid[0]) if pid else 0)

    def _title(self, window: Any) -> str:
        modern = self._property(window, "_NET_WM_NAME")
        if modern:
            return bytes(modern).decode("utf-8", "replace")[:LONGEST_TITLE]
        old = window.get_full_property(Xatom.WM_NAME, X.AnyPropertyType)
        return bytes(old.value).decode("latin-1")[:LONGEST_TITLE] if old else ""

    def _property(self, window: Any, name: str) -> Any:
        found = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        return found.value if found and len(found.value) else None
