"""A block in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.system.host_programs import find_program

SUFFIXES = {
    "python": ".py",
    "py": ".py",
    "shell": ".sh",
    "bash": ".sh",
    "javascript": ".js",
    "html": ".html",
    "r": ".r",
    "ruby": ".rb",
    "java": ".java",
    "markdown": ".md",
    "yaml": ".yaml",
}


def editor() -> list[str]:
    """The command of the editor."""
    for wish in (os.environ.get("VISUAL"), os.environ.get("EDITOR")):
        if wish and wish.strip():
            return shlex.split(wish)
    for name in ("nano", "vim", "vi"):
        if find_program(name):
            return [name]
    raise ConfigurationError("There is no editor: set EDITOR.")


def edit(text: str, language: str) -> str:
    """The text as the user leaves it; ConfigurationError when the editor cannot be run."""
    command = editor()
    suffix = SUFFIXES.get(language.lower(), ".txt")
    with tempfile.TemporaryDirectory(prefix="interpreter-") as directory:
        path = Path(directory) / f"block{suffix}"
        path.write_text(text, encoding="utf-8")
        edit_file(path, command)
        return path.read_text(encoding="utf-8", errors="replace")


def edit_file(path: Path, command: list[str] | None = None) -> None:
    """Open a file and wait until the user is done."""
    command = command or editor()
    try:
        program = command[0] if "/" in command[0] else find_program(command[0]) or command[0]
        # In the file's own directory: editors read settings from where they are started.
        done = subprocess.run([program, *command[1:], str(path)], cwd=path.parent)
    except OSError as error:
        raise ConfigurationError(f"The editor {command[0]!r} cannot be run: {error}.") from error
    if done.returncode:
        raise ConfigurationError(f"The editor {command[0]!r} ended with {done.returncode}.")
