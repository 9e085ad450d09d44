"""Agents that a task can be handed to: Markdown files, whose text is what such an agent is told.

The settings at the top name it, say when it helps, and may leave it fewer tools. One that names
tools and none that changes anything works where nothing can be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from interpreter.guidance import front_matter
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence

FOLDERS = (".agents/agents", ".claude/agents")
LARGEST = 200_000
MOST = 100
CHANGE = frozenset({"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "execute"})
SAME_MODEL = frozenset({"", "inherit", "sonnet", "opus", "haiku"})
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,63}\Z")


@frozen
class AgentFile:
    """One agent; `model` is empty for the session's own."""

    name: str
    description: str
    text: str
    model: str = ""
    reads_only: bool = False
    of_project: bool = False


def find(home: Path | None, project: Path | None) -> dict[str, AgentFile]:
    """The agents by name; the project's stand in for the user's of the same name."""
    found: dict[str, AgentFile] = {}
    for place, of_project in ((home, False), (project, True)):
        for folder in FOLDERS if place is not None else ():
            for agent in _in(Path(place or "") / folder, of_project=of_project):
                found[agent.name] = agent
    return found


def catalogue(agents: Iterable[AgentFile]) -> str:
    """What the model is told of them at first; nothing where there are none."""
    lines = [f"- {one.name}: {one.description}" for one in agents]
    if not lines:
        return ""
    head = (
        'Agents. In Python, agents.run("name", "task") hands a task to one of these and returns '
        "its report; it knows nothing of this conversation, so say all that it needs:"
    )
    return "\n".join((head, *lines))


def _in(folder: Path, *, of_project: bool) -> Iterator[AgentFile]:
    for name, settings, body in front_matter.files_in(folder, MOST, LARGEST):
        called = str(settings.get("name") or name)
        if _NAME.match(called) and body.strip():
            yield _agent(called, settings, body, of_project=of_project)


def _agent(name: str, settings: dict[str, Any], body: str, *, of_project: bool) -> AgentFile:
    given = settings.get("tools")
    tools = given.strip("[] ").split(",") if isinstance(given, str) else given or ()
    tools = {str(one).strip().partition("(")[0] for one in tools if isinstance(one, str)}
    model = str(settings.get("model") or "")
    return AgentFile(
        name,
        sentence(" ".join(str(settings.get("description") or "").split())[:400]),
        body.strip(),
        "" if model in SAME_MODEL or of_project else model,
        reads_only=bool(tools) and not tools & CHANGE,
        of_project=of_project,
    )
