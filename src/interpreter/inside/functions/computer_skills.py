"""`computer.skills` where code runs: the host has the files, and they are run here."""

from __future__ import annotations

import sys
from typing import Any


def import_skills() -> None:
    """Run every file of skills, so that their functions are among the names of code."""
    for name, source in _host().call("computer.skills.sources").items():
        exec(compile(source, name, "exec"), _names())


def run(skill: str) -> Any:
    """Call a skill that takes no arguments."""
    if skill not in _host().call("computer.skills.list"):
        raise ValueError(f"There is no skill {skill!r}.")
    if skill not in _names():
        import_skills()
    return _names()[skill]()


def _names() -> dict[str, Any]:
    return vars(sys.modules["__main__"])


def _host() -> Any:
    """What calls the host, and has loaded this file."""
    return sys.modules.get("host_calls") or sys.modules["__main__"]
