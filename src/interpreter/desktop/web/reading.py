"""A page as something to read: its snapshot with references, its text, or Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from interpreter.protocol.desktop import DesktopError

LONGEST_PAGE = 200_000
FORMS = ("snapshot", "text", "markdown")
MARKDOWN = Path(__file__).with_name("markdown.js")
IS_PASSWORD = "field => field.type === 'password'"
HIDDEN = "•••"
_FIELD = re.compile(r"(?P<indent>\s*)- textbox.*\[ref=(?P<reference>\w+)\][^:]*:(?P<value>.*)")


def page_as(page: Any, form: str) -> str:
    """The page in one of these forms; what is in password fields is in none of them."""
    match form:
        case "snapshot":
            return _without_passwords(page, str(page.aria_snapshot(mode="ai")))[:LONGEST_PAGE]
        case "text":
            return str(page.inner_text("body"))[:LONGEST_PAGE]
        case "markdown":
            return str(page.evaluate(MARKDOWN.read_text(encoding="utf-8"), LONGEST_PAGE))
    raise DesktopError(f"A page is read as one of: {', '.join(FORMS)}.")


def _without_passwords(page: Any, snapshot: str) -> str:
    """The snapshot tells the values of all fields, so those of passwords are taken out of it."""
    if not any(frame.locator("input[type=password]").count() for frame in page.frames):
        return snapshot
    kept = []
    secret: str | None = None  # the indent of the field whose lines these are, where it is one
    for line in snapshot.splitlines():
        if secret is not None and line.startswith(f"{secret}  "):
            kept.append(re.sub(r"(- text:).*", rf"\1 {HIDDEN}", line))
            continue
        secret = None
        if (found := _FIELD.fullmatch(line)) and _is_password(page, found["reference"]):
            secret = found["indent"]
            line = line[: found.start("value")] + (f" {HIDDEN}" if found["value"] else "")
        kept.append(line)
    return "\n".join(kept)


def _is_password(page: Any, reference: str) -> bool:
    return bool(page.locator(f"aria-ref={reference}").evaluate(IS_PASSWORD))
