"""From options to a conversation: which face, which session, which message first."""

from __future__ import annotations

import os
import sys
from dataclasses import field, replace
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.settings.own import ProfileParts
from interpreter.settings.settings import Settings
from interpreter.settings.sources import gather
from interpreter.terminal.input.piped import attached, piped_text, someone_is_there
from interpreter.terminal.input.questions import (
    confirm_no_sandbox,
    confirm_profile,
    confirm_project,
)
from interpreter.terminal.profile_parts import own_parts
from interpreter.terminal.subcommands.errands import presets, profile

RUN_OPTIONS = frozenset([
    "message",
    "profile",
    "once",
    "resume",
    "json",
    "version",
    "stdin",
    "conversations",
    "server",
    "os",
    "local",
    "fast",
    "vision",
    "codestral",
    "llama3",
    "groq",
    "assistant",
    "profiles",
    "local_models",
    "reset_profile",
])
ONE_SHOT = ("once", "json", "stdin")


@frozen
class ChatPlan:
    """What is to be started."""

    settings: Settings
    text: str = ""
    resume: str = ""
    interactive: bool = True
    live: bool = True
    json: bool = False
    behind_prompt: bool = False
    """Whether it is opened while a prompt has the terminal, so that nothing can be asked."""
    own: ProfileParts = field(default_factory=ProfileParts)
    """What a profile in Python brought along."""


class AskInFront(Exception):
    """Opening needs an answer of the user, and a prompt has the terminal."""


def run(options: dict[str, Any]) -> int:
    """Start what the options say; the exit code."""
    own = own_parts()
    settings = settings_of(options, own)
    resume = opened_session(options.get("resume", ""))
    if options.get("conversations"):
        resume = _picked()
        if not resume:
            return 0
    if settings.sandbox == "off":
        confirm_no_sandbox()
    plan = replace(_plan(options, settings, resume), own=own)
    if not plan.text.strip() and not plan.interactive:
        raise ConfigurationError("There is no message, and no terminal to ask for one.")
    if plan.interactive:
        confirm_project(settings.directory())
    if plan.live and plan.interactive and not plan.text.strip():
        from interpreter.terminal.input.prompt_first import prompt_first  # noqa: PLC0415

        return prompt_first(plan)
    from interpreter.terminal.opening import talk  # noqa: PLC0415  (loads the whole house)

    return talk(plan)


def settings_of(options: dict[str, Any], own: ProfileParts | None = None) -> Settings:
    """What the options, the profile they name, the environment and the user's files come to."""
    flags = {**presets(options), **_flags(options)}
    return gather(flags, profile=profile(options), confirm=confirm_profile, own=own).settings


def _plan(options: dict[str, Any], settings: Settings, resume: str) -> ChatPlan:
    at_terminal = someone_is_there() and sys.stdout.isatty()
    json = bool(options.get("json"))
    return ChatPlan(
        settings,
        text=first_message(options, settings),
        resume=resume,
        interactive=at_terminal and not any(options.get(name) for name in ONE_SHOT),
        live=at_terminal and not json and can_be_live(settings),
        json=json,
    )


def _flags(options: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if name not in RUN_OPTIONS}
    if given.pop("debug_mode", False) or given.get("debug"):
        given["verbose"] = True
    return given


def opened_session(name: str) -> str:
    """The session that `--resume` names: a file is taken in first."""
    if not name.endswith(".json"):
        return name
    from interpreter.terminal.subcommands.sessions import opened  # noqa: PLC0415  (rarely asked for)

    return opened(name)


def _picked() -> str:
    from interpreter.terminal.input.picker import pick_session  # noqa: PLC0415  (rarely asked for)

    return pick_session()


def first_message(options: dict[str, Any], settings: Settings) -> str:
    """The message of the command line; a pipe is the message, or is attached to it as a file."""
    text = " ".join(options.get("message", ()))
    if sys.stdin.isatty():
        return sys.stdin.readline() if options.get("stdin") and not text else text
    data = piped_text()
    if not text:
        return data
    return attached(text, data, settings.directory()) if data else text


def can_be_live(settings: Settings) -> bool:
    """Whether the terminal can do more than print lines."""
    return not settings.plain and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
