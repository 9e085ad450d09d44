"""Hooks that are functions of the program at the other end."""

from __future__ import annotations

from typing import Any, get_args

from interpreter.headless.control import ControlRequests
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.hooks import (
    Hook,
    HookAnswer,
    HookCall,
    HookEvent,
    HookFailed,
    answer_from,
)

EVENTS = get_args(HookEvent)
USUAL_SECONDS, MOST_SECONDS = 60.0, 600.0
MOST_HOOKS = 200


class HookCallbacks:
    """Those that `initialize` named; a session takes them when it is opened."""

    def __init__(self, control: ControlRequests) -> None:
        self._control = control
        self._taken = False
        self._hooks: list[Hook] = []

    def configure(self, given: Any) -> None:
        """Take in the hooks of `initialize`; ConfigurationError for what is none."""
        if given is None:
            return
        if self._taken:
            raise ConfigurationError("Hooks come with the first request, before any message.")
        if not isinstance(given, dict):
            raise ConfigurationError("`hooks` is an object of events.")
        found: list[Hook] = []
        for event, groups in given.items():
            if event not in EVENTS:
                raise ConfigurationError(f"There is no event {str(event)[:80]!r} for hooks.")
            for group in groups if isinstance(groups, list) else ():
                found += self._group(event, group if isinstance(group, dict) else {})
        if len(found) > MOST_HOOKS:
            raise ConfigurationError(f"There may be {MOST_HOOKS} hooks, not {len(found)}.")
        self._hooks = found

    def take(self) -> list[Hook]:
        """All of them; from now on there can be no more."""
        self._taken = True
        return self._hooks

    def _group(self, event: HookEvent, group: dict[str, Any]) -> list[Hook]:
        matcher, seconds = group.get("matcher") or "", group.get("timeout") or USUAL_SECONDS
        if not isinstance(matcher, str) or not isinstance(seconds, int | float):
            raise ConfigurationError(f"A hook for {event} has no fitting `matcher` or `timeout`.")
        ids = group.get("hookCallbackIds")
        blocks = group.get("onFailure") not in (None, "continue")
        return [
            self._hook(event, matcher, one, min(float(seconds), MOST_SECONDS), blocks=blocks)
            for one in (ids if isinstance(ids, list) else ())
            if isinstance(one, str)
        ]

    def _hook(
        self, event: HookEvent, matcher: str, number: str, seconds: float, *, blocks: bool
    ) -> Hook:
        def run(call: HookCall) -> HookAnswer:
            request = {
                "subtype": "hook_callback",
                "callback_id": number,
                "input": dict(call.payload),
                "tool_use_id": call.payload.get("tool_use_id"),
            }
            reply = self._control.call(request, seconds)
            if reply.kind == "success":
                return answer_from(event, reply.response)
            if blocks:
                return HookAnswer("deny", f"a hook failed: {reply.error}")
            if reply.kind == "nobody":
                raise HookFailed(f"{reply.error}.")  # before a tool is used, that is a question
            return HookAnswer(notice=f"A hook for {event} failed: {reply.error}")

        return Hook(event, run, matcher, number, may_allow=True)
