"""The plainest policies: ask about everything, run everything, run nothing."""

from __future__ import annotations

from interpreter.protocol.actions import Decision, Verdict
from interpreter.protocol.messages import Action, ActionCall, Code, MalformedCall


class AskFirst:
    """Asks for every action, until the user says "always" about a kind of block."""

    def __init__(self) -> None:
        self._always: set[str] = set()

    def review(self, action: Action) -> Verdict:
        """Allow the kinds that were always allowed; ask about the rest."""
        return Verdict("allow" if _kind(action) in self._always else "ask")

    def remember(self, action: Action, decision: Decision) -> None:
        """Keep an "always" for the session."""
        if decision.answer == "always":
            self._always.add(_kind(action))


class RunAll:
    """Allows every action: `auto_run`."""

    def review(self, action: Action) -> Verdict:
        """Allow."""
        return Verdict("allow")

    def remember(self, action: Action, decision: Decision) -> None:
        """Nothing was asked."""


def _kind(action: Action) -> str:
    match action:
        case Code(language):
            return f"code:{language}"
        case ActionCall(tool):
            return f"tool:{tool}"
        case MalformedCall():
            return "malformed"
