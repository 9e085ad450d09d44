"""What programs say is on the screen: AT-SPI over D-Bus, asked in batches.

Programs answer slowly and one by one, so the questions about a whole level of the tree are sent
together. What comes back is of foreign programs: bounded in number, length, depth and time.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from interpreter.protocol.desktop import Box, DesktopError, Element, Window
from interpreter.protocol.errors import install_command
from interpreter.protocol.values import frozen

REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
TEXT = "org.a11y.atspi.Text"
PROPERTIES = "org.freedesktop.DBus.Properties"
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus")

MOST_ELEMENTS = 5_000
MOST_CHILDREN = 1_000
DEEPEST = 60
LONGEST_NAME = 400
SECONDS = 3.0
STARTING_SECONDS = (
    20.0  # the first question starts the bus, which a busy machine takes its time for
)
BATCH = 300  # questions that are under way at a time
STATES = {1: "active", 4: "checked", 7: "editable", 8: "enabled", 10: "expanded", 12: "focused",
          23: "selected", 24: "sensitive", 25: "showing", 30: "visible"}  # fmt: skip
ROLES = {"push button": "button", "hyperlink": "link", "edit box": "entry", "text box": "entry"}
SECRET = "password text"

Ask = tuple[str, str, str, str, str, tuple[Any, ...]]
"""Whom (bus and path), the interface, the method, its signature and what it is given."""


@frozen
class _Node:
    """A place in the tree of a program."""

    bus: str
    path: str
    app: str
    window: Window | None
    offset: tuple[int, int] = (0, 0)
    tells_showing: bool = True


@frozen
class _Owner:
    """The program that a window belongs to. GTK 4, which calls itself GTK where GTK 3 says gtk,
    does not tell what of it is shown."""

    app: str
    pid: int
    tells_showing: bool


class Accessibility:
    """Reads the trees of all programs of a session."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._lock = threading.Lock()

    def unavailable(self) -> str:
        """Why nothing can be read; empty where it can."""
        try:
            with self._lock:
                self._connect()
        except DesktopError as error:
            return str(error)
        return ""

    def elements(
        self, windows: Sequence[Window], only: Window | None = None
    ) -> tuple[Element, ...]:
        """What is shown, in one window or in all."""
        with self._lock:
            try:
                self._connect()
                return tuple(self._walk(self._tops(windows, only)))
            except (OSError, EOFError, ValueError) as error:
                self._disconnect()
                raise DesktopError(
                    f"Accessibility broke off: {error or type(error).__name__}."
                ) from error

    def close(self) -> None:
        """Leave the bus."""
        with self._lock:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> None:
        if self._connection is not None:
            return
        try:
            from jeepney.io.blocking import open_dbus_connection  # noqa: PLC0415  (an extra)
        except ImportError as error:
            why = f"Accessibility needs jeepney: {install_command('os')}."
            raise DesktopError(why) from error
        if "DBUS_SESSION_BUS_ADDRESS" not in os.environ and not os.environ.get("XDG_RUNTIME_DIR"):
            raise DesktopError(
                "Accessibility needs a session bus: DBUS_SESSION_BUS_ADDRESS is unset."
            )
        try:
            with open_dbus_connection("SESSION") as session:
                self._connection = session
                address = next(self._answers([
                    ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", "", ())
                ], STARTING_SECONDS))  # fmt: skip
                # Qt programs and newly started browsers answer only where somebody listens.
                enabled = ("org.a11y.Status", "IsEnabled", ("b", True))
                list(self._answers([
                    ("org.a11y.Bus", "/org/a11y/bus", PROPERTIES, "Set", "ssv", enabled)
                ]))  # fmt: skip
            self._connection = None
            if not address:
                raise DesktopError("Accessibility needs at-spi2-core, which does not answer here.")
            self._connection = open_dbus_connection(str(address[0]))
        except (OSError, KeyError, ValueError, EOFError) as error:
            self._connection = None
            raise DesktopError(f"The accessibility bus cannot be reached: {error}.") from error

    def _tops(self, windows: Sequence[Window], only: Window | None) -> list[_Node]:
        """The windows of all programs, each with the offset that its boxes need."""
        children = next(self._answers([(*REGISTRY, ACCESSIBLE, "GetChildren", "", ())]))
        apps = list(_children(children))
        pids = list(self._answers([
            (*BUS, "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", (bus,))
            for bus, _ in apps
        ]))  # fmt: skip
        wanted = [
            (bus, path, int(pid[0]) if pid else 0)
            for (bus, path), pid in zip(apps, pids, strict=True)
            if only is None or not pid or pid[0] == only.pid or not only.pid
        ]
        names = list(self._answers([_name(bus, path) for bus, path, _ in wanted]))
        frames = list(self._answers([
            (bus, path, ACCESSIBLE, "GetChildren", "", ()) for bus, path, _ in wanted
        ]))  # fmt: skip
        toolkits = self._answers([
            (bus, path, PROPERTIES, "Get", "ss", ("org.a11y.atspi.Application", "ToolkitName"))
            for bus, path, _ in wanted
        ])  # fmt: skip
        tops = []
        for (_, _, pid), name, listed, kit in zip(wanted, names, frames, toolkits, strict=True):
            owner = _Owner(_text(name), pid, _text(kit).upper() != "GTK")
            tops += [(place, owner) for place in _children(listed)]
        return list(self._placed(tops, windows, only))

    def _placed(
        self, tops: list[tuple[tuple[str, str], _Owner]], windows: Sequence[Window],
        only: Window | None,
    ) -> Iterator[_Node]:  # fmt: skip
        places = [place for place, _ in tops]
        names = list(self._answers([_name(*place) for place in places]))
        boxes = list(self._answers([_extents(*place) for place in places]))
        for (place, owner), name, box in zip(tops, names, boxes, strict=True):
            own = [one for one in windows if one.pid == owner.pid] if owner.pid else list(windows)
            window = next((one for one in own if one.title == _text(name)), None)
            if only is not None and window is not None and window.id != only.id:
                continue
            lone = own[0] if window is None and len(own) == 1 else window
            offset = _offset(_box(box), lone)
            yield _Node(*place, owner.app, lone, offset, owner.tells_showing)

    def _walk(self, level: list[_Node]) -> Iterator[Element]:
        deadline = time.monotonic() + SECONDS
        count = 0
        for _ in range(DEEPEST):
            if not level or time.monotonic() > deadline:
                return
            following: list[_Node] = []
            for node, element, children in self._described(level):
                hidden = node.tells_showing and "showing" not in element.states
                if hidden and element.box.width * element.box.height == 0:
                    continue
                if not hidden and element.box.width > 0 and element.box.height > 0:
                    count += 1
                    yield element
                if count < MOST_ELEMENTS and not (hidden and node.tells_showing):
                    following += [replace(node, bus=bus, path=path) for bus, path in children]
            level = following[:MOST_ELEMENTS]

    def _described(
        self, nodes: list[_Node]
    ) -> Iterator[tuple[_Node, Element, list[tuple[str, str]]]]:
        """Each node with what it says about itself, and its children."""
        asked: list[Ask] = []
        for node in nodes:
            at = (node.bus, node.path)
            asked += [
                _name(*at), (*at, ACCESSIBLE, "GetRoleName", "", ()), _state(*at), _extents(*at),
                (*at, ACCESSIBLE, "GetChildren", "", ()),
            ]  # fmt: skip
        answers = self._answers(asked)
        found = []
        for node, (name, role, state, box, children) in zip(nodes, _fives(answers), strict=True):
            called, spoken = _text(name), _text(role)
            kind = SECRET if "password" in called.lower() else ROLES.get(spoken, spoken)
            element = Element(
                called, kind, _box(box).moved(*node.offset), node.app,
                node.window.title if node.window else "", "", _states(state),
            )  # fmt: skip
            found.append((node, element, list(_children(children))))
        yield from self._with_values(found)

    def _with_values(
        self, found: list[tuple[_Node, Element, list[tuple[str, str]]]]
    ) -> Iterator[tuple[_Node, Element, list[tuple[str, str]]]]:
        """The same with the text of fields; one that holds a password is never asked."""
        fields = [
            (node.bus, node.path, TEXT, "GetText", "ii", (0, LONGEST_NAME))
            for node, element, _ in found
            if _is_field(element)
        ]
        texts = self._answers(fields)
        for node, element, children in found:
            value = _text(next(texts)) if _is_field(element) else ""
            yield node, (replace(element, value=value) if value else element), children

    def _answers(self, asked: Sequence[Ask], seconds: float = SECONDS) -> Iterator[Any]:
        """The body of each answer in order; None for a refusal."""
        for start in range(0, len(asked), BATCH):
            yield from self._batch(asked[start : start + BATCH], seconds)

    def _batch(self, asked: Sequence[Ask], seconds: float) -> list[Any]:
        from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call  # noqa: PLC0415

        connection = self._connection
        waiting: dict[int, int] = {}
        data = b""
        for index, (bus, path, interface, method, signature, given) in enumerate(asked):
            address = DBusAddress(path, bus, interface)
            serial = next(connection.outgoing_serial)
            waiting[serial] = index
            message = new_method_call(address, method, signature or None, given)
            data += message.serialise(serial=serial)
        connection.sock.sendall(data)
        answers: list[Any] = [None] * len(asked)
        deadline = time.monotonic() + seconds
        while waiting:
            try:
                reply = connection.receive(timeout=max(0.0, deadline - time.monotonic()))
            except TimeoutError:  # a program hangs; what others said still counts
                break
            place = waiting.pop(reply.header.fields.get(HeaderFields.reply_serial, -1), None)
            if place is not None and reply.header.message_type is MessageType.method_return:
                answers[place] = reply.body
        return answers


def _is_field(element: Element) -> bool:
    return element.role != SECRET and "editable" in element.states


def _name(bus: str, path: str) -> Ask:
    return (bus, path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name"))


def _state(bus: str, path: str) -> Ask:
    return (bus, path, ACCESSIBLE, "GetState", "", ())


def _extents(bus: str, path: str) -> Ask:
    return (bus, path, COMPONENT, "GetExtents", "u", (0,))


def _fives(answers: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    each = iter(answers)
    return zip(each, each, each, each, each, strict=True)


def _text(answer: Any) -> str:
    """A string, or one in a variant."""
    with contextlib.suppress(TypeError, IndexError):
        said = answer[0][1] if isinstance(answer[0], tuple) else answer[0]
        return said[:LONGEST_NAME] if isinstance(said, str) else ""
    return ""


def _children(answer: Any) -> Iterator[tuple[str, str]]:
    for child in (answer[0] if answer else [])[:MOST_CHILDREN]:
        if isinstance(child, tuple) and len(child) == 2 and child[1] != "/org/a11y/atspi/null":
            yield child


def _states(answer: Any) -> frozenset[str]:
    words = list(answer[0]) if answer else []
    bits = sum(word << 32 * place for place, word in enumerate(words[:2]))
    return frozenset(name for bit, name in STATES.items() if bits >> bit & 1)


def _box(answer: Any) -> Box:
    return Box(*answer[0]) if answer and len(answer[0]) == 4 else Box(0, 0, 0, 0)


def _offset(box: Box, window: Window | None) -> tuple[int, int]:
    """What to add to the boxes of a program that counts from its own window (GTK 4)."""
    if window is None or (box.left, box.top) != (0, 0):
        return (0, 0)
    slack = (window.box.width - box.width) // 2, (window.box.height - box.height) // 2
    return window.box.left + max(0, slack[0]), window.box.top + max(0, slack[1])
