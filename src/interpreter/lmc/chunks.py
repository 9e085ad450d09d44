"""A turn as it happens: events become chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from interpreter.lmc.messages import (
    Dictionary,
    action_content,
    decode,
    printed_by,
    rich_contents,
)
from interpreter.protocol import events as ev
from interpreter.protocol.messages import Action, Code, Display

CONSOLE: Dictionary = {"role": "computer", "type": "console"}


class ChunkWriter:
    """Turns the events of a turn into chunks, with a start and an end flag around each message."""

    def __init__(self, *, confirmations: bool) -> None:
        self._confirmations = confirmations
        self._open: Dictionary | None = None
        self._coding = False

    def chunks(self, events: Iterable[ev.Event]) -> Iterator[Dictionary]:
        """The chunks of a whole turn."""
        for event in events:
            yield from self._chunk(event)

    def _chunk(self, event: ev.Event) -> Iterator[Dictionary]:
        if isinstance(event, ev.ModelEvent):
            yield from self._reply(event)
        elif isinstance(event, ev.RuntimeEvent):
            yield from self._running(event)
        else:
            yield from self._around(event)

    def _reply(self, event: ev.ModelEvent) -> Iterator[Dictionary]:
        match event:
            case ev.TextDelta(text):
                yield from self._content({"role": "assistant", "type": "message"}, text)
            case ev.CodeDelta(language, text):
                self._coding = True
                yield from self._code(language, text)
            case ev.ActionProposed(action):
                yield from self._proposed(action)
            case ev.ReasoningDelta() | ev.ModelRetrying() | ev.ReplyFinished():
                pass
            case _:
                assert_never(event)

    def _around(self, event: ev.TurnEvent) -> Iterator[Dictionary]:
        match event:
            case ev.MessageFinished() | ev.TurnFinished():
                yield from self._close()
            case ev.ActionStarted(action):
                if isinstance(action, Code):
                    yield from self._console("active_line", first_line(action.source))
            case ev.Decided() | ev.CheckpointTaken() | ev.CheckpointDiscarded() | ev.FilesChanged():
                pass
            case _:
                assert_never(event)

    def _running(self, event: ev.RuntimeEvent) -> Iterator[Dictionary]:
        match event:
            case ev.OutputDelta(text):
                yield from self._console("output", text)
            case ev.ApprovalRequested(action, proposed=True):
                yield from self._confirmation(action)
            case ev.ActiveLine(line) if line is not None:
                yield from self._console("active_line", line)
            case ev.ExecutionFinished():
                yield from self._switch(CONSOLE)
                yield {**CONSOLE, "format": "active_line", "content": None}
            case ev.DisplayShown(display):
                yield from self._display(display)
            case (
                ev.ActiveLine()
                | ev.ApprovalRequested()
                | ev.ModelTold()
                | ev.OutputCleared()
                | ev.Notice()
            ):
                pass
            case (
                ev.InputRequested()
                | ev.HostCallProposed()
                | ev.HostCallRuled()
                | ev.HostCallFinished()
            ):
                pass
            case _:
                assert_never(event)

    def _display(self, display: Display) -> Iterator[Dictionary]:
        yield from self._console("output", printed_by(display))
        for rich in rich_contents(display):
            flags = {"role": "computer", **{k: v for k, v in rich.items() if k != "content"}}
            yield from self._content(flags, rich["content"])

    def _proposed(self, action: Action) -> Iterator[Dictionary]:
        whole = action_content(action)
        if not self._coding:
            yield from self._code(whole["format"], whole["content"])
        self._coding = False
        yield from self._close()

    def _confirmation(self, action: Action) -> Iterator[Dictionary]:
        yield from self._close()
        if self._confirmations:
            content = {"type": "code", **action_content(action)}
            flags = {"role": "computer", "type": "confirmation", "format": "execution"}
            yield {**flags, "content": content}

    def _code(self, language: str, text: str) -> Iterator[Dictionary]:
        yield from self._content({"role": "assistant", "type": "code", "format": language}, text)

    def _console(self, style: str, content: str | int) -> Iterator[Dictionary]:
        if content != "":
            yield from self._switch(CONSOLE)
            yield {**CONSOLE, "format": style, "content": content}

    def _content(self, flags: Dictionary, text: str) -> Iterator[Dictionary]:
        if text:
            yield from self._switch(flags)
            yield {**flags, "content": text}

    def _switch(self, flags: Dictionary) -> Iterator[Dictionary]:
        if self._open != flags:
            yield from self._close()
            self._open = flags
            yield {**flags, "start": True}

    def _close(self) -> Iterator[Dictionary]:
        if self._open is not None:
            yield {**self._open, "end": True}
            self._open = None


def first_line(source: str) -> int:
    """The line with which a block begins to run."""
    lines = enumerate(source.splitlines(), 1)
    return next((n for n, line in lines if line.strip() and not line.lstrip().startswith("#")), 1)


def merged(chunks: Iterable[Dictionary]) -> list[Dictionary]:
    """The messages that chunks make, without roles: what `computer.run` returns."""
    pieces: list[tuple[Dictionary, list[str]]] = []
    for chunk in chunks:
        if "content" not in chunk or chunk.get("format") == "active_line":
            continue
        kind = {key: value for key, value in chunk.items() if key not in ("role", "content")}
        if not pieces or pieces[-1][0] != kind or kind["type"] != "console":
            pieces.append((kind, []))
        pieces[-1][1].append(chunk["content"])
    return [{**kind, "content": "".join(texts)} for kind, texts in pieces]


def events_of(chunk: Dictionary) -> Iterator[ev.RuntimeEvent]:
    """What a chunk of a custom language says, as an event; flags say nothing."""
    if "content" not in chunk or chunk["content"] is None:
        return
    match chunk.get("type", "console"), chunk.get("format", "output"):
        case "console", "active_line":
            yield ev.ActiveLine(int(chunk["content"]))
        case "console", _:
            yield ev.OutputDelta(str(chunk["content"]))
        case _:
            shown = decode({**chunk, "role": "computer"})
            yield from (ev.DisplayShown(part) for part in shown.parts if isinstance(part, Display))
