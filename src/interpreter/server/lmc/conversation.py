"""A conversation as Open Interpreter's clients know it, around a live session."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any, Protocol

from interpreter import lmc
from interpreter.assembly.live import LiveSession
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    InputRequested,
    RuntimeEvent,
    TurnFinished,
)
from interpreter.protocol.live import (
    LiveEvent,
    QuestionClosed,
    SessionChanged,
    TurnStarted,
    WentBack,
)
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import nobody_approves
from interpreter.server.access.tokens import User
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub
from interpreter.server.lmc.audio import AudioFrames, Say, Words, with_sound
from interpreter.server.lmc.pipe import Chunk, Pipe

NOT_OF_A_TURN = TurnStarted | QuestionClosed | WentBack | SessionChanged
OF_THE_MODEL = ("model", "temperature", "api_base")


class ChunkConversation(Protocol):
    """What the routes of this protocol need of whoever answers."""

    async def input(self, chunk: Chunk | bytes) -> None: ...
    async def output(self) -> Chunk | bytes: ...
    def shown(self, name: str) -> Any: ...
    async def change(self, given: dict[str, Any]) -> None: ...
    async def run_code(self, language: str, source: str) -> list[Chunk]: ...
    def workspace(self) -> Path: ...


class SessionConversation:
    """One conversation of a user: a session of the server that is talked to in chunks."""

    def __init__(self, hub: Hub, user: User, words: Words, say: Say) -> None:
        self._hub = hub
        self._spoken = AudioFrames(words)
        self._say = say
        self._aloud = False
        self._user = user
        self._given: dict[str, Any] = {}
        self._id = ""
        self._loop = asyncio.get_running_loop()
        self._pipe = Pipe(self._answer, self._stop)

    async def input(self, chunk: Chunk | bytes) -> None:
        """Take a chunk of what the user says, in writing or aloud."""
        whole: Chunk = {"role": "user", "content": chunk} if isinstance(chunk, bytes) else chunk
        if self._spoken.takes(whole):
            if whole.get("start"):
                await self._pipe.put({"type": "command", "content": "stop"})
            message = await self._spoken.message(whole)
            if message is None:
                return
            chunk, self._aloud = message, True
        elif whole.get("start"):
            self._aloud = False
        await self._pipe.put(chunk)

    async def output(self) -> Chunk | bytes:
        """The next chunk of the answer; sound is bytes between its start and its end."""
        chunk = await self._pipe.get()
        content = chunk.get("content")
        return content if isinstance(content, bytes) else chunk

    def shown(self, name: str) -> Any:
        """A setting, or the messages."""
        if name == "messages":
            messages = self._hub.messages(self._id) if self._id else ()
            return [one for message in messages for one in lmc.encode(message)]
        settings = self._hub.shown_settings(self._user, self._session())
        if name == "llm":
            return {key: settings[key] for key in OF_THE_MODEL if key in settings}
        if name not in settings:
            raise Refused(404, "missing", f"There is no setting {name!r} here.")
        return settings[name]

    async def change(self, given: dict[str, Any]) -> None:
        """Change settings; no `messages` begin a new conversation."""
        flat = {k: v for k, v in given.items() if k not in ("llm", "messages")}
        model = given.get("llm", {})
        if not isinstance(model, dict) or given.get("messages", []) != []:
            raise Refused(400, "invalid", "'llm' must be an object, and 'messages' empty.")
        flat.update(model)
        self._hub.settings_for(self._user, flat)
        self._given.update(flat)
        if "messages" in given:
            self._id = ""
        elif self._id:
            await self._hub.change(self._user, self._id, flat)

    async def run_code(self, language: str, source: str) -> list[Chunk]:
        """Run code by hand; what it printed and showed."""
        async with self._hub.woken(self._session()) as live:
            after = live.log.last
            await asyncio.wrap_future(live.run(Code(language, source)))
            return await asyncio.to_thread(self._printed, live, after)

    def workspace(self) -> Path:
        """Where files are."""
        return Path(self._hub.store.directory(self._session()))

    def _session(self) -> str:
        if not self._id:
            self._id = self._hub.create(self._user, "", self._given)
        return self._id

    def _printed(self, live: LiveSession, after: int) -> list[Chunk]:
        writer = lmc.ChunkWriter(confirmations=False)
        found: list[Chunk] = []
        with live.log.reader(after) as reader:
            for one in reader:
                if isinstance(one.event, TurnFinished):
                    break
                if isinstance(one.event, RuntimeEvent) and not isinstance(
                    one.event, ExecutionFinished
                ):
                    found += writer.chunks([one.event])
        return lmc.merged(found)

    # In the thread of the answer.

    def _answer(self, new: list[Chunk]) -> Generator[Chunk, None, None]:
        """Whoever spoke is answered aloud, too."""
        if not self._aloud:
            return self._written(new)
        return with_sound(self._written(new), self._say, self._pipe.stopping.is_set)

    def _written(self, new: list[Chunk]) -> Generator[Chunk, None, None]:
        """An answer; it ends before code that needs approval, which `go` gives."""
        live = asyncio.run_coroutine_threadsafe(self._woken(), self._loop).result()
        said = lmc.decode_all(new)
        after = live.log.last
        if said:
            live.send(Message("user", tuple(part for one in said for part in one.parts))).result()
        else:
            live.proceed().result()
        writer = lmc.ChunkWriter(confirmations=False)
        with live.log.reader(after) as reader:
            for one in reader:
                self._settled(live, one.n, one.event, go=not said)
                if not isinstance(one.event, NOT_OF_A_TURN):
                    yield from writer.chunks([one.event])
                if isinstance(one.event, TurnFinished):
                    self._raise_for(one.event)
                    return

    async def _woken(self) -> LiveSession:
        async with self._hub.woken(self._session()) as live:
            return live

    def _settled(self, live: LiveSession, number: int, event: LiveEvent, *, go: bool) -> None:
        """Answer what a turn asks: `go` is a yes to the code, and nobody is there for the rest."""
        if isinstance(event, InputRequested):
            live.questions.answer(number, None)
        elif isinstance(event, ApprovalRequested):
            if not event.proposed:
                live.questions.answer(number, nobody_approves(event))
            elif go:
                live.questions.answer(number, Decision("yes"))
            else:
                live.leave_proposed()

    def _raise_for(self, end: TurnFinished) -> None:
        if end.end == "failed":
            raise InterpreterError(end.detail or "The turn failed.")

    def _stop(self) -> None:
        if self._id:
            self._hub.stop(self._id)
