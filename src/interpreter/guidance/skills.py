"""Skills: directories with a `SKILL.md` that says when it helps and how.

The model is told the name and the description of each; it reads the file when a task fits, and the
files beside it when it needs them. Both are read by code in the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from interpreter.guidance import front_matter
from interpreter.protocol import safe_files
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence

FOLDERS = (".agents/skills", ".claude/skills")
LARGEST = 1_000_000
MOST_SKILLS = 200
MOST_DESCRIPTION = 1024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


@frozen
class Skill:
    """What is known of a skill before it is read."""

    name: str
    description: str
    file: Path
    of_project: bool


@frozen
class ProjectSkills:
    """The skills that can be used, and what was found wrong with others."""

    found: tuple[Skill, ...] = ()
    warnings: tuple[str, ...] = ()


def find(home: Path | None, project: Path | None) -> ProjectSkills:
    """The user's skills and the project's, which win where two have the same name."""
    places = [(home / folder, False) for folder in FOLDERS] if home is not None else []
    if project is not None:
        places += [(project / folder, True) for folder in FOLDERS]
    skills: dict[str, Skill] = {}
    warnings: list[str] = []
    for folder, of_project in places:
        for skill in _in(folder, warnings, of_project=of_project):
            other = skills.get(skill.name)
            if other is not None and other.of_project != of_project:
                warnings.append(f"The project's skill {skill.name} stands in for your own.")
            skills[skill.name] = skill
    return ProjectSkills(tuple(skills.values())[:MOST_SKILLS], tuple(warnings))


def catalogue(skills: Iterable[Skill]) -> str:
    """What the model is told of the skills at first; nothing where there are none."""
    lines = [f"- {one.name}: {one.description}" for one in skills]
    if not lines:
        return ""
    head = (
        'Skills. When a task fits one of these, print skills.read("name") in Python first, then '
        "follow it:"
    )
    return "\n".join((head, *lines))


def body(skill: Skill) -> str:
    """What a skill says, without its settings."""
    return front_matter.split(safe_files.read_bytes(skill.file, LARGEST).decode(errors="replace"))[
        1
    ]


def _in(folder: Path, warnings: list[str], *, of_project: bool) -> list[Skill]:
    try:
        names = sorted(safe_files.names(folder))[:MOST_SKILLS]
    except OSError:
        return []
    found = []
    for name in names:
        file = folder / name / "SKILL.md"
        if not safe_files.is_file(file):
            continue
        try:
            found.append(_read(file, of_project=of_project))
        except (OSError, ValueError) as error:
            warnings.append(sentence(f"The skill in {file} is left out: {error}."))
    return found


def _read(file: Path, *, of_project: bool) -> Skill:
    settings, _ = front_matter.split(safe_files.read_bytes(file, LARGEST).decode(errors="replace"))
    name = str(settings.get("name") or file.parent.name)
    description = " ".join(str(settings.get("description") or "").split())
    if len(name) > 64 or not _NAME.match(name):
        raise ValueError("its name is not made of small letters, digits and hyphens")
    if name != file.parent.name:
        raise ValueError(f"its name is {name}, its directory {file.parent.name}")
    if not description:
        raise ValueError("it has no description")
    return Skill(name, sentence(description[:MOST_DESCRIPTION]), file, of_project)
