"""All that a project and its user tell the model, read once for a session."""

from __future__ import annotations

from pathlib import Path

from interpreter.guidance import agents, instructions, skills
from interpreter.guidance.commands import FOLDERS as COMMAND_FOLDERS
from interpreter.guidance.commands import UserCommand
from interpreter.guidance.commands import find as find_commands
from interpreter.guidance.memory import Memory
from interpreter.protocol import safe_files
from interpreter.protocol.values import frozen

MOST_FOR_SMALL = 2_000  # characters for a small model
MEMORY = 'Python: memory.remember("…") keeps a note for later sessions.'
_STARTERS = (".mcp.json", ".claude/settings.json", ".agents/hooks.json")


def asks_for_trust(directory: Path) -> tuple[str, ...]:
    """What in a directory would instruct the model or start something, were it trusted."""
    place = directory.resolve()
    files = [str(one.path) for one in instructions.chain(place)]
    inside = [place / name for name in _STARTERS]
    files += [str(file) for file in inside if safe_files.is_file(file)]
    for folder in (*skills.FOLDERS, *COMMAND_FOLDERS, *agents.FOLDERS):
        files += [str(place / folder)] if _has_any(place / folder) else []
    home = f"{place}/"
    return tuple(dict.fromkeys(file.removeprefix(home) for file in files))


def _has_any(folder: Path) -> bool:
    try:
        return bool(safe_files.names(folder))
    except OSError:
        return False


@frozen
class OwnFiles:
    """Where the user's own files are."""

    home: Path
    instructions: Path


class ProjectGuidance:
    """The user's own files, those of a project that is trusted, and what is remembered of it."""

    def __init__(
        self, directory: Path, own: OwnFiles | None, memory: Memory, *, trusted: bool
    ) -> None:
        self._workspace = directory.resolve()
        self.memory = memory
        self._trusted = trusted
        mine = instructions.read(own.instructions) if own else ()
        chain = instructions.chain(self._workspace) if trusted else ()
        self._instructions = (*mine, *chain)
        self._known = frozenset(one.path for one in self._instructions)
        project = self._workspace if trusted else None
        home = own.home.resolve() if own else None
        self._skills = skills.find(home, project)
        self.commands: dict[str, UserCommand] = find_commands(home, project, self._skills.found)
        self.agents = agents.find(home, project)
        self.warnings = self._skills.warnings
        self._memory_told = memory.told()

    @property
    def skill_names(self) -> tuple[str, ...]:
        """The skills that can be read."""
        return tuple(one.name for one in self._skills.found)

    def skill(self, name: str) -> skills.Skill | None:
        """A skill by its name."""
        return next((one for one in self._skills.found if one.name == name), None)

    def text(self, *, small: bool = False, hints: bool = True) -> str:
        """What the model is told at first; the same for as long as the session lasts.

        `hints` say how to remember, which whoever wrote a system text of their own may not want.
        """
        told = instructions.shown(self._instructions, self._workspace)
        if small:
            return told[:MOST_FOR_SMALL]
        parts = (
            told,
            skills.catalogue(self._skills.found),
            agents.catalogue(self.agents.values()),
            self._memory_told,
            MEMORY if hints else "",
        )
        return "\n\n".join(filter(None, parts))

    def near(self, paths: tuple[str, ...]) -> str:
        """What instructs where these paths lead, if it was not told yet."""
        if not self._trusted:
            return ""
        inside = (path.removeprefix(f"{self._workspace}/".lstrip("/")) for path in paths)
        found = instructions.nested(self._workspace, inside, self._known)
        self._known |= {one.path for one in found}
        return instructions.shown(found, self._workspace)
