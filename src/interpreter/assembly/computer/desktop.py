"""The desktop in a session: what code may call of it, and OS mode."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable
from time import strftime
from typing import TYPE_CHECKING, cast

from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Policy, Tool
from interpreter.settings.paths import config_directory, data_directory

if TYPE_CHECKING:
    from interpreter.assembly.computer.host_calls import HostCalls
    from interpreter.desktop.mode.emergency import Emergency
    from interpreter.desktop.mode.tool import ComputerTool
    from interpreter.desktop.personal.accounts import Accounts
    from interpreter.protocol.calls import HostFunction
    from interpreter.protocol.desktop import Desktop
    from interpreter.session.side_questions import SideQuestions
    from interpreter.settings.settings import Settings


def why_no_desktop() -> str:
    """Why OS mode cannot work here; empty where it can."""
    from interpreter.desktop.opening import open_desktop
    from interpreter.protocol.desktop import NoDesktop

    try:
        open_desktop().close()
    except NoDesktop as reason:
        return f"OS mode needs a desktop. {reason}"
    return ""


def accounts() -> Accounts:
    """The mail, calendars and contacts that the user has named for code."""
    from interpreter.desktop.personal.accounts import read_accounts

    return read_accounts(config_directory() / "accounts.toml")


class OsMode:
    """The tool `computer`, where the settings want it, and who decides about it."""

    def __init__(self) -> None:
        self._emergency: Lazy[Emergency] = Lazy(_new_emergency)
        self._opened: tuple[HostCalls, ComputerTool | None] | None = None
        self._policies: dict[int, Policy] = {}

    def tools(self, settings: Settings, calls: HostCalls) -> dict[str, Tool]:
        """The tools under their names; nothing where there is no desktop."""
        tool = self._tool(settings, calls)
        if tool is None:
            return {}
        from interpreter.desktop.mode.tool import ByNameTool

        beside = ByNameTool(tool)
        return {tool.spec.name: tool, beside.spec.name: beside}

    def policy(self, inner: Policy, settings: Settings, calls: HostCalls) -> Policy:
        """A policy that remembers programs, around the one of the session."""
        tool = self._tool(settings, calls)
        if tool is None:
            return inner
        from interpreter.desktop.mode.safety import DesktopApprovals

        if id(inner) not in self._policies:
            self._policies[id(inner)] = cast("Policy", DesktopApprovals(inner, tool))
        return self._policies[id(inner)]

    def _tool(self, settings: Settings, calls: HostCalls) -> ComputerTool | None:
        """One for each environment, which closes its desktop."""
        if not settings.os:
            return None
        if self._opened is None or self._opened[0] is not calls:
            self._policies.clear()
            self._opened = (calls, _computer_tool(settings, calls, self._emergency.get()))
        return self._opened[1]

    def desktop(self, settings: Settings) -> Desktop:
        """The desktop for code; in OS mode, the key that stops the model stops it, too."""
        desktop = _shielded_desktop(settings)
        return _stoppable(desktop, self._emergency.get()) if settings.os else desktop


def _new_emergency() -> Emergency:
    from interpreter.desktop.mode.emergency import Emergency

    return Emergency()


def _stoppable(desktop: Desktop, emergency: Emergency) -> Desktop:
    from interpreter.desktop.mode.emergency import Stoppable

    return cast("Desktop", Stoppable(desktop, emergency))


def _computer_tool(
    settings: Settings, calls: HostCalls, emergency: Emergency
) -> ComputerTool | None:
    from interpreter.desktop.mode.log import ActionLog
    from interpreter.desktop.mode.tool import ComputerTool
    from interpreter.desktop.opening import open_watch
    from interpreter.protocol.desktop import NoDesktop

    try:
        desktop = _stoppable(_shielded_desktop(settings), emergency)
    except NoDesktop:  # the face has said so; the rest goes on without a screen
        return None
    calls.closing.append(desktop.close)
    if watch := open_watch(emergency.press):
        calls.closing.append(watch.close)
    log = ActionLog(data_directory() / "desktop" / strftime("%Y-%m-%d-%H%M%S"))
    return ComputerTool(lambda: desktop, log, dry=settings.os_dry, emergency=emergency)


def _shielded_desktop(settings: Settings) -> Desktop:
    """The desktop without the windows that the user leaves out, for models and code alike."""
    from interpreter.desktop.mode.safety import Shielded
    from interpreter.desktop.opening import open_desktop

    desktop = open_desktop()
    excluded = [word.strip() for word in settings.os_exclude.split(",")]
    return cast("Desktop", Shielded(desktop, excluded)) if any(excluded) else desktop


def offer_desktop(
    calls: HostCalls,
    questions: SideQuestions,
    opening: Callable[[], Desktop],
    settings: Settings,
) -> None:
    """`computer.display`, `mouse` and the others, as code in the cell calls them."""

    def ask(text: str, picture: str | None) -> str:
        return questions.chat(text, b64decode(picture) if picture else None, Interrupt())

    def functions() -> Iterable[HostFunction]:
        from interpreter.desktop.api.parts import DesktopParts, desktop_functions
        from interpreter.desktop.personal.accounts import Accounts

        named = accounts if settings.personal else Accounts
        parts = DesktopParts(ask, opening, named)
        calls.closing.append(parts.close)
        return desktop_functions(parts)

    calls.offer_later(functions)
