"""What comes through a pipe: the message itself, or a file that goes with it."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError

SHOWN = 4_000  # characters of the file that the message quotes
LARGEST = 200_000_000


def someone_is_there() -> bool:
    """Whether there is a person at both ends of the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def piped_text() -> str:
    """All of the standard input, as text."""
    data = sys.stdin.buffer.read(LARGEST)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise ConfigurationError(f"The standard input is not UTF-8 text: {reason}.") from error


def attached(text: str, data: str, workspace: Path) -> str:
    """A message with the input kept in a file: short input is quoted whole, long input in part."""
    path = _keep(data, workspace / ".interpreter")
    where = f"in the file {path}" if path else "too long to be shown whole"
    if len(data) <= SHOWN:
        return f"{text}\n\nThe input ({where}):\n```\n{data.rstrip()}\n```"
    half = SHOWN // 2
    return (
        f"{text}\n\nThe input is {where} ({len(data):,} characters). "
        f"It begins:\n```\n{data[:half]}\n```\nand ends:\n```\n{data[-half:].rstrip()}\n```"
    )


def _keep(data: str, directory: Path) -> Path | None:
    """The file, where code can read it: in the workspace; None where that cannot be written."""
    content = data.encode()
    path = directory / f"input-{sha256(content).hexdigest()[:12]}.txt"
    try:
        safe_files.make_folder(directory)
        safe_files.write(directory / ".gitignore", "*\n")
        safe_files.write(path, content)
    except OSError:
        return None
    return path
