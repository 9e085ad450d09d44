"""Hooks: who is told of what a session is about to do or has done, and may say no.

A hook is asked about an event with a payload and gives an answer; payloads and answers are the JSON
objects that coding agents share. A command is one kind of hook; a program that drives us brings its
own functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from interpreter.protocol.actions import Ruling
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.values import frozen

HookEvent = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
SUBJECTS: dict[HookEvent, str] = {
    "PreToolUse": "tool_name",
    "PermissionRequest": "tool_name",
    "PostToolUse": "tool_name",
    "PostToolUseFailure": "tool_name",
    "SessionStart": "source",
    "SessionEnd": "reason",
    "PreCompact": "trigger",
    "Notification": "notification_type",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
}
"""What a matcher is held against; it is not looked at for the other events."""
SHELL_NAMES = frozenset({"shell", "bash", "sh", "zsh"})
LONGEST_TEXT = 10_000  # characters of a reason, a notice or a context


class HookFailed(InterpreterError):
    """A hook did not come to an answer; the text says why."""


@frozen
class HookCall:
    """What happens; `payload` is the JSON object of this event. Who runs the hooks adds to it what
    all events have: the session, the directory, the mode."""

    event: HookEvent
    payload: Mapping[str, Any]


@frozen
class HookAnswer:
    """What a hook, or all of them together, has to say; mostly nothing."""

    ruling: Ruling | None = None
    """"deny" also stands for "block": the message is not sent, the model does not stop."""
    reason: str = ""
    context: str = ""
    """For the model."""
    notice: str = ""
    """For the user."""
    new_input: Mapping[str, Any] | None = None
    """What the tool is to be given instead."""
    stop: str | None = None
    """Why the whole turn is to end."""


NO_ANSWER = HookAnswer()
RunHooks = Callable[[HookCall], HookAnswer]


def no_hooks(call: HookCall) -> HookAnswer:
    """Where there are none."""
    return NO_ANSWER


@frozen
class Hook:
    """One hook: for which event, and for what of it; `name` is told when something is wrong."""

    event: HookEvent
    run: RunHooks
    matcher: str = ""
    """A regular expression for all of the subject; empty or `*`: whatever it is."""
    name: str = ""
    may_allow: bool = False
    """Whether its yes spares the user a question: only of what is the user's own."""


def answer_from(event: HookEvent, output: Mapping[str, Any]) -> HookAnswer:
    """An answer in the shared format; what is not understood of it counts for nothing."""
    told = output.get("hookSpecificOutput")
    special: Mapping[str, Any] = told if isinstance(told, dict) else {}
    if special.get("hookEventName", event) != event:
        special = {}
    ruling, reason = _ruling(event, output, special)
    new_input = special.get("updatedInput")
    if event == "PermissionRequest" and isinstance(decision := special.get("decision"), dict):
        new_input = decision.get("updatedInput")
    stops = output.get("continue") is False
    return HookAnswer(
        ruling,
        reason,
        context=_text(special.get("additionalContext")),
        notice=_text(output.get("systemMessage")),
        new_input=new_input if isinstance(new_input, dict) else None,
        stop=_text(output.get("stopReason")) or "a hook ended the turn" if stops else None,
    )


def _ruling(
    event: HookEvent, output: Mapping[str, Any], special: Mapping[str, Any]
) -> tuple[Ruling | None, str]:
    old: dict[Any, Ruling] = {"block": "deny", "approve": "allow"}
    words: dict[Any, Ruling] = {"deny": "deny", "ask": "ask", "defer": "ask", "allow": "allow"}
    if event == "PreToolUse" and isinstance(word := special.get("permissionDecision"), str):
        return words.get(word, "ask"), _text(special.get("permissionDecisionReason"))
    if event == "PermissionRequest" and isinstance(decision := special.get("decision"), dict):
        word = decision.get("behavior")
        return words.get(word, "ask"), _text(decision.get("message"))
    word = output.get("decision")
    return old.get(word) if isinstance(word, str) else None, _text(output.get("reason"))


def _text(value: Any) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""


def tool_use(action: Action) -> dict[str, Any]:
    """An action as hooks know it: `tool_name`, `tool_input`, `tool_use_id`."""
    match action:
        case Code(language, source) if language.lower() in SHELL_NAMES:
            name, given = "Bash", {"command": source}
        case Code(language, source):
            name, given = "execute", {"language": language, "code": source}
        case ActionCall(tool, arguments):
            name, given = _known_as(tool), _object(arguments)
        case _:
            name, given = "unknown", {}
    return {"tool_name": name, "tool_input": given, "tool_use_id": action.call_id}


def with_input(action: Action, given: Mapping[str, Any]) -> Action | None:
    """The same action with another input; None if that is not one for it."""
    if isinstance(action, Code):
        is_shell = action.language.lower() in SHELL_NAMES
        source = given.get("command" if is_shell else "code")
        language = given.get("language", action.language)
        if not isinstance(source, str) or not isinstance(language, str):
            return None
        return replace(action, source=source, language=language)
    if isinstance(action, ActionCall):
        return replace(action, arguments=json.dumps(dict(given)))
    return None


def _known_as(tool: str) -> str:
    """`tools.server.tool` and `server__tool` are what others call `mcp__server__tool`."""
    if tool.startswith("tools.") and tool.count(".") > 1:
        return "mcp__" + tool.removeprefix("tools.").replace(".", "__", 1)
    return f"mcp__{tool}" if "__" in tool else tool


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
