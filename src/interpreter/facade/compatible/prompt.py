"""What a model is told first, and `{{ code }}` in it: Python whose output takes its place.

Only the system message that the program itself has set is read in this way, never what a user says
nor the custom instructions.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from interpreter.session.request import system_text as prompt
from interpreter.session.request.system_text import Facts, system_prompt


def rendered(text: str, run: Callable[[str, str], Any]) -> str:
    """The text with every span replaced by what it prints."""

    def output(source: str) -> str:
        printed = run("python", source)
        return "".join(m["content"] for m in printed if m["type"] == "console")

    return prompt.rendered(text, output)


def usual(languages: Iterable[str]) -> str:
    """The system message of an interpreter whose program has set none."""
    date = time.strftime("%Y-%m-%d")
    return system_prompt(Facts(platform.system(), date, str(Path.cwd()), tuple(languages)))


def split(message: str | None, usual_one: str, wishes: Iterable[str]) -> tuple[str, str]:
    """The program's own system message, if it has one, and the instructions beside it."""
    instructions = "\n\n".join(filter(None, wishes))
    if message is None or not message.startswith(usual_one):
        return message or "", instructions
    # Somebody added to the usual text, which says more in a session.
    return "", f"{message.removeprefix(usual_one)}\n\n{instructions}"
