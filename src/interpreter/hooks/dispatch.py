"""All hooks of a session: which of them an event concerns, and what they say together."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from interpreter.protocol.actions import Ruling
from interpreter.protocol.hooks import (
    NO_ANSWER,
    SUBJECTS,
    Hook,
    HookAnswer,
    HookCall,
    HookEvent,
    HookFailed,
)
from interpreter.protocol.visible import sentence

_STRENGTH: dict[Ruling | None, int] = {None: 0, "allow": 1, "ask": 2, "deny": 3}


class Hooks:
    """Runs them one after the other; deny beats ask, and ask beats allow.

    One that does not come to an answer is told to the user, and before a tool is used it counts as
    a wish to be asked.
    """

    def __init__(self, notice: Callable[[str], None], hooks: Iterable[Hook] = ()) -> None:
        self._notice = notice
        self._hooks = list(hooks)

    def add(self, *hooks: Hook) -> None:
        """More hooks, from now on."""
        self._hooks += hooks

    def wants(self, event: HookEvent) -> bool:
        """Whether anybody wants to know of such events."""
        return any(hook.event == event for hook in self._hooks)

    def run(self, call: HookCall) -> HookAnswer:
        """What they say together."""
        found = NO_ANSWER
        for hook in self._concerned(call):
            found = _together(found, self._answer(hook, call))
            if found.ruling == "deny" or found.stop is not None:
                break
        return found

    def _concerned(self, call: HookCall) -> Iterator[Hook]:
        subject = str(call.payload.get(SUBJECTS.get(call.event, ""), ""))
        for hook in self._hooks:
            if hook.event == call.event and matches(hook.matcher, call.event, subject):
                yield hook

    def _answer(self, hook: Hook, call: HookCall) -> HookAnswer:
        try:
            answer = hook.run(call)
        except HookFailed as error:
            told = sentence(f"The hook {hook.name} for {call.event} gave no answer: {error}")
            self._notice(told)
            return HookAnswer("ask", told) if call.event == "PreToolUse" else NO_ANSWER
        if answer.notice:
            self._notice(sentence(answer.notice))
        if answer.ruling == "allow" and not hook.may_allow:
            return replace(answer, ruling=None, reason="")
        return answer


def matches(matcher: str, event: HookEvent, subject: str) -> bool:
    """Whether a matcher fits; one that is no regular expression is a plain name."""
    if event not in SUBJECTS or matcher in ("", "*"):
        return True
    try:
        return re.fullmatch(matcher, subject) is not None
    except re.error:
        return matcher == subject


def holds(condition: str, call: HookCall) -> bool:
    """Whether `Tool` or `Tool(pattern)` fits a tool and its first text, as in `Bash(git *)`."""
    name, bracket, rest = condition.partition("(")
    given = call.payload.get("tool_input")
    texts = [v for v in given.values() if isinstance(v, str)] if isinstance(given, dict) else []
    if not fnmatch.fnmatchcase(str(call.payload.get("tool_name", "")), name.strip() or "*"):
        return False
    pattern = rest.removesuffix(")").replace(":*", "*")
    return not bracket or any(fnmatch.fnmatchcase(text, pattern) for text in texts[:1])


def _together(first: HookAnswer, second: HookAnswer) -> HookAnswer:
    stronger = second if _STRENGTH[second.ruling] > _STRENGTH[first.ruling] else first
    return HookAnswer(
        stronger.ruling,
        stronger.reason,
        context="\n".join(filter(None, (first.context, second.context))),
        notice="\n".join(filter(None, (first.notice, second.notice))),
        new_input=second.new_input if second.new_input is not None else first.new_input,
        stop=first.stop if first.stop is not None else second.stop,
    )
