"""The words before a conversation: what is known of the machine, the project and the user."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from interpreter.assembly.cell.environment import Environment
from interpreter.assembly.computer.web import web_words
from interpreter.protocol.events import OutputDelta, RuntimeEvent
from interpreter.protocol.messages import Code
from interpreter.session.request.system_text import PromptFacts, rendered, system_prompt, walls
from interpreter.settings.settings import Settings


class SystemWords:
    """Makes the system text of a session; `run` executes the code in that of a trusted profile."""

    def __init__(self, run: Callable[[Code], Iterable[RuntimeEvent]]) -> None:
        self._run = run
        self._texts: dict[str, str] = {}

    def about(
        self,
        settings: Settings,
        environment: Environment,
        project: str,
        *,
        small: bool,
        tools: bool,
    ) -> Callable[[], str]:
        """The text under these settings, as far as the facts in it are known when it is wanted."""
        directory = str(settings.directory())
        facts = PromptFacts(
            system=os.uname().sysname,
            date=time.strftime("%Y-%m-%d"),
            directory=directory,
            languages=environment.languages,
            sandbox=walls(settings.sandbox, "the directory" if small else directory),
            size="small" if small else "full",
            tools=tools,
        )
        render = self._rendered if settings.trust_profile else None
        opener, servers = environment.session_cell.opener, environment.tool_servers
        web = "" if small or settings.system_message else web_words(settings)

        def system() -> str:
            return system_prompt(
                replace(facts, sandbox=opener.weaker or facts.sandbox),
                system_message=settings.system_message or None,
                custom_instructions="\n\n".join(
                    filter(None, (web, project, servers.words(), settings.custom_instructions))
                ),
                render=render,
            )

        return system

    def _rendered(self, text: str) -> str:
        """A system message with the output of the code in it, which is run once."""
        if text not in self._texts:
            self._texts[text] = rendered(text, self._printed)
        return self._texts[text]

    def _printed(self, source: str) -> str:
        events = self._run(Code("python", source))
        return "".join(event.text for event in events if isinstance(event, OutputDelta))
