"""Files of functions that the user wants in every session: skills."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.calls import Arguments, CallContext, HostFunction, InsideFunction
from interpreter.protocol.events import Event, ExecutionFinished
from interpreter.protocol.messages import Code
from interpreter.settings.paths import config_directory

LARGEST = 1 << 20
MOST = 200
INSIDE = (
    InsideFunction(
        "computer.skills.import_skills", "Run all files of skills.", (), "computer_skills.py",
        "import_skills",
    ),
    InsideFunction(
        "computer.skills.run", "Call a skill that takes no arguments.", ("skill",),
        "computer_skills.py", "run",
    ),
)  # fmt: skip
"""What code does by itself, with what the functions below tell it."""
_QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


def import_skills(
    path: str, run: Callable[[Code], Iterable[Event]], notice: Callable[[str], None]
) -> None:
    """Run each of them; one that fails is told of, and the others are there."""
    for file, source in skill_sources(path).items():
        for event in run(Code("python", source)):
            if isinstance(event, ExecutionFinished) and event.outcome != "ok":
                why = event.summary.partition("\n")[0] or event.outcome
                notice(f"The skills in {Path(file).name} are not there: {why}")


def skill_functions(path: Callable[[], str]) -> tuple[HostFunction, ...]:
    """`computer.skills` for code: it is told no more than what it would be given to run."""

    def names(given: Arguments, context: CallContext) -> list[str]:
        return [name for text in skill_sources(path()).values() for name in functions_in(text)]

    def search(given: Arguments, context: CallContext) -> list[str]:
        return fitting(given["query"], names(given, context))

    def sources(given: Arguments, context: CallContext) -> dict[str, str]:
        return skill_sources(path())

    return (
        HostFunction("computer.skills.list", "The names of skills.", {}, names, asks=False),
        HostFunction(
            "computer.skills.search", "Skills by their names.", _QUERY, search, asks=False
        ),
        HostFunction(
            "computer.skills.sources", "The files of skills.", {}, sources, asks=False
        ),
    )  # fmt: skip


def functions_in(source: str) -> list[str]:
    """The functions that a file of skills defines."""
    return re.findall(r"(?m)^def (\w+)\(", source)


def fitting(query: str, names: list[str]) -> list[str]:
    """Those whose name has a word of the query; all of them if none has."""
    words = query.lower().split()
    return [name for name in names if any(word in name.lower() for word in words)] or names


def skill_sources(path: str) -> dict[str, str]:
    """The files of skills; a link that code has put among them in its workspace is none."""
    place = skill_directory(path)
    found: dict[str, str] = {}
    for file in sorted(place.glob("*.py"))[:MOST]:
        with suppress(OSError, UnicodeDecodeError):
            found[str(file)] = safe_files.read_bytes(file, LARGEST).decode()
    return found


def skill_directory(path: str) -> Path:
    """Where they are: a directory of the user's, which may lie in a workspace."""
    usual = config_directory() / "skills"
    return safe_files.named_by_user(Path(path) if path else usual, Path.cwd())
