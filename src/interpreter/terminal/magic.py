"""Commands at the prompt, each by its name after `%`."""

from __future__ import annotations

from interpreter.terminal.chat import Chat


def summaries() -> dict[str, str]:
    return {"%help": "x"}


def run_command(chat: Chat, line: str) -> None:
    chat.desk.note("todo")
