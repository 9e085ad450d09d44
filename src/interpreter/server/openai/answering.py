"""A turn for a program that wants an answer as text: pieces of it, then what it cost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Protocol

from starlette.requests import Request

from interpreter import lmc
from interpreter.assembly.live import EventLog, LiveSession
from interpreter.protocol.events import (
    ApprovalRequested,
    InputRequested,
    ReplyFinished,
    TurnFinished,
    Usage,
)
from interpreter.protocol.live import (
    LiveEvent,
    QuestionClosed,
    SessionChanged,
    TurnStarted,
    WentBack,
)
from interpreter.protocol.messages import Message
from interpreter.server.access.tokens import User
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub
from interpreter.server.lmc.narration import NOT_RUN, Narration
from interpreter.server.openai.asked import OWN_NAMES, AskedConversation
from interpreter.server.workspaces import unmoved

NOT_OF_A_TURN = TurnStarted | QuestionClosed | WentBack | SessionChanged


class Answer(Protocol):
    """One turn. `usage` and `end` are known when all pieces have been read."""

    usage: Usage
    end: TurnFinished

    def pieces(self, said: Message) -> AsyncIterator[str]:
        """The text, as it comes. Whoever stops reading stops the turn."""
        ...


AnswerBy = Callable[
    [Request, str, AskedConversation], contextlib.AbstractAsyncContextManager[Answer]
]
"""Finds somebody who answers a conversation, by the name of a model."""


class SessionAnswer:
    """The turn of a live session."""

    def __init__(self, live: LiveSession, *, stateless: bool) -> None:
        self.usage = Usage()
        self.end = TurnFinished("answered")
        self._live = live
        self._stateless = stateless
        self._narration = Narration()
        self._writer = lmc.ChunkWriter(confirmations=False)

    async def pieces(self, said: Message) -> AsyncIterator[str]:
        """The text, as it comes. Whoever stops reading stops the turn."""
        reader = self._live.log.reader(self._live.log.last)
        over = False
        try:
            await asyncio.wrap_future(self._live.send(said))
            while not over:
                for one in await reader.some():
                    over = isinstance(one.event, TurnFinished)
                    yield self._told(one.n, one.event)
        finally:
            reader.close()
            if not over:
                self._live.interrupt()

    def _told(self, number: int, event: LiveEvent) -> str:
        if isinstance(event, ReplyFinished) and event.usage:
            self.usage = _sum(self.usage, event.usage)
        if isinstance(event, TurnFinished):
            self.end = event
        if isinstance(event, NOT_OF_A_TURN):
            return ""
        told = [
            piece
            for chunk in self._writer.chunks([event])
            for piece in self._narration.pieces(chunk)
        ]
        if self._stateless and isinstance(event, ApprovalRequested):
            self._live.leave_proposed()
            told.append(NOT_RUN)
        if self._stateless and isinstance(event, InputRequested):
            self._live.questions.answer(number, None)
        return "".join(told)


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input=one.input + other.input,
        cached=one.cached + other.cached,
        output=one.output + other.output,
        reasoning=one.reasoning + other.reasoning,
    )


@contextlib.asynccontextmanager
async def answer_of(
    hub: Hub, request: Request, model: str, asked: AskedConversation
) -> AsyncIterator[Answer]:
    """Somebody who answers: the session that a header names, or one for this request alone."""
    user: User = request.state.user
    session = request.headers.get("x-session-id", "")
    if session:
        async with hub.woken(hub.info(user, session).id) as live:
            yield SessionAnswer(live, stateless=False)
        return
    settings = hub.settings_for(user, {} if model in OWN_NAMES else {"model": model})
    instructions = "\n\n".join(filter(None, (settings.custom_instructions, asked.instructions)))
    settings = replace(
        settings,
        keep_history=False,
        workspace=unmoved(str(user.root)),
        custom_instructions=instructions,
    )
    async with hub.room_for_a_guest():
        live = LiveSession(settings, EventLog(), messages=asked.history)
        try:
            yield SessionAnswer(live, stateless=True)
        finally:
            await asyncio.shield(asyncio.to_thread(live.close))


def refused_by(end: TurnFinished) -> Refused | None:
    """What a turn that failed means to a program."""
    return (
        Refused(502, "failed", end.detail or "The model failed.") if end.end == "failed" else None
    )
