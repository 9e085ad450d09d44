"""What a block changed, as text that says something for the kind of file it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from interpreter.protocol.events import FileChange


@dataclass(frozen=True, slots=True)
class Difference:
    """A change with the file before and after it, where they are."""

    change: FileChange
    before: Path | None
    after: Path | None
