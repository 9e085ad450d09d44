"""`{{ code }}` in a system message: Python whose output takes its place.

Only the system message that the program itself has set is read in this way, never what a user says
nor the custom instructions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

SPAN = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def rendered(text: str, run: Callable[[str, str], Any]) -> str:
    """The text with every span replaced by what it prints."""

    def output(span: re.Match[str]) -> str:
        printed = run("python", span.group(1).strip())
        return "".join(m["content"] for m in printed if m["type"] == "console").strip()

    return SPAN.sub(output, text) if "{{" in text else text
