"""Files of functions that the user wants in every session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.messages import Code
from interpreter.settings.paths import config_directory


def import_skills(path: str, run: Callable[[Code], Iterable[RuntimeEvent]]) -> None:
    """Run each of them."""
    place = Path(path).expanduser() if path else config_directory() / "skills"
    for file in sorted(place.glob("*.py")):
        for _ in run(Code("python", file.read_text(encoding="utf-8"))):
            pass
