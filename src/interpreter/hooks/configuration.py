"""Hooks as files write them: events, each with matchers, each with commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from interpreter.protocol import safe_files
from interpreter.protocol.hooks import EVENTS, HookEvent
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence

PROJECT_FILES = (".agents/hooks.json", ".claude/settings.json", ".claude/settings.local.json")
OF_OTHERS = ".claude"  # other agents read these files, too, and know more than we do
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
    """What was read, what other agents know and we do not, and what is wrong."""

    hooks: tuple[CommandHook, ...] = ()
    left_out: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    """With one of these nothing runs: the hook that is not understood may be a guard."""


def read_files(files: list[tuple[Path, Source]]) -> FoundHooks:
    """The hooks of these files, in their order; a file that is not there has none."""
    found: list[CommandHook] = []
    left_out: list[str] = []
    mistakes: list[str] = []
    for file, source in files:
        unknown = left_out if file.parent.name == OF_OTHERS else mistakes
        try:
            found += _of_file(file, source, unknown)
        except FileNotFoundError:
            continue
        except ValueError as error:
            mistakes.append(str(error))
    return FoundHooks(tuple(found), tuple(map(sentence, left_out)), tuple(map(sentence, mistakes)))


def _of_file(file: Path, source: Source, unknown: list[str]) -> list[CommandHook]:
    """The hooks of one file; `unknown` takes what other agents may know. ValueError: a mistake."""
    table = _table(file)
    found: list[CommandHook] = []
    for event in EVENTS:
        for matcher, entry in _entries(table.get(event, []), event, file):
            if (kind := entry.get("type", "command")) == "command":
                found.append(_hook(event, matcher, entry, file, source))
            else:
                kind = str(kind)[:40]
                unknown.append(f"{file}: only commands are run for {event}, not {kind!r}.")
    foreign = [str(name)[:40] for name in table if name not in EVENTS]
    if foreign:
        unknown.append(f"{file}: these events do not exist here: {', '.join(foreign)}.")
    if len(found) > MOST:
        raise ValueError(f"{file} has more than {MOST} hooks.")
    return found


def _table(file: Path) -> dict[str, Any]:
    """What a file says about hooks, by event."""
    try:
        content = json.loads(safe_files.read_bytes(file, LARGEST))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"The hooks of {file} cannot be read: {error}.") from error
    table = content.get("hooks", {}) if isinstance(content, dict) else None
    if not isinstance(table, dict) or (content and not table and file.parent.name != OF_OTHERS):
        raise ValueError(f"{file}: its `hooks` are no JSON object.")
    return table


def _entries(groups: Any, event: HookEvent, file: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each hook for an event, with the matcher of its group."""
    for group in _objects(groups, event, file):
        for entry in _objects(group.get("hooks", []), event, file):
            yield group.get("matcher", ""), entry


def _objects(value: Any, event: HookEvent, file: Path) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError(f"{file}: what stands below {event} is no list of objects.")
    return value


def _hook(
    event: HookEvent, matcher: Any, entry: dict[str, Any], file: Path, source: Source
) -> CommandHook:
    """One command, each part of it checked."""
    wrong = f"{file}: a hook for {event} is wrong:"
    command, outside = entry.get("command"), entry.get("outside", False) is True
    if not isinstance(command, str) or not command.strip():
        raise ValueError(f"{wrong} its command is no text.")
    if not _is_matcher(matcher):
        raise ValueError(f"{wrong} its matcher is no regular expression.")
    seconds, condition = entry.get("timeout", USUAL_SECONDS), entry.get("if", "")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds > 0:
        raise ValueError(f"{wrong} its timeout is no number of seconds.")
    if not isinstance(condition, str):
        raise ValueError(f"{wrong} its `if` is no text.")
    if outside and source != "user":
        raise ValueError(f"{wrong} only your own file can have a hook outside of the sandbox.")
    within = min(float(seconds), MOST_SECONDS)
    return CommandHook(event, matcher, command, file, source, within, condition, outside)


def _is_matcher(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return value == "*" or re.compile(value) is not None
    except re.error:
        return False
