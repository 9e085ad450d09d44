"""The desktop in a session: what code may call of it, and OS mode."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from typing import TYPE_CHECKING

from interpreter.protocol.interrupt import Interrupt

if TYPE_CHECKING:
    from interpreter.assembly.host_calls import HostCalls
    from interpreter.protocol.calls import HostFunction
    from interpreter.session.side_questions import SideQuestions


def offer_desktop(calls: HostCalls, questions: SideQuestions) -> None:
    """`computer.display`, `mouse` and the others, as code in the cell calls them."""

    def ask(text: str, picture: str | None) -> str:
        return questions.chat(text, b64decode(picture) if picture else None, Interrupt())

    def functions() -> Iterable[HostFunction]:
        from interpreter.desktop.api.parts import DesktopParts, desktop_functions

        parts = DesktopParts(ask)
        calls.closing.append(parts.close)
        return desktop_functions(parts)

    calls.offer_later(functions)
