"""What a shortened conversation is told: the variables that live, and where all of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import RuntimeFailure
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import Tool
from interpreter.session.request.context import Notes


def notes_about(execute: Callable[[], Tool], directory: Callable[[], Path]) -> Notes:
    """Notes from the tool that runs code, and a directory that code can read."""
    return Notes(lambda: _variables(execute()), ConversationLog(directory).keep)


def _variables(execute: Tool) -> str:
    from interpreter.tools.live_variables import all_variables

    try:
        return all_variables(execute)
    except RuntimeFailure:  # no Python, no variables
        return ""


class ConversationLog:
    """Writes what is shortened to files that code can read; each message once."""

    def __init__(self, directory: Callable[[], Path]) -> None:
        self._directory = directory
        self._count = 0
        self._last: Message | None = None
        self._files = 0

    def keep(self, messages: Sequence[Message]) -> str:
        """Keep these messages of one growing conversation; where they are."""
        if self._count > len(messages) or (
            self._count and messages[self._count - 1] is not self._last
        ):
            self._count = 0  # another conversation, or another past
        try:
            self._write(messages[self._count :])
        except OSError:  # a full disk must not end the session
            return ""
        self._count, self._last = len(messages), messages[-1]
        return (
            f"Every message before this one is kept word for word in {self._directory()}, in files "
            "by number. Read or search them with code when you miss something."
        )

    def _write(self, messages: Sequence[Message]) -> None:
        from interpreter.session.export.formats import to_markdown

        if not messages:
            return
        directory = self._directory()
        safe_files.make_folder(directory)
        safe_files.write(directory / f"{self._files + 1:04}.md", to_markdown(messages))
        self._files += 1
