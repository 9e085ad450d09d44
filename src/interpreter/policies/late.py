"""A policy that is made when the first action is proposed: scanners are slow to import."""

from __future__ import annotations

from collections.abc import Callable

from interpreter.protocol.actions import Decision, Verdict
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import Policy


class LatePolicy:
    """Passes everything on to the policy that `get` makes or has made."""

    def __init__(self, get: Callable[[], Policy]) -> None:
        self._get = get

    def review(self, action: Action) -> Verdict:
        """Judge one action."""
        return self._get().review(action)

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer."""
        self._get().remember(action, decision)

    def review_call(self, call: ActionCall, *, asks: bool) -> Verdict:
        """Judge one call of the host."""
        return self._get().review_call(call, asks=asks)

    def remember_call(self, call: ActionCall, decision: Decision) -> None:
        """Learn from an answer about one."""
        self._get().remember_call(call, decision)
