"""All that code finds in a new environment, wired to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from interpreter.assembly.cell.environment import Environment
from interpreter.assembly.computer.browsing import offer_browser
from interpreter.assembly.computer.desktop import OsMode, offer_desktop
from interpreter.assembly.computer.host_functions import offer_usual
from interpreter.assembly.computer.web import offer_web
from interpreter.assembly.project import guidance_functions
from interpreter.protocol.lazy import Lazy
from interpreter.session.side_questions import SideQuestions
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.guidance.project import ProjectGuidance


def offer_all(
    environment: Environment,
    settings: Settings,
    questions: SideQuestions,
    screen: OsMode,
    guidance: Lazy[ProjectGuidance],
    *,
    skills_path: Callable[[], str],
) -> None:
    """Add the functions; what is heavy of them is made when it is first called."""
    calls = environment.calls
    offer_usual(calls.functions, questions, skills_path)
    offer_web(environment, settings)
    offer_desktop(calls, questions, partial(screen.desktop, settings), settings)
    offer_browser(calls, settings, environment.host_gate, lambda: environment.session_cell.exchange)
    calls.functions.add(
        *guidance_functions(guidance.get, lambda: environment.session_cell.exchange)
    )
