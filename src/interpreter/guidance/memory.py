"""What is remembered of a project from one session to the next: one Markdown file, the user's.

The model adds to it, the user reads and edits it; keys and passwords are never written into it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.visible import visible

LARGEST = 64_000
MOST_TOLD = 8_000  # characters for the model
LONGEST_NOTE = 2_000


class Memory:
    """The file of one project."""

    def __init__(self, kept: Path, workspace: Path, redact: Callable[[str], str]) -> None:
        place = workspace.resolve()
        mark = hashlib.sha256(str(place).encode()).hexdigest()[:12]
        slug = re.sub(r"[^\w-]+", "-", place.name).strip("-") or "root"
        self.file = kept / f"{slug}-{mark}.md"
        self._redact = redact

    def text(self) -> str:
        """All that is remembered; empty where nothing is."""
        try:
            return safe_files.read_bytes(self.file, LARGEST).decode(errors="replace")
        except FileNotFoundError:
            return ""

    def remember(self, note: str) -> str:
        """Add a line; what was added, with keys and passwords taken out."""
        if len(note) > LONGEST_NOTE:  # as it is given: so much of it the user has been shown
            raise ValueError(f"A note has at most {LONGEST_NOTE:,} characters.")
        line = visible(self._redact(" ".join(note.split())))
        if not line:
            raise ValueError("There is nothing to remember in an empty note.")
        text = self.text()
        if f"- {line}\n" in text:
            return line
        if len(text) + len(line) + 3 > LARGEST:
            raise ValueError(f"The memory is full; shorten {self.file} with %memory edit.")
        head = text or "# What is remembered of this project\n\n"
        self.write(f"{head.rstrip(chr(10))}\n{'' if text else chr(10)}- {line}\n")
        return line

    def write(self, text: str) -> None:
        """Make this all that is remembered."""
        safe_files.make_folder(self.file.parent)
        safe_files.write(self.file, text)

    def told(self) -> str:
        """What the model is told of it: the newest, where there is more than it is given."""
        text = self.text().strip()
        if not text:
            return ""
        kept = text if len(text) <= MOST_TOLD else f"[…]\n{text[-MOST_TOLD:].partition(chr(10))[2]}"
        return f"What you remembered of this project before:\n{kept}"
