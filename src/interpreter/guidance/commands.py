"""Commands of the user's own: `/name arguments`, each a Markdown file that becomes a message.

`$ARGUMENTS` and `$1` are what was typed after the name; a line of `!command` is replaced by what
that prints in the cell; `@file` mentions a file as in any message.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from interpreter.guidance import front_matter
from interpreter.guidance.skills import Skill, body
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence

FOLDERS = (".agents/commands", ".claude/commands")
LARGEST = 200_000
MOST = 200
_ARGUMENT = re.compile(r"\$(ARGUMENTS|[1-9])")
_SHELL = re.compile(r"^!`?(.+?)`?[ \t]*$", re.MULTILINE)


@frozen
class UserCommand:
    """A command, and the text that it stands for."""

    name: str
    description: str
    hint: str
    text: str
    of_project: bool


def find(
    home: Path | None, project: Path | None, skills: tuple[Skill, ...]
) -> dict[str, UserCommand]:
    """The commands by name: skills first, then the project's files, then the user's own."""
    found: dict[str, UserCommand] = {}
    for place, of_project in ((home, False), (project, True)):
        if place is not None:
            for folder in FOLDERS:
                found |= _in(place / folder, of_project=of_project)
    for skill in skills:
        found[skill.name] = UserCommand(
            skill.name, skill.description, "", f"{body(skill)}\n\n$ARGUMENTS", skill.of_project
        )
    return found


def expanded(command: UserCommand, arguments: str, shell: Callable[[str], str]) -> str:
    """The message that a command stands for; `shell` runs a line in the cell."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    text = _SHELL.sub(lambda line: shell(line[1]), command.text)  # what was typed is never run

    def argument(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return arguments
        place = int(found[1]) - 1
        return words[place] if place < len(words) else ""

    takes_some = _ARGUMENT.search(text) is not None
    text = _ARGUMENT.sub(argument, text).strip()
    return text if takes_some or not arguments else f"{text}\n\n{arguments}"


def _in(folder: Path, *, of_project: bool) -> dict[str, UserCommand]:
    found = {}
    for stem, settings, rest in front_matter.files_in(folder, MOST, LARGEST):
        first = next((line for line in rest.splitlines() if line.strip()), "")
        found[stem] = UserCommand(
            stem,
            sentence(str(settings.get("description") or first.lstrip("# "))[:200]),
            sentence(str(settings.get("argument-hint") or ""))[:80],
            rest,
            of_project,
        )
    return found
