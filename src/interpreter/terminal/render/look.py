"""How the live face shows things, chosen once for a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interpreter.protocol.messages import Face
from interpreter.protocol.values import frozen
from interpreter.terminal.render.ansi import Palette
from interpreter.terminal.render.display import Draw


@frozen
class TerminalLook:
    """How things are shown."""

    palette: Palette
    draw: Draw
    keep: Callable[[Face], Path | None]
    active_line: bool = True
    verbose: bool = False
    directory: Path = Path()
    """Files below it are named from there."""
    walls: Callable[[str], str] = lambda language: ""
    """How code of a language is confined, in a few words."""
