"""Hooks as files write them: events, each with matchers, each with commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from interpreter.protocol import safe_files
from interpreter.protocol.hooks import EVENTS, HookEvent
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence

PROJECT_FILES = (".agents/hooks.json", ".claude/settings.json", ".claude/settings.local.json")
LARGEST = 1_000_000
MOST = 100  # commands of one file
USUAL_SECONDS, MOST_SECONDS = 60.0, 600.0

Source = Literal["user", "project"]


@frozen
class CommandHook:
    """One command of a file."""

    event: HookEvent
    matcher: str
    command: str
    file: Path
    source: Source
    seconds: float = USUAL_SECONDS
    condition: str = ""
    """`Bash(git *)`: run it for such calls only."""
    outside: bool = False
    """Whether it runs outside of the cell; only the user's own file can say so."""


@frozen
class FoundHooks:
    """What was read, and what was wrong with the rest."""

    hooks: tuple[CommandHook, ...] = ()
    troubles: tuple[str, ...] = ()


def read_files(files: list[tuple[Path, Source]]) -> FoundHooks:
    """The hooks of these files, in their order; a file that is not there has none."""
    found: list[CommandHook] = []
    troubles: list[str] = []
    for file, source in files:
        try:
            content = json.loads(safe_files.read_bytes(file, LARGEST))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError) as error:
            troubles.append(sentence(f"The hooks of {file} cannot be read: {error}."))
            continue
        table = content.get("hooks", {}) if isinstance(content, dict) else None
        if not isinstance(table, dict):
            troubles.append(sentence(f"The hooks of {file} are no JSON object."))
            continue
        commands = list(_in(table, file, source, troubles))
        if len(commands) > MOST:
            troubles.append(sentence(f"{file} has more than {MOST} hooks; the rest is left out."))
        found += commands[:MOST]
    return FoundHooks(tuple(found), tuple(troubles))


def _in(
    table: dict[str, Any], file: Path, source: Source, troubles: list[str]
) -> Iterator[CommandHook]:
    groups = ((event, group) for event in EVENTS for group in _list(table.get(event)))
    for event, group in groups:
        for entry in _list(group.get("hooks")):
            try:
                yield _hook(event, group.get("matcher", ""), entry, file, source)
            except ValueError as error:
                troubles.append(sentence(f"A hook for {event} in {file} is left out: {error}."))
    unknown = [str(name)[:40] for name in table if name not in EVENTS]
    if unknown:
        troubles.append(sentence(f"{file}: these events do not exist here: {', '.join(unknown)}."))


def _hook(
    event: HookEvent, matcher: Any, entry: dict[str, Any], file: Path, source: Source
) -> CommandHook:
    kind, command = entry.get("type", "command"), entry.get("command")
    if kind != "command":
        raise ValueError(f"only commands are run, not {str(kind)[:40]!r}")
    if not isinstance(command, str) or not command.strip() or not isinstance(matcher, str):
        raise ValueError("its command or its matcher is no text")
    seconds, condition = entry.get("timeout", USUAL_SECONDS), entry.get("if", "")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds > 0:
        raise ValueError("its timeout is no number of seconds")
    if not isinstance(condition, str):
        raise ValueError("its `if` is no text")
    outside = entry.get("outside", False) is True
    if outside and source != "user":
        raise ValueError("only your own file can have a hook outside of the sandbox")
    within = min(float(seconds), MOST_SECONDS)
    return CommandHook(event, matcher, command, file, source, within, condition, outside)


def _list(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
