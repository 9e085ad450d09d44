"""The parts of `computer` that use the desktop, and how code in a cell calls them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from interpreter.desktop.api.input import Keyboard, Mouse
from interpreter.desktop.api.screen import Ask, Display, Vision
from interpreter.desktop.api.system import Clipboard, Os
from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.finding.reading import ScreenReader
from interpreter.desktop.opening import open_desktop
from interpreter.desktop.personal.accounts import Accounts
from interpreter.desktop.personal.calendar import Calendar
from interpreter.desktop.personal.contacts import Contacts
from interpreter.desktop.personal.macos import MacContacts, MacMail, Sms
from interpreter.desktop.personal.mail import Mail
from interpreter.desktop.pictures import encoded
from interpreter.desktop.web.browser import Browser
from interpreter.protocol.actions import Asks
from interpreter.protocol.calls import PNG, Arguments, CallContext, HostFunction, Value
from interpreter.protocol.desktop import AmbiguousTarget, Desktop, DesktopError
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Face

ON_THE_SCREEN = ("display", "mouse", "keyboard", "clipboard", "os", "vision")
PERSONAL = ("mail", "calendar", "contacts", "sms")
HARMLESS = {"display.size", "display.center", "display.info", "display.width", "display.height",
            "mouse.position", "vision.load"}  # fmt: skip
"""What is told without asking: nothing that is on the screen, nothing that acts."""
OF_THE_HOST = {"path", "lmc", "screenshot", "attachments"}
"""Parameters that code in a cell does not have: they would name files outside of its walls."""
TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null",
         "bytes": "bytes", "dict": "object", "list": "array"}  # fmt: skip


class DesktopParts:
    """`display`, `mouse`, `keyboard`, `clipboard`, `os` and `vision` over one desktop."""

    def __init__(
        self,
        ask: Ask,
        opening: Callable[[], Desktop] = open_desktop,
        accounts: Callable[[], Accounts] = Accounts,
    ) -> None:
        self._opened = Lazy(opening)
        self.desktop = self._opened.get
        """The desktop, opened when it is first needed."""
        self._reader = ScreenReader()
        self.display = Display(self.desktop, self.finder)
        self.mouse = Mouse(self.desktop, self.finder)
        self.keyboard = Keyboard(self.desktop)
        self.clipboard = Clipboard(self.desktop)
        self.os = Os(self.desktop)
        self.vision = Vision(self.finder, ask)
        is_mac = sys.platform == "darwin"
        self.mail: object = Mail(lambda: accounts().mail)
        self.contacts: object = Contacts(lambda: accounts().contacts)
        if is_mac and accounts().mail is None:
            self.mail = MacMail()
        if is_mac and not accounts().contacts:
            self.contacts = MacContacts()
        self.calendar = Calendar(lambda: accounts().calendars)
        self.sms = Sms(is_mac=is_mac)
        self.browser = Browser()
        """For the library; a cell has one that keeps to its network rules."""

    def finder(self) -> Finder:
        """What finds things on it; what it has read is kept."""
        return Finder(self.desktop(), self._reader)

    def close(self) -> None:
        """Let go of the desktop."""
        self.browser.quit()
        if self._opened.made is not None:
            self._opened.made.close()


def desktop_functions(parts: DesktopParts) -> Iterator[HostFunction]:
    """All of it as functions that code in a cell can call; each call is ruled on."""
    for word in (*ON_THE_SCREEN, *PERSONAL):
        for function in functions_of(word, getattr(parts, word), HARMLESS):
            yield function
            if function.name in ("computer.display.screenshot", "computer.display.view"):
                yield replace(function, name=function.name.replace(".display", ""))


def functions_of(
    word: str, part: object, harmless: set[str], asks: Asks = "even in auto"
) -> Iterator[HostFunction]:
    """The public methods of a part of `computer` as host functions; `asks` but for the harmless."""
    for name, found in vars(type(part)).items():
        is_value = isinstance(found, property)
        if name.startswith("_") or not (is_value or inspect.isfunction(found)):
            continue
        method = _reading(part, name) if is_value else getattr(part, name)
        parameters = () if is_value else _parameters(found)
        summary = (inspect.getdoc(found) or name).partition("\n")[0]
        asked: Asks = asks if f"{word}.{name}" not in harmless else False
        yield HostFunction(
            f"computer.{word}.{name}", summary, _schema(parameters), _called(method, parameters),
            asks=asked, is_value=is_value,
        )  # fmt: skip


def _reading(part: object, name: str) -> Callable[[], Any]:
    """A property as a function."""

    def read() -> Any:
        return getattr(part, name)

    return read


@cache
def _parameters(method: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Those of a method but for `self`; asked for a hundred methods whenever a cell is opened."""
    return tuple(inspect.signature(method).parameters.values())[1:]


def _schema(parameters: tuple[inspect.Parameter, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for parameter in parameters:
        name = parameter.name
        if name in OF_THE_HOST:
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            properties[name] = {"type": "array", "variadic": True}
            continue
        words = re.findall(r"\w+", str(parameter.annotation))
        types = [TYPES[word] for word in words if word in TYPES]
        properties[name] = {"type": types} if types else {}
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _called(
    method: Callable[..., Any], parameters: tuple[inspect.Parameter, ...]
) -> Callable[[Arguments, CallContext], Value]:
    variadic = [one.name for one in parameters if one.kind is inspect.Parameter.VAR_POSITIONAL]

    def call(given: Arguments, context: CallContext) -> Value:
        plain = {name: one.data if isinstance(one, Face) else one for name, one in given.items()}
        rest = plain.pop(variadic[0], []) if variadic else []
        try:
            return as_data(method(*rest, **plain))
        except AmbiguousTarget as error:
            points = [[one.box.center.x, one.box.center.y] for one in error.candidates]
            raise CallFailed(str(error), "AmbiguousTarget", {"candidates": points}) from error
        except DesktopError as error:
            raise CallFailed(str(error), type(error).__name__) from error

    return call


def as_data(value: Any) -> Value:
    """What a method returns as it crosses into a cell: pictures as PNG, the rest as JSON."""
    if hasattr(value, "tobytes") and hasattr(value, "getbbox"):
        return Face(PNG, encoded(value))
    if isinstance(value, dict):
        return {str(key): as_data(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(one) for one in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    return str(value)
