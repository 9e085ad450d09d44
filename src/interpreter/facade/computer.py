"""`interpreter.computer`: the machine that code runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from interpreter import lmc
from interpreter.assembly import Workshop
from interpreter.protocol.events import ActionStarted, Event
from interpreter.protocol.messages import Code


class Computer:
    """Runs code by hand, in the same REPLs that the model uses."""

    def __init__(self, workshop: Callable[[], Workshop]) -> None:
        self._workshop = workshop

    def run(
        self, language: str, code: str, stream: bool = False, display: bool = False
    ) -> list[dict[str, Any]] | Iterator[dict[str, Any]]:
        """Run code; its console and picture messages, or with `stream` its chunks."""
        chunks = self._chunks(language, code)
        return chunks if stream else _merged(chunks)

    def terminate(self) -> None:
        """End every REPL; the next block starts a new one."""
        self._workshop().restart_runtimes()

    def _chunks(self, language: str, code: str) -> Iterator[dict[str, Any]]:
        action = Code(language, code)
        writer = lmc.ChunkWriter(confirmations=False)
        for chunk in writer.chunks(_started(action, self._workshop())):
            if "content" in chunk and chunk.get("format") != "active_line":
                yield {key: value for key, value in chunk.items() if key != "role"}


def _started(action: Code, workshop: Workshop) -> Iterator[Event]:
    yield ActionStarted(action)
    yield from workshop.run(action)


def _merged(chunks: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for chunk in chunks:
        last = messages[-1] if messages else {}
        same = (last.get("type"), last.get("format")) == (chunk["type"], chunk.get("format"))
        if same and chunk["type"] == "console":
            last["content"] += chunk["content"]
        else:
            messages.append(dict(chunk))
    return messages
